"""The smallest board, played to the end in every way: what best play leads to must not change."""

from __future__ import annotations

import pytest

import spielwerk as sw


def best_result(state: sw.State, known: dict[str, float]) -> float:
    """What seat 0 gets when both seats play best; equal up to symmetry is equal."""
    if state.player is None:
        return state.returns[0]
    key = min(state.symmetric(k).to_text() for k in range(state.game.num_symmetries))
    if key not in known:
        results = [best_result(played(state, action), known) for action in state.legal_actions]
        known[key] = max(results) if state.player == 0 else min(results)
    return known[key]


def played(state: sw.State, action: int) -> sw.State:
    following = state.clone()
    following.play(action)
    return following


@pytest.mark.parametrize("swap", ["; swap open", ""])
def test_side_3_is_a_draw_with_and_without_the_swap(swap: str) -> None:
    start = sw.make("diavolo/standard", side=3).from_text(f"white; red; white to move{swap}")
    known: dict[str, float] = {}
    assert best_result(start, known) == 0
    assert set(known.values()) == {-1, 0, 1}
