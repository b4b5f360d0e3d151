"""Every refusal is said in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import spielwerk as sw
from spielwerk.server import refusals
from spielwerk.server.protocol import ErrorCode, Refused
from spielwerk.server.refusals import GERMAN, in_german
from tests.server.client import Running, agent, human

_SERVER = Path(refusals.__file__).parent
_SAYING = ("Refused", "_refuse", "error_response", "RecordError")
# Sentences of other rooms, which arrive as they are.
_FALLBACKS = {in_german("\0", code) for code in get_args(ErrorCode)}


def sentences() -> Iterator[str]:
    """What call sites in the server say, with {} for what differs."""
    for path in sorted(_SERVER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _SAYING:
                for argument in node.args:
                    yield from (text for text in templates(argument) if " " in text)


def templates(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*templates(node.body), *templates(node.orelse)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)]
    return []


def test_every_sentence_of_the_server_is_in_the_german_list() -> None:
    found = set(sentences()) - {"{}: {}"}  # a field and what pydantic says of it
    assert len(found) > 45
    assert sorted(found - set(GERMAN)) == []


def test_both_languages_fill_the_same_places_at_most() -> None:
    for english, german in GERMAN.items():
        assert german.count("{}") <= english.count("{}")
        assert not re.search(r"\b(Sie|Ihr|Ihre|Ihnen)\b", german), "the reader is du"


@pytest.mark.parametrize("code", get_args(ErrorCode))
def test_what_nobody_foresaw_is_german_all_the_same(code: ErrorCode) -> None:
    words = Refused(code, "something new").words
    assert not isinstance(words, str) and words.en == "something new" and words.de.endswith(".")


@pytest.mark.parametrize(
    ("name", "rules", "german"),
    [
        ("pferdeaepfel/trail", {"size": 9}, "„Brettgröße“ muss eine ganze Zahl von 3 bis 8 sein, nicht 9."),
        ("pferdeaepfel/trail", {"white_start": "z9"}, None),
        ("pferdeaepfel/trail", {"white_start": "h1"}, None),
        ("pferdeaepfel/trail", {"size": 3, "white_start": "b2"}, None),
        ("pferdeaepfel/trail", {"width": 3}, "Pferdeäpfel, Spur hat keine Einstellung „width“."),
        ("pferdeaepfel/carry", {"starter": "nobody"}, None),
        ("ludo/ffa", {"colours": "green"}, None),
        ("ludo/ffa", {"colours": "pink,red"}, None),
        ("ludo/ffa", {"players": 2, "colours": "green,blue,red"}, None),
        ("ludo/ffa", {"ranking": 3}, None),
        ("nowhere/at-all", {}, "Dieses Regelwerk gibt es nicht."),
    ],
)
def test_settings_that_cannot_be_are_refused_in_german(name: str, rules: dict[str, Any], german: str | None) -> None:
    with pytest.raises((ValueError, TypeError)) as error:
        sw.make(name, **rules)
    said = in_german(str(error.value), "malformed")
    assert said not in _FALLBACKS, str(error.value)
    assert german in (None, said)
    assert not re.search(r"\b(must|size|start|not|white|black)\b", said), said


def test_refusals_arrive_in_both_languages(server: Running) -> None:
    body = {"game": "pferdeaepfel/trail", "seats": [human(), agent("nobody")]}
    assert server.http.post("/api/tables", json=body).json()["error"]["message"] == {
        "en": "unknown level 'nobody'; there are: random, beginner, greedy, network, club, expert, master, perfect",
        "de": "Dieser Gegner spielt nicht nach diesen Regeln; wähle einen anderen.",
    }
    with server.hotseat() as player:
        answer = player.ask("resign", seat=0, seq=0)
        assert answer["type"] == "ack"
        answer = player.ask("resign", seat=0)
        assert answer["message"] == {"en": "the game is over", "de": "Die Partie ist zu Ende."}
