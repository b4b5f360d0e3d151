"""How fair a ruleset is: the same player on all seats, at several strengths and under varied rules.

A study has three stages. First the rules as they stand are played at every strength. Then the strongest player screens
all variants in a few games each. The fairest of them are played in full, in games of their own: what is said about
them owes nothing to the luck by which they were chosen.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import numpy as np

from spielwerk.arena.report import side_names
from spielwerk.arena.schedule import Fixture, Schedule, digest
from spielwerk.arena.scores import wilson
from spielwerk.arena.workers import Workers, WorkersError
from spielwerk.balance.known import known_facts
from spielwerk.balance.samples import FORFEIT, Sample, played_samples, random_samples
from spielwerk.balance.variants import Variant
from spielwerk.games import Game, make, sides_of
from spielwerk.solver import Solver

RANDOM = "random"
ARGUMENT = "an argument"
# Weakest first; where a game has dice or more than two seats, searches for those take over.
TWO_SEATS = (RANDOM, "greedy", "mcts:sims=300", "alphabeta:nodes=1000", "alphabeta:nodes=10000")
ANY_GAME = (RANDOM, "greedy", "expectimax:depth=1", "expectimax:depth=2")
_GAMES_IN_A_TASK = 5
_RANDOM_GAMES = 10  # for each game of the others: they cost next to nothing
_RESAMPLES = 1000
_NODES_FOR_A_PROOF = 2_000_000
_NODES_FOR_A_VARIANT = 200_000
# Parts of the time by which a stage must leave room for the next.
_STAGES = (0.3, 0.6, 0.9, 1.0)


@dataclass(frozen=True)
class Plan:
    """How much to play. `seconds` is when no further games are begun."""

    levels: tuple[str, ...]
    games: int = 200
    screening: int = 20
    finalists: int = 6
    seed: int = 0
    opening: int = 2
    patience: float = 60.0
    seconds: float = 110.0


def levels_for(game: Game) -> tuple[str, ...]:
    """Players from weak to strong."""
    return TWO_SEATS if game.num_players == 2 and not game.has_chance else ANY_GAME


@dataclass(frozen=True)
class Advantage:
    """The side that is farthest from an even score, and by how much, with a 95 % interval. Of two sides, the first."""

    side: int
    value: float
    low: float
    high: float

    @property
    def even(self) -> bool:
        """Whether the games so far allow that there is none."""
        return self.low <= 0 <= self.high

    @property
    def bounds(self) -> tuple[float, float]:
        """Of its size, whichever side it is for."""
        sizes = abs(self.low), abs(self.high)
        return 0.0 if self.even else min(sizes), max(sizes)


@dataclass(frozen=True)
class Share:
    """A side's mean score with its 95 % interval."""

    rate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.rate:.1f} % ({100 * self.low:.1f}–{100 * self.high:.1f})"


def advantage_of(scores: Sequence[Share]) -> Advantage:
    """Who has an advantage, by the scores of all sides."""
    even, side = 1 / len(scores), 0
    if len(scores) > 2:
        side = max(range(len(scores)), key=lambda number: abs(scores[number].rate - even))
    score = scores[side]
    return Advantage(side, score.rate - even, score.low - even, score.high - even)


@dataclass
class Cell:
    """One variant at one strength: its games so far."""

    variant: Variant
    level: str
    wanted: int
    samples: list[Sample] = field(default_factory=list)
    forfeits: int = 0

    def take(self, samples: Sequence[Sample]) -> None:
        """Adds games; those that were not played to their end tell nothing about the rules."""
        ended = [sample for sample in samples if sample.reason != FORFEIT]
        self.forfeits += len(samples) - len(ended)
        self.samples += ended

    @property
    def complete(self) -> bool:
        return len(self.samples) + self.forfeits >= self.wanted

    @property
    def scores(self) -> tuple[Share, ...]:
        """By side. Players that always play alike give few different games, and only those count as evidence."""
        sides = range(len(sides_of(self.variant.game)))
        rates = [sum(sample.scores[side] for sample in self.samples) / len(self.samples) for side in sides]
        return tuple(Share(rate, *wilson(rate, self.distinct)) for rate in rates)

    @property
    def advantage(self) -> Advantage:
        return advantage_of(self.scores)

    @property
    def drawn(self) -> float:
        """The share of games that nobody won."""
        return sum(len(set(sample.scores)) == 1 for sample in self.samples) / len(self.samples)

    @property
    def distinct(self) -> int:
        return len({sample.line for sample in self.samples})

    @property
    def endings(self) -> Counter[tuple[str, int]]:
        """How often the games ended for a reason by an action of a side."""
        return Counter((sample.reason, sample.closer) for sample in self.samples)

    @property
    def choices(self) -> float:
        """Legal actions for a decision, on average over games."""
        return sum(sample.choices for sample in self.samples) / len(self.samples)

    @property
    def lengths(self) -> list[int]:
        return [sample.plies for sample in self.samples]

    @cached_property
    def length(self) -> tuple[float, float, float]:
        """The mean length in decisions, with a 95 % interval by bootstrap."""
        lengths = np.array(self.lengths)
        drawn = np.random.default_rng(0).choice(lengths, (_RESAMPLES, len(lengths))).mean(axis=1)
        low, high = np.percentile(drawn, [2.5, 97.5])
        return float(lengths.mean()), float(low), float(high)

    def captures(self, side: int) -> int:
        """Games that a capture by this side ended."""
        return self.endings[("capture", side)]

    def to_json(self) -> dict[str, Any]:
        names = side_names(self.variant.game)
        mean, low, high = self.length
        return {
            "variant": dict(self.variant.changes),
            "level": self.level,
            "games": len(self.samples),
            "distinct_games": self.distinct,
            "forfeits": self.forfeits,
            "scores": {
                name: {"score": score.rate, "low": score.low, "high": score.high}
                for name, score in zip(names, self.scores, strict=True)
            },
            "draw_rate": self.drawn,
            "length": {"mean": mean, "low": low, "high": high, "min": min(self.lengths), "max": max(self.lengths)},
            "choices": self.choices,
            "endings": [
                {"reason": reason, "by": names[side], "games": games}
                for (reason, side), games in self.endings.most_common()
            ],
        }


