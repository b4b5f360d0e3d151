"""Every ruling of DiavoloPP as a test of its own, through the public door.

`up(c, r)` and `down(c, r)` name the two fields at a point, `island(c, r)` the four lands of a triangle with two
edges a side whose lower left corner is that point.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

import spielwerk as sw
from tests.games.naive_diavolo import all_edges, all_fields, bridge_name, land_name, paint

WHITE_SEAT, RED_SEAT = 0, 1


# --- Talking about positions ----------------------------------------------------------------------


def up(c: int, r: int) -> str:
    return f"{c},{r}+{c},{r + 1}+{c + 1},{r}"


def down(c: int, r: int) -> str:
    return f"{c},{r + 1}+{c + 1},{r}+{c + 1},{r + 1}"


def island(c: int, r: int) -> str:
    return f"{up(c, r)} {down(c, r)} {up(c + 1, r)} {up(c, r + 1)}"


def make(side: int = 8) -> sw.Game:
    return sw.make("diavolo/standard", side=side)


def position(side: int, *, white: str = "", red: str = "", turn: str = "white to move") -> sw.State:
    return make(side).from_text(f"white {white}; red {red}; {turn}")


def legal(state: sw.State) -> set[str]:
    return {state.text(action) for action in state.legal_actions}


def lands(state: sw.State) -> set[str]:
    return {text for text in legal(state) if "+" in text}


def bridges(state: sw.State) -> set[str]:
    return {text for text in legal(state) if "-" in text}


def points_of(state: sw.State) -> tuple[int, int]:
    return state.position["white_points"], state.position["red_points"]


def refused(state: sw.State, text: str) -> sw.IllegalAction:
    before = state.to_text()
    with pytest.raises(sw.IllegalAction) as refusal:
        state.play(text)
    assert state.to_text() == before
    return refusal.value


def played(state: sw.State, *texts: str) -> sw.State:
    for text in texts:
        state.play(text)
    return state


def over(side: int, *, white: str, red: str, more: str = "") -> sw.State:
    return position(side, white=white, red=red, turn=f"over by pass{more}")


# --- Board and notation ---------------------------------------------------------------------------


@pytest.mark.parametrize("side", [3, 4, 8, 9, 16, 17, 30])
def test_a_board_has_side_squared_fields_and_three_edges_for_every_up_field(side: int) -> None:
    game, state = make(side), make(side).start()
    names = [state.text(action) for action in range(game.num_actions)]
    fields = [name for name in names if "+" in name]
    edges = [name for name in names if "-" in name]
    assert (len(fields), len(edges)) == (side**2, 3 * side * (side + 1) // 2)
    assert set(fields) == {land_name(field) for field in all_fields(side)}
    assert set(edges) == {bridge_name(edge) for edge in all_edges(side)}
    assert names[side**2 + len(edges) :] == ["swap", "pass"]
    assert [state.parse(name) for name in names] == list(range(game.num_actions))


def test_the_default_side_is_eight() -> None:
    assert sw.make("diavolo/standard").rules == {"side": 8}


@pytest.mark.parametrize("text", ["2,1+1,2+1,1", "1,2+1,1+2,1", "2,1+1,1+1,2"])
def test_corners_may_be_written_in_any_order_and_are_shown_sorted(text: str) -> None:
    state = make().start()
    assert state.text(state.parse(text)) == "1,1+1,2+2,1"
    state.play(text)
    assert "1,1+1,2+2,1" in state.to_text()


def test_bridge_ends_may_be_written_in_any_order_and_are_shown_sorted() -> None:
    state = make().start()
    assert state.text(state.parse("3,1-2,2")) == "2,2-3,1"
    assert state.text(state.parse("2,5-2,4")) == "2,4-2,5"


def test_a_whole_turn_is_two_lands_with_a_blank_between() -> None:
    state = played(make().start(), f"{up(1, 1)} {up(3, 1)}")
    assert state.to_text() == f"white {up(1, 1)} {up(3, 1)}; red; red to move; swap open"


def test_the_lands_of_a_turn_may_come_in_either_order() -> None:
    there, back = make().start(), make().start()
    played(there, up(1, 1), down(4, 2))
    played(back, down(4, 2), up(1, 1))
    assert there == back


# --- Groups and islands ---------------------------------------------------------------------------


def test_the_same_player_lays_both_lands_of_a_turn() -> None:
    state = make().start()
    players = []
    for text in (up(1, 1), up(3, 1), up(5, 1), up(7, 1), up(1, 5)):
        players.append(state.player)
        state.play(text)
    assert players == [0, 0, 1, 1, 0]


def test_a_group_has_at_most_four_lands() -> None:
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {up(2, 1)}")
    assert down(2, 1) in lands(state)
    full = position(8, white=f"{up(1, 1)} {down(1, 1)} {up(2, 1)} {down(2, 1)}")
    assert up(3, 1) not in lands(full)
    assert refused(full, up(3, 1)).code == "group-too-large"


def test_a_land_may_not_join_groups_to_more_than_four() -> None:
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {down(2, 1)} {up(3, 1)}")
    assert refused(state, up(2, 1)).code == "group-too-large"


def test_a_land_may_join_groups_to_exactly_four() -> None:
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {down(2, 1)}")
    assert up(2, 1) in lands(state)


def test_a_land_may_join_three_single_lands_to_an_island() -> None:
    state = position(8, white=f"{up(1, 1)} {up(2, 1)} {up(1, 2)}")
    state.play(down(1, 1))
    assert len(state.position["white_islands"]) == 4


def test_no_land_may_touch_an_own_island_at_a_point() -> None:
    state = position(8, white=island(2, 2))
    corners = {"2,2", "3,2", "4,2", "2,3", "3,3", "2,4"}
    touching = {name for name in map(land_name, all_fields(8)) if corners & set(name.split("+"))}
    assert lands(state) == {land_name(field) for field in all_fields(8)} - touching
    assert refused(state, down(1, 1)).code == "touches-island"


def test_no_land_may_make_an_island_that_touches_an_own_group() -> None:
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {up(2, 1)} {down(3, 1)}")
    assert refused(state, down(2, 1)).code == "island-touches"  # at 3,2
    assert up(1, 2) in lands(state)


def test_a_far_land_of_a_group_may_forbid_its_island() -> None:
    """The touching point need not be one of the new land's."""
    chain = f"{down(2, 1)} {up(3, 1)} {down(3, 1)}"
    state = position(4, white=f"{chain} {up(1, 2)}")
    assert refused(state, up(4, 1)).code == "island-touches"


