"""A page for each ruleset as an environment, written from what the core and the environments say of themselves."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from functools import cache
from importlib import import_module
from itertools import groupby

import gymnasium

import spielwerk as sw
from spielwerk.catalogue import full_title
from spielwerk.envs.pictures import RENDER_MODES
from spielwerk.envs.registration import game_modules
from spielwerk.envs.single_game import ANSWERS_TO_ILLEGAL
from spielwerk.envs.single_seat import SingleSeat
from spielwerk.envs.spaces import FORMS, FORMS_WITH_MASK
from spielwerk.envs.vector_seat import OPPONENTS, VectorSeat
from spielwerk.games import Game, Parameter, State, sides_of
from spielwerk.render.description import description_of
from spielwerk.render.scene import Label

GAMES_LOOKED_AT = 200
FOLDER = "environments"
_PLACE = re.compile(r"[a-z]?\d+")

# Arguments of the environments; rule parameters have their words from the core.
ARGUMENTS = {
    "ruleset": "one of the game's rulesets",
    "game": "the ruleset; the registered name brings it along",
    "num_envs": "how many games at once",
    "seat": 'the caller\'s seat, a number or `"random"`',
    "opponent": "who plays the other seats: an agent or its spec, or a list of them, one for each other seat; "
    f"with `make_vec` one of {', '.join(f'`{name}`' for name in OPPONENTS)}",
    "illegal": f"what an illegal action does: {' or '.join(f'`{word}`' for word in ANSWERS_TO_ILLEGAL)}",
    "observation": "the form of observations: " + ", ".join(f"`{form}`" for form in (*FORMS, *FORMS_WITH_MASK)),
    "render_mode": ", ".join(f"`{mode}`" for mode in RENDER_MODES) + "; without one nothing is drawn",
    "threads": "threads that step the games",
    "skip_forced": "plays by itself where a seat has only one legal action",
    "copy": "`False`: observations and masks are views that the next step overwrites",
}


def described() -> list[Game]:
    """Games with a PettingZoo module; a game may do without."""
    families = set(game_modules().values())
    return [sw.make(name) for name in sw.games() if name.partition("/")[0] in families]


def pages() -> dict[str, str]:
    """Pages and pictures by their place in the site."""
    games = described()
    made = {f"{FOLDER}/index.md": _index(games)}
    for game in games:
        made[f"{FOLDER}/{_file(game)}.md"] = page(game)
        made[f"{FOLDER}/img/{_file(game)}.svg"] = _middle_of_a_game(game).svg()
    return made


def page(game: Game) -> str:
    """In the order in which Gymnasium and PettingZoo describe their environments."""
    parts = [_head(game), _use(game), _actions(game), _observations(game), _rewards(game), _arguments(game)]
    return "\n".join([*parts, _versions(game)])


def titles() -> dict[str, str]:
    """Titles of the pages, in the order of the navigation."""
    return {f"{FOLDER}/{_file(game)}.md": game.name for game in described()}


def _index(games: list[Game]) -> str:
    rows = [
        f"| [{game.name}]({_file(game)}.md) | {game.num_players} | {'dice' if game.has_chance else '–'} "
        f"| {game.num_actions} | {_shape(game)} | {game.max_plies} | {game.summary} |"
        for game in games
    ]
    return (
        "# Environments\n\nEvery ruleset is an environment of PettingZoo, of Gymnasium (one seat, the others are "
        "played by agents) and a batch (`sw.vector`). These pages are written from the core when the site is built.\n\n"
        "| ruleset | seats | chance | actions | observation | longest game | |\n|---|---|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _head(game: Game) -> str:
    chance = "dice, drawn inside the environment" if game.has_chance else "none"
    facts = {
        "PettingZoo": f'`sw.envs.{_module(game)}.env(ruleset="{_ruleset(game)}")`',
        "Gymnasium": f"`spielwerk.envs:{_gymnasium_name(game)}`",
        "Batch": f'`sw.vector("{game.name}", num_envs=…)`',
        "Agents": ", ".join(f"`player_{seat}` ({label.en})" for seat, label in enumerate(_seats(game))),
        "Sides": "seats of a side win together: " + _sides(game),
        "Action space": f"`Discrete({game.num_actions})`",
        "Observation space": f"`{_space(game)}`",
        "Chance": chance,
        "Zero-sum": "yes" if game.zero_sum else "no",
        "Longest game": f"{game.max_plies} decisions",
        "Rules": f"[English](../rules/en/{game.name}.md), [Deutsch](../rules/de/{game.name}.md), "
        f"version {game.rules_version}",
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    return (
        f"# {game.name}\n\n{full_title(game.name).en}. {game.summary}\n\n"
        f"![A position of {game.name}](img/{_file(game)}.svg){{ width=360 }}\n\n| | |\n|---|---|\n{table}\n"
    )


def _use(game: Game) -> str:
    return f"""## Use

