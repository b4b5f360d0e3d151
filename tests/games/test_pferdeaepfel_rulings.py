"""Every ruling of Pferdeäpfel as a test of its own, through the public door.

Set-up positions are mostly of size 5: in the corner a1 a horse reaches only b3 and c2, in the corner e5 only
d3 and c4, so a few apples decide everything. The start corners a5 and e1 usually carry an apple, as in play.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import spielwerk as sw
from tests.games.naive_pferdeaepfel import board_text

WHITE, BLACK = 0, 1

LEAVES_AN_APPLE_BEHIND = ["classic", "classic-24"]
CLASSIC_FAMILY = [*LEAVES_AN_APPLE_BEHIND, "original"]
MARKED_STARTS = ["free-place-first", "classic-24", "original"]
OPTIONAL_APPLE = [*CLASSIC_FAMILY, "carry"]
UNLIMITED = ["free", "free-place-first", "trail"]
RULESETS = [*UNLIMITED, *OPTIONAL_APPLE]
SIZES = range(3, 9)

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS)
every_size = pytest.mark.parametrize("size", SIZES)
leaving_an_apple_behind = pytest.mark.parametrize("ruleset", LEAVES_AN_APPLE_BEHIND)
classic_family = pytest.mark.parametrize("ruleset", CLASSIC_FAMILY)
with_optional_apple = pytest.mark.parametrize("ruleset", OPTIONAL_APPLE)
with_marked_starts = pytest.mark.parametrize("ruleset", MARKED_STARTS)
with_unlimited_apples = pytest.mark.parametrize("ruleset", UNLIMITED)


# --- Talking about positions by square names ------------------------------------------------------


def squares(size: int) -> list[str]:
    return [f"{file}{rank}" for rank in range(size, 0, -1) for file in "abcdefgh"[:size]]


def all_but(free: str, size: int = 5) -> str:
    return " ".join(square for square in squares(size) if square not in free.split())


def names(state: sw.State, cells: Iterable[int]) -> set[str]:
    board = squares(state.position["size"])
    return {board[cell] for cell in cells}


def brown(state: sw.State) -> set[str]:
    return names(state, state.position["brown"])


def golden(state: sw.State) -> set[str]:
    return names(state, state.position["golden"])


def horse(state: sw.State, seat: int) -> str:
    seen = state.position
    cell: int = seen["white" if seat == WHITE else "black"]
    return squares(seen["size"])[cell]


def legal(state: sw.State) -> set[str]:
    return {state.text(action) for action in state.legal_actions}


def empty(state: sw.State) -> set[str]:
    taken = brown(state) | golden(state) | {horse(state, WHITE), horse(state, BLACK)}
    return set(squares(state.position["size"])) - taken


def placements(cells: Iterable[str]) -> set[str]:
    return {f"@{cell}" for cell in cells}


def make(ruleset: str, **rules: Any) -> sw.Game:
    return sw.make(f"pferdeaepfel/{ruleset}", **rules)


def start(ruleset: str, **rules: Any) -> sw.State:
    if ruleset == "carry":
        rules.setdefault("starter", "white")
    return make(ruleset, **rules).start(seed=0)


def playing(state: sw.State, *actions: str) -> sw.State:
    for action in actions:
        state.play(action)
    return state


def position(
    ruleset: str,
    *,
    white: str,
    black: str,
    turn: str,
    brown: str = "a5 e1",
    golden: str = "",
    brown_left: int = 5,
    golden_left: int = 5,
    holds: str = "bb",
    size: int = 5,
) -> sw.State:
    """A set-up position; `turn` is for instance "w jump", `holds` what the two horses carry in `carry`.

    What is left in the supply is given directly; the rule parameters follow from it. In `original` a horse has
    an apple under it, a brown one unless `golden` names its square.
    """
    brown_squares, golden_squares = brown.split(), golden.split()
    if ruleset == "original":
        brown_squares += sorted({white, black} - {*brown_squares, *golden_squares})
    glyphs = dict.fromkeys(brown_squares, "o") | dict.fromkeys(golden_squares, "g")
    glyphs[white] = "w" if white in glyphs else "W"
    glyphs[black] = "b" if black in glyphs else "B"
    rules: dict[str, Any] = {"size": size}
    if ruleset in OPTIONAL_APPLE:
        carried = holds if ruleset == "carry" else ""
        rules["brown"] = len(brown_squares) + brown_left + carried.count("b")
        rules["golden"] = len(golden_squares) + golden_left + carried.count("g")
    colour, step = turn.split()
    parts = [board_text(size, glyphs), colour]
    if ruleset != "trail":
        parts.append(step)
    if ruleset == "carry":
        parts.append(holds)
    if ruleset == "original":
        parts.append("".join("g" if horse in golden_squares else "b" for horse in (white, black)))
    return make(ruleset, **rules).from_text(" ".join(parts))


def assert_running(state: sw.State, player: int) -> None:
    assert not state.over
    assert state.player == player


def assert_won(state: sw.State, winner: int, points: int = 0) -> None:
    assert state.over
    assert state.player is None
    assert state.legal_actions == []
    assert state.winner == (winner,)
    assert state.points == ((points, 0) if winner == WHITE else (0, points))
    assert state.returns == ((1.0, -1.0) if winner == WHITE else (-1.0, 1.0))


def assert_drawn(state: sw.State) -> None:
    assert state.over
    assert state.player is None
    assert state.winner == ()
    assert state.points == (0, 0)
    assert state.returns == (0.0, 0.0)


def assert_refused(state: sw.State, action: str) -> None:
    before = state.clone()
    with pytest.raises(sw.IllegalAction):
        state.play(action)
    assert state == before


# --- Board, names, first move ---------------------------------------------------------------------


@every_ruleset
def test_the_seven_rulesets_are_offered(ruleset: str) -> None:
    assert f"pferdeaepfel/{ruleset}" in sw.games()


@every_ruleset
def test_the_board_is_8_by_8_by_default(ruleset: str) -> None:
    assert make(ruleset).rules["size"] == 8
    assert start(ruleset).position["size"] == 8


@every_ruleset
@every_size
def test_white_starts_top_left_and_black_bottom_right(ruleset: str, size: int) -> None:
    state = start(ruleset, size=size)
    assert state.position["white"] == 0
    assert state.position["black"] == size * size - 1
    assert horse(state, WHITE) == f"a{size}"
    assert horse(state, BLACK) == f"{'abcdefgh'[size - 1]}1"


@every_ruleset
@pytest.mark.parametrize("size", [-1, 0, 2, 9])
def test_sizes_are_3_to_8(ruleset: str, size: int) -> None:
    with pytest.raises(ValueError, match="size"):
        make(ruleset, size=size)


@every_ruleset
def test_squares_are_named_as_in_chess(ruleset: str) -> None:
    state = start(ruleset)
    if ruleset == "free-place-first":
        state.play("@d4")
    assert legal(state) == {"b6", "c7"}


@every_ruleset
def test_white_moves_first(ruleset: str) -> None:
    assert start(ruleset).player == WHITE


@every_ruleset
def test_horses_jump_like_knights(ruleset: str) -> None:
    state = start(ruleset, white_start="d4", black_start="h8")
    if ruleset == "free-place-first":
        state.play("@d5")
    assert legal(state) == {"b3", "b5", "c2", "c6", "e2", "e6", "f3", "f5"}


@every_ruleset
def test_horses_leap_over_apples(ruleset: str) -> None:
    step = "place" if ruleset == "free-place-first" else "jump"
    state = position(ruleset, white="a1", black="e5", brown="a2 b1 b2 a5 e1", turn=f"w {step}")
    if step == "place":
        state.play("@c5")
    assert legal(state) == {"b3", "c2"}


@every_ruleset
def test_a_square_with_an_apple_cannot_be_jumped_to(ruleset: str) -> None:
    step = "place" if ruleset == "free-place-first" else "jump"
    state = position(ruleset, white="a1", black="e5", brown="b3 a5 e1", turn=f"w {step}")
    if step == "place":
        state.play("@c5")
    assert legal(state) == {"c2"}
    assert_refused(state, "b3")


@every_ruleset
@pytest.mark.parametrize(("white_start", "black_start"), [("c3", "f6"), ("h1", "a8"), ("d4", "d5")])
def test_start_squares_are_rule_parameters(ruleset: str, white_start: str, black_start: str) -> None:
    state = start(ruleset, white_start=white_start, black_start=black_start)
    assert (horse(state, WHITE), horse(state, BLACK)) == (white_start, black_start)
    marked = {white_start, black_start} if ruleset in MARKED_STARTS else set()
    assert brown(state) == marked


@every_ruleset
@pytest.mark.parametrize(
    "starts",
    [
        {"white_start": "f1"},
        {"black_start": "a6"},
        {"white_start": "b9"},
        {"white_start": "@b2"},
        {"black_start": "b"},
        {"white_start": "b2", "black_start": "b2"},
        {"white_start": "e1"},
    ],
)
def test_start_squares_are_two_different_squares_of_the_board(ruleset: str, starts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="start"):
        make(ruleset, size=5, **starts)


@pytest.mark.parametrize("ruleset", [*UNLIMITED, *CLASSIC_FAMILY])
def test_a_start_square_that_ends_the_game_before_it_begins_is_refused(ruleset: str) -> None:
    with pytest.raises(ValueError, match="white_start"):
        make(ruleset, size=3, white_start="b2")


@pytest.mark.parametrize("ruleset", UNLIMITED)
def test_a_black_that_cannot_move_from_its_start_square_loses_on_its_first_turn(ruleset: str) -> None:
    state = start(ruleset, size=3, black_start="b2")
    playing(state, {"free": "c2@a1", "free-place-first": "@a1c2", "trail": "c2"}[ruleset])
    assert_won(state, WHITE)


# --- Turns, actions, notation ---------------------------------------------------------------------


def test_a_jump_is_written_as_its_square() -> None:
    state = start("trail")
    assert state.text(state.parse("b6")) == "b6"
    state.play(state.parse("b6"))
    assert horse(state, WHITE) == "b6"


def test_a_capture_is_written_like_any_jump() -> None:
    state = position("trail", white="b3", black="d4", turn="b jump")
    assert "b3" in legal(state)


def test_a_placement_is_written_with_an_at_sign() -> None:
    state = playing(start("free"), "b6")
    assert state.text(state.parse("@d4")) == "@d4"
    state.play(state.parse("@d4"))
    assert brown(state) == {"d4"}


@with_optional_apple
def test_declining_is_written_as_a_dash(ruleset: str) -> None:
    state = playing(start(ruleset), "b6")
    assert state.text(state.parse("-")) == "-"
    state.play(state.parse("-"))
    assert_running(state, BLACK)


@pytest.mark.parametrize("ruleset", ["free", *OPTIONAL_APPLE])
def test_a_turn_is_two_actions_by_one_player(ruleset: str) -> None:
    state = playing(start(ruleset), "b6")
    assert_running(state, WHITE)
    state.play("@d4")
    assert_running(state, BLACK)
    state.play("g3")
    assert_running(state, BLACK)
    state.play("@e4")
    assert_running(state, WHITE)


def test_a_place_first_turn_is_two_actions_by_one_player() -> None:
    state = playing(start("free-place-first"), "@d4")
    assert_running(state, WHITE)
    state.play("b6")
    assert_running(state, BLACK)


def test_a_trail_turn_is_one_action() -> None:
    state = playing(start("trail"), "b6")
    assert_running(state, BLACK)
    state.play("g3")
    assert_running(state, WHITE)


def in_single_actions(state: sw.State, actions: str) -> sw.State:
    return playing(state.clone(), *actions.split())


@pytest.mark.parametrize(
    ("ruleset", "whole", "single"),
    [
        ("free", "b6@d4", "b6 @d4"),
        ("free", "b6@a8", "b6 @a8"),
        ("free-place-first", "@d4b6", "@d4 b6"),
        ("trail", "b6", "b6"),
        *[(ruleset, "b6@d4", "b6 @d4") for ruleset in OPTIONAL_APPLE],
        *[(ruleset, "b6-", "b6 -") for ruleset in OPTIONAL_APPLE],
    ],
)
def test_a_whole_turn_may_be_written_together(ruleset: str, whole: str, single: str) -> None:
    state = start(ruleset)
    expected = in_single_actions(state, single)
    state.play(whole)
    assert state == expected
    assert_running(state, BLACK)


@pytest.mark.parametrize("ruleset", ["free", "free-place-first", *OPTIONAL_APPLE])
def test_the_second_action_may_come_alone(ruleset: str) -> None:
    first, second = ("@d4", "b6") if ruleset == "free-place-first" else ("b6", "@d4")
    assert playing(start(ruleset), first, second) == playing(start(ruleset), first + second)


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("free", "b6-"),
        ("free", "@d4b6"),
        ("free", "b6@h1"),
        ("free", "b6@b6"),
        ("free", "b5@d4"),
        ("free", "b6@d4g3"),
        ("free", "b6@d4@e4"),
        ("free-place-first", "b6@d4"),
        ("free-place-first", "@b6b6"),
        ("free-place-first", "@a8b6"),
        ("free-place-first", "@d4b6@e4"),
        ("trail", "b6@d4"),
        ("trail", "b6-"),
        ("trail", "b6g3"),
        ("classic", "b6@a8"),
        ("classic", "-b6"),
        ("classic", "b6--"),
        ("classic", "b6@d4-"),
        ("classic", "b6-g3"),
        ("carry", "b6@a8"),
        ("carry", "pass"),
        ("carry", "b6pass"),
    ],
)
def test_a_whole_turn_is_played_entirely_or_not_at_all(ruleset: str, text: str) -> None:
    assert_refused(start(ruleset), text)


@pytest.mark.parametrize("ruleset", ["free", *CLASSIC_FAMILY])
def test_nothing_is_written_behind_a_capture(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", turn="b jump")
    assert_refused(state, "b3@c3")
    assert_refused(state, "b3-")
    state.play("b3")
    assert state.over


@with_optional_apple
def test_just_the_jump_is_written_where_no_second_step_occurs(ruleset: str) -> None:
    state = position(
        ruleset, size=4, white="a1", black="b1", brown=all_but("a1 b1 c2 d2", 4), turn="b jump", brown_left=3
    )
    assert_refused(state, "d2-")
    assert_refused(state, "d2@c2")
    state.play("d2")
    assert_running(state, WHITE)


@with_optional_apple
def test_mandatory_apples_are_laid_with_the_jump_and_are_no_action(ruleset: str) -> None:
    state = playing(position(ruleset, white="c3", black="e5", turn="w jump"), "b1")
    assert "c3" in brown(state)
    assert state.position["step"] == "place"
    assert "@c3" not in legal(state)


@every_ruleset
def test_no_action_is_legal_after_the_end(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", turn="w " + first_step(ruleset))
    assert state.over
    assert_refused(state, "b3")
    assert_refused(state, "d4")
    assert_refused(state, "@d4")


def first_step(ruleset: str) -> str:
    return "place" if ruleset == "free-place-first" else "jump"


# --- Empty, stuck, captured, over -----------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["free", "free-place-first", *OPTIONAL_APPLE])
def test_empty_means_no_apple_and_no_horse(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown="b2 d4 a5 e1", turn="w place")
    optional = {"-"} if ruleset in OPTIONAL_APPLE else set()
    assert legal(state) == placements(all_but("c3 e5 b2 d4 a5 e1").split()) | optional


@pytest.mark.parametrize("ruleset", OPTIONAL_APPLE)
def test_a_golden_apple_makes_a_square_not_empty(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", golden="b2 d1", brown_left=0, holds="gg", turn="b place")
    assert legal(state) == placements(all_but("c3 e5 b2 d1 a5 e1").split()) | {"-"}


@pytest.mark.parametrize("ruleset", UNLIMITED)
def test_a_stuck_white_loses_at_the_start_of_its_turn(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", turn="w " + first_step(ruleset))
    assert_won(state, BLACK)


@pytest.mark.parametrize("ruleset", UNLIMITED)
def test_a_stuck_black_loses_at_the_start_of_its_turn(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="d3 c4 a5 e1", turn="b " + first_step(ruleset))
    assert_won(state, WHITE)


@pytest.mark.parametrize("ruleset", ["trail", "free", *OPTIONAL_APPLE])
def test_white_is_not_judged_stuck_on_blacks_turn(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", turn="b jump")
    assert_running(state, BLACK)
    state.play("c4")
    if ruleset != "trail":
        assert_running(state, BLACK)
        state.play("@d1")
    assert state.over


@pytest.mark.parametrize("ruleset", ["trail", "free", *CLASSIC_FAMILY])
def test_black_is_not_judged_stuck_on_whites_turn(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="d3 c4 a5 e1", turn="w jump")
    assert_running(state, WHITE)
    state.play("b3")
    if ruleset != "trail":
        assert_running(state, WHITE)
        state.play("@d1")
    assert_won(state, WHITE, state.points[WHITE])


@pytest.mark.parametrize("ruleset", ["trail", "free", *OPTIONAL_APPLE])
def test_a_player_jumping_into_a_dead_end_is_lost_only_on_the_next_turn(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", brown="c2 a5 e1", turn="w jump")
    state.play("a1")
    if ruleset != "trail":
        state.play("@b3" if ruleset == "free" else "-")
    assert_running(state, BLACK)
    state.play("c4")
    if ruleset != "trail":
        state.play("@d1" if ruleset == "free" else "-")
    assert_won(state, BLACK, state.points[BLACK])


def test_place_first_judges_stuck_before_the_placement() -> None:
    state = position("free-place-first", white="e5", black="c3", brown="d3 c4 a5 e1", turn="b jump")
    state.play("b1")
    assert_won(state, BLACK)


@pytest.mark.parametrize("ruleset", [*UNLIMITED, *CLASSIC_FAMILY])
def test_a_horse_that_can_only_capture_is_not_stuck(ruleset: str) -> None:
    state = position(ruleset, white="c4", black="e5", brown="d3 a5 e1", turn="b " + first_step(ruleset))
    assert_running(state, BLACK)
    if ruleset == "free-place-first":
        state.play("@a1")
    assert legal(state) == {"c4"}


@pytest.mark.parametrize("ruleset", [*UNLIMITED, *CLASSIC_FAMILY])
def test_a_capture_ends_the_game_at_once(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", turn="b jump")
    state.play("b3")
    assert_won(state, BLACK, state.points[BLACK])
    assert horse(state, WHITE) == horse(state, BLACK) == "b3"


@every_ruleset
def test_winner_and_points_are_set_only_when_the_game_is_over(ruleset: str) -> None:
    rng = random.Random(11)
    state = start(ruleset, size=5)
    while not state.over:
        assert state.winner == ()
        assert state.points == (0, 0)
        assert state.returns == (0.0, 0.0)
        state.play(rng.choice(state.legal_actions))
    assert state.player is None


@classic_family
def test_white_has_no_points_yet_while_the_golden_phase_runs(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", golden="b2 d1", brown_left=0, turn="w jump")
    assert_running(state, WHITE)
    assert state.winner == ()
    assert state.points == (0, 0)
    assert state.returns == (0.0, 0.0)


@pytest.mark.parametrize("ruleset", [*UNLIMITED, "carry"])
def test_rulesets_without_scoring_award_no_points(ruleset: str) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        state = start(ruleset, size=5)
        while not state.over:
            state.play(rng.choice(state.legal_actions))
        assert state.points == (0, 0)
        assert len(state.winner) == 1


# --- Supplies -------------------------------------------------------------------------------------


@classic_family
@every_size
def test_classic_supplies_are_28_and_12_on_every_size(ruleset: str, size: int) -> None:
    rules = make(ruleset, size=size).rules
    assert (rules["brown"], rules["golden"]) == (28, 12)


@every_size
def test_carry_supplies_are_20_and_20_on_every_size(size: int) -> None:
    rules = make("carry", size=size).rules
    assert (rules["brown"], rules["golden"]) == (20, 20)


@with_unlimited_apples
def test_apples_are_unlimited_in_free_and_trail(ruleset: str) -> None:
    assert start(ruleset).position["brown_left"] == -1
    for supply in ("brown", "golden"):
        assert supply not in make(ruleset).rules
        with pytest.raises(ValueError, match=supply):
            make(ruleset, **{supply: 9})


@with_optional_apple
def test_supplies_are_rule_parameters(ruleset: str) -> None:
    at_start = start(ruleset, brown=7, golden=3).position
    set_out_at_start = 0 if ruleset == "classic" else 2
    assert (at_start["brown_left"], at_start["golden_left"]) == (7 - set_out_at_start, 3)


@with_optional_apple
def test_brown_is_at_least_2(ruleset: str) -> None:
    assert make(ruleset, brown=2).rules["brown"] == 2
    with pytest.raises(ValueError, match="brown"):
        make(ruleset, brown=1)


@with_optional_apple
def test_golden_is_at_least_1(ruleset: str) -> None:
    assert make(ruleset, golden=1).rules["golden"] == 1
    with pytest.raises(ValueError, match="golden"):
        make(ruleset, golden=0)


@pytest.mark.parametrize("ruleset", [*UNLIMITED, *CLASSIC_FAMILY])
def test_only_carry_has_a_starter(ruleset: str) -> None:
    assert "starter" not in make(ruleset).rules
    with pytest.raises(ValueError, match="starter"):
        make(ruleset, starter="white")


# --- free -----------------------------------------------------------------------------------------


def test_free_starts_with_a_jump_and_a_bare_board() -> None:
    state = start("free")
    assert legal(state) == {"b6", "c7"}
    assert brown(state) == set()


def test_free_must_place_after_the_jump() -> None:
    state = playing(start("free"), "b6")
    assert legal(state) == placements(empty(state))
    assert_refused(state, "-")
    assert_refused(state, "g3")


def test_free_may_place_on_the_square_just_left() -> None:
    state = playing(start("free"), "b6")
    assert "@a8" in legal(state)
    state.play("@a8")
    assert brown(state) == {"a8"}


def test_free_leaves_no_trail() -> None:
    state = playing(start("free"), "b6@d4", "g3@e4")
    assert brown(state) == {"d4", "e4"}
    assert "a8" in legal(state)


def test_free_black_may_capture_and_wins() -> None:
    assert_won(playing(start("free", size=4), "c3@a1", "c3"), BLACK)


def test_free_white_may_capture_and_wins() -> None:
    assert_won(playing(start("free", white_start="a8", black_start="b6"), "b6"), WHITE)


def test_free_may_place_on_the_opponents_last_jump() -> None:
    state = position("free", white="b3", black="e5", brown="d3", turn="w place")
    state.play("@c4")
    assert_won(state, WHITE)


def test_free_may_take_whites_last_escape() -> None:
    state = position("free", white="a1", black="e5", brown="b3", turn="b place")
    state.play("@c2")
    assert_won(state, BLACK)


def test_free_may_place_on_the_own_last_jump_and_lives_until_the_next_turn() -> None:
    state = position("free", white="a1", black="e5", brown="b3", turn="w place")
    state.play("@c2")
    assert_running(state, BLACK)


# --- free-place-first -----------------------------------------------------------------------------


def test_place_first_must_place_before_the_jump() -> None:
    state = start("free-place-first")
    assert legal(state) == placements(empty(state))
    assert_refused(state, "b6")
    assert_refused(state, "-")


def test_place_first_then_must_jump() -> None:
    state = playing(start("free-place-first"), "@d4")
    assert legal(state) == {"b6", "c7"}
    assert_refused(state, "@e4")
    assert_refused(state, "-")


def test_place_first_start_squares_carry_an_apple() -> None:
    state = start("free-place-first")
    assert brown(state) == {"a8", "h1"}
    assert state.to_text() == "w7/8/8/8/8/8/8/7b w place"
    playing(state, "@d4b6", "@e4g3")
    assert brown(state) == {"a8", "h1", "d4", "e4"}
    assert not {"@a8", "@h1"} & legal(state)
    state.play("@e5")
    assert "a8" not in legal(state)


def test_place_first_leaves_no_trail() -> None:
    state = playing(start("free-place-first"), "@d4b6", "@e4g3", "@d5c4", "@e5f5")
    assert brown(state) == {"a8", "h1", "d4", "e4", "d5", "e5"}
    state.play("@h8")
    assert "b6" in legal(state)


def test_place_first_black_may_capture_and_wins() -> None:
    assert_won(playing(start("free-place-first", size=4), "@a1c3", "@d4c3"), BLACK)


def test_place_first_white_may_capture_even_a_horse_on_its_marked_square() -> None:
    state = start("free-place-first", white_start="a8", black_start="b6")
    assert_won(playing(state, "@d4b6"), WHITE)


@pytest.mark.parametrize(("turn", "loser"), [("w place", WHITE), ("b place", BLACK)])
def test_place_first_may_block_the_own_last_jump_and_loses(turn: str, loser: int) -> None:
    corner, other = "a1", "e5"
    white, black = (corner, other) if loser == WHITE else (other, corner)
    state = position("free-place-first", white=white, black=black, brown="b3 a5 e1", turn=turn)
    assert_refused(state, "@c2c2")
    state.play("@c2")
    assert_won(state, BLACK if loser == WHITE else WHITE)


def test_place_first_cannot_block_the_own_capture() -> None:
    state = position("free-place-first", white="c4", black="e5", brown="d3 a5 e1", turn="b place")
    assert "@c4" not in legal(state)
    for action in legal(state):
        after = playing(state.clone(), action)
        assert legal(after) == {"c4"}


def test_place_first_may_block_the_opponents_last_jump() -> None:
    state = position("free-place-first", white="b2", black="e5", brown="d3 a5 e1", turn="w place")
    assert_won(playing(state, "@c4a4"), WHITE)


def test_place_first_skips_the_placement_when_no_square_is_empty() -> None:
    state = position("free-place-first", white="a5", black="e5", brown=all_but("e5 c4"), turn="w jump")
    state.play("c4")
    assert_running(state, BLACK)
    assert empty(state) == set()
    assert state.position["step"] == "jump"
    assert legal(state) == {"c4"}
    state.play("c4")
    assert_won(state, BLACK)


def test_place_first_with_one_empty_square_must_take_it() -> None:
    state = position("free-place-first", white="a5", black="e5", brown=all_but("e5 c4 a1"), turn="w jump")
    state.play("c4")
    assert legal(state) == {"@a1"}
    state.play("@a1")
    assert legal(state) == {"c4"}


# --- trail ----------------------------------------------------------------------------------------


def test_trail_is_only_jumps() -> None:
    state = start("trail")
    assert legal(state) == {"b6", "c7"}
    assert_refused(state, "@d4")
    assert_refused(state, "-")


def test_trail_starts_on_a_bare_board() -> None:
    state = start("trail")
    assert brown(state) == set()
    assert state.to_text() == "W7/8/8/8/8/8/8/7B w"


def test_trail_lays_an_apple_on_the_square_left() -> None:
    state = playing(start("trail"), "b6")
    assert brown(state) == {"a8"}
    state.play("g3")
    assert brown(state) == {"a8", "h1"}
    state.play("c4")
    assert brown(state) == {"a8", "h1", "b6"}
    state.play("f5")
    assert "b6" not in legal(state)


def test_trail_black_may_capture_and_wins() -> None:
    assert_won(playing(start("trail", size=4), "c3", "c3"), BLACK)


def test_trail_white_may_capture_and_wins() -> None:
    assert_won(playing(start("trail", white_start="a8", black_start="b6"), "b6"), WHITE)


# --- classic, classic-24, original: the turn ------------------------------------------------------


def test_classic_has_no_initial_drop() -> None:
    state = start("classic")
    assert brown(state) == set()
    assert state.position["brown_left"] == 28
    assert state.position["golden_left"] == 12
    assert state.to_text() == "W7/8/8/8/8/8/8/7B w jump"


@pytest.mark.parametrize("ruleset", ["classic-24", "original"])
def test_initial_drop_marks_both_start_squares_from_the_supply(ruleset: str) -> None:
    state = start(ruleset)
    assert brown(state) == {"a8", "h1"}
    assert state.position["brown_left"] == 26
    assert state.position["golden_left"] == 12
    under = " bb" if ruleset == "original" else ""
    assert state.to_text() == f"w7/8/8/8/8/8/8/7b w jump{under}"


def test_after_the_initial_drop_each_first_jump_needs_no_mandatory_apple() -> None:
    state = playing(start("classic-24"), "b6-", "g3-")
    assert brown(state) == {"a8", "h1"}
    assert state.position["brown_left"] == 26
    playing(state, "c4-", "f5-")
    assert brown(state) == {"a8", "h1", "b6", "g3"}
    assert state.position["brown_left"] == 24


def test_classic_lays_the_mandatory_apple_from_the_first_jump_on() -> None:
    state = playing(start("classic"), "b6-", "g3-")
    assert brown(state) == {"a8", "h1"}
    assert state.position["brown_left"] == 26


@pytest.mark.parametrize("ruleset", ["classic-24", "original"])
def test_a_marked_start_square_can_never_be_jumped_to_again(ruleset: str) -> None:
    state = playing(start(ruleset), "b6-", "g3-")
    assert "a8" not in legal(state)


@classic_family
def test_the_mandatory_apple_is_brown_while_any_is_left(ruleset: str) -> None:
    state = playing(position(ruleset, white="c3", black="e5", brown_left=1, turn="w jump"), "b1")
    assert ("b1" if ruleset == "original" else "c3") in brown(state)
    assert state.position["brown_left"] == 0
    assert state.position["golden_left"] == 5


@classic_family
def test_the_mandatory_apple_is_golden_when_no_brown_is_left(ruleset: str) -> None:
    state = playing(position(ruleset, white="c3", black="e5", brown_left=0, turn="w jump"), "b1")
    assert golden(state) == {"b1" if ruleset == "original" else "c3"}
    assert state.position["golden_left"] == 4


@with_optional_apple
def test_the_optional_apple_is_brown_while_any_is_left(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=1, turn="w place")
    state.play("@b1")
    assert "b1" in brown(state)
    assert state.position["brown_left"] == 0
    assert golden(state) == set()


@with_optional_apple
def test_the_optional_apple_is_golden_when_no_brown_is_left(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=0, turn="w place")
    state.play("@b1")
    assert golden(state) == {"b1"}
    assert state.position["golden_left"] == 4


@with_optional_apple
def test_the_optional_apple_comes_from_the_supply(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=4, turn="b place")
    state.play("@b1")
    assert state.position["brown_left"] == 3


@with_optional_apple
def test_declining_lays_no_apple(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=4, turn="b place")
    before = (brown(state), state.position["brown_left"])
    state.play("-")
    assert (brown(state), state.position["brown_left"]) == before
    assert_running(state, WHITE)


@classic_family
def test_white_may_not_capture(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="c2", turn="w jump")
    assert legal(state) == {"b3"}
    assert_refused(state, "c2")


@classic_family
def test_white_beside_black_with_no_other_jump_is_stuck(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="c2", brown="b3 a5 e1", brown_left=6, turn="w jump")
    assert_won(state, BLACK, 6)


@classic_family
def test_black_may_capture(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="c2", turn="b jump")
    assert "a1" in legal(state)


@pytest.mark.parametrize(("ruleset", "points"), [("classic-24", 2), ("original", 3)])
def test_black_may_capture_a_white_horse_on_its_marked_square(ruleset: str, points: int) -> None:
    state = position(ruleset, white="a5", black="c4", brown="a5 e1", brown_left=3, turn="b jump")
    assert_won(playing(state, "a5"), BLACK, points)


# --- The optional apple and White's last escape ---------------------------------------------------


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_nobody_may_take_whites_last_escape(ruleset: str, turn: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 a5 e1", turn=turn)
    assert legal(state) == placements(empty(state) - {"c2"}) | {"-"}
    assert_refused(state, "@c2")


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_whites_last_escape_is_safe_in_the_golden_phase_too(ruleset: str, turn: str) -> None:
    state = position(
        ruleset, white="a1", black="e5", brown="b3 a5 e1", golden="d1", brown_left=0, holds="gg", turn=turn
    )
    assert legal(state) == placements(empty(state) - {"c2"}) | {"-"}
    assert_refused(state, "@c2")


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_one_of_two_escapes_may_be_taken(ruleset: str, turn: str) -> None:
    state = position(ruleset, white="a1", black="e5", turn=turn)
    assert {"@b3", "@c2"} <= legal(state)
    state.play("@c2")
    if turn == "b place":
        assert legal(state) == {"b3"}


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_every_empty_square_is_allowed_when_white_has_no_jump(ruleset: str, turn: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", turn=turn)
    assert legal(state) == placements(empty(state)) | {"-"}


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_blacks_square_is_no_escape_so_the_other_one_is_the_last(ruleset: str, turn: str) -> None:
    state = position(ruleset, white="a1", black="b3", turn=turn)
    assert legal(state) == placements(empty(state) - {"c2"}) | {"-"}


@with_optional_apple
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_with_only_blacks_square_in_reach_white_has_no_jump(ruleset: str, turn: str) -> None:
    state = position(ruleset, white="a1", black="b3", brown="c2 a5 e1", turn=turn)
    assert legal(state) == placements(empty(state)) | {"-"}


@with_optional_apple
def test_the_last_escape_is_judged_from_where_white_stands_after_the_jump(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", brown="a5 e1", turn="w jump")
    state.play("a1")
    assert "b3" in brown(state)
    assert legal(state) == placements(empty(state) - {"c2"}) | {"-"}
    assert "@d4" in legal(state)


@with_optional_apple
def test_the_last_escape_counts_the_square_black_has_just_left_as_blocked(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="b3", turn="b jump")
    state.play("d4")
    assert "@c2" not in legal(state)


@with_optional_apple
def test_black_may_block_an_escape_by_standing_on_it(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e3", brown="b3 a5 e1", turn="b jump")
    assert "c2" in legal(state)
    state.play("c2")
    assert legal(state) == placements(empty(state)) | {"-"}
    state.play("-")
    assert_won(state, BLACK, state.points[BLACK])


@with_optional_apple
def test_blacks_last_jump_is_not_protected(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown="d3 a5 e1", turn="w place")
    assert "@c4" in legal(state)


@with_optional_apple
def test_no_step_when_the_only_empty_square_is_whites_last_escape_after_blacks_jump(ruleset: str) -> None:
    state = position(
        ruleset, size=4, white="a1", black="b1", brown=all_but("a1 b1 c2 d2", 4), turn="b jump", brown_left=3
    )
    state.play("d2")
    assert empty(state) == {"c2"}
    assert_running(state, WHITE)
    assert state.position["step"] == "jump"
    assert legal(state) == {"c2"}


@with_optional_apple
def test_no_step_when_the_only_empty_square_is_whites_last_escape_after_whites_jump(ruleset: str) -> None:
    state = position(
        ruleset, size=4, white="b3", black="d4", brown=all_but("b3 d4 a1 c2", 4), turn="w jump", brown_left=3
    )
    state.play("a1")
    assert empty(state) == {"c2"}
    assert_running(state, BLACK)
    assert state.position["step"] == "jump"


@with_optional_apple
def test_no_step_when_no_square_is_empty(ruleset: str) -> None:
    state = position(ruleset, size=4, white="b3", black="c2", brown=all_but("b3 c2 a1", 4), turn="w jump", brown_left=3)
    state.play("a1")
    assert empty(state) == set()
    assert_running(state, BLACK)
    assert legal(state) == ({"pass"} if ruleset == "carry" else {"a1"})


@with_optional_apple
def test_the_step_occurs_when_one_legal_square_is_left(ruleset: str) -> None:
    state = position(
        ruleset,
        size=4,
        white="a1",
        black="b1",
        brown=all_but("a1 b1 c2 d2 d4", 4),
        turn="b jump",
        brown_left=3,
    )
    state.play("d2")
    assert_running(state, BLACK)
    assert legal(state) == {"@d4", "-"}


@with_optional_apple
def test_the_step_occurs_when_the_only_empty_square_is_no_escape(ruleset: str) -> None:
    state = position(
        ruleset, size=4, white="a1", black="b1", brown=all_but("a1 b1 d4 d2", 4), turn="b jump", brown_left=3
    )
    state.play("d2")
    assert_running(state, BLACK)
    assert legal(state) == {"@d4", "-"}


@classic_family
def test_no_step_when_no_apple_is_left(ruleset: str) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=0, golden_left=1, turn="w jump")
    state.play("b1")
    assert state.over


# --- The golden phase -----------------------------------------------------------------------------


@classic_family
@pytest.mark.parametrize(
    ("turn", "brown_left", "actions", "first_golden", "first_golden_in_original"),
    [
        ("w jump", 0, ["b1"], "c3", "b1"),
        ("b jump", 0, ["c4"], "e5", "c4"),
        ("w jump", 1, ["b1", "@d1"], "d1", "d1"),
        ("b jump", 1, ["c4", "@d1"], "d1", "d1"),
    ],
    ids=["white-mandatory", "black-mandatory", "white-optional", "black-optional"],
)
def test_the_golden_phase_begins_with_the_first_golden_apple_on_the_board(
    ruleset: str, turn: str, brown_left: int, actions: list[str], first_golden: str, first_golden_in_original: str
) -> None:
    state = position(ruleset, white="c3", black="e5", brown_left=brown_left, turn=turn)
    playing(state, *actions)
    assert golden(state) == {first_golden_in_original if ruleset == "original" else first_golden}
    assert not state.over
    assert state.winner == ()


@classic_family
@pytest.mark.parametrize(
    ("turn", "white", "brown_left", "actions", "points"),
    [
        ("w jump", "c5", 0, ["b3", "-", "b3"], 1),
        ("w jump", "c5", 1, ["b3", "@a1", "b3"], 1),
        ("b jump", "c4", 0, ["c2", "-", "e3", "-", "e3"], 2),
        ("b jump", "c4", 1, ["c2", "@a1", "e3", "-", "e3"], 2),
    ],
    ids=["white-mandatory", "white-optional", "black-mandatory", "black-optional"],
)
def test_from_the_first_golden_apple_on_white_has_won_and_plays_for_points(
    ruleset: str, turn: str, white: str, brown_left: int, actions: list[str], points: int
) -> None:
    state = position(ruleset, white=white, black="d4", brown_left=brown_left, turn=turn)
    dropped_by_the_capture = 0 if ruleset == "original" else 1
    assert_won(playing(state, *actions), WHITE, points + dropped_by_the_capture)


@classic_family
def test_a_white_with_nowhere_to_go_still_wins_by_laying_the_first_golden_apple(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", brown="c2 a5 e1", brown_left=1, turn="w jump")
    playing(state, "a1", "@d1", "c4", "-")
    assert golden(state) == {"d1", "c4" if ruleset == "original" else "e5"}
    assert_won(state, WHITE, 2)


@pytest.mark.parametrize("lays_golden", [True, False])
def test_against_a_black_on_its_marked_square_only_whites_own_golden_apple_wins(lays_golden: bool) -> None:
    state = position("classic-24", white="b3", black="e1", brown="c2 a5 e1", brown_left=1, turn="w jump")
    playing(state, "a1", "@d1" if lays_golden else "-", "d3", "-")
    if lays_golden:
        assert_won(state, WHITE, 1)
    else:
        assert_drawn(state)


# --- Capture and White stuck: three cases each ----------------------------------------------------


@leaving_an_apple_behind
@pytest.mark.parametrize(("brown_left", "points"), [(2, 1), (3, 2), (9, 8)])
def test_a_capture_in_the_brown_phase_wins_a_point_per_brown_apple_left(
    ruleset: str, brown_left: int, points: int
) -> None:
    state = position(ruleset, white="b3", black="d4", brown_left=brown_left, turn="b jump")
    assert_won(playing(state, "b3"), BLACK, points)


@leaving_an_apple_behind
def test_a_capture_that_uses_the_last_brown_apple_is_a_draw(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", brown_left=1, turn="b jump")
    assert_drawn(playing(state, "b3"))


@leaving_an_apple_behind
def test_a_capture_whose_mandatory_apple_is_the_first_golden_one_is_a_win_for_white(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", brown_left=0, turn="b jump")
    assert_won(playing(state, "b3"), WHITE, 1)


@leaving_an_apple_behind
def test_a_capture_in_the_golden_phase_wins_white_a_point_per_golden_apple_on_the_board(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", golden="a1 b1 c1", brown_left=0, turn="b jump")
    assert_won(playing(state, "b3"), WHITE, 4)


@pytest.mark.parametrize("ruleset", ["classic-24", "original"])
def test_a_capture_from_the_marked_start_square_needs_no_mandatory_apple(ruleset: str) -> None:
    brown_phase = position(ruleset, white="c2", black="e1", brown_left=1, turn="b jump")
    assert_won(playing(brown_phase, "c2"), BLACK, 1)
    between = position(ruleset, white="c2", black="e1", brown_left=0, turn="b jump")
    assert_drawn(playing(between, "c2"))
    golden_phase = position(ruleset, white="c2", black="e1", brown_left=0, golden="a1 b1", turn="b jump")
    assert_won(playing(golden_phase, "c2"), WHITE, 2)


@classic_family
@pytest.mark.parametrize("brown_left", [1, 4])
def test_white_stuck_in_the_brown_phase_loses_a_point_per_brown_apple_left(ruleset: str, brown_left: int) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=brown_left, turn="b place")
    assert_won(playing(state, "-"), BLACK, brown_left)


@classic_family
def test_white_stuck_with_no_brown_left_and_no_golden_laid_is_a_draw(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=0, turn="b place")
    assert_drawn(playing(state, "-"))


@classic_family
def test_black_laying_the_last_brown_apple_beside_a_stuck_white_makes_it_a_draw(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=1, turn="b place")
    assert_drawn(playing(state, "@d1"))


@classic_family
def test_black_laying_the_first_golden_apple_beside_a_stuck_white_loses(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=0, turn="b place")
    assert_won(playing(state, "@d1"), WHITE, 1)


@classic_family
def test_white_stuck_in_the_golden_phase_wins_a_point_per_golden_apple_on_the_board(ruleset: str) -> None:
    state = position(ruleset, white="a1", black="e5", brown="b3 a5 e1", golden="c2 d1 d2", brown_left=0, turn="b place")
    assert_won(playing(state, "-"), WHITE, 3)


@classic_family
def test_white_stuck_on_an_almost_bare_board_loses_by_the_supply(ruleset: str) -> None:
    state = position(ruleset, size=3, white="b2", black="b3", brown="a3 c1", brown_left=26, turn="w jump")
    assert_won(state, BLACK, 26)


# --- Black stuck ----------------------------------------------------------------------------------

GOLDEN_TOTAL = 5


@pytest.mark.parametrize(
    ("ruleset", "points"), [("classic", GOLDEN_TOTAL), ("classic-24", GOLDEN_TOTAL), ("original", 10)]
)
@pytest.mark.parametrize("brown_left", [0, 1, 7])
def test_black_stuck_before_any_golden_apple(ruleset: str, points: int, brown_left: int) -> None:
    state = position(
        ruleset,
        white="b3",
        black="e5",
        brown="d3 c4 a5 e1",
        brown_left=brown_left,
        golden_left=GOLDEN_TOTAL,
        turn="w place",
    )
    assert_won(playing(state, "-"), WHITE, points)


@pytest.mark.parametrize(("ruleset", "points"), [("classic", 2), ("classic-24", 10), ("original", 10)])
def test_black_stuck_in_the_golden_phase(ruleset: str, points: int) -> None:
    state = position(
        ruleset,
        white="b3",
        black="e5",
        brown="d3 a5 e1",
        golden="c4 d1",
        brown_left=0,
        golden_left=GOLDEN_TOTAL - 2,
        turn="w place",
    )
    assert_won(playing(state, "-"), WHITE, points)


@pytest.mark.parametrize(("ruleset", "points"), [("classic", 1), ("classic-24", 10), ("original", 10)])
def test_black_stuck_by_the_first_golden_apple_is_stuck_in_the_golden_phase(ruleset: str, points: int) -> None:
    state = position(
        ruleset,
        white="b3",
        black="e5",
        brown="d3 a5 e1",
        brown_left=0,
        golden_left=GOLDEN_TOTAL,
        turn="w place",
    )
    assert_won(playing(state, "@c4"), WHITE, points)


@pytest.mark.parametrize(("ruleset", "points"), [("classic", 12), ("classic-24", 12), ("original", 24)])
def test_black_stuck_with_the_default_supply(ruleset: str, points: int) -> None:
    text = "o3b/2o2/1w1o1/5/4o w place bb" if ruleset == "original" else "o3B/2o2/1W1o1/5/4o w place"
    assert_won(playing(make(ruleset, size=5).from_text(text), "-"), WHITE, points)


# --- The end of the golden supply, and the order of the checks ------------------------------------


@classic_family
@pytest.mark.parametrize("action", ["@d1", "@a1"])
def test_the_golden_supply_running_out_ends_the_game_with_double_points(ruleset: str, action: str) -> None:
    state = position(ruleset, white="b3", black="e5", golden="b1 c1", brown_left=0, golden_left=1, turn="w place")
    assert_won(playing(state, action), WHITE, 6)


@classic_family
def test_the_golden_supply_may_run_out_on_blacks_turn(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", golden="b1 c1", brown_left=0, golden_left=1, turn="b place")
    assert_won(playing(state, "@d1"), WHITE, 6)


@classic_family
def test_the_golden_supply_may_run_out_with_a_mandatory_apple(ruleset: str) -> None:
    for turn, jump in (("w jump", "d4"), ("b jump", "c4")):
        state = position(ruleset, white="b3", black="e5", golden="b1 c1", brown_left=0, golden_left=1, turn=turn)
        assert_won(playing(state, jump), WHITE, 6)


@classic_family
def test_the_golden_supply_running_out_is_judged_after_the_jump_of_that_turn(ruleset: str) -> None:
    into_a_dead_end = position(
        ruleset,
        white="b3",
        black="e5",
        brown="c2 a5 e1",
        golden="b1 c1",
        brown_left=0,
        golden_left=1,
        turn="w jump",
    )
    assert_won(playing(into_a_dead_end, "a1"), WHITE, 3)


@classic_family
@pytest.mark.parametrize("turn", ["w place", "b place"])
def test_the_golden_supply_running_out_with_white_unable_to_jump_gives_single_points(ruleset: str, turn: str) -> None:
    state = position(
        ruleset,
        white="a1",
        black="e5",
        brown="b3 c2 a5 e1",
        golden="b1 c1",
        brown_left=0,
        golden_left=1,
        turn=turn,
    )
    assert_won(playing(state, "@d1"), WHITE, 3)


@classic_family
def test_blacks_square_is_no_jump_for_white_when_the_golden_supply_runs_out(ruleset: str) -> None:
    state = position(
        ruleset,
        white="a1",
        black="c2",
        brown="b3 a5 e1",
        golden="b1 c1",
        brown_left=0,
        golden_left=1,
        turn="b place",
    )
    assert_won(playing(state, "@d1"), WHITE, 3)


@classic_family
def test_declining_keeps_the_last_golden_apple_and_the_game_alive(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", golden="b1 c1", brown_left=0, golden_left=1, turn="w place")
    state.play("-")
    assert_running(state, BLACK)


@classic_family
def test_the_only_golden_apple_of_a_supply_of_one_ends_the_game(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", brown_left=0, golden_left=1, turn="w place")
    assert_won(playing(state, "@d1"), WHITE, 2)


@leaving_an_apple_behind
def test_a_capture_comes_before_the_golden_supply(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="d4", golden="b1 c1", brown_left=0, golden_left=1, turn="b jump")
    assert_won(playing(state, "b3"), WHITE, 3)


@classic_family
def test_the_golden_supply_comes_before_a_stuck_black(ruleset: str) -> None:
    state = position(
        ruleset,
        white="b3",
        black="e5",
        brown="d3 c4 a5 e1",
        golden="b1 c1",
        brown_left=0,
        golden_left=1,
        turn="w place",
    )
    assert_won(playing(state, "@d1"), WHITE, 6)


@classic_family
def test_the_golden_supply_comes_before_a_stuck_black_even_when_white_is_stuck_too(ruleset: str) -> None:
    state = position(
        ruleset,
        white="a1",
        black="e5",
        brown="d3 c4 b3 c2 a5 e1",
        golden="b1 c1",
        brown_left=0,
        golden_left=1,
        turn="w place",
    )
    assert_won(playing(state, "@d1"), WHITE, 3)


@classic_family
def test_brown_apples_running_out_does_not_end_the_game(ruleset: str) -> None:
    state = position(ruleset, white="b3", black="e5", brown_left=1, turn="w place")
    state.play("@d1")
    assert state.position["brown_left"] == 0
    assert_running(state, BLACK)


def test_a_brown_supply_of_two_is_used_up_by_the_initial_drop() -> None:
    state = start("classic-24", brown=2, golden=3)
    assert state.position["brown_left"] == 0
    playing(state, "b6", "@d4")
    assert golden(state) == {"d4"}
    playing(state, "g3", "@e4", "c4")
    assert golden(state) == {"d4", "e4", "b6"}
    assert_won(state, WHITE, 6)


def test_a_complete_classic_game_from_the_first_jump_to_the_last_golden_apple() -> None:
    state = start("classic", brown=2, golden=3)
    playing(state, "b6-", "g3-")
    assert brown(state) == {"a8", "h1"}
    playing(state, "c4-", "f5@d4")
    assert golden(state) == {"b6", "g3", "d4"}
    assert_won(state, WHITE, 6)


# --- original: hollow horses ----------------------------------------------------------------------


def test_original_lays_nothing_on_the_square_left_and_drops_the_apple_where_the_jump_ends() -> None:
    state = playing(start("original"), "b6")
    assert brown(state) == {"a8", "h1", "b6"}
    assert state.position["brown_left"] == 25
    playing(state, "-", "g3-", "c4-")
    assert brown(state) == {"a8", "h1", "b6", "g3", "c4"}
    assert state.position["brown_left"] == 23


def test_original_drops_the_apple_before_the_optional_one() -> None:
    state = playing(start("original", brown=3, golden=4), "b6")
    assert brown(state) == {"a8", "h1", "b6"}
    assert golden(playing(state, "@d4")) == {"d4"}


def test_original_uses_two_apples_more_than_classic_24_once_both_have_jumped() -> None:
    hollow, solid = start("original"), start("classic-24")
    for turn in ("b6@d5", "g3-", "c4@e5", "f5@a1", "d2-", "e3-"):
        playing(hollow, turn), playing(solid, turn)
        if turn != "b6@d5":
            assert hollow.position["brown_left"] == solid.position["brown_left"] - 2


@pytest.mark.parametrize(("turn", "jump"), [("w jump", "b1"), ("b jump", "c4")])
def test_original_an_apple_that_falls_golden_begins_the_golden_phase_at_once(turn: str, jump: str) -> None:
    state = playing(position("original", white="c3", black="e5", brown_left=0, golden_left=5, turn=turn), jump)
    assert golden(state) == {jump}
    assert state.position["golden_left"] == 4


def test_original_a_white_with_nowhere_to_go_wins_by_the_golden_apple_under_it() -> None:
    state = position("original", white="b3", black="e5", brown="c2 a5 e1", brown_left=0, turn="w jump")
    playing(state, "a1", "-", "c4", "-")
    assert golden(state) == {"a1", "c4"}
    assert_won(state, WHITE, 2)


def test_original_blacks_own_falling_apple_begins_the_golden_phase_beside_a_stuck_white() -> None:
    state = position("original", white="a1", black="e1", brown="b3 c2 a5 e1", brown_left=0, turn="b jump")
    assert_won(playing(state, "d3", "-"), WHITE, 1)


@pytest.mark.parametrize("under_white", ["brown", "golden"])
def test_original_black_captures_on_whites_square_though_it_carries_an_apple(under_white: str) -> None:
    gold = "b3" if under_white == "golden" else ""
    state = position("original", white="b3", black="d4", golden=gold, brown_left=0 if gold else 4, turn="b jump")
    assert "b3" in legal(state)
    assert_won(playing(state, "b3"), *((WHITE, 1) if gold else (BLACK, 4)))


@pytest.mark.parametrize(("brown_left", "golden_left"), [(3, 5), (1, 5), (0, 5)])
def test_original_a_capturing_jump_drops_nothing(brown_left: int, golden_left: int) -> None:
    state = position("original", white="b3", black="d4", brown_left=brown_left, golden_left=golden_left, turn="b jump")
    playing(state, "b3")
    assert (state.position["brown_left"], state.position["golden_left"]) == (brown_left, golden_left)
    if brown_left:
        assert_won(state, BLACK, brown_left)
    else:
        assert_drawn(state)


def test_original_a_capture_in_the_golden_phase_counts_the_golden_apples_on_the_board() -> None:
    state = position("original", white="b3", black="d4", golden="b1 d4", brown_left=0, golden_left=1, turn="b jump")
    assert_won(playing(state, "b3"), WHITE, 2)


def test_original_white_may_not_jump_to_blacks_square() -> None:
    state = position("original", white="b3", black="d4", turn="w jump")
    assert "d4" not in legal(state)
    assert_refused(state, "d4")


def test_original_the_golden_supply_may_run_out_with_the_apple_that_falls() -> None:
    state = playing(start("original", brown=2, golden=3), "b6", "@d4", "g3")
    assert golden(state) == {"b6", "d4", "g3"}
    assert_won(state, WHITE, 6)


def test_original_text_tells_the_colours_of_the_apples_under_the_horses() -> None:
    state = start("original", size=5, brown=3, golden=5)
    assert state.to_text() == "w4/5/5/5/4b w jump bb"
    playing(state, "b3-")
    assert state.to_text() == "o4/5/1w3/5/4b b jump bb"
    playing(state, "d3-")
    assert state.to_text() == "o4/5/1w1b1/5/4o w jump bg"
    assert state.game.from_text(state.to_text()) == state


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("w4/5/5/5/4b w jump", "4 \\(board, colour, step, apples under the horses\\)"),
        ("w4/5/5/5/4b w jump bn", "two letters out of b, g"),
        ("W4/5/5/5/4b w jump bb", "stands on no apple"),
        ("5/5/1x3/5/4o b jump bg", "one colour"),
        ("w4/5/5/5/4b w jump gb", "a golden apple is out while brown ones are left"),
    ],
)
def test_original_refuses_texts_without_apples_under_the_horses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make("original", size=5).from_text(text)


def test_original_has_version_2_of_its_rules_and_the_others_version_1() -> None:
    assert {ruleset: make(ruleset).rules_version for ruleset in RULESETS} == {
        **dict.fromkeys(RULESETS, 1),
        "original": 2,
    }


def test_original_records_of_version_1_are_refused() -> None:
    record = sw.Record("pferdeaepfel/original", {}, ["b6", "-"], 1)
    with pytest.raises(ValueError, match=r"follows version 1 of the rules of pferdeaepfel/original; .* version 2"):
        record.replay()


# --- carry ----------------------------------------------------------------------------------------


def test_carry_horses_start_holding_one_brown_apple_each() -> None:
    state = start("carry")
    assert state.position["white_holds"] == state.position["black_holds"] == "brown"
    assert state.position["brown_left"] == 18
    assert state.position["golden_left"] == 20
    assert brown(state) == golden(state) == set()
    assert state.to_text() == "W7/8/8/8/8/8/8/7B w jump bb"


def test_carry_starter_is_random_by_default_and_seeded() -> None:
    game = make("carry")
    assert game.rules["starter"] == "random"
    starters = [game.start(seed=seed).player for seed in range(40)]
    assert set(starters) == {WHITE, BLACK}
    assert starters == [game.start(seed=seed).player for seed in range(40)]


@pytest.mark.parametrize(("starter", "seat"), [("white", WHITE), ("black", BLACK)])
def test_carry_starter_may_be_chosen(starter: str, seat: int) -> None:
    game = make("carry", starter=starter)
    assert game.rules["starter"] == starter
    assert {game.start(seed=seed).player for seed in range(20)} == {seat}


def test_carry_starter_is_random_white_or_black() -> None:
    with pytest.raises(ValueError, match="starter"):
        make("carry", starter="green")


def test_carry_black_may_start_and_white_follows() -> None:
    state = playing(start("carry", starter="black"), "g3-")
    assert_running(state, WHITE)
    assert brown(state) == {"h1"}


@pytest.mark.parametrize("turn", ["w jump", "b jump"])
def test_carry_nobody_may_land_on_the_other_horse(turn: str) -> None:
    state = position("carry", white="a1", black="c2", turn=turn)
    target = "c2" if turn == "w jump" else "a1"
    assert target not in legal(state)
    assert_refused(state, target)


def test_carry_jump_drops_the_held_apple_and_takes_the_next() -> None:
    state = playing(start("carry"), "b6")
    assert brown(state) == {"a8"}
    assert state.position["white_holds"] == "brown"
    assert state.position["brown_left"] == 17


def test_carry_drops_the_colour_it_held_and_takes_brown_first() -> None:
    state = position("carry", white="c3", black="e5", brown_left=1, holds="bb", turn="w jump")
    state.play("b1")
    assert state.position["white_holds"] == "brown"
    assert state.position["brown_left"] == 0


def test_carry_takes_golden_when_the_pool_has_no_brown() -> None:
    state = position("carry", white="c3", black="e5", brown_left=0, holds="bb", turn="w jump")
    state.play("b1")
    assert "c3" in brown(state)
    assert golden(state) == set()
    assert state.position["white_holds"] == "golden"
    assert state.position["golden_left"] == 4


def test_carry_drops_a_golden_apple() -> None:
    state = position("carry", white="c3", black="e5", brown_left=0, holds="gb", turn="w jump")
    state.play("b1")
    assert golden(state) == {"c3"}
    assert state.position["white_holds"] == "golden"


def test_carry_takes_before_the_optional_placement() -> None:
    state = position("carry", white="c3", black="e5", brown_left=1, holds="bb", turn="w jump")
    playing(state, "b1", "@d1")
    assert state.position["white_holds"] == "brown"
    assert golden(state) == {"d1"}


def test_carry_the_optional_apple_comes_from_the_pool_not_from_the_horse() -> None:
    state = position("carry", white="c3", black="e5", brown_left=3, turn="w place")
    state.play("@d1")
    assert state.position["white_holds"] == state.position["black_holds"] == "brown"
    assert state.position["brown_left"] == 2


def test_carry_takes_nothing_from_an_empty_pool_and_places_nothing() -> None:
    state = position(
        "carry", white="c3", black="e5", golden="d1", brown_left=0, golden_left=0, holds="gg", turn="w jump"
    )
    state.play("b1")
    assert golden(state) == {"d1", "c3"}
    assert state.position["white_holds"] == "none"
    assert_running(state, BLACK)


def test_carry_has_no_optional_step_when_the_horse_took_the_last_apple() -> None:
    state = position(
        "carry", white="c3", black="e5", golden="d1", brown_left=0, golden_left=1, holds="gg", turn="w jump"
    )
    state.play("b1")
    assert state.position["white_holds"] == "golden"
    assert_running(state, BLACK)
    assert state.position["step"] == "jump"


def test_carry_goes_on_when_the_pool_runs_out() -> None:
    state = position(
        "carry", white="c3", black="e5", golden="d1", brown_left=0, golden_left=1, holds="gg", turn="w place"
    )
    state.play("@b1")
    assert state.position["golden_left"] == 0
    assert_running(state, BLACK)
    state.play("c4")
    assert state.position["black_holds"] == "none"
    assert_running(state, WHITE)


def test_carry_an_empty_horse_drops_nothing() -> None:
    state = position(
        "carry", white="a1", black="e5", golden="d1", brown_left=0, golden_left=0, holds="nn", turn="b jump"
    )
    state.play("c4")
    assert golden(state) == {"d1"}
    assert "e5" in empty(state)


def test_carry_white_stuck_without_golden_apples_loses() -> None:
    state = position("carry", white="a1", black="e5", brown="b3 c2 a5 e1", turn="b place")
    assert_won(playing(state, "-"), BLACK)


def test_carry_white_stuck_with_a_golden_apple_on_the_board_wins() -> None:
    state = position(
        "carry",
        white="a1",
        black="e5",
        brown="b3 a5 e1",
        golden="c2",
        brown_left=0,
        holds="gg",
        turn="b place",
    )
    assert_won(playing(state, "-"), WHITE)


@pytest.mark.parametrize("holds", ["gg", "gb", "bg"])
def test_carry_a_golden_apple_inside_a_horse_does_not_count(holds: str) -> None:
    state = position("carry", white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=0, holds=holds, turn="b place")
    assert_won(playing(state, "-"), BLACK)


def test_carry_black_laying_a_golden_apple_beside_a_stuck_white_loses() -> None:
    state = position("carry", white="a1", black="e5", brown="b3 c2 a5 e1", brown_left=0, holds="bb", turn="b place")
    assert_won(playing(state, "@d1"), WHITE)


def test_carry_blacks_square_does_not_keep_white_from_being_stuck() -> None:
    state = position("carry", white="a1", black="c2", brown="b3 a5 e1", turn="w jump")
    assert_won(state, BLACK)


def test_carry_white_blocked_only_by_black_is_free_again_when_black_leaves_no_apple() -> None:
    state = position(
        "carry",
        white="a1",
        black="c2",
        brown="b3 a5 e1",
        golden="d1",
        brown_left=0,
        golden_left=0,
        holds="nn",
        turn="b jump",
    )
    assert_running(state, BLACK)
    state.play("e3")
    assert_won(state, WHITE)


def test_carry_a_stuck_black_passes() -> None:
    state = position("carry", white="b3", black="e5", brown="d3 c4 a5 e1", turn="w place")
    state.play("-")
    assert_running(state, BLACK)
    assert legal(state) == {"pass"}
    before = state.position
    state.play("pass")
    assert_running(state, WHITE)
    for unchanged in ("white", "black", "brown", "golden", "brown_left", "golden_left", "black_holds"):
        assert state.position[unchanged] == before[unchanged]
    assert state.position["step"] == "jump"


def test_carry_a_black_blocked_only_by_whites_horse_passes_too() -> None:
    state = position(
        "carry",
        white="c4",
        black="e5",
        brown="d3 a5 e1",
        golden="d1",
        brown_left=0,
        golden_left=0,
        holds="gn",
        turn="b jump",
    )
    assert legal(state) == {"pass"}
    playing(state, "pass", "b2")
    assert legal(state) == {"pass"}
    assert golden(state) == {"d1", "c4"}


def test_carry_pass_is_legal_only_when_black_is_stuck() -> None:
    state = position("carry", white="b3", black="e5", brown="d3 a5 e1", turn="b jump")
    assert legal(state) == {"c4"}
    assert_refused(state, "pass")


@pytest.mark.parametrize("ruleset", [*UNLIMITED, *CLASSIC_FAMILY])
def test_only_carry_knows_a_pass(ruleset: str) -> None:
    assert_refused(start(ruleset), "pass")
    state = position(ruleset, white="b3", black="e5", brown="d3 c4 a5 e1", turn="b " + first_step(ruleset))
    assert state.over
    assert_refused(state, "pass")


def test_carry_white_never_passes() -> None:
    state = position("carry", white="a1", black="e5", brown="b3 a5 e1", turn="w jump")
    assert legal(state) == {"c2"}
    assert_refused(state, "pass")


def test_carry_a_black_stuck_from_the_start_passes_every_turn() -> None:
    state = start("carry", size=3, white_start="a3", black_start="b2", starter="black")
    assert legal(state) == {"pass"}
    playing(state, "pass", "b1-")
    assert legal(state) == {"pass"}


def test_carry_white_outlasting_the_apples_wins() -> None:
    state = position(
        "carry", white="c3", black="e5", golden="d1", brown_left=0, golden_left=0, holds="nn", turn="b jump"
    )
    assert_running(state, BLACK)
    assert_won(playing(state, "c4"), WHITE)


def test_carry_white_has_outlasted_the_apples_even_when_black_still_holds_one() -> None:
    state = position(
        "carry",
        white="b3",
        black="e5",
        brown="d3 c4 a5 e1",
        golden="d1",
        brown_left=0,
        golden_left=0,
        holds="ng",
        turn="b jump",
    )
    assert_won(playing(state, "pass"), WHITE)


def test_carry_white_still_holding_an_apple_has_not_outlasted_them() -> None:
    state = position(
        "carry", white="c3", black="e5", golden="d1", brown_left=0, golden_left=0, holds="gg", turn="b jump"
    )
    assert_running(playing(state, "c4"), WHITE)


def test_carry_being_stuck_comes_before_outlasting_the_apples() -> None:
    state = position(
        "carry",
        white="a1",
        black="e5",
        brown="b3 c2 d3 c4 a5 e1",
        brown_left=0,
        golden_left=0,
        holds="ng",
        turn="b jump",
    )
    assert_won(playing(state, "pass"), BLACK)


def test_carry_white_often_outlasts_a_small_supply_on_the_real_board() -> None:
    rng = random.Random(3)
    outlasted = 0
    for _ in range(40):
        state = start("carry", brown=2, golden=2)
        while not state.over:
            state.play(rng.choice(state.legal_actions))
        position_at_end = state.position
        pool_is_empty = position_at_end["brown_left"] == position_at_end["golden_left"] == 0
        if pool_is_empty and position_at_end["white_holds"] == "none":
            assert_won(state, WHITE)
            outlasted += 1
    assert outlasted > 0


# --- Worth knowing --------------------------------------------------------------------------------


def colour(square: str) -> int:
    return (ord(square[0]) + int(square[1])) % 2


def starts_a_turn(state: sw.State) -> bool:
    return bool(state.position["step"] == first_step(state.game.name.split("/")[1]))


@every_ruleset
def test_white_can_never_capture_because_of_parity(ruleset: str) -> None:
    rng = random.Random(17)
    for size in SIZES:
        for _ in range(6):
            state = start(ruleset, size=size)
            while not state.over:
                mover = state.player
                if mover == WHITE and starts_a_turn(state) and ruleset != "carry":
                    assert colour(horse(state, WHITE)) == colour(horse(state, BLACK))
                action = rng.choice(state.legal_actions)
                captures = state.text(action) == horse(state, BLACK)
                assert not (mover == WHITE and captures)
                state.play(action)


def through_the_centre(square: str, size: int) -> str:
    return f"{'abcdefgh'[size - 1 - 'abcdefgh'.index(square[0])]}{size + 1 - int(square[1])}"


def in_the_antidiagonal(square: str, size: int) -> str:
    return f"{'abcdefgh'[int(square[1]) - 1]}{'abcdefgh'.index(square[0]) + 1}"


mirrors = pytest.mark.parametrize("mirror", [through_the_centre, in_the_antidiagonal])


@mirrors
@every_size
def test_trail_is_won_by_black_answering_each_jump_with_its_mirror_image(
    mirror: Callable[[str, int], str], size: int
) -> None:
    rng = random.Random(size)
    for _ in range(30):
        state = start("trail", size=size)
        while not state.over:
            state.play(rng.choice(state.legal_actions))
            if not state.over:
                state.play(mirror(horse(state, WHITE), size))
        assert_won(state, BLACK)


@mirrors
@pytest.mark.parametrize("size", [3, 4, 5])
def test_trail_mirror_answers_beat_every_white_line_on_small_boards(
    mirror: Callable[[str, int], str], size: int
) -> None:
    waiting, seen = [start("trail", size=size)], set()
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions:
            after = state.clone()
            after.play(action)
            assert after.player == BLACK
            after.play(mirror(horse(after, WHITE), size))
            if after.over:
                assert after.winner == (BLACK,)
            elif (text := after.to_text()) not in seen:
                seen.add(text)
                waiting.append(after)


def black_wins_within(state: sw.State, turns: int, known: dict[tuple[str, int], bool]) -> bool:
    """Whether Black can force a win before `turns` more turns are over, whatever White does."""
    if state.over:
        return bool(state.winner == (BLACK,))
    if turns == 0:
        return False
    key = (state.to_text(), turns)
    if key not in known:
        decided = any if state.player == BLACK else all
        known[key] = decided(
            black_wins_within(after, turns - (after.over or after.player != state.player), known)
            for after in children(state)
        )
    return known[key]


def children(state: sw.State) -> Iterable[sw.State]:
    for action in state.legal_actions:
        after = state.clone()
        after.play(action)
        yield after


@pytest.mark.parametrize(
    ("ruleset", "size", "turns"),
    [("trail", 3, 4), ("trail", 4, 2), ("trail", 5, 14), ("trail", 6, 18), ("free", 3, 4), ("free", 4, 2)],
)
def test_black_forces_the_win_in_exactly_the_known_number_of_turns(ruleset: str, size: int, turns: int) -> None:
    known: dict[tuple[str, int], bool] = {}
    assert black_wins_within(start(ruleset, size=size), turns, known)
    assert not black_wins_within(start(ruleset, size=size), turns - 1, known)