def test_lands_that_join_into_an_island_must_keep_away_from_all_other_groups() -> None:
    three = f"{up(3, 3)} {up(4, 3)} {up(3, 4)}"
    assert down(3, 3) in lands(position(8, white=f"{three} {up(1, 3)}"))
    touching = position(8, white=f"{three} {up(2, 3)}")  # at 3,3
    assert refused(touching, down(3, 3)).code == "island-touches"


def test_groups_of_up_to_three_may_touch_at_points() -> None:
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {up(2, 1)}")
    played(state, f"{up(3, 1)} {up(2, 2)}")  # at 3,1 and at 2,2
    assert state.position["white_islands"] == []
    assert len(set(state.position["white_components"])) == 3


def test_colours_do_not_restrict_each_other() -> None:
    state = position(8, white=f"{up(6, 1)} {up(8, 1)}", red=island(2, 2), turn="white to move")
    free = {land_name(field) for field in all_fields(8)} - set(island(2, 2).split()) - {up(6, 1), up(8, 1)}
    assert lands(state) == free
    state.play(down(2, 1))


def test_a_field_carries_one_land_only() -> None:
    state = played(make().start(), f"{up(1, 1)} {up(3, 1)}")
    assert refused(state, up(1, 1)).code == "land-there"


# --- Pairs ----------------------------------------------------------------------------------------


def test_the_first_land_is_legal_only_where_a_second_exists() -> None:
    """White has room for single lands, but one of them would take the room of all others."""
    state = make(4).from_text(
        "white 4,1+4,2+5,1 1,2+1,3+2,2 2,2+2,3+3,2 1,3+1,4+2,3; red 2,3+3,2+3,3 1,4+1,5+2,4 2,4-3,3; white to move"
    )
    room = state.observation(0)[8:10].sum()
    assert 0 < len(lands(state)) < room
    alone = [text for text in map(land_name, all_fields(4)) if text not in legal(state)]
    assert any(refused(state, text).code == "no-second-land" for text in alone)
    for text in lands(state):
        begun = state.clone()
        begun.play(text)
        assert lands(begun)


