"""How strong players are, from results alone: no game is known here.

**Ratings** follow Bradley and Terry: a side wins with a chance in proportion to the strength of its player and of its
seat, which for games of more than two sides is the choice model of Luce. The strengths are those that make the results
likeliest; a draw is a point shared. They are given in Elo: 400 points are odds of 10 to 1 between two. `random` is
worth 0, so that figures can be compared over time; where it did not play, the mean is.

One imagined draw for every two players who met, and one for the seats, keeps the strength of somebody who won all games
finite. Intervals come from resampling the pairings (bootstrap), with the imagined draws weighing sometimes more and
sometimes less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.results import Result

ANCHOR = "random"
ELO = 400 / log(10)  # Elo points of a factor e in the odds

_ROUNDS = 100
_ORDERS = 10
_PRECISE = 1e-7
_LONGEST_STEP = 3.0  # in natural units; longer ones are a sign of a curve that is no parabola

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """One player's strength in Elo with a 95 % interval; None for those who share no chain of games with the anchor."""

    player: str
    elo: float | None
    low: float | None
    high: float | None
    games: int
    points: float


@dataclass(frozen=True)
class Seat:
    """What a side's seat is worth in Elo, with a 95 % interval, against the mean of all."""

    side: int
    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """The strongest player first."""

    players: list[Rating]
    seats: list[Seat]
    anchor: str | None  # None: the mean is 0


def rate(results: Sequence[Result], *, samples: int = 200, seed: int = 0) -> Ratings:
    """The ratings of everybody in these results; they must be of games with equally many sides."""
    if not results:
        return Ratings([], [], None)
    names = sorted({player for result in results for player in result.players})
    anchor = ANCHOR if ANCHOR in names else None
    rated = _connected(results, anchor or results[0].players[0])
    model = _Model([result for result in results if rated.issuperset(result.players)], sorted(rated), anchor)
    best = model.fit(*model.weights())
    source = np.random.default_rng(seed)
    drawn = [model.fit(*model.drawn_weights(source), start=best) for _ in range(samples)]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0) if drawn else (best, best)
    elo = {
        name: (ELO * float(best[place]), ELO * float(low[place]), ELO * float(high[place]))
        for place, name in enumerate(model.strengths)
    }
    players = [_rating(name, results, elo.get(name, (None, None, None))) for name in names]
    seats = [Seat(side, *elo[_seat(side)]) for side in range(model.sides)]
    return Ratings(sorted(players, key=lambda rating: -(-np.inf if rating.elo is None else rating.elo)), seats, anchor)


def _rating(name: str, results: Sequence[Result], elo: tuple[float | None, float | None, float | None]) -> Rating:
    own = [
        score
        for result in results
        for player, score in zip(result.players, result.scores, strict=True)
        if player == name
    ]
    return Rating(name, *elo, games=len(own), points=sum(own))


def _seat(side: int) -> str:
    """The name of a seat's strength; no player has a name like it."""
    return f"\0seat {side}"


def _connected(results: Sequence[Result], start: str) -> set[str]:
    """Everybody whom a chain of games connects with `start`."""
    tables = {frozenset(result.players) for result in results}
    found = {start}
    while more := {player for table in tables if table & found for player in table} - found:
        found |= more
    return found


