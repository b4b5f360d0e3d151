"""Is A better than B? A sequential test that stops as soon as the games have answered.

The generalised sequential probability ratio test on scores of pairs: two games of one opening with the seats
exchanged count as one sample, their mean score, since their results are not independent. Nothing is assumed about
draws or about how the two games of a pair hang together; mean and spread are taken from the scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

# Scores lie in [0, 1], so no spread is larger than this variance. Two samples of it are assumed beforehand: a few
# equal scores then do not pass for certainty, and after some dozens they no longer count.
_WIDEST = 0.25
_ASSUMED = 2


@dataclass(frozen=True)
class Sprt:
    """Tells a true mean score of at least `score1` (accept) from one of at most `score0` (reject).

    At most `alpha` of the tests of a player worth `score0` accept it, at most `beta` of the tests of one
    worth `score1` reject it; in between, either may happen.
    """

    score0: float = 0.5
    score1: float = 0.55
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.score0 < self.score1 < 1:
            raise ValueError(f"the scores must satisfy 0 < score0 < score1 < 1, not {self.score0} and {self.score1}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must be above 0 and below 0.5, not {rate}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Reject at or below the first, accept at or above the second."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, scores: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio: above 0 speaks for `score1`, below for `score0`.

        Of normal scores whose variance is unknown: under each hypothesis it is the mean square around its score.
        That stays honest far away from both scores, where the usual straight line in the mean runs off.
        """
        count = len(scores)
        if count == 0:
            return 0.0
        mean = sum(scores) / count
        squares = sum((score - mean) ** 2 for score in scores)
        variance = (squares + _ASSUMED * _WIDEST) / (count + _ASSUMED)
        return count / 2 * log((variance + (mean - self.score0) ** 2) / (variance + (mean - self.score1) ** 2))

    def verdict(self, scores: Sequence[float]) -> Literal["accept", "reject"] | None:
        """Whether the better or the worse of the two scores is settled; None: play on."""
        low, high = self.bounds
        ratio = self.llr(scores)
        if ratio >= high:
            return "accept"
        return "reject" if ratio <= low else None