def test_lands_far_apart_may_still_exclude_each_other() -> None:
    """Either land fits alone; together they would make an island touch another group three steps away."""
    state = make(4).from_text(
        "white 1,1+1,2+2,1 2,2+3,1+3,2 3,1+3,2+4,1 3,2+4,1+4,2 1,3+1,4+2,3 1,4+1,5+2,4;"
        " red 1,2+2,1+2,2 2,3+3,2+3,3 1,4+2,3+2,4 2,3+2,4+3,3 2,2-2,3; white to move"
    )
    assert legal(state) == {"2,1-3,1", "1,2-1,3", "pass"}
    assert refused(state, up(4, 1)).code == "no-pair"
    assert refused(state, up(1, 2)).code == "no-pair"


ONE_FIELD_LEFT = "white 1,1+1,2+2,1 1,3+2,2+2,3 2,1-2,2; red 2,2+3,1+3,2 3,1+3,2+4,1 1,2+1,3+2,2 1,3+1,4+2,3"


def test_without_a_pair_no_land_turn_can_be_begun() -> None:
    state = make(3).from_text(f"{ONE_FIELD_LEFT}; red to move")
    assert state.observation(RED_SEAT)[8:10].sum() == 1
    assert lands(state) == set()


def test_pass_is_legal_without_a_pair_even_when_a_bridge_is_available() -> None:
    state = make(3).from_text(f"{ONE_FIELD_LEFT}; red to move")
    assert bridges(state)
    assert legal(state) == bridges(state) | {"pass"}


def test_pass_is_illegal_while_a_pair_exists() -> None:
    assert refused(make().start(), "pass").code == "can-build"
    near_the_end = make(4).from_text(
        "white 4,1+4,2+5,1 1,2+1,3+2,2 2,2+2,3+3,2 1,3+1,4+2,3; red 2,3+3,2+3,3 1,4+1,5+2,4 2,4-3,3; white to move"
    )
    assert refused(near_the_end, "pass").code == "can-build"


def test_pass_is_no_second_half_of_a_turn() -> None:
    assert refused(played(make().start(), up(1, 1)), "pass").code == "second-land-due"


# --- Bridges --------------------------------------------------------------------------------------


def test_a_bridge_needs_own_lands_at_both_ends() -> None:
    state = position(8, white=f"{up(1, 1)} {up(3, 1)}", red=up(4, 2))
    assert bridges(state) == {"2,1-3,1"}
    assert refused(state, "4,1-5,1").code == "no-land-at-end"
    assert refused(state, "4,1-4,2").code == "no-land-at-end"


def test_bridges_run_in_all_three_directions() -> None:
    state = position(8, white=f"{up(2, 2)} {up(4, 2)} {up(2, 4)} {up(4, 4)}")
    assert {"3,2-4,2", "2,3-2,4", "3,4-4,4", "4,3-4,4"} <= bridges(state)
    slanting = position(8, white=f"{down(1, 2)} {up(3, 1)}")
    assert "2,2-3,1" in bridges(slanting)


def test_border_edges_count() -> None:
    state = position(8, white=f"{up(1, 1)} {up(3, 1)} {up(1, 3)}")
    assert {"2,1-3,1", "1,2-1,3"} <= bridges(state)
    played(state, "2,1-3,1")
    assert state.position["blocked"] == [state.parse(up(2, 1))]


@pytest.mark.parametrize("colour", ["white", "red"])
def test_an_end_that_carries_a_bridge_of_either_colour_takes_no_other(colour: str) -> None:
    stones = {"white": f"{up(2, 2)} {up(4, 2)} {up(5, 1)}", "red": f"{down(2, 2)} {down(3, 2)}"}
    assert {"3,2-4,2", "4,2-5,1"} <= bridges(position(8, **stones))
    stones[colour] += " 3,2-4,2"
    assert refused(position(8, **stones), "4,2-5,1").code == "end-taken"


