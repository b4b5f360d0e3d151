"""The core against the naive rule follower: step by step over random games, and by counting sequences."""

from __future__ import annotations

import random
from typing import Any

import pytest

import spielwerk as sw
from tests.games.naive_pferdeaepfel import (
    BLACK,
    BROWN,
    GOLDEN,
    RULESETS,
    WHITE,
    NaiveGame,
    board_squares,
    knight_targets,
    perft,
)

GAMES_PER_RULESET_AND_SIZE = 45

Rules = dict[str, Any]


# --- Step by step ---------------------------------------------------------------------------------


def random_rules(ruleset: str, size: int, rng: random.Random) -> Rules:
    """Rule parameters of every kind; small supplies, so that many games reach the golden phase."""
    rules: Rules = {"size": size}
    if rng.random() < 0.5:
        starts = rng.sample(board_squares(size), 2)
        if knight_targets(starts[WHITE], size):  # a White in the middle of size 3 cannot even begin
            rules["white_start"], rules["black_start"] = starts
    if ruleset not in ("free", "free-place-first", "trail") and rng.random() < 0.9:
        rules["brown"] = rng.randint(2, size * size // 2)
        rules["golden"] = rng.randint(1, size * size // 2)
    if ruleset == "carry":
        rules["starter"] = rng.choice(["white", "black"])
    return rules


def assert_same_table(state: sw.State, naive: NaiveGame) -> None:
    board, seen = board_squares(naive.size), state.position
    assert (board[seen["white"]], board[seen["black"]]) == (naive.horses[WHITE], naive.horses[BLACK])
    for colour in (BROWN, GOLDEN):
        assert {board[cell] for cell in seen[colour]} == {s for s, apple in naive.apples.items() if apple == colour}
        left = -1 if naive.apples_are_unlimited() else naive.pool.count(colour)
        assert seen[f"{colour}_left"] == left
    assert (seen["white_holds"], seen["black_holds"]) == tuple(naive.held[s] or "none" for s in (WHITE, BLACK))


def assert_same_prospects(state: sw.State, naive: NaiveGame) -> None:
    assert state.player == naive.player
    assert state.over == naive.over
    assert sorted(map(state.text, state.legal_actions)) == sorted(naive.legal())
    assert state.winner == naive.winner
    assert state.points == (naive.points[WHITE], naive.points[BLACK])
    if not naive.over:
        assert state.position["step"] == naive.step
        assert state.to_text() == naive.text()


def compare_one_game(ruleset: str, rules: Rules, rng: random.Random) -> None:
    state = sw.make(f"pferdeaepfel/{ruleset}", **rules).start(seed=0)
    naive = NaiveGame(ruleset, **rules)
    assert_same_table(state, naive)
    assert_same_prospects(state, naive)
    while not naive.over:
        text = rng.choice(naive.legal())
        state.play(text)
        naive.play(text)
        assert_same_table(state, naive)
        assert_same_prospects(state, naive)


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("ruleset", RULESETS)
def test_random_games_agree_step_by_step(ruleset: str, size: int) -> None:
    rng = random.Random(f"{ruleset} {size}")
    for _ in range(GAMES_PER_RULESET_AND_SIZE):
        compare_one_game(ruleset, random_rules(ruleset, size, rng), rng)


def test_the_random_games_reach_every_kind_of_ending() -> None:
    """Guards the comparison above: it is worth little if the supplies and sizes drawn leave endings out."""
    endings: set[tuple[str, tuple[int, ...], bool]] = set()
    for ruleset in RULESETS:
        for size in range(3, 9):
            rng = random.Random(f"{ruleset} {size}")
            for _ in range(GAMES_PER_RULESET_AND_SIZE):
                naive = NaiveGame(ruleset, **random_rules(ruleset, size, rng))
                while not naive.over:
                    naive.play(rng.choice(naive.legal()))
                captured = naive.horses[WHITE] == naive.horses[BLACK]
                endings.add((ruleset, naive.winner, captured))
    for ruleset in RULESETS:
        assert {(ruleset, (WHITE,), False), (ruleset, (BLACK,), False)} <= endings
    for ruleset in ("free", "free-place-first", "trail"):
        assert {(ruleset, (WHITE,), True), (ruleset, (BLACK,), True)} <= endings
    for ruleset in ("classic", "classic-24", "original"):
        assert {(ruleset, (WHITE,), True), (ruleset, (BLACK,), True), (ruleset, (), True)} <= endings


# --- Counting action sequences --------------------------------------------------------------------

# How many action sequences of length 1, 2, 3, … exist. A trailing 0 says that every game was over before, so
# that row counts the whole game. All three classic rulesets count alike except where supplies run out: they
# differ in points, which the rulings and the step-by-step comparison cover.
# fmt: off
COUNTS: list[tuple[str, Rules, list[int]]] = [
    (
        "free",
        {"size": 3},
        [2, 14, 24, 144, 200, 1000, 1274, 4096, 3918, 11754, 9766, 12656, 4776, 4776, 1776, 0],
    ),
    ("free", {"size": 4}, [2, 28, 54, 338, 1176, 14112, 45920, 425_920, 849_400, 8_494_000, 16_363_496]),
    ("free", {"size": 5}, [2, 46, 88, 1936, 10584, 222_264, 1_171_688, 21_952_000, 62_250_308]),
    ("free", {"size": 8}, [2, 124, 244, 14884, 86400, 5_184_000, 29_658_120, 1_749_829_080]),
    (
        "free",
        {"size": 5, "white_start": "b2", "black_start": "c4"},
        [4, 69, 396, 8712, 31967, 620_487, 1_815_920, 36_318_400, 135_282_542],
    ),
    ("free-place-first", {"size": 3}, [7, 12, 60, 80, 144, 96, 120, 108, 0]),
    (
        "free-place-first",
        {"size": 4},
        [14, 26, 312, 576, 2600, 3960, 33696, 46080, 365_568, 677_376, 4_673_424, 8_350_272, 39_555_072],
    ),
    (
        "free-place-first",
        {"size": 5},
        [23, 44, 924, 1680, 31920, 136_800, 2_462_400, 10_078_056, 154_421_472],
    ),
    ("free-place-first", {"size": 8}, [62, 122, 7320, 14160, 821_280, 3_901_080, 222_361_560]),
    (
        "free-place-first",
        {"size": 5, "white_start": "b2", "black_start": "c4"},
        [23, 89, 1386, 6300, 119_358, 310_080, 5_051_376, 9_476_820],
    ),
    ("trail", {"size": 3}, [2, 4, 4, 4, 2, 2, 0]),
    ("trail", {"size": 4}, [2, 4, 4, 8, 16, 32, 40, 72, 120, 240, 136, 88, 16, 32, 0]),
    (
        "trail",
        {"size": 5},
        [
            2, 4, 20, 100, 208, 460, 1034, 2472, 6616, 17852, 28206, 48732, 69634, 113_960,
            110_680, 119_956, 105_022, 115_048, 52622, 28580, 9904, 5312, 282, 56, 0,
        ],
    ),
    (
        "trail",
        {"size": 6},
        [
            2, 4, 20, 100, 404, 1704, 5156, 16230, 48114, 151_588, 417_172, 1_210_696, 3_064_706,
            8_240_658, 17_272_434,
        ],
    ),
    (
        "trail",
        {"size": 7},
        [2, 4, 20, 100, 434, 1994, 8230, 35104, 129_848, 498_312, 1_753_736, 6_416_132, 21_176_064],
    ),
    (
        "trail",
        {"size": 8},
        [2, 4, 20, 100, 500, 2500, 12192, 61880, 262_064, 1_137_584, 4_569_626, 18_894_604, 76_200_068],
    ),
    (
        "trail",
        {"size": 5, "white_start": "b2", "black_start": "c4"},
        [
            4, 15, 45, 90, 296, 775, 1793, 3943, 8701, 14979, 30538, 40738, 58966, 61142, 67959,
            50347, 46330, 21584, 11702, 3525, 1325, 178, 14, 0,
        ],
    ),
    ("classic", {"size": 3}, [2, 12, 20, 84, 84, 266, 200, 86, 30, 38, 12, 4, 0]),
    (
        "classic",
        {"size": 4},
        [2, 28, 54, 310, 532, 5256, 7880, 62168, 88144, 526_680, 674_168, 1_789_560, 1_505_320, 4_528_192],
    ),
    ("classic", {"size": 5}, [2, 46, 88, 1852, 8420, 159_542, 693_030, 10_682_168, 19_746_064]),
    ("classic", {"size": 8}, [2, 124, 244, 14644, 70820, 4_109_912, 19_522_660, 1_094_255_540]),
    ("classic", {"size": 3, "brown": 3, "golden": 2}, [2, 12, 20, 84, 84, 134, 44, 6, 2, 0]),
    ("classic", {"size": 4, "brown": 3, "golden": 2}, [2, 28, 54, 310, 532, 1000, 248, 88, 16, 0]),
    (
        "classic",
        {"size": 4, "brown": 2, "golden": 4},
        [2, 28, 54, 310, 532, 5256, 2376, 2440, 592, 152, 32, 0],
    ),
    (
        "classic",
        {"size": 5, "brown": 4, "golden": 2},
        [2, 46, 88, 1852, 8420, 159_542, 108_846, 100_592, 15184, 3936, 460, 0],
    ),
    ("classic", {"size": 8, "brown": 2, "golden": 1}, [2, 124, 244, 244, 20, 0]),
    ("classic-24", {"size": 3}, [2, 12, 20, 84, 84, 266, 200, 86, 30, 38, 12, 4, 0]),
    (
        "classic-24",
        {"size": 4},
        [2, 28, 54, 310, 532, 5256, 7880, 62168, 88144, 526_680, 674_168, 1_789_560, 1_505_320, 4_528_192],
    ),
    ("classic-24", {"size": 5}, [2, 46, 88, 1852, 8420, 159_542, 693_030, 10_682_168, 19_746_064]),
    ("classic-24", {"size": 8}, [2, 124, 244, 14644, 70820, 4_109_912, 19_522_660, 1_094_255_540]),
    ("classic-24", {"size": 3, "brown": 3, "golden": 2}, [2, 12, 20, 84, 84, 134, 44, 6, 2, 0]),
    ("classic-24", {"size": 4, "brown": 3, "golden": 2}, [2, 28, 54, 310, 532, 1000, 248, 88, 16, 0]),
    (
        "classic-24",
        {"size": 4, "brown": 2, "golden": 4},
        [2, 28, 54, 310, 532, 5256, 2376, 2440, 592, 152, 32, 0],
    ),
    (
        "classic-24",
        {"size": 5, "brown": 4, "golden": 2},
        [2, 46, 88, 1852, 8420, 159_542, 108_846, 100_592, 15184, 3936, 460, 0],
    ),
    ("classic-24", {"size": 8, "brown": 2, "golden": 1}, [2, 124, 4, 244, 20, 0]),
    ("original", {"size": 3}, [2, 12, 20, 84, 84, 266, 200, 86, 30, 38, 12, 4, 0]),
    (
        "original",
        {"size": 4},
        [2, 28, 54, 310, 532, 5256, 7880, 62168, 88144, 526_680, 674_168, 1_789_560, 1_505_320, 4_528_192],
    ),
    ("original", {"size": 5}, [2, 46, 88, 1852, 8420, 159_542, 693_030, 10_682_168, 19_746_064]),
    ("original", {"size": 8}, [2, 124, 244, 14644, 70820, 4_109_912, 19_522_660, 1_094_255_540]),
    ("original", {"size": 3, "brown": 3, "golden": 2}, [2, 12, 20, 20, 4, 0]),
    ("original", {"size": 4, "brown": 3, "golden": 2}, [2, 28, 54, 26, 4, 0]),
    ("original", {"size": 4, "brown": 2, "golden": 4}, [2, 28, 54, 310, 92, 48, 8, 0]),
    ("original", {"size": 5, "brown": 4, "golden": 2}, [2, 46, 88, 1852, 820, 418, 100, 0]),
    ("original", {"size": 8, "brown": 2, "golden": 1}, [2, 0]),
    ("carry", {"size": 3, "starter": "white"}, [2, 12, 20, 84, 84, 266, 266, 128, 120, 116, 38, 4, 0]),
    (
        "carry",
        {"size": 4, "starter": "white"},
        [2, 28, 28, 314, 580, 5304, 8208, 63472, 92136, 531_256, 606_256, 1_969_512, 2_172_424, 5_338_448],
    ),
    (
        "carry",
        {"size": 5, "starter": "white"},
        [2, 46, 88, 1852, 8420, 159_542, 629_158, 10_682_168, 19_746_064],
    ),
    (
        "carry",
        {"size": 8, "starter": "white"},
        [2, 124, 244, 14644, 70820, 4_109_912, 19_522_660, 1_094_255_540],
    ),
    ("carry", {"size": 3, "brown": 2, "golden": 2, "starter": "white"}, [2, 12, 20, 20, 20, 0]),
    ("carry", {"size": 4, "brown": 3, "golden": 2, "starter": "black"}, [2, 26, 26, 70, 128, 232, 160, 0]),
    ("carry", {"size": 5, "brown": 2, "golden": 2, "starter": "white"}, [2, 46, 88, 420, 1840, 0]),
    (
        "carry",
        {"size": 3, "white_start": "a3", "black_start": "b2", "brown": 4, "golden": 4, "starter": "black"},
        [1, 2, 12, 12, 12, 52, 52, 42, 120, 120, 68, 96, 60, 42, 32, 12, 12, 4, 2, 2, 0],
    ),
]
# fmt: on

# The naive follower counts again up to this many sequences; beyond, only the core is done within seconds.
NAIVE_LIMIT = 6_000


def count_id(value: object) -> str | None:
    if isinstance(value, dict):
        return ",".join(f"{name}={setting}" for name, setting in value.items())
    return "" if isinstance(value, list) else None


pinned_counts = pytest.mark.parametrize(("ruleset", "rules", "counts"), COUNTS, ids=count_id)


@pinned_counts
def test_the_core_counts_action_sequences_as_pinned(ruleset: str, rules: Rules, counts: list[int]) -> None:
    state = sw.make(f"pferdeaepfel/{ruleset}", **rules).start(seed=0)
    assert [state.perft(depth) for depth in range(1, len(counts) + 1)] == counts


@pinned_counts
def test_the_naive_follower_counts_action_sequences_as_pinned(ruleset: str, rules: Rules, counts: list[int]) -> None:
    game = NaiveGame(ruleset, **rules)
    for depth, count in enumerate(counts, start=1):
        if count > NAIVE_LIMIT:
            break
        assert perft(game, depth) == count