@dataclass(frozen=True)
class _Cases:
    """Kinds of games: which strengths meet in each, [case, side, strength], and how it ended, [case, side]."""

    design: Floats
    scores: Floats

    def slope(self, strengths: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """The gradient of the log-likelihood and the negative of its curvature."""
        values = self.design @ strengths
        chances = np.exp(values - values.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        flat = self.design.reshape(-1, len(strengths))
        slope = flat.T @ (weights[:, None] * (self.scores - chances)).ravel()
        mean = (chances[:, None, :] @ self.design)[:, 0]
        curve = flat.T @ ((weights[:, None] * chances).reshape(-1, 1) * flat)
        return slope, curve - mean.T @ (weights[:, None] * mean)


class _Model:
    """The likelihood of results as a function of strengths, those of the players and of the sides' seats."""

    def __init__(self, results: Sequence[Result], names: list[str], anchor: str | None) -> None:
        self.sides = len(results[0].players)
        self.strengths = [*names, *map(_seat, range(self.sides))]
        self._players, self._anchor = len(names), anchor
        kinds = sorted({(result.players, result.scores) for result in results})
        places = {kind: place for place, kind in enumerate(kinds)}
        pairings = {name: place for place, name in enumerate(dict.fromkeys(result.pairing for result in results))}
        self._counts = np.zeros((len(pairings), len(kinds)))  # of a pairing's games by their kind
        for result in results:
            self._counts[pairings[result.pairing], places[result.players, result.scores]] += 1
        seated = [[[player, _seat(side)] for side, player in enumerate(players)] for players, _ in kinds]
        met = sorted({(a, b) for players, _ in kinds for a in players for b in players if a < b})
        seats = [[[_seat(side)] for side in range(self.sides)]]
        self._cases = [
            _Cases(self._design(seated), np.array([scores for _, scores in kinds])),
            # Imagined draws: of everybody who met, without seats, and of the seats, without players.
            _Cases(self._design([[[a], [b]] for a, b in met]), np.full((len(met), 2), 1 / 2)),
            _Cases(self._design(seats), np.full((1, self.sides), 1 / self.sides)),
        ]

    def weights(self) -> list[Floats]:
        """How often each case was seen."""
        return [self._counts.sum(axis=0), *(np.ones(len(cases.scores)) for cases in self._cases[1:])]

    def drawn_weights(self, source: np.random.Generator) -> list[Floats]:
        """The same for one sample of the bootstrap."""
        pairings = len(self._counts)
        chosen = source.multinomial(pairings, np.full(pairings, 1 / pairings))
        return [chosen @ self._counts, *(source.exponential(size=len(cases.scores)) for cases in self._cases[1:])]

    def fit(self, *weights: Floats, start: Floats | None = None) -> Floats:
        """The likeliest strengths, by Newton's method."""
        strengths = np.zeros(len(self.strengths)) if start is None else start
        for _ in range(_ROUNDS):
            parts = [cases.slope(strengths, weight) for cases, weight in zip(self._cases, weights, strict=True)]
            slope, curve = sum(part[0] for part in parts), sum(part[1] for part in parts)
            # Strengths are known up to two constants, which the least of all solutions leaves alone.
            step = np.linalg.lstsq(curve, slope, rcond=1e-10)[0]
            size = float(np.abs(step).max())
            strengths = strengths + step * min(1.0, _LONGEST_STEP / (size + 1e-300))
            if size < _PRECISE:
                break
        return self._centred(strengths)

    def _design(self, cases: list[list[list[str]]]) -> Floats:
        """From the strengths that add up on each side of each case."""
        places = {name: place for place, name in enumerate(self.strengths)}
        design = np.zeros((len(cases), len(cases[0]) if cases else 2, len(places)))
        for case, sides in enumerate(cases):
            for side, names in enumerate(sides):
                design[case, side, [places[name] for name in names]] = 1
        return design

    def _centred(self, strengths: Floats) -> Floats:
        players, seats = strengths[: self._players], strengths[self._players :]
        zero = players[self.strengths.index(self._anchor)] if self._anchor else players.mean()
        return np.concatenate([players - zero, seats - seats.mean()])


@dataclass(frozen=True)
class Skill:
    """OpenSkill's belief about a player: mean and uncertainty, and the mean above that of the anchor."""

    player: str
    mu: float
    sigma: float
    above_anchor: float | None


def skills(results: Sequence[Result], *, seed: int = 0) -> list[Skill]:
    """OpenSkill (Plackett-Luce) of everybody, for tables of three and four, whose whole ranking it uses.

    It learns game by game, and so depends on their order; what is given is the mean over several orders.
    """
    source = np.random.default_rng(seed)
    runs = [_skills_in_order([results[i] for i in source.permutation(len(results))]) for _ in range(_ORDERS)]
    means = {
        player: (sum(run[player][0] for run in runs) / _ORDERS, sum(run[player][1] for run in runs) / _ORDERS)
        for player in runs[0]
    }
    zero = means[ANCHOR][0] if ANCHOR in means else None
    listed = [Skill(name, mu, sigma, None if zero is None else mu - zero) for name, (mu, sigma) in means.items()]
    return sorted(listed, key=lambda skill: -skill.mu)


def _skills_in_order(results: Sequence[Result]) -> dict[str, tuple[float, float]]:
    """Mean and uncertainty by player; who sits at several sides of a game learns the mean of what they learn."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    start = model.rating()
    known = {player: (start.mu, start.sigma) for result in results for player in result.players}
    for result in results:
        sides = [[model.rating(*known[player])] for player in result.players]
        rated = model.rate(sides, ranks=[float(rank) for rank in result.ranks])
        for player in set(result.players):
            own = [side[0] for side, name in zip(rated, result.players, strict=True) if name == player]
            known[player] = sum(one.mu for one in own) / len(own), sum(one.sigma for one in own) / len(own)
    return known