@pytest.mark.parametrize("colour", ["white", "red"])
def test_no_bridge_beside_a_land_of_either_colour(colour: str) -> None:
    stones = {"white": f"{up(2, 2)} {up(4, 2)}", "red": ""}
    stones[colour] += f" {up(3, 2)}"
    assert refused(position(8, **stones), "3,2-4,2").code == "land-beside"


def test_fields_beside_a_bridge_are_blocked_for_both_colours() -> None:
    stones = f"{up(2, 2)} {up(4, 2)} 3,2-4,2"
    for turn in ("white to move", "red to move"):
        state = position(8, white=stones, turn=turn)
        for field in (up(3, 2), down(3, 1)):
            assert refused(state, field).code == "field-blocked"


def test_blocked_fields_do_not_hinder_further_bridges() -> None:
    state = position(8, white=f"{up(2, 2)} {up(4, 2)} {down(2, 3)} 3,2-4,2")
    assert "3,3" in up(3, 2)  # a corner of a blocked field
    played(state, "3,3-4,3")


def test_several_bridges_between_two_groups_are_fine() -> None:
    west, east = f"{up(1, 1)} {down(1, 1)} {up(1, 2)}", f"{up(3, 1)} {down(3, 1)} {up(3, 2)}"
    state = position(8, white=f"{west} {east}")
    played(state, "2,1-3,1", f"{up(7, 1)} {up(6, 3)}")
    assert "2,2-3,2" in bridges(state)


def test_a_bridge_is_a_whole_turn() -> None:
    state = played(position(8, white=f"{up(1, 1)} {up(3, 1)}"), "2,1-3,1")
    assert state.position["colour"] == "red"
    assert state.position["step"] == "turn"


def test_a_bridge_is_no_second_half_of_a_turn() -> None:
    state = played(position(8, white=f"{up(1, 1)} {up(3, 1)}"), up(5, 1))
    assert bridges(state) == set()
    assert refused(state, "2,1-3,1").code == "second-land-due"


# --- Swap and seats -------------------------------------------------------------------------------


def after_first_turn(side: int = 8) -> sw.State:
    return played(make(side).start(), f"{up(1, 1)} {up(3, 1)}")


def test_swap_is_open_on_the_second_turn_only() -> None:
    state = make().start()
    assert refused(state, "swap").code == "no-swap"
    played(state, up(1, 1))
    assert refused(state, "swap").code == "second-land-due"
    played(state, up(3, 1))
    assert "swap" in legal(state)
    played(state, f"{up(5, 1)} {up(7, 1)}")
    assert refused(state, "swap").code == "no-swap"
    played(state, f"{up(1, 4)} {up(1, 6)}")
    assert refused(state, "swap").code == "no-swap"


def test_swap_is_not_possible_between_two_lands() -> None:
    state = played(after_first_turn(), up(5, 1))
    assert refused(state, "swap").code == "second-land-due"


def test_swap_leaves_the_stones_and_exchanges_the_seats() -> None:
    state = after_first_turn()
    assert (state.player, state.position["white_seat"]) == (1, 0)
    played(state, "swap")
    assert state.to_text() == f"white {up(1, 1)} {up(3, 1)}; red; red to move; seats exchanged"
    assert state.position["white_seat"] == 1


def test_after_a_swap_the_former_white_moves_next_as_red() -> None:
    state = played(after_first_turn(), "swap")
    assert (state.player, state.position["colour"]) == (0, "red")
    assert "swap" not in legal(state)
    played(state, f"{up(5, 1)} {up(7, 1)}")
    assert (state.player, state.position["colour"]) == (1, "white")
    assert state.position["red"] == sorted([state.parse(up(5, 1)), state.parse(up(7, 1))])


def test_returns_and_points_follow_the_seats() -> None:
    usual = over(8, white=island(1, 1), red=up(5, 1))
    assert (usual.returns, usual.points, usual.winner) == ((1.0, -1.0), (1, 0), (0,))
    swapped = over(8, white=island(1, 1), red=up(5, 1), more="; seats exchanged")
    assert (swapped.returns, swapped.points, swapped.winner) == ((-1.0, 1.0), (0, 1), (1,))


# --- Passes and the end ---------------------------------------------------------------------------

