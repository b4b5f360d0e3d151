"""The gate of self-play: whether games show that one network is better than another, and how often it would err.

Games come in pairs (families, where there are more seats) that share an opening and exchange the seats. If both players
are equally strong, exchanging them changes nothing, so that a pair's lead falls to either side with equal chances. From
that alone follows, exactly, how likely an equal network gathers a given lead (a sign-flip test): nothing is assumed
about draws or favoured seats, and pairs that each player wins once count for nobody. Equal games count once.
"""

from dataclasses import dataclass
from math import ceil, erfc, lgamma, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.scores import Score
from spielwerk.arena.sprt import Sprt
from spielwerk.training.config import GateConfig
from spielwerk.training.evaluation import Games, score_of

ERROR = 0.05  # at most so often an equal network may pass
LOPSIDED = 0.8  # from here on a seat's share of the wins says more than the players'
EXACT_PAIRS = 4000  # beyond, the normal distribution is as good

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """What the games of a current network against the best one say."""

    score: Score
    by_seat: list[Score]
    distinct: int
    counted: list[float]  # the scores of the pairs that count, from 0 to 1
    lopsided: bool
    passed: bool
    error: float  # how likely a network that is only as strong would pass this gate
    words: str

    def to_json(self) -> dict[str, Any]:
        return {
            "score": self.score.to_json(),
            "by_seat": [score.to_json() for score in self.by_seat],
            "distinct": self.distinct,
            "pairs_counted": len(self.counted),
            "lopsided": self.lopsided,
            "error": self.error,
        }


def judged(games: Games, family: int, config: GateConfig) -> Verdict:
    """What an evaluation's games say; `family` of them share an opening."""
    games = distinct_families(games, family)
    pairs = pair_scores(games, family)
    lopsided = config.gate != "threshold" and favoured_share(games) >= LOPSIDED
    counted = pairs[pairs != 0.5] if lopsided else pairs
    passed, error, words = _decision(counted, lopsided, config)
    score = score_of(games.gained)
    text = f"{score}, {games.distinct} distinct games; {words}"
    return Verdict(score, games.by_seat(), games.distinct, counted.tolist(), lopsided, passed, error, text)


def distinct_families(games: Games, family: int) -> Games:
    """Without families whose every game went like that of an earlier one: the same game twice is one sample."""
    _, first = np.unique(games.courses.reshape(-1, family), axis=0, return_index=True)
    kept = (np.sort(first)[:, None] * family + np.arange(family)).ravel()
    return Games(games.first[kept], games.returns[kept], games.courses[kept])


def pair_scores(games: Games, family: int) -> Floats:
    """The first player's mean score in each family, from 0 to 1."""
    scores: Floats = ((np.sign(games.gained) + 1) / 2).reshape(-1, family).mean(1)
    return scores


def favoured_share(games: Games) -> float:
    """The share of games that the luckiest seat wins, a draw counted half."""
    return float(((games.outcomes + 1) / 2).mean(0).max())


def sequential_test(config: GateConfig) -> Sprt:
    """The test that stops as soon as the games have answered."""
    return Sprt(0.5, config.win_threshold, alpha=ERROR, beta=ERROR)


def chance_of_lead(pairs: Floats, lead: float) -> float:
    """How likely an equal player leads by at least `lead` points in pairs as far apart as these (one-sided p-value)."""
    leads, chances = _lead_distribution(pairs)
    return float(chances[leads >= lead - 1e-9].sum())


def needed_lead(pairs: Floats, threshold: float, error: float) -> float:
    """The smallest lead that reaches the threshold and that an equal player reaches with at most this error."""
    leads, chances = _lead_distribution(pairs)
    beyond = np.cumsum(chances[::-1])[::-1]  # chance of this lead or a larger one
    rare = leads[beyond <= error]
    return max((threshold - 0.5) * len(pairs), float(rare.min()) if len(rare) else np.inf)


def _decision(counted: Floats, lopsided: bool, config: GateConfig) -> tuple[bool, float, str]:
    rate = float(counted.mean()) if len(counted) else 0.5
    where = f" in the {len(counted)} pairs that seats do not decide" if lopsided else ""
    if config.gate == "sprt":
        answer = sequential_test(config).verdict(counted.tolist())
        words = {"accept": "better", "reject": "not better", None: "not decided"}[answer]
        text = f"{words} by the sequential test, {100 * rate:.1f} %{where}; it errs with {ERROR:.0%} at most"
        return answer == "accept", ERROR, text
    limit = 1.0 if config.gate == "threshold" else ERROR
    needed = needed_lead(counted, config.win_threshold, limit)
    if not len(counted) or needed > len(counted) / 2:
        return False, 0.0, f"too few pairs to judge by: {len(counted)}{' that seats do not decide' if lopsided else ''}"
    error = chance_of_lead(counted, needed)
    lead = float((counted - 0.5).sum())
    text = f"{100 * rate:.1f} %{where}, {100 * (0.5 + needed / len(counted)):.1f} % needed; "
    text += f"an equal network would pass with {100 * error:.1f} %"
    return lead >= needed - 1e-9, error, text


def _lead_distribution(pairs: Floats) -> tuple[Floats, Floats]:
    """Leads in points, ascending, and their chances if every pair falls to either side with equal chances."""
    sizes, counts = np.unique(np.round(np.abs(pairs - 0.5), 9), return_counts=True)
    apart = sizes > 0
    sizes, counts = sizes[apart], counts[apart]
    if counts.sum() > EXACT_PAIRS:
        return _normal_leads(float((sizes**2 * counts).sum()))
    unit = _common_unit(pairs)
    chances = np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        chances = np.convolve(chances, _spread_binomial(int(count), ceil(size / unit - 1e-6)))
    reach = (len(chances) - 1) / 2
    return np.asarray((np.arange(len(chances)) - reach) * unit, np.float64), chances


def _common_unit(pairs: Floats) -> float:
    """A step of which every lead is a multiple: family means are multiples of one half by the family's size."""
    leads = np.unique(np.round(np.abs(pairs - 0.5), 9))
    for parts in range(1, 1000):
        if np.allclose(leads * 2 * parts, np.round(leads * 2 * parts), atol=1e-6):
            return 0.5 / parts
    raise ValueError("the scores of pairs have no common step")


def _spread_binomial(count: int, step: int) -> Floats:
    """Chances of the sum of `count` leads of ±step, from the lowest sum to the highest, one unit apart."""
    heads = np.arange(count + 1)
    logs = np.array([lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) for k in heads]) - count * log(2)
    chances = np.zeros(2 * step * count + 1)
    chances[2 * step * heads] = np.exp(logs)
    return chances


def _normal_leads(variance: float) -> tuple[Floats, Floats]:
    """The same for very many pairs."""
    spread = sqrt(variance)
    edges: Floats = np.linspace(-8, 8, 4001) * spread
    beyond = np.array([erfc(edge / spread / sqrt(2)) / 2 for edge in edges])
    return edges[:-1], beyond[:-1] - beyond[1:]
