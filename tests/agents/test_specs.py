"""Specs are read with limits: no number in one can hang or crash whoever plays by it."""

import pytest

import spielwerk as sw
from spielwerk.agents import KINDS, options_of


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("alphabeta:ms=nan", "ms must be a number from 0 to 1e+15, not 'nan'"),
        ("mcts:ms=inf", "ms must be a number from 0"),
        ("mcts:sims=-5", "sims must be a whole number from 0 to 1e+15, not '-5'"),
        ("mcts:sims=99999999999999999999", "sims must be a whole number from 0"),
        ("mcts:exploration=nan", "exploration must be a number from 0"),
        ("expectimax:depth=-1", "depth must be a whole number from 0"),
        ("solver:ms=nan", "ms must be a number from 0"),
        ("solver:memory=-1", "memory must be a whole number from 0"),
        ("network:pferdeaepfel/trail,temperature=inf", "temperature must be a number from 0"),
        ("engine:true,timeout=nan", "timeout must be a number from 0"),
        ("greedy:errs=2", "errs must be from 0 to 1"),
        ("greedy:errs=nan", "errs must be a number from 0"),
        ("random:seed=x", "seed must be a whole number, not 'x'"),
        ("alphabeta:depth=1e3", "depth must be a whole number from 0"),
    ],
)
def test_numbers_have_limits(spec: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011, looked at below
        sw.agent(spec)
    assert message in str(refused.value)


@pytest.mark.parametrize("seed", [0, -3, 2**80])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert sw.agent(f"random:seed={seed}").act(sw.make("pferdeaepfel/trail").start()) >= 0


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_defaults_are_within_the_limits(kind: type[sw.agents.Agent]) -> None:
    for entry in options_of(kind):
        assert isinstance(entry.default, str | None) or 0 <= entry.default <= 10**15


@pytest.mark.parametrize("limit", [{"nodes": -1}, {"milliseconds": -1.0}, {"milliseconds": float("nan")}])
def test_the_core_refuses_limits_that_are_none(limit: dict[str, float]) -> None:
    from spielwerk import _core

    game = sw.make("pferdeaepfel/trail")
    with pytest.raises(ValueError, match="must not be negative"):
        _core.mcts(game).search(game.start(), **limit)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must not be negative"):
        _core.Solver(game, megabytes=1).solve(game.start(), **limit)  # type: ignore[arg-type]