RED_CAN_ONLY_PASS = "white 1,2+2,1+2,2 1,3+1,4+2,3 1,2-1,3 2,2-2,3; red 1,1+1,2+2,1 2,1+2,2+3,1 2,2+3,1+3,2 3,1+3,2+4,1"
WHITE_CAN_ONLY_PASS = "white 1,2+1,3+2,2 1,3+2,2+2,3 2,2+2,3+3,2 1,3+1,4+2,3; red 1,1+1,2+2,1 2,2+3,1+3,2 2,1-3,1"
BOTH_CAN_ONLY_PASS = "white 2,1+2,2+3,1 2,2+2,3+3,2 3,1-3,2; red 1,1+1,2+2,1 1,3+2,2+2,3 1,2-2,2"
WHITE_PASSES_RED_BRIDGES = "white 2,1+2,2+3,1 2,2+2,3+3,2 3,1-3,2; red 1,1+1,2+2,1 1,2+2,1+2,2 1,3+2,2+2,3 1,3+1,4+2,3"


def test_reds_pass_ends_the_game_at_once() -> None:
    state = make(3).from_text(f"{RED_CAN_ONLY_PASS}; red to move")
    assert legal(state) == {"pass"}
    played(state, "pass")
    assert (state.over, state.reason, state.player) == (True, "pass", None)


def test_whites_pass_gives_red_one_more_turn() -> None:
    state = played(make(3).from_text(f"{WHITE_CAN_ONLY_PASS}; white to move"), "pass")
    assert not state.over
    assert (state.player, state.position["last_turn"]) == (RED_SEAT, 1)


def test_reds_last_turn_may_be_two_lands() -> None:
    state = played(make(3).from_text(f"{WHITE_CAN_ONLY_PASS}; white to move"), "pass")
    assert "pass" not in legal(state)
    state.play(min(lands(state)))
    assert not state.over
    state.play(min(lands(state)))
    assert (state.over, state.reason) == (True, "last-turn")


def test_reds_last_turn_may_be_a_bridge() -> None:
    state = played(make(3).from_text(f"{WHITE_PASSES_RED_BRIDGES}; white to move"), "pass")
    assert bridges(state)
    state.play(min(bridges(state)))
    assert (state.over, state.reason) == (True, "last-turn")


def test_red_may_pass_the_last_turn_where_that_is_legal() -> None:
    state = played(make(3).from_text(f"{BOTH_CAN_ONLY_PASS}; white to move"), "pass", "pass")
    assert (state.over, state.reason) == (True, "pass")


def test_there_is_no_swap_after_whites_pass() -> None:
    state = played(make(3).from_text(f"{WHITE_CAN_ONLY_PASS}; white to move; swap open"), "pass")
    assert "swap" not in legal(state)


def test_winner_points_and_returns_wait_for_the_end() -> None:
    state = position(8, white=island(1, 1))
    assert (state.winner, state.points, state.returns) == ((), (0, 0), (0.0, 0.0))
    assert points_of(state) == (1, 0)


# --- Score ----------------------------------------------------------------------------------------


def test_an_island_counts_one_and_territories_count_nothing() -> None:
    assert points_of(position(8, white=island(1, 1), red=f"{up(5, 1)} {up(7, 1)}")) == (1, 0)


@pytest.mark.parametrize(("islands", "points"), [(1, 1), (2, 3), (3, 6), (4, 10)])
def test_joined_islands_count_one_two_three_and_so_on(islands: int, points: int) -> None:
    stones = [island(3 * i + 1, 1) for i in range(islands)]
    spans = [f"{3 * i},1-{3 * i + 1},1" for i in range(1, islands)]
    assert points_of(position(12, white=" ".join(stones + spans))) == (points, 0)


def test_islands_without_a_bridge_count_singly() -> None:
    assert points_of(position(12, white=f"{island(1, 1)} {island(4, 1)} {island(7, 1)}")) == (3, 0)


def test_territories_pass_a_connection_on() -> None:
    state = position(8, white=f"{island(1, 1)} {up(4, 1)} {island(6, 1)} 3,1-4,1 5,1-6,1")
    assert points_of(state) == (3, 0)


# Two single lands that touch at 4,3, each with a bridge to an island of its own.
TOUCHING = f"{island(1, 3)} {down(3, 3)} {up(4, 2)} {island(4, 5)} {island(6, 2)} 4,4-4,5 5,2-6,2"