@dataclass(frozen=True)
class Proof:
    """Who wins with best play; no side: a draw."""

    side: int | None
    prover: str


@dataclass
class Study:
    """A ruleset, what was played of it and what is known about it."""

    game: Game
    plan: Plan
    variants: list[Variant]
    levels: list[Cell] = field(init=False)
    screened: list[Cell] = field(init=False)
    finals: list[Cell] = field(init=False, default_factory=list)
    proofs: dict[str, Proof] = field(init=False, default_factory=dict)  # by the variant's label
    complete: bool = field(init=False, default=False)  # everything that was asked for has been played

    def __post_init__(self) -> None:
        plan, standing = self.plan, Variant(self.game, {})
        self.levels = [Cell(standing, level, self._games(level)) for level in plan.levels]
        self.screened = [Cell(variant, plan.levels[-1], plan.screening) for variant in self.variants]

    @property
    def games(self) -> int:
        """How many there are if the time suffices."""
        finals = min(len(self.variants), self.plan.finalists) * self._games(self.plan.levels[-1])
        return sum(cell.wanted for cell in (*self.levels, *self.screened)) + finals

    @property
    def strongest(self) -> Cell:
        """The rules as they stand, played by the strongest."""
        return self.levels[-1]

    @property
    def ranking(self) -> list[Cell]:
        """The rules as they stand and the finalists, the fairest first."""
        played = [cell for cell in (self.strongest, *self.finals) if cell.samples]
        return sorted(played, key=lambda cell: abs(cell.advantage.value))

    @property
    def fairer(self) -> list[Cell]:
        """Finalists that are fairer than the rules as they stand beyond doubt, as far as 95 % intervals go."""
        standing, _ = self.strongest.advantage.bounds
        return [cell for cell in self.ranking if cell.advantage.bounds[1] < standing]

    def run(self, workers: Workers, on_games: Callable[[int], None] = lambda _: None) -> None:
        """Plays the three stages and asks for proofs."""
        began = time.monotonic()
        ends = [began + part * self.plan.seconds for part in _STAGES]
        self._play(workers, self.levels, "", ends[0] if self.variants else ends[2], on_games)
        self._play(workers, self.screened, "screening", ends[1], on_games)
        self.finals = self._chosen()
        self._play(workers, self.finals, "", ends[2], on_games)
        self._prove(workers, ends[3])
        self.complete = all(cell.complete for cell in (*self.levels, *self.screened, *self.finals))
        for cells in (self.levels, self.screened, self.finals):
            cells[:] = [cell for cell in cells if cell.samples]
        if not self.levels or self.strongest.level != self.plan.levels[-1]:
            raise ValueError(
                f"no game of {self.plan.levels[-1]} was over in time; allow more seconds or a weaker level"
            )

    def _games(self, level: str) -> int:
        return self.plan.games * (_RANDOM_GAMES if level == RANDOM else 1)

    def _chosen(self) -> list[Cell]:
        """The fairest; among equals those first that turn the advantage round."""
        standing = self.strongest.advantage.value if self.strongest.samples else 0.0

        def order(cell: Cell) -> tuple[float, bool]:
            return abs(cell.advantage.value), cell.advantage.value * standing > 0

        seen = sorted((cell for cell in self.screened if cell.samples), key=order)
        strongest = self.plan.levels[-1]
        return [Cell(cell.variant, strongest, self._games(strongest)) for cell in seen[: self.plan.finalists]]

    def _play(
        self, workers: Workers, cells: Sequence[Cell], stage: str, ends: float, on_games: Callable[[int], None]
    ) -> None:
        """A task of each cell in turn, so that an early end leaves all with about equally many games."""
        for cell in cells:
            if cell.level == RANDOM:
                cell.take(random_samples(cell.variant.game, cell.wanted, self._seed(stage)))
                on_games(cell.wanted)
        lists = [list(self._tasks(cell, stage)) for cell in cells if cell.level != RANDOM]
        tasks = enumerate([task for turn in zip_longest(*lists) for task in turn if task is not None])
        busy: dict[Future[list[Sample]], tuple[int, Cell]] = {}
        done: dict[int, tuple[Cell, list[Sample]]] = {}
        while True:
            while len(busy) < workers.slots and time.monotonic() < ends and (task := next(tasks, None)) is not None:
                number, (cell, fixtures) = task
                if cell.wanted:
                    busy[workers.submit(played_samples, fixtures)] = number, cell
            if not busy:
                break
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                number, cell = busy.pop(future)
                done[number] = cell, _samples(cell, future)
                on_games(len(done[number][1]))
        for _, (cell, samples) in sorted(done.items(), key=itemgetter(0)):  # whoever was quicker
            cell.take(samples)

    def _tasks(self, cell: Cell, stage: str) -> Iterator[tuple[Cell, list[Fixture]]]:
        plan, game = self.plan, cell.variant.game
        lineup = (cell.level,) * len(sides_of(game))
        schedule = Schedule(game, lineup, self._seed(stage), plan.opening, plan.patience)
        fixtures = [schedule.pairing(number)[0] for number in range(cell.wanted)]
        for first in range(0, cell.wanted, _GAMES_IN_A_TASK):
            yield cell, fixtures[first : first + _GAMES_IN_A_TASK]

    def _seed(self, stage: str) -> int:
        return int(digest(self.plan.seed, stage), 16) >> 1

    def _prove(self, workers: Workers, ends: float) -> None:
        """Asks about the rules as they stand, then about the variants as long as there is time."""
        if self.game.has_chance:
            return
        variants = [Variant(self.game, {}), *(cell.variant for cell in self.screened if cell.samples)]
        nodes = [_NODES_FOR_A_PROOF, *[_NODES_FOR_A_VARIANT] * (len(variants) - 1)]
        for first in range(0, len(variants), workers.slots):
            if first and time.monotonic() >= ends:
                return
            some = slice(first, first + workers.slots)
            asked = {
                variant.label: workers.submit(prove, (variant.game.name, variant.game.rules, effort))
                for variant, effort in zip(variants[some], nodes[some], strict=True)
            }
            self.proofs |= {label: proof for label, future in asked.items() if (proof := future.result()) is not None}

    def to_json(self) -> dict[str, Any]:
        names = side_names(self.game)
        proofs = {label: None if proof.side is None else names[proof.side] for label, proof in self.proofs.items()}
        return {
            "game": self.game.name,
            "rules": self.game.rules,
            "rules_version": self.game.rules_version,
            "seed": self.plan.seed,
            "opening": self.plan.opening,
            "complete": self.complete,
            "levels": [cell.to_json() for cell in self.levels],
            "screening": [cell.to_json() for cell in self.screened],
            "ranking": [cell.to_json() for cell in self.ranking],
            "fairest": dict(self.ranking[0].variant.changes),
            "clearly_fairer": [dict(cell.variant.changes) for cell in self.fairer],
            "known": [fact.text for fact in known_facts(self.game)],
            "proved_winner": proofs,
        }


def _samples(cell: Cell, future: Future[list[Sample]]) -> list[Sample]:
    """The games of a task; a variant that cannot be played, for one that ends before it is opened, is left out."""
    try:
        return future.result()
    except BrokenExecutor:
        raise ValueError(f"a process died while {cell.level} played {cell.variant.label}") from None
    except WorkersError:
        raise
    except ValueError:
        if not cell.variant.changes:
            raise
        cell.wanted = 0
        return []


def prove(about: tuple[str, dict[str, Any], int]) -> Proof | None:
    """Who wins a game from its start, where an argument or so many nodes of the solver can tell."""
    name, rules, nodes = about
    game = make(name, **rules)
    for fact in known_facts(game):
        if fact.winner is not None:
            return Proof(fact.winner, ARGUMENT)
    start = game.start(seed=0)
    if game.num_players > 2 or game.start(seed=1) != start:  # which player begins may be drawn by lot
        return None
    solution = Solver(game).solve(start, distance=False, nodes=nodes)
    return Proof(solution.winner, "the solver") if solution.solved else None
