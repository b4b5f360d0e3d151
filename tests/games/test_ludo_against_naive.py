"""The core against the naive rule follower: whole games step by step, and by counting action sequences."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import spielwerk as sw
from tests.games.naive_ludo import FINISHED, ORDER, YARD, NaiveLudo, Place, perft

Rules = dict[str, Any]

SWITCHES = [
    {"again_on_six": six, "again_on_capture": capture, "exact_finish": exact}
    for six, capture, exact in itertools.product([True, False], repeat=3)
]
COLOURS = [colours for players in (2, 3, 4) for colours in itertools.combinations(ORDER, players)]
GAMES_PER_TEAM_SETTING = 8


def make(ruleset: str, rules: Rules) -> sw.Game:
    given = {name: ",".join(value) if name == "colours" else value for name, value in rules.items()}
    return sw.make(f"ludo/{ruleset}", **given)


def assert_same(state: sw.State, naive: NaiveLudo) -> None:
    assert state.player == (sw.CHANCE if naive.player == "die" else naive.player)
    assert [state.text(action) for action in state.legal_actions] == naive.legal()
    assert state.to_text() == naive.text()
    assert (state.over, state.truncated) == (naive.over, naive.truncated)
    assert state.returns == naive.returns()


def compare_one_game(ruleset: str, rules: Rules, rng: random.Random) -> NaiveLudo:
    state, naive = make(ruleset, rules).start(chance="explicit"), NaiveLudo(ruleset, **rules)
    assert_same(state, naive)
    while not naive.over:
        text = rng.choice(naive.legal())
        state.play(text)
        naive.play(text)
        assert_same(state, naive)
    return naive


def rules_id(rules: Rules) -> str:
    return "-".join(name for name, value in rules.items() if value) or "none"


@pytest.mark.parametrize("switches", SWITCHES, ids=rules_id)
@pytest.mark.parametrize("ranking", [False, True], ids=["first", "ranking"])
def test_random_games_agree_for_every_choice_of_colours(switches: Rules, ranking: bool) -> None:
    rng = random.Random(f"{switches} {ranking}")
    for colours in COLOURS:
        rules = {**switches, "ranking": ranking, "colours": colours}
        assert not compare_one_game("ffa", rules, rng).truncated


@pytest.mark.parametrize("switches", SWITCHES, ids=rules_id)
def test_random_team_games_agree(switches: Rules) -> None:
    rng = random.Random(f"{switches}")
    for _ in range(GAMES_PER_TEAM_SETTING):
        assert not compare_one_game("teams", switches, rng).truncated


@pytest.mark.parametrize("ruleset", ["ffa", "teams"])
def test_games_cut_short_agree(ruleset: str) -> None:
    rng = random.Random(ruleset)
    for max_plies in range(1, 60):
        assert compare_one_game(ruleset, {"max_plies": max_plies}, rng).truncated


# --- Counting action sequences --------------------------------------------------------------------------------

# From the middle of games where blocks, captures, home columns, rel 50 and 51 and helping are close at hand.
CROWDED = "G!=51,50,h4,20 Y=19,y,18,22 B!=f,f,24,25 R=40,40,y,21 turn=G die=- sixes=1000 plies=0"
HELPED = "G!=f,f,f,h2 Y=19,y,18,22 B=20,50,24,25 R=19,40,y,21 turn=G die=- sixes=1000 plies=0"
TWO = "G=y,51,3,17 Y!=18,14,h0,10 turn=Y die=- sixes=02 plies=0"
THREE = "G!=h1,h2,49,51 Y!=h4,h4,9,8 B=20,20,y,7 turn=B die=- sixes=002 plies=0"
LAST_STEPS = "G!=f,f,f,h4 Y!=f,f,f,h3 B!=f,f,h4,h1 turn=Y die=- sixes=000 plies=0 order=-"

# How many sequences of dice and decisions of length 1, 2, 3, … exist, from the start or from a text.
COUNTS: list[tuple[str, Rules, str, list[int]]] = [
    ("ffa", {}, "", [6, 9, 54, 81, 486, 821, 4494, 7849, 41046, 74781, 376286, 717729, 3464594, 6997361]),
    ("teams", {}, "", [6, 9, 54, 81, 486, 821, 4494, 7849, 41046, 74781, 376286, 717729, 3464594, 6997361]),
    (
        "ffa",
        {"again_on_six": False},
        "",
        [6, 9, 54, 81, 486, 729, 4374, 6561, 39366, 59049, 354294, 531441, 3188646, 4782969],
    ),
    ("ffa", {}, CROWDED, [6, 24, 144, 484, 2836, 8006, 46470, 115941, 658993, 1770700, 10121181]),
    (
        "ffa",
        {"exact_finish": True, "again_on_capture": False},
        CROWDED,
        [6, 18, 108, 338, 1994, 4281, 24782, 61591, 351545, 914520, 5289206],
    ),
    ("teams", {}, HELPED, [6, 6, 36, 91, 523, 1593, 9342, 30140, 175819, 546212, 3169521, 9644229]),
    (
        "teams",
        {"again_on_six": False, "exact_finish": True},
        HELPED,
        [6, 6, 36, 78, 468, 1620, 9720, 29046, 174144, 391814, 2297571, 5020303],
    ),
    ("ffa", {"players": 2}, TWO, [6, 26, 139, 493, 2710, 11039, 59394, 222398, 1203268, 4704733]),
    (
        "ffa",
        {"players": 3, "exact_finish": True},
        THREE,
        [6, 21, 108, 379, 1878, 5385, 27582, 90693, 461433, 1522779, 7538172],
    ),
    ("ffa", {"players": 3, "ranking": True}, LAST_STEPS, [6, 6, 36, 72, 432, 432, 522, 522, 108, 108, 0]),
]

# Counts up to this many sequences are counted again by the naive follower; beyond it, in seconds only the core.
NAIVE_LIMIT = 5_000


def place(text: str) -> Place:
    if text in "yf":
        return YARD if text == "y" else FINISHED
    return Place("home", int(text[1:])) if text.startswith("h") else Place("track", int(text))


def set_up(naive: NaiveLudo, text: str) -> None:
    fields = text.split()
    for colour, field in zip(naive.colours, fields, strict=False):
        name, _, places = field.partition("=")
        naive.has_captured[colour] = name.endswith("!")
        naive.pieces[colour] = [place(word) for word in places.split(",")]
    facts = dict(field.split("=") for field in fields[len(naive.colours) :])
    naive.turn = next(colour for colour in ORDER if colour[0].upper() == facts["turn"])
    naive.sixes_in_a_row = dict(zip(naive.colours, map(int, facts["sixes"]), strict=True))


def count_id(value: object) -> str | None:
    return rules_id(value) if isinstance(value, dict) else "" if isinstance(value, list) else None


pinned_counts = pytest.mark.parametrize(("ruleset", "rules", "text", "counts"), COUNTS, ids=count_id)


@pinned_counts
def test_the_core_counts_action_sequences_as_pinned(ruleset: str, rules: Rules, text: str, counts: list[int]) -> None:
    game = make(ruleset, rules)
    state = game.from_text(text, chance="explicit") if text else game.start(chance="explicit")
    assert [state.perft(depth) for depth in range(1, len(counts) + 1)] == counts


@pinned_counts
def test_the_naive_follower_counts_action_sequences_as_pinned(
    ruleset: str, rules: Rules, text: str, counts: list[int]
) -> None:
    naive = NaiveLudo(ruleset, **rules)
    if text:
        set_up(naive, text)
    for depth, count in enumerate(counts, start=1):
        if count > NAIVE_LIMIT:
            break
        assert perft(naive, depth) == count
