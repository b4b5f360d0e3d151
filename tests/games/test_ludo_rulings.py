"""Every ruling of Ludo as a test of its own, through the public door.

Positions are set up by naming only what matters: pieces not named are in the yard, colours not named have
captured nothing, and the die falls as the test says.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import spielwerk as sw

GREEN, YELLOW, BLUE, RED = range(4)
LETTERS = "GYBR"
SAFE = [0, 8, 13, 21, 26, 34, 39, 47]
UNSAFE = [square for square in range(52) if square not in SAFE]
START = {"G": 0, "Y": 13, "B": 26, "R": 39}
LAST_MAIN = {"G": 50, "Y": 11, "B": 24, "R": 37}
RULESETS = ["ffa", "teams"]
FINISHED = "f,f,f,f"

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS)
every_colour = pytest.mark.parametrize("colour", LETTERS)
every_safe_square = pytest.mark.parametrize("square", SAFE)


# --- Talking about positions ----------------------------------------------------------------------------------


def position(
    ruleset: str = "ffa",
    *,
    turn: str = "G",
    captured: str = "",
    sixes: str = "0000",
    plies: Any = 0,
    order: str = "-",
    rules: Any = None,
    **pieces: str,
) -> sw.State:
    """A position before the roll of `turn`; pieces are written like G='y,y,12,h3' or, shorter, G='12'."""
    game = sw.make(f"ludo/{ruleset}", **(rules or {}))
    colours = [c for c in LETTERS if ruleset == "teams" or c.lower() in initials(game)]
    fields = [colour_field(colour, pieces.get(colour, ""), colour in captured) for colour in colours]
    fields += [f"turn={turn}", "die=-", f"sixes={sixes[: len(colours)]}", f"plies={plies}"]
    if game.rules.get("ranking"):
        fields.append(f"order={order}")
    return game.from_text(" ".join(fields), chance="explicit")


def initials(game: sw.Game) -> str:
    return "".join(name[0] for name in str(game.rules["colours"]).split(","))


def colour_field(colour: str, pieces: str, captured: bool) -> str:
    named = pieces.split(",") if pieces else []
    return f"{colour}{'!' if captured else ''}=" + ",".join([*named, *["y"] * (4 - len(named))])


def legal(state: sw.State) -> list[str]:
    return [state.text(action) for action in state.legal_actions]


def pieces(state: sw.State, colour: str) -> str:
    field = next(field for field in state.to_text().split() if field[0] == colour)
    return field.partition("=")[2]


def captured(state: sw.State) -> str:
    return "".join(field[0] for field in state.to_text().split() if field[1:2] == "!")


def turn(state: sw.State) -> str:
    return LETTERS[state.position["colours"][state.position["to_move"]]]


def play(state: sw.State, *actions: str) -> sw.State:
    """A copy of the state after these dice and decisions."""
    after = state.clone()
    for action in actions:
        after.play(action)
    return after


def refusal(state: sw.State, action: str) -> tuple[str, str]:
    with pytest.raises(sw.IllegalAction) as caught:
        state.play(action)
    return caught.value.code, caught.value.reason


# --- Players, colours and order -------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fewer_players_take_the_first_colours(players: int) -> None:
    game = sw.make("ludo/ffa", players=players)
    assert game.num_players == players
    assert game.rules["colours"] == ",".join(["green", "yellow", "blue", "red"][:players])


def test_colours_may_name_others_and_settle_the_number_of_players() -> None:
    game = sw.make("ludo/ffa", colours="green,blue")
    assert game.num_players == 2
    assert game.rules["players"] == 2
    assert play(game.start(chance="explicit"), "d6", "0", "d1", "0", "d6", "0").to_text().startswith("G=1,y")


def test_play_goes_round_the_board_in_whatever_order_colours_are_named() -> None:
    assert sw.make("ludo/ffa", colours="red, green").rules["colours"] == "green,red"
    listed: Any = ["red", "green"]
    assert sw.make("ludo/ffa", colours=listed) == sw.make("ludo/ffa", colours="green,red")


@pytest.mark.parametrize("colours", ["green", "green,green", "green,pink", "green,,blue", ","])
def test_impossible_colours_are_refused(colours: str) -> None:
    with pytest.raises(ValueError, match="colours must"):
        sw.make("ludo/ffa", colours=colours)


def test_players_and_colours_must_agree() -> None:
    with pytest.raises(ValueError, match="players is 3, but colours names 2"):
        sw.make("ludo/ffa", colours="green,blue", players=3)


@pytest.mark.parametrize("name", ["players", "colours", "ranking"])
def test_teams_have_no_choice_of_players_and_no_ranking(name: str) -> None:
    with pytest.raises(ValueError, match="ludo/teams has no parameter"):
        sw.make("ludo/teams", **{name: 4})


@every_ruleset
def test_green_begins_and_yellow_blue_and_red_follow(ruleset: str) -> None:
    state = position(ruleset)
    seen = []
    for _ in range(5):
        seen.append(turn(state))
        state = play(state, "d1", "pass")
    assert seen == ["G", "Y", "B", "R", "G"]


@every_ruleset
def test_everyone_starts_with_four_pieces_in_the_yard(ruleset: str) -> None:
    state = sw.make(f"ludo/{ruleset}").start(chance="explicit")
    assert state.to_text() == "G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0"


# --- The die and the actions ----------------------------------------------------------------------------------


def test_the_die_falls_before_the_player_acts() -> None:
    state = position()
    assert state.player == sw.CHANCE
    assert legal(state) == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert state.outcomes == [(face, 1 / 6) for face in range(6)]
    assert play(state, "d3").player == GREEN


def test_actions_are_the_piece_numbers_and_pass() -> None:
    state = play(position(G="1,2,3,4"), "d1")
    assert state.game.num_actions == 5
    assert [state.parse(text) for text in ("0", "1", "2", "3", "pass")] == [0, 1, 2, 3, 4]
    assert legal(state) == ["0", "1", "2", "3"]


def test_a_player_cannot_decide_before_the_die_nor_roll_after_it() -> None:
    assert refusal(position(), "pass")[0] == "notation"
    assert refusal(play(position(), "d1"), "d6")[0] == "notation"


def test_dice_fall_by_themselves_from_the_seed() -> None:
    game = sw.make("ludo/ffa")
    first, second = game.start(seed=5), game.start(seed=5)
    for _ in range(100):
        assert first == second
        assert first.player != sw.CHANCE
        first.play(first.legal_actions[0])
        second.play(second.legal_actions[0])


@every_ruleset
def test_pass_is_legal_only_when_no_piece_can_move(ruleset: str) -> None:
    assert legal(play(position(ruleset), "d5")) == ["pass"]
    assert legal(play(position(ruleset, G="7"), "d5")) == ["0"]
    assert refusal(play(position(ruleset, G="7"), "d5"), "pass") == (
        "must-move",
        "Green can move Green's piece 0 and may not pass",
    )


def test_pieces_that_stand_alike_are_separately_legal() -> None:
    assert legal(play(position(), "d6")) == ["0", "1", "2", "3"]
    assert legal(play(position(G="8,8"), "d2")) == ["0", "1"]


# --- Leaving the yard -----------------------------------------------------------------------------------------


@every_colour
def test_leaving_the_yard_costs_the_six_and_lands_on_the_start_square(colour: str) -> None:
    state = play(position(turn=colour), "d6", "2")
    assert pieces(state, colour) == f"y,y,{START[colour]},y"


@pytest.mark.parametrize("die", ["d1", "d2", "d3", "d4", "d5"])
def test_only_a_six_opens_the_yard(die: str) -> None:
    state = play(position(), die)
    assert legal(state) == ["pass"]
    assert refusal(state, "0") == ("needs-six", "Green's piece 0 leaves the yard only with a six")


def test_the_start_square_is_never_blocked() -> None:
    state = position(G="0,0,0", Y="0,0", B="0,0")
    assert pieces(play(state, "d6", "3"), "G") == "0,0,0,0"


# --- Another turn ---------------------------------------------------------------------------------------------


def test_a_six_that_moved_a_piece_gives_another_turn() -> None:
    assert turn(play(position(G="1"), "d6", "0")) == "G"
    assert turn(play(position(G="1"), "d5", "0")) == "Y"


def test_a_six_that_left_the_yard_gives_another_turn() -> None:
    assert turn(play(position(), "d6", "0")) == "G"


def test_a_six_that_finished_a_piece_gives_another_turn() -> None:
    assert turn(play(position(G="h4", captured="G"), "d6", "0")) == "G"


def test_a_six_that_moved_a_teammates_piece_gives_another_turn_to_the_roller() -> None:
    state = play(position("teams", G=FINISHED, B="30", captured="G"), "d6", "0")
    assert (turn(state), pieces(state, "B")) == ("G", "36,y,y,y")


def test_a_six_answered_by_pass_gives_no_other_turn() -> None:
    state = play(position(G="h4,h4,h4,h4", captured="G", rules={"exact_finish": True}), "d6")
    assert legal(state) == ["pass"]
    assert turn(play(state, "pass")) == "Y"


def test_a_capture_gives_another_turn() -> None:
    assert turn(play(position(G="1", Y="4"), "d3", "0")) == "G"


def test_a_six_that_captures_gives_one_other_turn_only() -> None:
    state = play(position(G="1", Y="7"), "d6", "0")
    assert turn(state) == "G"
    assert turn(play(state, "d1", "0")) == "Y"


def test_without_again_on_six_a_six_passes_the_die_on() -> None:
    rules = {"again_on_six": False}
    assert turn(play(position(G="1", rules=rules), "d6", "0")) == "Y"
    assert turn(play(position(rules=rules), "d6", "0")) == "Y"
    assert turn(play(position(G="1", Y="7", rules=rules), "d6", "0")) == "G"


def test_without_again_on_capture_a_capture_passes_the_die_on() -> None:
    rules = {"again_on_capture": False}
    assert turn(play(position(G="1", Y="4", rules=rules), "d3", "0")) == "Y"
    assert turn(play(position(G="1", Y="7", rules=rules), "d6", "0")) == "G"


def test_finishing_ones_last_piece_with_a_six_in_teams_rolls_again_and_helps() -> None:
    state = play(position("teams", G="f,f,f,h4", B="30", captured="G"), "d6", "3")
    assert turn(state) == "G"
    assert pieces(play(state, "d2", "0"), "B") == "32,y,y,y"


# --- Three sixes ----------------------------------------------------------------------------------------------


@every_ruleset
def test_the_third_six_in_a_row_is_void_and_the_next_player_rolls(ruleset: str) -> None:
    before = play(position(ruleset), "d6", "0", "d6", "0")
    state = play(before, "d6")
    assert (state.player, turn(state)) == (sw.CHANCE, "Y")
    assert pieces(state, "G") == pieces(before, "G")
    assert state.position["sixes"] == [0, 0, 0, 0]
    assert state.position["plies"] == 2


def test_sixes_are_counted_over_turns_and_passes() -> None:
    state = position(rules={"exact_finish": True}, G="h4,h4,h4,h4", captured="G")
    for expected in (1, 2):
        state = play(state, "d6", "pass")
        assert state.position["sixes"][GREEN] == expected
        state = play(state, "d1", "pass", "d1", "pass", "d1", "pass")
    assert turn(play(state, "d6")) == "Y"


def test_sixes_are_counted_whatever_the_switches() -> None:
    state = position(rules={"again_on_six": False})
    for _ in range(2):
        state = play(state, "d6", "0", "d1", "pass", "d1", "pass", "d1", "pass")
    assert state.position["sixes"] == [2, 0, 0, 0]
    assert turn(play(state, "d6")) == "Y"


def test_each_players_sixes_are_counted_apart() -> None:
    state = position(sixes="2200", turn="B")
    assert play(state, "d6").player == BLUE
    assert play(state, "d6").position["sixes"] == [2, 2, 1, 0]


def test_a_non_six_resets_the_count() -> None:
    assert play(position(sixes="2100"), "d5").position["sixes"] == [0, 1, 0, 0]


def test_after_three_sixes_the_count_begins_at_zero() -> None:
    state = play(position(sixes="2000"), "d6", "d1", "pass", "d1", "pass", "d1", "pass")
    assert play(state, "d6").player == GREEN


def test_a_helper_counts_its_own_sixes() -> None:
    state = position("teams", G=FINISHED, B="30", captured="G", sixes="2020")
    assert turn(play(state, "d6")) == "Y"
    assert play(state, "d6").position["sixes"] == [0, 0, 2, 0]


# --- Safe squares ---------------------------------------------------------------------------------------------


@every_safe_square
def test_nothing_is_captured_on_a_safe_square(square: int) -> None:
    state = play(position(G=f"{(square - 2) % 52}", Y=f"{square}"), "d2", "0")
    assert (pieces(state, "G"), pieces(state, "Y")) == (f"{square},y,y,y", f"{square},y,y,y")
    assert captured(state) == ""


@every_safe_square
@every_ruleset
def test_any_colours_stack_on_a_safe_square_and_it_never_blocks(ruleset: str, square: int) -> None:
    crowd = dict.fromkeys("YBR", f"{square},{square}")
    state = position(ruleset, G=f"{(square - 2) % 52},{square}", **crowd)
    assert pieces(play(state, "d2", "0"), "G").startswith(f"{square},{square}")
    over_it = play(state, "d3", "0")
    assert pieces(over_it, "G").startswith(f"{(square + 1) % 52},")


def test_all_other_squares_are_not_safe() -> None:
    for square in UNSAFE:
        state = play(position(G=f"{(square - 1) % 52}", Y=f"{square}"), "d1", "0")
        assert (pieces(state, "Y"), captured(state)) == ("y,y,y,y", "G")


# --- Blocks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("square", UNSAFE)
def test_two_of_one_colour_stop_everyone_else(square: int) -> None:
    state = position(G=f"{(square - 3) % 52}", Y=f"{square},{square}")
    assert legal(play(state, "d2")) == ["0"]
    for die in ("d3", "d4", "d5"):
        assert legal(play(state, die)) == ["pass"]


def test_a_refused_move_names_the_block() -> None:
    state = play(position(G="1", Y="4,4"), "d5")
    assert refusal(state, "0") == ("blocked", "a block on square 4 stops Green's piece 0")


@every_ruleset
def test_a_block_stops_its_owners_too_so_no_third_piece_joins(ruleset: str) -> None:
    state = position(ruleset, G="4,4,1")
    assert legal(play(state, "d3")) == ["0", "1"]
    assert legal(play(state, "d5")) == ["0", "1"]
    assert legal(play(state, "d2")) == ["0", "1", "2"]


def test_leaving_a_block_is_free() -> None:
    state = play(position(G="4,4", Y="2"), "d1", "0")
    assert pieces(state, "G") == "5,4,y,y"
    assert legal(play(state, "d2")) == ["0"]


def test_in_ffa_pieces_of_two_colours_make_no_block() -> None:
    state = play(position(G="4", B="1", turn="B"), "d3", "0")
    assert (pieces(state, "B"), pieces(state, "G")) == ("4,y,y,y", "y,y,y,y")


def test_teammates_form_a_block_together() -> None:
    joined = play(position("teams", G="4", B="1", turn="B"), "d3", "0")
    assert (pieces(joined, "G"), pieces(joined, "B")) == ("4,y,y,y", "4,y,y,y")
    assert captured(joined) == ""
    for colour in "YR":
        state = position("teams", G="4", B="4", turn=colour, **{colour: "2"})
        assert legal(play(state, "d1")) == ["0"]
        assert legal(play(state, "d2")) == legal(play(state, "d3")) == ["pass"]


def test_a_team_block_stops_the_team_too() -> None:
    state = position("teams", G="4,2", B="4")
    assert legal(play(state, "d2")) == ["0"]
    assert legal(play(state, "d3")) == ["0"]


def test_the_block_check_covers_the_track_on_the_way_home_and_no_more() -> None:
    blocked = position(G="48", Y="50,50", captured="G")
    assert legal(play(blocked, "d4")) == ["pass"]
    behind_the_gate = position(G="48", Y="51,51", captured="G")
    assert pieces(play(behind_the_gate, "d4", "0"), "G") == "h1,y,y,y"


def test_home_squares_are_never_blocked() -> None:
    state = position(G="h1,h2,h2,h2", captured="G")
    assert pieces(play(state, "d1", "0"), "G") == "h2,h2,h2,h2"
    assert pieces(play(state, "d2", "0"), "G") == "h3,h2,h2,h2"


# --- Captures -------------------------------------------------------------------------------------------------


def test_a_lone_enemy_goes_back_to_its_yard() -> None:
    state = play(position(G="1", Y="3,4"), "d3", "0")
    assert (pieces(state, "G"), pieces(state, "Y"), captured(state)) == ("4,y,y,y", "3,y,y,y", "G")


def test_passing_over_a_lone_enemy_does_not_capture() -> None:
    state = play(position(G="1", Y="3"), "d3", "0")
    assert (pieces(state, "Y"), captured(state)) == ("3,y,y,y", "")


@pytest.mark.parametrize(("one", "other"), [("G", "B"), ("Y", "R")])
def test_teammates_do_not_capture_each_other(one: str, other: str) -> None:
    state = play(position("teams", turn=one, **{one: "1", other: "4"}), "d3", "0")
    assert (pieces(state, other), captured(state)) == ("4,y,y,y", "")


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations("GYBR", 2)))
def test_in_ffa_everyone_captures_everyone(one: str, other: str) -> None:
    state = play(position(turn=one, **{one: "1", other: "4"}), "d3", "0")
    assert (pieces(state, other), captured(state)) == ("y,y,y,y", one)


def test_the_captured_piece_keeps_its_number() -> None:
    state = play(position(G="1", Y="20,30,4,40"), "d3", "0")
    assert pieces(state, "Y") == "20,30,y,40"


# --- Capture before home --------------------------------------------------------------------------------------


def test_the_seeds_example_three_squares_before_the_entry_and_a_five() -> None:
    state = play(position(G="47"), "d5", "0")
    assert pieces(state, "G") == "0,y,y,y"


@every_colour
def test_before_the_first_capture_a_piece_walks_round_for_ever(colour: str) -> None:
    state = position(turn=colour, **{colour: str(START[colour])})
    others = ["d1", "pass"] * 3
    for _ in range(52):
        state = play(state, "d3", "0", *others)
    assert pieces(state, colour) == f"{START[colour]},y,y,y"


@every_colour
def test_the_last_main_square_of_each_colour(colour: str) -> None:
    last = LAST_MAIN[colour]
    state = position(turn=colour, captured=colour, **{colour: f"{(last - 1) % 52}"})
    assert pieces(play(state, "d1", "0"), colour) == f"{last},y,y,y"
    assert pieces(play(state, "d2", "0"), colour) == "h0,y,y,y"


@pytest.mark.parametrize("die", range(1, 7))
def test_from_rel_50_die_k_reaches_home_k_minus_1(die: int) -> None:
    state = play(position(G="50", captured="G"), f"d{die}", "0")
    assert pieces(state, "G") == ("f,y,y,y" if die == 6 else f"h{die - 1},y,y,y")


@pytest.mark.parametrize("die", range(1, 7))
def test_from_rel_51_die_k_reaches_home_k(die: int) -> None:
    state = play(position(G="51", captured="G"), f"d{die}", "0")
    assert pieces(state, "G") == ("f,y,y,y" if die >= 5 else f"h{die},y,y,y")


def test_from_rel_51_no_main_square_is_checked() -> None:
    state = position(G="51", Y="1,1", captured="G")
    assert pieces(play(state, "d1", "0"), "G") == "h1,y,y,y"
    assert pieces(play(state, "d4", "0"), "G") == "h4,y,y,y"


def test_a_piece_waiting_on_rel_51_goes_home_once_its_colour_has_captured() -> None:
    state = play(position(G="51,1", Y="4"), "d3", "1")
    assert captured(state) == "G"
    assert pieces(play(state, "d2", "0"), "G") == "h2,4,y,y"


def test_the_piece_that_captures_on_rel_51_goes_home_from_there() -> None:
    state = play(position(G="49", Y="51"), "d2", "0")
    assert (pieces(state, "G"), captured(state)) == ("51,y,y,y", "G")
    assert pieces(play(state, "d3", "0"), "G") == "h3,y,y,y"


def test_a_capture_beyond_the_gate_does_not_count_the_lap() -> None:
    state = play(position(G="50", Y="2"), "d4", "0")
    assert (pieces(state, "G"), captured(state)) == ("2,y,y,y", "G")
    assert pieces(play(state, "d6", "0"), "G") == "8,y,y,y"


def test_after_the_first_capture_nobody_steps_on_rel_51() -> None:
    for square, die in itertools.product(range(45, 51), range(1, 7)):
        state = play(position(G=f"{square}", captured="G"), f"d{die}", "0")
        assert not pieces(state, "G").startswith("51")


@pytest.mark.parametrize(("place", "needed"), [("h4", 1), ("h3", 2), ("h2", 3), ("h1", 4), ("h0", 5)])
def test_reaching_or_passing_the_last_home_square_finishes(place: str, needed: int) -> None:
    for die in range(1, 7):
        state = play(position(G=place, captured="G"), f"d{die}", "0")
        assert pieces(state, "G").startswith("f") == (die >= needed)


@pytest.mark.parametrize(("place", "needed"), [("h4", 1), ("h3", 2), ("h2", 3), ("51", 5), ("50", 6)])
def test_with_exact_finish_passing_the_last_home_square_is_illegal(place: str, needed: int) -> None:
    state = position(G=place, captured="G", rules={"exact_finish": True})
    for die in range(1, 7):
        yard = ["1", "2", "3"] if die == 6 else []
        assert legal(play(state, f"d{die}")) == ((["0"] if die <= needed else []) + yard or ["pass"])
    if needed < 6:
        too_far = refusal(play(state, f"d{needed + 1}"), "0")
        assert too_far == (
            "exact-finish",
            "Green's piece 0 would pass the last home square: exact_finish forbids it",
        )


def test_a_finished_piece_moves_no_more() -> None:
    state = play(position(G="f,1", captured="G"), "d2")
    assert legal(state) == ["1"]
    assert refusal(state, "0") == ("finished", "Green's piece 0 has finished")


@every_ruleset
def test_the_right_to_go_home_is_each_colours_own_and_is_never_lost(ruleset: str) -> None:
    state = position(ruleset, G="49", B="23", captured="G", turn="B")
    assert pieces(play(state, "d4", "0"), "B") == "27,y,y,y"
    sent_back = play(position(ruleset, G="4", Y="3", captured="G", turn="Y"), "d1", "0")
    assert captured(sent_back) == "GY"


# --- Teams ----------------------------------------------------------------------------------------------------


def test_who_has_finished_moves_the_teammates_pieces() -> None:
    state = play(position("teams", G=FINISHED, B="30,31", captured="G"), "d2")
    assert state.player == GREEN
    assert legal(state) == ["0", "1"]
    assert pieces(play(state, "1"), "B") == "30,33,y,y"


def test_nobody_helps_while_merely_stuck() -> None:
    state = position("teams", G="f,f,f,y", B="30", captured="G")
    assert legal(play(state, "d2")) == ["pass"]


def test_a_helper_passes_only_when_no_teammates_piece_can_move() -> None:
    assert legal(play(position("teams", G=FINISHED, B="y", captured="G"), "d2")) == ["pass"]
    stuck = position("teams", G=FINISHED, B="1", Y="3,3", captured="G")
    assert legal(play(stuck, "d2")) == ["pass"]


def test_a_helper_brings_the_teammates_pieces_out_of_the_yard() -> None:
    state = play(position("teams", G=FINISHED, captured="G"), "d6", "3")
    assert pieces(state, "B") == "y,y,y,26"


def test_a_helpers_capture_unlocks_the_colour_that_moved_and_rolls_again() -> None:
    state = play(position("teams", G=FINISHED, B="30", Y="33", captured="G"), "d3", "0")
    assert (captured(state), turn(state)) == ("GB", "G")


def test_a_helper_obeys_the_teammates_capture_requirement() -> None:
    state = position("teams", G=FINISHED, B="24", captured="G")
    assert pieces(play(state, "d2", "0"), "B") == "26,y,y,y"
    unlocked = position("teams", G=FINISHED, B="24", captured="GB")
    assert pieces(play(unlocked, "d2", "0"), "B") == "h1,y,y,y"


def test_a_team_wins_when_both_have_finished() -> None:
    state = play(position("teams", G=FINISHED, B="f,f,f,h4", captured="GB", turn="B"), "d1", "3")
    assert state.over
    assert state.returns == (1.0, -1.0, 1.0, -1.0)
    assert state.winner == (GREEN, BLUE)
    assert (state.reason, state.truncated) == ("finished", False)


def test_a_helper_may_win_for_the_team() -> None:
    state = play(position("teams", Y=FINISHED, R="f,f,f,h4", captured="YR", turn="Y"), "d1", "3")
    assert state.returns == (-1.0, 1.0, -1.0, 1.0)


def test_one_finished_teammate_does_not_end_the_game() -> None:
    state = play(position("teams", G="f,f,f,h4", captured="G"), "d1", "3")
    assert not state.over
    assert state.returns == (0.0, 0.0, 0.0, 0.0)


# --- Ends -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ffa_ends_with_the_first_finisher(players: int) -> None:
    state = position(Y="f,f,f,h4", captured="Y", turn="Y", rules={"players": players})
    state = play(state, "d6", "3")
    assert state.over
    assert state.returns == tuple(1.0 if seat == YELLOW else -1.0 for seat in range(players))
    assert state.winner == (YELLOW,)
    assert state.points == (0,) * players
    assert legal(state) == []


def test_with_ranking_a_finished_colour_gets_no_extra_turn_and_is_skipped() -> None:
    state = position(G="f,f,f,h4", captured="G", rules={"ranking": True})
    state = play(state, "d6", "3")
    assert not state.over
    assert turn(state) == "Y"
    assert turn(play(state, "d1", "pass", "d1", "pass", "d1", "pass")) == "Y"


def test_with_ranking_a_third_six_passes_the_die_to_one_who_still_plays() -> None:
    state = position(G=FINISHED, Y=FINISHED, captured="GY", turn="R", sixes="0002", order="GY", rules={"ranking": True})
    assert turn(play(state, "d6")) == "B"


@pytest.mark.parametrize(
    ("players", "returns"),
    [(2, (-1.0, 1.0)), (3, (0.0, 1.0, -1.0)), (4, (pytest.approx(1 / 3), 1.0, pytest.approx(-1 / 3), -1.0))],
)
def test_with_ranking_the_game_ends_when_one_colour_remains(players: int, returns: tuple[float, ...]) -> None:
    """Yellow finishes first, then Green, then Blue."""
    one_step_away = dict.fromkeys("GYB"[:players], "f,f,f,h4")
    rules = {"players": players, "ranking": True}
    state = position(captured="GYB"[:players], turn="Y", rules=rules, sixes="0022", **one_step_away)
    state = play(state, "d1", "3")
    if players > 2:
        state = play(state, *["d6"] * (players - 2), "d1", "3")
    if players > 3:
        state = play(state, "d1", "3")
    assert state.over
    assert state.returns == returns
    assert state.winner == (YELLOW,)


@every_ruleset
def test_reaching_max_plies_is_a_draw_and_is_told(ruleset: str) -> None:
    rules = {"max_plies": 3}
    state = play(position(ruleset, rules=rules), "d1", "pass", "d1", "pass")
    assert not state.over
    state = play(state, "d1", "pass")
    assert (state.over, state.truncated, state.reason) == (True, True, "max-plies")
    assert state.returns == (0.0,) * 4
    assert state.winner == ()


def test_a_void_roll_is_no_decision_and_does_not_count_towards_max_plies() -> None:
    state = play(position(sixes="2000", rules={"max_plies": 1}), "d6")
    assert not state.over
    assert play(state, "d1", "pass").truncated


def test_a_win_with_the_last_allowed_decision_is_a_win() -> None:
    state = play(position(G="f,f,f,h4", captured="G", plies=2, rules={"max_plies": 3}), "d1", "3")
    assert (state.truncated, state.winner) == (False, (GREEN,))


def test_with_ranking_max_plies_is_a_draw_for_those_who_have_finished_too() -> None:
    state = position(G=FINISHED, captured="G", turn="Y", order="G", plies=2, rules={"ranking": True, "max_plies": 3})
    assert play(state, "d1", "pass").returns == (0.0,) * 4


def test_the_default_limit_is_ten_thousand_decisions() -> None:
    assert sw.make("ludo/ffa").max_plies == sw.make("ludo/teams").max_plies == 10_000
    assert play(position(plies=9_999), "d1", "pass").truncated


# --- Texts ----------------------------------------------------------------------------------------------------

IMPOSSIBLE = [
    ("G=4 Y=4", "enemies share square 4"),
    ("G=4,4,4", "more than two pieces stand on square 4"),
    ("G=4,4 Y=4", "enemies share square 4"),
    ("G=h2", "Green has a piece home without having captured"),
    ("Y=f", "Yellow has a piece home without having captured"),
    ("G=52", "'52' is no place for a piece"),
    ("G=h5", "'h5' is no place for a piece"),
    ("G=-1", "'-1' is no place for a piece"),
    ("G=07", "'07' is no place for a piece"),
    ("G=1,2,3,4,5", "Green has 5 pieces, not 4"),
    ("turn=X", "the turn must be a colour's letter"),
    ("die=7", "the die must be 1 to 6, or -"),
    ("die=0", "the die must be 1 to 6, or -"),
    ("die=6", "a six that the sixes of Green do not count"),
    ("die=5 sixes=1000", "Green has sixes in a row, but the die shows another number"),
    ("sixes=3000", "sixes must be a digit 0 to 2"),
    ("sixes=000", "sixes must be a digit 0 to 2"),
    ("plies=10001", "plies must be 0 to 10000"),
    ("plies=-1", "plies must be 0 to 10000"),
    ("plies=10000 die=3", "the game is over, but a die has fallen"),
    ("G!=f,f,f,f die=3", "the game is over, but a die has fallen"),
    ("Y!=f,f,f,f", "the game is over, but Green has not ended it"),
    ("G!=f,f,f,f Y!=f,f,f,f", "more than one side has finished"),
    ("roll=3", "it has 9 fields, not 8"),
]


@pytest.mark.parametrize(("change", "reason"), IMPOSSIBLE)
def test_impossible_positions_are_refused_with_the_reason(change: str, reason: str) -> None:
    fields = dict.fromkeys("GYBR", "=") | {"turn": "=G", "die": "=-", "sixes": "=0000", "plies": "=0"}
    for word in change.split():
        name, _, value = word.partition("=")
        mark = "!=" if name.endswith("!") else "="
        fields[name.removesuffix("!")] = mark + value
    for colour in "GYBR":
        mark, _, named = fields[colour].partition("=")
        fields[colour] = colour_field(colour, named, mark == "!")[1:]
    text = " ".join(name + value for name, value in fields.items())
    with pytest.raises(ValueError, match="impossible position: ") as caught:
        sw.make("ludo/ffa").from_text(text)
    assert reason in str(caught.value)


def test_teammates_may_share_a_square_but_not_three_of_them() -> None:
    assert not position("teams", G="4", B="4").over
    with pytest.raises(ValueError, match="more than two pieces stand on square 4"):
        position("teams", G="4,4", B="4")
    with pytest.raises(ValueError, match="enemies share square 4"):
        position("teams", G="4", Y="4")


@pytest.mark.parametrize(
    ("order", "turn_of", "reason"),
    [
        ("-", "Y", "the order must name the colours that have finished"),
        ("GY", "B", "the order must name the colours that have finished"),
        ("GG", "Y", "the order names a colour twice"),
        ("G", "G", "Green has finished and has no turn"),
    ],
)
def test_impossible_rankings_are_refused(order: str, turn_of: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        position(G=FINISHED, captured="G", turn=turn_of, order=order, rules={"ranking": True})


def test_every_position_of_a_game_survives_its_text() -> None:
    for rules in ({"ranking": True}, {"players": 3}, {"colours": "yellow,red"}):
        game = sw.make("ludo/ffa", **rules)
        state = game.start(seed=3)
        for ply in range(2_000):
            assert game.from_text(state.to_text(), chance="explicit") == state
            if state.over:
                break
            state.play(state.legal_actions[ply % len(state.legal_actions)])
        assert state.over
