"""The sequential test keeps the error rates it promises, whatever draws and pairs look like."""

from math import isfinite

import numpy as np
import pytest
from numpy.typing import NDArray

from spielwerk.arena.sprt import Sprt

TESTS = 1000
MOST_PAIRS = 8000  # all tests end before

# Chances of a pair's mean score 0, ¼, ½, ¾, 1, all of them symmetric: without draws, with many draws, hardly any
# spread, and where the colour decides nearly every game.
SHAPES = {
    "no draws": [0.25, 0.0, 0.5, 0.0, 0.25],
    "many draws": [0.05, 0.2, 0.5, 0.2, 0.05],
    "hardly any spread": [0.01, 0.04, 0.9, 0.04, 0.01],
    "the colour decides": [0.04, 0.0, 0.92, 0.0, 0.04],
    "single games": [0.5, 0.0, 0.0, 0.0, 0.5],
}
VALUES = np.array([0, 0.25, 0.5, 0.75, 1])


def tilted(shape: list[float], mean: float) -> NDArray[np.float64]:
    """The shape's nearest relative with this mean: weights times a power of the score."""
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        weights = np.array(shape) * np.exp(middle * VALUES)
        weights /= weights.sum()
        low, high = (middle, high) if weights @ VALUES < mean else (low, middle)
    return weights


def accepted(sprt: Sprt, chances: NDArray[np.float64], source: np.random.Generator) -> float:
    """The share of tests that end with accept; the ratio is followed pair by pair."""
    verdicts = []
    for _ in range(TESTS):
        scores = source.choice(VALUES, MOST_PAIRS, p=chances)
        count = np.arange(1, MOST_PAIRS + 1)
        mean = scores.cumsum() / count
        squares = (scores**2).cumsum() - count * mean**2
        variance = (squares + 0.5) / (count + 2)
        ratios = count / 2 * np.log((variance + (mean - sprt.score0) ** 2) / (variance + (mean - sprt.score1) ** 2))
        low, high = sprt.bounds
        stop = int(np.flatnonzero((ratios <= low) | (ratios >= high))[0])
        assert sprt.llr(scores[: stop + 1].tolist()) == pytest.approx(ratios[stop], abs=1e-6)
        verdicts.append(ratios[stop] >= high)
    return float(np.mean(verdicts))


@pytest.mark.parametrize("name", SHAPES)
def test_error_rates_by_simulation(name: str) -> None:
    sprt = Sprt()
    source = np.random.default_rng(1)
    # 0.05 and three standard errors of 1000 tests.
    assert accepted(sprt, tilted(SHAPES[name], sprt.score0), source) <= 0.071
    assert accepted(sprt, tilted(SHAPES[name], sprt.score1), source) >= 0.929


def test_error_rates_of_a_stricter_test() -> None:
    sprt = Sprt(score0=0.5, score1=0.6, alpha=0.01, beta=0.1)
    source = np.random.default_rng(2)
    assert accepted(sprt, tilted(SHAPES["no draws"], 0.5), source) <= 0.02
    assert accepted(sprt, tilted(SHAPES["no draws"], 0.6), source) >= 0.87


def test_clear_cases_end_early() -> None:
    sprt = Sprt()
    assert sprt.verdict([1.0] * 40) == "accept"
    assert sprt.verdict([0.0] * 40) == "reject"


@pytest.mark.parametrize("score", [0.0, 0.5, 0.525, 0.55, 1.0])
@pytest.mark.parametrize("count", [0, 1, 2, 10, 100_000])
def test_equal_scores_are_no_trouble(score: float, count: int) -> None:
    assert isfinite(Sprt().llr([score] * count))


@pytest.mark.parametrize("scores", [[], [1.0], [0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
def test_a_handful_of_games_settles_nothing(scores: list[float]) -> None:
    assert Sprt().verdict(scores) is None


def test_the_ratio_favours_the_nearer_score() -> None:
    assert Sprt().llr([0.5, 0.5, 0.25, 0.75]) < 0 < Sprt().llr([0.5, 0.75, 0.5, 0.75])


@pytest.mark.parametrize(
    "settings", [{"score0": 0.6}, {"score1": 1.0}, {"score0": 0.0}, {"alpha": 0.0}, {"beta": 0.5}, {"alpha": -1.0}]
)
def test_impossible_tests_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Sprt(**settings)
