"""Every word about games that people read, in English and German, whatever shows it.

Each game's own words are in its description; what holds for all games is here.
"""

from __future__ import annotations

from spielwerk import rule_pages
from spielwerk.games import Parameter
from spielwerk.render.description import ParameterDescription, description_of
from spielwerk.render.scene import Label, listed, same

# Refusals that any game can give, by the core's codes. English comes from the core itself.
GERMAN_REFUSALS: dict[str, str] = {
    "over": "Die Partie ist zu Ende.",
    "notation": "„{text}“ ist keine Aktion dieses Regelwerks; möglich ist zum Beispiel {example}.",
    "no-such-action": "Diese Aktion gibt es nicht; möglich ist zum Beispiel {example}.",
    "turn-over": "„{text}“ ist mehr als ein Zug.",
    "chance-due": "Jetzt entscheidet der Würfel.",
    "illegal": "„{text}“ ist hier nicht erlaubt; möglich ist zum Beispiel {example}.",
}


def game_title(name: str) -> Label:
    """What a game is called, given its name or that of one of its rulesets."""
    game = name.partition("/")[0]
    return description_of(name).title or _page_title(f"{game}/index", game)


def ruleset_title(name: str) -> Label:
    """What a ruleset is called beside others of its game."""
    ruleset = name.partition("/")[2]
    return description_of(name).rulesets.get(ruleset) or _page_title(name, ruleset)


def full_title(name: str) -> Label:
    """A ruleset's title with that of its game."""
    return listed((game_title(name), ruleset_title(name)))


def parameter_label(name: str, parameter: Parameter) -> Label:
    """What a rule parameter of the ruleset is called."""
    described = _parameter(name, parameter)
    return described.label if described else same(parameter.name.replace("_", " "))


def parameter_help(name: str, parameter: Parameter) -> Label:
    """What it does, in a line."""
    described = _parameter(name, parameter)
    return Label(parameter.help, described.german_help if described else parameter.help)


def choice_label(name: str, parameter: Parameter, choice: str) -> Label:
    """What one of its listed values is called."""
    described = _parameter(name, parameter)
    return described.choices.get(choice, same(choice)) if described else same(choice)


def german_refusal(name: str, code: str, text: str, example: str) -> str | None:
    """Why a ruleset refuses `text`, where there are German words for it; `example` is an action that would be legal."""
    sentence = description_of(name).refusals.get(code) or GERMAN_REFUSALS.get(code)
    return sentence and sentence.format(text=text[:40], example=example)


def _page_title(page: str, name: str) -> Label:
    """The heading of a rule page, or the name where there is none."""
    return Label(rule_pages.title(page, "en") or name, rule_pages.title(page, "de") or name)


def _parameter(name: str, parameter: Parameter) -> ParameterDescription | None:
    return description_of(name).parameters.get(parameter.name)
