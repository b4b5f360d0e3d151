"""game.check lists what is wrong with a position: what from_text refuses, and strictly what no game could hold."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import spielwerk as sw

LUDO_START = "G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0"


def small(name: str) -> dict[str, Any]:
    rules = {"diavolo": {"side": 4}, "ludo": {"max_plies": 300}, "pferdeaepfel": {"size": 5}}
    return rules.get(name.partition("/")[0], {})


@pytest.mark.parametrize("name", sw.games())
def test_every_position_of_a_game_passes_the_strict_check(name: str) -> None:
    game = sw.make(name, **small(name))
    rng = random.Random(name)
    for seed in range(60):
        state = game.start(seed=seed)
        while not state.over:
            assert game.check(state.to_text(), strict=True) == []
            state.play(rng.choice(state.legal_actions))
        assert game.check(state.to_text(), strict=True) == []


@pytest.mark.parametrize(
    ("name", "rules", "text", "broken"),
    [
        (
            "pferdeaepfel/classic",
            {"size": 5, "brown": 2, "golden": 2},
            "Wooo1/g4/5/5/4B w jump",
            ["there are only 2 brown apples"],
        ),
        (
            "pferdeaepfel/classic",
            {"size": 5, "brown": 5, "golden": 2},
            "wg3/5/5/5/4B w place",
            ["a golden apple is out while brown ones are left", "a horse stands on an apple"],
        ),
        ("pferdeaepfel/trail", {"size": 3}, "W2/3 w", ["the board has 2 ranks, not 3"]),
        (
            "ludo/ffa",
            {},
            "G=h2,7,y,y Y=7,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=6 sixes=0000 plies=90",
            [
                "Green has a piece home without having captured",
                "enemies share square 7, which is not safe",
                "the die shows a six that the sixes of Green do not count",
            ],
        ),
        (
            "diavolo/standard",
            {"side": 4},
            "white 1,1+1,2+2,1 1,1+1,2+2,1 4,1-5,1; red; white to move; last turn",
            [
                "White has a land on 1,1+1,2+2,1",
                "White has no land with the corner 4,1",
                "only Red has a last turn",
            ],
        ),
    ],
)
def test_all_violations_of_a_set_up_are_listed_and_from_text_raises_the_first(
    name: str, rules: dict[str, Any], text: str, broken: list[str]
) -> None:
    game = sw.make(name, **rules)
    assert game.check(text) == broken
    with pytest.raises(ValueError, match=re.escape(f"impossible position: {broken[0]}")):
        game.from_text(text)


@pytest.mark.parametrize(
    ("name", "rules", "text", "broken"),
    [
        (
            "pferdeaepfel/classic-24",
            {"size": 5},
            "o4/5/1w3/5/4b b jump",
            ["the horse on b3 stands on an apple away from White's start square a5"],
        ),
        (
            "pferdeaepfel/classic-24",
            {"size": 5},
            "W4/5/5/5/4b w jump",
            ["White's start square a5 has no apple"],
        ),
        (
            "pferdeaepfel/trail",
            {"size": 5},
            "5/5/1W3/5/4B b",
            ["White's start square a5 has no apple", "so many apples cannot lie at this turn"],
        ),
        (
            "pferdeaepfel/trail",
            {"size": 5},
            "o4/5/2W2/5/4B b",
            ["the horses stand on squares that they cannot have at this turn"],
        ),
        (
            "pferdeaepfel/classic",
            {"size": 5},
            "W4/5/3B1/5/4o w jump",
            [
                "White moves first, but has not left its start square",
                "the horses stand on squares that they cannot have at this turn",
            ],
        ),
        (
            "ludo/ffa",
            {},
            LUDO_START.replace("G=y", "G=6"),
            ["the pieces stand where only 2 decisions or more can have brought them, not 0"],
        ),
        ("ludo/ffa", {}, LUDO_START.replace("turn=G", "turn=B"), ["Green moves first, but it is another's turn"]),
        (
            "diavolo/standard",
            {},
            "white; red; over by pass",
            [
                "Red cannot have passed: it could lay two lands",
                "White has built in 0 turns and Red in 0, which cannot be now",
            ],
        ),
        (
            "diavolo/standard",
            {},
            "white 1,1+1,2+2,1; red; red to move; swap open",
            [
                "White's lands must be even in number, not 1",
                "the swap is open only until the second turn of the game",
                "White has built in 0 turns and Red in 0, which cannot be now",
            ],
        ),
        ("diavolo/standard", {}, "white; red; white to move", ["Red has not moved yet, so the swap is open"]),
    ],
)
def test_what_no_game_could_hold_is_listed_strictly_and_may_still_be_set_up(
    name: str, rules: dict[str, Any], text: str, broken: list[str]
) -> None:
    game = sw.make(name, **rules)
    assert game.check(text) == []
    assert game.from_text(text, chance="explicit").to_text() == text
    assert game.check(text, strict=True) == broken


def test_a_text_that_is_too_long_is_one_violation() -> None:
    [line] = sw.make("pferdeaepfel/trail").check("x" * 200_000)
    assert line == "a position text has at most 100000 characters"


@pytest.mark.parametrize("name", sw.games())
def test_whatever_a_text_says_check_and_from_text_agree(name: str) -> None:
    game = sw.make(name, **small(name))
    rng = random.Random(f"strange {name}")
    for seed in range(40):
        state = game.start(seed=seed)
        for _ in range(rng.randrange(30)):
            if not state.over:
                state.play(rng.choice(state.legal_actions))
        letters = list(state.to_text())
        for _ in range(rng.randrange(1, 4)):
            letters[rng.randrange(len(letters))] = rng.choice(
                [*state.to_text(), "X", "x", "w", "b", "g", "0", ";", " "]
            )
        text = "".join(letters)
        broken = game.check(text)
        assert set(broken) <= set(game.check(text, strict=True))
        if broken:
            with pytest.raises(ValueError, match="impossible position"):
                game.from_text(text)
        else:
            assert game.from_text(text, chance="explicit").game == game
