"""The heuristic of DiavoloPP, through the greedy agent that follows it."""

from __future__ import annotations

import pytest

import spielwerk as sw

GAMES = 400


def play(side: int, seed: int, greedy_seat: int) -> sw.State:
    state = sw.make("diavolo/standard", side=side).start()
    agents = [sw.agent(f"random:seed={seed}"), sw.agent(f"random:seed={seed}")]
    agents[greedy_seat] = sw.agent(f"greedy:seed={seed}")
    while state.player is not None:
        state.play(agents[state.player].act(state))
    return state


def test_greedy_beats_random_at_side_8_in_at_least_95_of_100_games() -> None:
    won = sum(play(8, seed, seat).winner == (seat,) for seed in range(GAMES // 2) for seat in (0, 1))
    assert won >= 0.95 * GAMES


@pytest.mark.parametrize("side", [12, 20])
def test_greedy_beats_random_on_larger_boards_too(side: int) -> None:
    assert all(play(side, seed, seat).winner == (seat,) for seed in range(2) for seat in (0, 1))


def best_of(text: str, side: int = 8) -> str:
    state = sw.make("diavolo/standard", side=side).from_text(text)
    return state.text(sw.agent("greedy:seed=0").act(state))


THREE = "1,1+1,2+2,1 1,2+2,1+2,2 2,1+2,2+3,1"
COMPLETING = {"1,2+1,3+2,2", "2,2+3,1+3,2"}


def test_greedy_completes_an_island() -> None:
    assert best_of(f"white {THREE}; red; white to move") in COMPLETING


def test_greedy_joins_two_islands_by_a_bridge() -> None:
    west = f"{THREE} 1,2+1,3+2,2"
    east = "4,1+4,2+5,1 4,2+5,1+5,2 5,1+5,2+6,1 4,2+4,3+5,2"
    assert best_of(f"white {west} {east}; red; white to move") == "3,1-4,1"


def test_greedy_takes_the_field_that_would_complete_the_others_island() -> None:
    """White's three lands in the corner can grow on one field only."""
    white, red = "8,1+8,2+9,1 7,2+8,1+8,2 7,2+7,3+8,2", "6,3+7,2+7,3 6,2+6,3+7,2 1,1+1,2+2,1"
    assert best_of(f"white {white}; red {red}; red to move; second land due") == "7,1+7,2+8,1"


@pytest.mark.parametrize("seat", [0, 1])
def test_the_heuristic_is_exact_at_the_end_and_fair_before_it(seat: int) -> None:
    end = play(5, seed=1, greedy_seat=0)
    assert end.evaluate(seat) == end.returns[seat]
    start = sw.make("diavolo/standard").start()
    assert start.evaluate(0) == -start.evaluate(1) == 0
