"""The core against the naive rule follower: step by step over random games, and by counting sequences."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import spielwerk as sw
from tests.games.naive_diavolo import (
    COLOURS,
    RED,
    WHITE,
    NaiveDiavolo,
    bridge_name,
    land_name,
    lands_by_name,
    neighbours,
    perft,
    set_up,
)

GAMES_BY_SIDE = {3: 80, 4: 60, 5: 40, 6: 24, 7: 14, 8: 9, 9: 6, 10: 5, 11: 4, 12: 3}


def make(side: int) -> sw.Game:
    return sw.make("diavolo/standard", side=side)


# --- Step by step ---------------------------------------------------------------------------------


def choose(naive: NaiveDiavolo, legal: list[str], rng: random.Random, taste: float) -> str:
    """Random, but with a taste for bridges and for lands beside own ones: islands and crowds come about."""
    if rng.random() < taste:
        bridges = [text for text in legal if "-" in text]
        if bridges and rng.random() < 0.4:
            return rng.choice(bridges)
        own, by_name = naive.lands_of(naive.colour), lands_by_name(naive.side)
        growing = [
            text
            for text in legal
            if text in by_name and any(other in own for other in neighbours(by_name[text], naive.side))
        ]
        if growing:
            return rng.choice(growing)
    return rng.choice(legal)


def naive_text(naive: NaiveDiavolo, colour: str) -> set[str]:
    lands = {land_name(land) for land in naive.lands_of(colour)}
    return lands | {bridge_name(bridge) for bridge in naive.bridges_of(colour)}


def assert_same_position(state: sw.State, naive: NaiveDiavolo, legal: list[str]) -> None:
    assert state.player == naive.player
    assert sorted(map(state.text, state.legal_actions)) == sorted(legal)
    for colour, clause in zip(COLOURS, state.to_text().split("; ")[:2], strict=True):
        assert clause.split()[0] == colour
        assert set(clause.split()[1:]) == naive_text(naive, colour)
    assert state.position["white_seat"] == naive.seat_of[WHITE]
    assert state.position["white_points"] == naive.score(WHITE)
    assert state.position["red_points"] == naive.score(RED)


def both_through_a_game(side: int, rng: random.Random) -> Iterator[tuple[sw.State, NaiveDiavolo, list[str]]]:
    state, naive, taste = make(side).start(), NaiveDiavolo(side), rng.random()
    while not naive.over:
        legal = naive.legal()
        yield state, naive, legal
        text = choose(naive, legal, rng, taste)
        state.play(text)
        naive.play(text)
    yield state, naive, []


@pytest.mark.parametrize("side", GAMES_BY_SIDE)
def test_core_and_naive_follower_agree_ply_by_ply(side: int) -> None:
    for number in range(GAMES_BY_SIDE[side]):
        for state, naive, legal in both_through_a_game(side, random.Random(1000 * side + number)):
            assert_same_position(state, naive, legal)
        assert state.over
        assert state.winner == naive.winner
        assert state.points == naive.points


@pytest.mark.parametrize("side", [3, 4, 6, 9])
def test_pictures_agree_and_can_be_read_back(side: int) -> None:
    for state, naive, _ in both_through_a_game(side, random.Random(side)):
        assert str(state) == naive.picture()
        read = state.game.from_text(str(state))
        assert str(read) == str(state)
        assert read.position["white_points"] == state.position["white_points"]


@pytest.mark.parametrize("side", [3, 5, 8, 13, 21])
def test_what_is_kept_up_to_date_equals_what_a_set_up_finds(side: int) -> None:
    """A text lists stones in the order of the board, so equal states show that history leaves no trace."""
    rng = random.Random(side)
    for _ in range(3):
        state = make(side).start()
        while not state.over:
            assert state.game.from_text(state.to_text()) == state
            state.play(rng.choice(state.legal_actions))
        assert state.game.from_text(state.to_text()) == state


@pytest.mark.parametrize("side", [3, 4, 7, 12])
def test_symmetric_positions_are_equal_to_set_up_ones(side: int) -> None:
    rng = random.Random(side)
    state = make(side).start()
    while not state.over:
        for k in range(state.game.num_symmetries):
            image = state.symmetric(k)
            assert state.game.from_text(image.to_text()) == image
            moved = {state.symmetric_action(action, k) for action in state.legal_actions}
            assert moved == set(image.legal_actions)
        state.play(rng.choice(state.legal_actions))


@pytest.mark.parametrize("seed", range(2))
def test_side_30_plays_to_the_end(seed: int) -> None:
    rng = random.Random(seed)
    state, plies = make(30).start(), 0
    while not state.over:
        state.play(rng.choice(state.legal_actions))
        plies += 1
    assert plies <= state.game.max_plies
    assert sum(state.returns) == 0
    naive = set_up(30, "; ".join(state.to_text().split("; ")[:3]))
    naive.over = True
    naive.seat_of = {WHITE: state.position["white_seat"], RED: 1 - state.position["white_seat"]}
    assert (state.winner, state.points) == (naive.winner, naive.points)


# --- Counting -------------------------------------------------------------------------------------

PINNED = {
    3: [9, 72, 576, 3528, 19944, 84240],
    4: [16, 240, 3600, 47040, 601464],
    5: [25, 600, 14400, 317400],
    8: [64, 4032, 254016],
    12: [144, 20592, 2944656],
    30: [900, 809100],
}


@pytest.mark.parametrize("side", PINNED)
def test_numbers_of_action_sequences_are_pinned(side: int) -> None:
    start = make(side).start()
    assert [start.perft(depth) for depth in range(1, len(PINNED[side]) + 1)] == PINNED[side]


@pytest.mark.parametrize(("side", "depth"), [(3, 4), (4, 3), (5, 2)])
def test_naive_follower_counts_the_same_sequences(side: int, depth: int) -> None:
    assert perft(NaiveDiavolo(side), depth) == PINNED[side][depth - 1]


# A crowded board whose whole tree is small: every way on meets passes, bridges and Red's last turn.
CROWDED = (
    "white 1,1+1,2+2,1 1,3+2,2+2,3 3,2+3,3+4,2 1,3+1,4+2,3 1,2-1,3; red 3,1+3,2+4,1 2,3+2,4+3,3 2,3-3,2; red to move"
)
CROWDED_COUNTS = [7, 42, 230, 900, 2752, 4824, 5104, 5360, 0]


def test_every_way_to_the_end_of_a_crowded_board_is_counted() -> None:
    depths = range(1, len(CROWDED_COUNTS) + 1)
    assert [make(4).from_text(CROWDED).perft(depth) for depth in depths] == CROWDED_COUNTS
    assert [perft(set_up(4, CROWDED), depth) for depth in depths] == CROWDED_COUNTS
