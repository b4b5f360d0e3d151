"""How well somebody did: wins, draws, losses, and how sure that is."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

# Of the normal distribution, for intervals of 95 %.
_Z = 1.959964


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of a player in games of `sides` sides; a draw is worth an equal part of the point."""

    wins: int
    draws: int
    losses: int
    sides: int = 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        """The mean score, from 0 to 1; players of equal strength have 1 / sides."""
        return (self.wins + self.draws / self.sides) / self.games if self.games else 1 / self.sides

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.rate, max(self.games, 1))

    @property
    def reversed(self) -> "Score":
        """The same games as the other of two sides sees them."""
        return Score(self.losses, self.draws, self.wins, self.sides)

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses, self.sides)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.rate:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {self.games}"

    def to_json(self) -> dict[str, Any]:
        low, high = self.interval
        counts = {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}
        return counts | {"rate": self.rate, "interval": [low, high]}


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate that was seen in n games."""
    middle = (rate + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    spread = _Z * sqrt(rate * (1 - rate) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return max(0.0, middle - spread), min(1.0, middle + spread)