def test_a_shared_corner_without_a_bridge_joins_nothing() -> None:
    assert points_of(position(10, white=TOUCHING)) == (3, 0)


def test_a_bridge_end_shared_by_two_groups_joins_both() -> None:
    assert points_of(position(10, white=f"{TOUCHING} 3,3-4,3")) == (6, 0)


def test_a_bridge_of_the_other_colour_joins_nothing() -> None:
    state = position(8, white=f"{island(1, 1)} {island(4, 1)}", red=f"{down(2, 1)} {down(3, 1)} 3,1-4,1")
    assert points_of(state) == (2, 0)


def test_several_bridges_between_two_islands_join_them_once() -> None:
    other = f"{down(3, 1)} {up(4, 1)} {down(4, 1)} {up(5, 1)}"
    state = position(8, white=f"{up(1, 1)} {down(1, 1)} {up(2, 1)} {up(1, 2)} {other} 3,1-4,1 2,2-3,2")
    assert points_of(state) == (3, 0)


def test_more_points_win() -> None:
    assert over(12, white=f"{island(1, 1)} {island(4, 1)}", red=island(1, 5)).winner == (WHITE_SEAT,)
    assert over(12, white=island(1, 1), red=f"{island(1, 5)} {island(4, 5)}").winner == (RED_SEAT,)


def test_first_tie_break_is_more_islands() -> None:
    joined = f"{island(1, 5)} {island(4, 5)} 3,5-4,5"
    state = over(12, white=f"{island(1, 1)} {island(4, 1)} {island(7, 1)}", red=joined)
    assert (state.points, state.winner) == ((3, 3), (WHITE_SEAT,))


def test_second_tie_break_is_more_bridges() -> None:
    state = over(12, white=island(1, 1), red=f"{island(1, 5)} {up(4, 5)} 3,5-4,5")
    assert (state.points, state.winner) == ((1, 1), (RED_SEAT,))


def test_equal_in_all_three_is_a_draw() -> None:
    state = over(12, white=island(1, 1), red=island(1, 5))
    assert (state.over, state.winner, state.returns) == (True, (), (0.0, 0.0))


# --- The picture ----------------------------------------------------------------------------------

SEED_BRIDGE = r"""
                   /\
                  /  \
                 /    \
                /      \
               /        \
              /__________\
             /\          /\
            /  \  ++++  /  \
           /    \  ++  /    \
          /      \    /      \
         /        \  /        \
        /__________\/__________\
       /\          /+          /\
      /  \        /  +        /  \
     /    \      /    +      /    \
    /  **  \    /      +    /  ++  \
   /  ****  \  /        +  /  ++++  \
  /__________\/__________+/__________\
""".strip("\n")

SEED_FULLER = r"""
                   /\
                  /  \
                 /    \
                /  ++  \
               /  ++++  \
              /__________\
             /\          /\
            /  \  ++++  /  \
           /    \  ++  /    \
          /  **  \    /      \
         /  ****  \  /        \
        /__________\/__________\
       /\          /+          /\
      /  \  ****  /  +        /  \
     /    \  **  /    +      /    \
    /  **  \    /      +    /  ++  \
   /  ****  \  /        +  /  ++++  \
  /__________\/__________+/__________\
""".strip("\n")


THREE_DIRECTIONS = r"""
                   /\
                  /  \
                 /    \
                /  **  \
               /  ****  \
              /__________\
             *\          /\
            *  \  ++++  /  \
           *    \  ++  /    \
          *      \    /      \
         *        \  /        \
        *__________\/__________\
       /\          /+          /\
      /  \  ****  /  +        /  \
     /    \  **  /    +      /    \
    /  ++  \    /      +    /  ++  \
   /  ++++  \  /        +  /  ++++  \
  /__________\/__________+/__________\
""".strip("\n")

BASE_BRIDGE = "  /__________\\/++++++++++\\/__________\\"


def test_the_picture_is_the_one_drawn_by_hand() -> None:
    white, red = "1,3+2,2+2,3 3,1+3,2+4,1 2,2-3,1", up(1, 1)
    assert str(position(3, white=white, red=red)) == SEED_BRIDGE
    fuller = position(3, white=f"{white} {up(1, 3)}", red=f"{red} {down(1, 1)} {up(1, 2)}")
    assert str(fuller) == SEED_FULLER


