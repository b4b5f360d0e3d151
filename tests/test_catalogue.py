"""Words about games, in both languages. A game need not have any; one that begins has them all."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk import catalogue, rule_pages
from spielwerk.render import seat_labels
from spielwerk.render.description import GameDescription, description_of
from spielwerk.render.scene import Label

ROOT = Path(__file__).parents[1]
CODE = re.compile(r'(?:IllegalActionError\(|return \{)"([a-z-]+)",')


def rulesets_with(words: Callable[[GameDescription], object]) -> list[str]:
    return [name for name in sw.games() if words(description_of(name))]


def codes_in(*headers: Path) -> set[str]:
    return {code for path in headers for code in CODE.findall(path.read_text(encoding="utf-8"))}


def test_what_any_game_may_refuse_is_said_in_german() -> None:
    codes = codes_in(ROOT / "cpp/any_game.hpp")
    assert "notation" in codes
    assert codes <= set(catalogue.GERMAN_REFUSALS)


@pytest.mark.parametrize("name", rulesets_with(lambda game: game.refusals))
def test_a_game_with_german_refusals_has_all_of_them(name: str) -> None:
    game = name.partition("/")[0].replace("-", "_")
    codes = codes_in(ROOT / f"cpp/games/{game}.hpp")
    assert codes
    assert codes <= {*description_of(name).refusals, *catalogue.GERMAN_REFUSALS}


def test_refusals_name_what_was_played_and_what_would_be_legal() -> None:
    said = catalogue.german_refusal("pferdeaepfel/classic", "last-escape", "@c6", "@a1")
    assert said == "„@c6“ nähme Weiß den letzten Ausweg."
    assert catalogue.german_refusal("ludo/ffa", "last-escape", "@c6", "@a1") is None, "that is another game's"
    assert catalogue.german_refusal("ludo/ffa", "over", "0", "1") == "Die Partie ist zu Ende."
    assert catalogue.german_refusal("nowhere/standard", "moon", "0", "1") is None


@pytest.mark.parametrize("name", rulesets_with(lambda game: game.parameters))
def test_a_game_with_described_parameters_describes_all_of_them(name: str) -> None:
    for parameter in sw.make(name).parameters:
        assert parameter.name in description_of(name).parameters
        label, help_ = catalogue.parameter_label(name, parameter), catalogue.parameter_help(name, parameter)
        assert label.en and label.de and help_.en == parameter.help and help_.de not in ("", help_.en)
        for choice in parameter.choices:
            assert catalogue.choice_label(name, parameter, choice) != Label(choice, choice)


@pytest.mark.parametrize("name", rulesets_with(lambda game: game.rulesets))
def test_titles_are_those_of_the_rule_pages(name: str) -> None:
    title, family = catalogue.ruleset_title(name), catalogue.game_title(name)
    assert (title.en, title.de) == (rule_pages.title(name, "en"), rule_pages.title(name, "de"))
    index = f"{name.partition('/')[0]}/index"
    assert (family.en, family.de) == (rule_pages.title(index, "en"), rule_pages.title(index, "de"))
    assert catalogue.full_title(name) == Label(f"{family.en}, {title.en}", f"{family.de}, {title.de}")


def test_described_names_exist() -> None:
    for name in sw.games():
        described, game = description_of(name), name.partition("/")[0]
        siblings = [sw.make(other) for other in sw.games() if other.startswith(f"{game}/")]
        known = {parameter.name for sibling in siblings for parameter in sibling.parameters}
        assert set(described.parameters) <= known
        rulesets = {sibling.name.partition("/")[2] for sibling in siblings}
        assert set(described.rulesets) <= rulesets
        assert described.recommended is None or described.recommended in rulesets


@pytest.mark.parametrize("name", sw.games())
def test_every_seat_has_a_name_of_its_own(name: str) -> None:
    game = sw.make(name)
    labels = seat_labels(game)
    assert len({label.en for label in labels}) == len({label.de for label in labels}) == game.num_players


def test_ludo_tells_colours_apart_by_letters_in_both_languages() -> None:
    from spielwerk.render.games.ludo.words import LETTERS, NAMES

    for letter, name in zip(LETTERS, NAMES, strict=True):
        assert name.en.startswith(letter.en) and name.de.startswith(letter.de)
    assert len({letter.en for letter in LETTERS}) == len({letter.de for letter in LETTERS}) == 4


def test_a_game_without_words_has_those_of_the_core() -> None:
    unknown = "nowhere/standard"
    size = next(parameter for parameter in sw.make("pferdeaepfel/trail").parameters if parameter.name == "white_start")
    assert catalogue.full_title(unknown) == Label("nowhere, standard", "nowhere, standard")
    assert catalogue.parameter_label(unknown, size) == Label("white start", "white start")
    assert catalogue.parameter_help(unknown, size) == Label(size.help, size.help)
    assert catalogue.choice_label(unknown, size, "a1") == Label("a1", "a1")


def test_words_differ_where_languages_do() -> None:
    def of(words: Mapping[str, Label]) -> set[str]:
        return {label.de for label in words.values() if label.en != label.de}

    assert of(description_of("ludo").rulesets) == {"Jeder für sich", "Zwei gegen zwei"}