```python
import gymnasium
import spielwerk as sw

env = sw.envs.{_module(game)}.env(ruleset="{_ruleset(game)}")  # PettingZoo
env.reset(seed=7)
for name in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    env.step(None if terminated or truncated else env.action_space(name).sample(observation["action_mask"]))

seat = gymnasium.make("{_gymnasium_name(game)}", opponent="greedy")  # Gymnasium; sw.envs has registered it
observation, info = seat.reset(seed=7)
observation, reward, terminated, truncated, info = seat.step(seat.action_space.sample(info["action_mask"]))

batch = sw.vector("{game.name}", num_envs=64)
observation, mask, to_act = batch.reset(seed=7)
observation, mask, reward, terminated, truncated, to_act = batch.step(batch.random_actions(seed=7))
```
"""


def _actions(game: Game) -> str:
    state = game.start(seed=1)
    texts = [state.text(action) for action in range(game.num_actions)]
    rows = "\n".join(f"| {_range(run)} | {_from_to([texts[action] for action in run])} |" for run in _runs(texts))
    every = " ".join(f"{action}&nbsp;`{text}`" for action, text in enumerate(texts))
    return (
        "## Actions\n\nA number each; [the texts](../formats.md#actions) are those of records and of the table. "
        "Which are legal is in the mask.\n\n| numbers | texts |\n|---|---|\n" + rows + "\n\n"
        f'??? note "All {game.num_actions} actions"\n    {every}\n'
    )


def _runs(texts: list[str]) -> list[list[int]]:
    """Neighbouring actions whose texts are alike but for names of places."""
    return [list(run) for _, run in groupby(range(len(texts)), key=lambda action: _PLACE.sub("#", texts[action]))]


def _range(run: list[int]) -> str:
    return str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}"


def _from_to(texts: list[str]) -> str:
    return f"`{texts[0]}`" if len(texts) == 1 else f"`{texts[0]}` … `{texts[-1]}`"


def _observations(game: Game) -> str:
    rows = [f"| {i} | {plane.name} | {plane.meaning} | {plane.maximum} |" for i, plane in enumerate(game.planes)]
    return (
        f"## Observations\n\nuint8, {_shape(game)}, as the seat that observes sees the board "
        "([more](../observations.md)). Forms with numbers from 0 to 1 divide each plane by its maximum.\n\n"
        "| plane | name | value | maximum |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def _rewards(game: Game) -> str:
    rows = [f"| `{reason}` | {_returns(values)} | {count} |" for (reason, values), count in _endings(game.name)]
    return (
        "## Rewards\n\nZero until the game ends, then each agent's return, from -1 to +1. A game that its ply limit "
        "ends is truncated and returns 0 to all. An illegal action ends the game with -1 for its agent "
        f'(`illegal="raise"` raises instead). How {GAMES_LOOKED_AT} games of random players ended:\n\n'
        "| reason | returns, the highest first | games |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def _returns(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:+.3g}" for value in values)


@cache
def _endings(name: str) -> list[tuple[tuple[str, tuple[float, ...]], int]]:
    player = sw.agent("random:seed=1")
    seen: Counter[tuple[str, tuple[float, ...]]] = Counter()
    game = sw.make(name)
    for seed in range(GAMES_LOOKED_AT):
        state = game.start(seed=seed)
        while not state.over:
            state.play(player.act(state))
        seen[state.reason, tuple(sorted(state.returns, reverse=True))] += 1
    return sorted(seen.items(), key=lambda item: (-item[1], item[0]))


def _arguments(game: Game) -> str:
    doors = {
        "PettingZoo": import_module(f"spielwerk.envs.{_module(game)}").env,
        "Gymnasium": SingleSeat,
        "make_vec": VectorSeat,
    }
    defaults = {door: _defaults(function) for door, function in doors.items()}
    rows = [
        f"| `{name}` | " + " | ".join(defaults[door].get(name, "–") for door in doors) + f" | {meaning} |"
        for name, meaning in ARGUMENTS.items()
    ]
    rules = [
        f"| `{rule.name}` | `{game.rules[rule.name]}` | {_allowed(rule)} | {rule.help} |" for rule in game.parameters
    ]
    return (
        "## Arguments\n\nWith their defaults:\n\n| argument | " + " | ".join(doors) + " | |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n\nRule parameters, the same for all of them and for `sw.make` and `sw.vector`:\n\n"
        "| parameter | default | values | |\n|---|---|---|---|\n" + "\n".join(rules) + "\n"
    )  # fmt: skip


def _defaults(function: object) -> dict[str, str]:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    named = [entry for entry in parameters if entry.kind is not inspect.Parameter.VAR_KEYWORD]
    if unknown := {entry.name for entry in named} - set(ARGUMENTS):
        raise SystemExit(f"scripts/environment_pages.py must say what these arguments do: {', '.join(sorted(unknown))}")
    return {entry.name: "" if entry.default is entry.empty else f"`{entry.default!r}`" for entry in named}


def _allowed(rule: Parameter) -> str:
    if rule.kind == "int":
        return f"{rule.minimum} to {rule.maximum}"
    return "`True`, `False`" if rule.kind == "bool" else ", ".join(f"`{choice}`" for choice in rule.choices) or "text"


def _versions(game: Game) -> str:
    name = game.name.partition("/")[0]
    modules = sorted((module for module, of in game_modules().items() if of == name), reverse=True)
    lines = [f"- **{module.removeprefix(f'{name}_')}**: {_news(module)}" for module in modules]
    return (
        "## Version history\n\n" + "\n".join(lines) + "\n\nThe number changes when the same actions lead elsewhere. "
        f"Rules have a version of their own, here {game.rules_version}, which records carry "
        "([changelog](../changelog.md)).\n"
    )


def _news(module: str) -> str:
    """What a version brought: all of its module's docstring but the title."""
    text = inspect.getdoc(import_module(f"spielwerk.envs.{module}")) or ""
    return " ".join(text.partition("\n\n")[2].split())


def _middle_of_a_game(game: Game) -> State:
    player, state = sw.agent("greedy:seed=1"), game.start(seed=1)
    for _ in range(16):
        if not state.over:
            state.play(player.act(state))
    return state


def _seats(game: Game) -> tuple[Label, ...]:
    return description_of(game.name).seats(game)


def _sides(game: Game) -> str:
    names = [label.en for label in _seats(game)]
    return "; ".join(" and ".join(names[seat] for seat in side) for side in sides_of(game))


def _space(game: Game) -> str:
    return str(gymnasium.make(_gymnasium_name(game)).observation_space)


def _shape(game: Game) -> str:
    return " × ".join(map(str, game.observation_shape))


def _module(game: Game) -> str:
    return max(module for module, of in game_modules().items() if of == game.name.partition("/")[0])


def _ruleset(game: Game) -> str:
    return game.name.partition("/")[2]


def _gymnasium_name(game: Game) -> str:
    return f"spielwerk/{_file(game)}-{_module(game).rpartition('_')[2]}"


def _file(game: Game) -> str:
    return game.name.replace("/", "-")