@pytest.mark.parametrize("picture", [SEED_BRIDGE, SEED_FULLER])
def test_a_position_can_be_read_from_its_picture(picture: str) -> None:
    state = make(3).from_text(picture)
    assert str(state) == picture
    assert state.to_text().endswith("; white to move")


@pytest.mark.parametrize("move", [textwrap.dedent, lambda text: textwrap.indent(text, "      ")])
def test_a_picture_may_be_moved_sideways(move: Callable[[str], str]) -> None:
    assert str(make(3).from_text(move(SEED_FULLER))) == SEED_FULLER


def test_a_line_may_end_with_a_newline() -> None:
    assert make(3).from_text("white; red; red to move\n").to_text() == "white; red; red to move"


def test_a_picture_may_be_followed_by_turn_and_flags() -> None:
    state = make(3).from_text(f"\n{SEED_BRIDGE}\nred to move; last turn; seats exchanged\n")
    assert state.to_text().endswith("; red to move; last turn; seats exchanged")


def test_bridges_replace_their_edges_in_all_three_directions() -> None:
    white, red = f"{up(1, 1)} {up(3, 1)} {down(1, 2)}", f"{down(1, 1)} {up(1, 3)} 1,2-1,3"
    assert str(position(3, white=f"{white} 2,2-3,1", red=red)) == THREE_DIRECTIONS
    flat = position(3, white=f"{white} 2,1-3,1", red=red)
    assert str(flat).splitlines()[-1] == BASE_BRIDGE


@pytest.mark.parametrize("side", [3, 8, 30])
def test_the_picture_has_six_lines_a_row_and_no_blank_at_a_line_end(side: int) -> None:
    lines = str(make(side).start()).split("\n")
    assert len(lines) == 6 * side
    assert max(map(len, lines)) == 12 * side + 2
    assert all(line == line.rstrip() and line for line in lines)
    assert "\n".join(lines) == paint(side, {}, {})


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (SEED_BRIDGE.replace("****", "*** "), "line 17 of the picture goes wrong"),
        (SEED_BRIDGE.replace("__________+", "___ ______+"), "line 18 of the picture goes wrong"),
        ("\n".join(SEED_BRIDGE.split("\n")[1:]), "has 18 lines"),
        (SEED_BRIDGE + "\nred to dance", "'red to dance' is none of"),
        (
            SEED_BRIDGE.replace("  ++  \\", "      \\").replace("  ++++  \\", "        \\"),
            "no land with the corner 3,1",
        ),
    ],
)
def test_a_wrong_picture_is_refused_with_the_reason(broken: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make(3).from_text(broken)


# --- Setting up -----------------------------------------------------------------------------------


def test_a_position_is_set_up_from_one_line() -> None:
    text = f"white {up(1, 1)} {up(3, 1)} 2,1-3,1; red {up(1, 4)}; red to move; last turn; seats exchanged"
    state = make().from_text(text)
    assert state.to_text() == text
    assert (state.player, state.position["colour"]) == (0, "red")


def test_clauses_may_come_in_any_order_and_points_too() -> None:
    shuffled = f"seats exchanged; red to move ;red 1,5+2,4+1,4; last turn; white 3,1-2,1 {up(3, 1)} {up(1, 1)}"
    ordered = f"white {up(1, 1)} {up(3, 1)} 2,1-3,1; red {up(1, 4)}; red to move; last turn; seats exchanged"
    assert make().from_text(shuffled).to_text() == ordered


def test_odd_numbers_of_lands_can_be_set_up() -> None:
    assert len(make(3).from_text(SEED_FULLER).position["red"]) == 3


def test_a_half_made_turn_can_be_set_up() -> None:
    state = position(8, white=up(1, 1), turn="white to move; second land due")
    played(state, up(3, 1))
    assert state.position["colour"] == "red"


def test_an_open_swap_can_be_set_up() -> None:
    assert "swap" in legal(position(8, white=f"{up(1, 1)} {up(3, 1)}", turn="red to move; swap open"))
    assert "swap" not in legal(position(8, white=f"{up(1, 1)} {up(3, 1)}", turn="red to move"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"white {island(1, 1)} {down(2, 1)}; red; white to move", "more than four lands"),
        (f"white {island(1, 1)} {up(3, 1)}; red; white to move", "touch an island"),
        (
            f"white {up(3, 1)} {up(1, 1)} {down(1, 1)} {up(2, 1)} {up(1, 2)}; red; white to move",
            "touches another group",
        ),
        (f"white {up(1, 1)}; red {up(1, 1)}; white to move", "White has a land on 1,1"),
        (f"white {up(1, 1)} {up(1, 1)}; red; white to move", "White has a land on 1,1"),
        (f"white {up(1, 1)} 2,1-3,1; red; white to move", "White has no land with the corner 3,1"),
        (f"white {up(1, 1)} {up(2, 1)} {up(3, 1)} 2,1-3,1; red; white to move", "a land lies beside 2,1-3,1"),
        (f"white {up(1, 1)} {up(3, 1)} 2,1-3,1 2,1-3,1; red; white to move", "a bridge 2,1-3,1 already"),
        (
            f"white {up(1, 1)} {up(3, 1)} {up(5, 1)} {down(1, 2)} 2,1-3,1 2,2-3,1; red; white to move",
            "3,1 carries a bridge",
        ),
        ("white 1,1+2,2+3,1; red; white to move", "is no land like"),
        ("white 9,9+9,10+10,9; red; white to move", "is no land like"),
        ("white; red", "does not say whose turn"),
        ("white; red; white to move; red to move", "twice whose turn"),
        ("white; white; red; red to move", "White's stones twice"),
        ("white; red; green to move", "'green to move' is none of"),
        ("", "'' is none of"),
        ("white; red; white to move; second land due", "the first is missing"),
        (f"white; red {up(1, 1)}; red to move; second land due; swap open", "the swap is no longer open"),
        ("white; red; white to move; last turn", "only Red has a last turn"),
        ("white; red; red to move; last turn; swap open", "the swap is not open"),
        ("white; red; over by pass; swap open", "a game that is over"),
    ],
)
def test_an_impossible_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make().from_text(text)


