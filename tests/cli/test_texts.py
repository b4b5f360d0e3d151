"""The texts of the terminal game."""

import re
import string
from pathlib import Path

import pytest

import spielwerk.cli
from spielwerk.cli.game.texts import TEXTS, Texts
from spielwerk.cli.options import LANGUAGES, language_of
from spielwerk.errors import IllegalAction
from spielwerk.render.scene import Lang

ENGLISH, GERMAN = TEXTS["en"], TEXTS["de"]


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_texts_with_the_same_gaps() -> None:
    assert set(TEXTS) == set(LANGUAGES)
    assert list(ENGLISH) == list(GERMAN)
    for key, text in ENGLISH.items():
        assert gaps(text) == gaps(GERMAN[key]), key


def test_every_text_is_used() -> None:
    folder = Path(spielwerk.cli.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.name != "texts.py")
    unused = {key for key in ENGLISH if f'"{key}"' not in source and not re.match("help-|agent-", key)}
    assert not unused


def test_a_reason_without_translation_is_told_in_english() -> None:
    illegal = IllegalAction("the moon is in the way", "moon")
    assert Texts("de").reason("pferdeaepfel/trail", illegal, "b6", "c7") == "the moon is in the way."


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "de_DE", "LANG": "en_US"}, "de"),
        ({}, "en"),
    ],
)
def test_the_language_of_an_environment(environment: dict[str, str], language: Lang) -> None:
    assert language_of(None, environment) == language
    assert language_of("de", environment) == "de"
