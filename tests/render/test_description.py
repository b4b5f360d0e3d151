"""How a game's module is found, and what stands in for it."""

import pytest

from spielwerk.render import description, plain
from spielwerk.render.description import GameDescription, description_of, descriptions


def test_a_game_nobody_described_has_the_defaults() -> None:
    assert description_of("nowhere/standard") == description_of("nowhere") == GameDescription()
    assert description_of("nowhere").scene is plain.scene


def test_described_games_are_found_by_their_modules() -> None:
    assert {"diavolo", "ludo", "pferdeaepfel"} <= set(descriptions())
    assert description_of("ludo/teams") is descriptions()["ludo"]


def test_a_description_must_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("spielwerk.render.games.ludo.GAME")
    with pytest.raises(TypeError, match=r"spielwerk\.render\.games\.ludo must have a GameDescription called GAME"):
        description._description.__wrapped__("ludo")