def test_a_half_made_turn_without_a_second_land_is_refused() -> None:
    with pytest.raises(ValueError, match="none is possible"):
        make(3).from_text(f"{WHITE_CAN_ONLY_PASS}; white to move; second land due")


# --- Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [2, 31, 0, -3, 10**30, "eight", 3.5])
def test_a_side_outside_3_to_30_is_refused(side: object) -> None:
    with pytest.raises(ValueError, match="side"):
        sw.make("diavolo/standard", side=side)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0,1+1,1+1,2",
        "1,1+1,2+2,2",
        "1,1+2,1+3,1",
        "1,1+1,1+1,1",
        "9,1+9,2+10,1",
        "100,1+100,2+101,1",
        "1,1+1,2",
        "1,1+1,2+2,1+2,2",
        "1,1-1,3",
        "1,1-1,1",
        "1,1-1,2-1,3",
        "01,1+1,2+2,1",
        "1;1+1;2+2;1",
        "-1,1+1,2+2,1",
        "Swap",
        "1,1+1,2+2,1 ;",
        "+" * 5000,
        "1,1+1,2+2,1\x00",
    ],
)
def test_what_is_no_action_is_refused_in_words(text: str) -> None:
    refusal = refused(make().start(), text)
    assert refusal.code == "notation"
    assert "1,1+1,2+2,1" in str(refusal)


def test_an_illegal_second_land_leaves_the_half_made_turn_as_it_was() -> None:
    state = played(make().start(), up(1, 1))
    assert refused(state, up(1, 1)).code == "land-there"
    assert state.to_text() == f"white {up(1, 1)}; red; white to move; second land due; swap open"


def test_a_whole_turn_with_an_illegal_second_land_changes_nothing() -> None:
    state = make().start()
    assert refused(state, f"{up(1, 1)} {up(1, 1)}").code == "land-there"
    assert state == make().start()


def test_a_text_of_more_than_one_turn_is_refused() -> None:
    assert refused(make().start(), f"{up(1, 1)} {up(3, 1)} {up(5, 1)}").code == "turn-over"


def test_nothing_is_legal_once_the_game_is_over() -> None:
    state = over(8, white=island(1, 1), red="")
    assert state.legal_actions == []
    assert refused(state, up(5, 1)).code == "over"
