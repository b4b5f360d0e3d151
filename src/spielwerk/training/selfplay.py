"""Self-play through a gate: the network learns against the best one so far and a pool of former ones, and becomes the
best when it has proved better.

The gate is not to be fooled. Every evaluation plays pairs: the same varied opening with the seats exchanged. The
current network must beat the best, with an error that is computed and stated (`gate.py`), and must score more than the
best does against the pool, in which the start always is. Its scores against the start and against the anchors are
stated every time, and a fall is warned of.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spielwerk.arena.scores import Score
from spielwerk.arena.workers import InProcess, Needs, Workers, in_order, needing
from spielwerk.games import Game, make
from spielwerk.training.config import GateConfig, SelfPlayConfig
from spielwerk.training.evaluation import Games, play_games, rival_seatings, score_of
from spielwerk.training.gate import Verdict, distinct_families, judged, sequential_test
from spielwerk.training.networks import Network, frozen_copy, torch_threads
from spielwerk.training.players import network_player, player_of
from spielwerk.training.pool import START, Pool
from spielwerk.training.ppo import Opponent, Ppo, Progress
from spielwerk.training.snapshot import network_tensors, restore_network

ANCHORS = ("random", "greedy")
ANCHOR_GAMES = 400  # of an evaluation against each anchor, at most
CHUNKS = 10  # an SPRT looks so often at the games
DEVIATIONS = 1.96  # a fall of more than so many standard deviations is warned of


@dataclass(frozen=True)
class Match:
    """Games of an evaluation, and everything that their course depends on."""

    game: str
    rules: dict[str, Any]
    first: Network
    second: Network | str  # a string names an anchor
    games: int
    seed: int
    threads: int

    @property
    def device(self) -> torch.device:
        return next(self.first.parameters()).device


def _match_needs(match: Match) -> Needs:
    return Needs(cpus=match.threads, gpus=1 if match.device.type == "cuda" else 0)


@needing(_match_needs)
def played_match(match: Match) -> Games:
    """The same games, whoever plays them."""
    game = make(match.game, **match.rules)
    second = player_of(match.second, game) if isinstance(match.second, str) else network_player(match.second)
    with torch_threads(match.threads if match.device.type == "cpu" else 1):
        return play_games(
            game, network_player(match.first), second, rival_seatings(game), match.games, match.seed, match.threads
        )  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """How the current network does against somebody, and how another network, the reference, does."""

    score: Score
    reference: Score

    @property
    def change(self) -> float:
        return self.score.rate - self.reference.rate

    @property
    def has_fallen(self) -> bool:
        """Whether the change is downwards by more than chance explains."""
        scores = (self.score, self.reference)
        variance = sum(score.rate * (1 - score.rate) / max(1, score.games) for score in scores)
        return self.change < 0 and self.change**2 > DEVIATIONS**2 * variance

    def to_json(self) -> dict[str, Any]:
        return {"score": self.score.to_json(), "reference": self.reference.to_json(), "change": self.change}


@dataclass(frozen=True)
class PoolScores:
    """Mean scores against the members of the pool, of the current network and of the best."""

    members: dict[str, Score]  # the current network's
    current: float
    best: float

    @property
    def rises(self) -> bool:
        return self.current > self.best

    def to_json(self) -> dict[str, Any]:
        scores = {name: score.to_json() for name, score in self.members.items()}
        return {"members": scores, "current": self.current, "best": self.best}


@dataclass(frozen=True)
class Evaluation:
    """The current network against the best one, the pool, the start and the anchors."""

    steps: int
    against_best: Verdict
    against_start: Score
    pool: PoolScores | None  # None where the first look was enough
    anchors: dict[str, Comparison]  # with the start's scores as reference
    promoted: bool

    @property
    def verdict(self) -> str:
        """In one line."""
        words = f"{'promoted' if self.promoted else 'kept'}: {self.against_best.words}"
        if self.pool is None:
            return words
        rates = f"{100 * self.pool.current:.1f} % against the pool, where the best has {100 * self.pool.best:.1f} %"
        return f"{words}; {rates}"

    @property
    def warnings(self) -> list[str]:
        """What fell, a line each."""
        lines = [
            f"the score against {name} has fallen to {compared.score}; the start's is {compared.reference}"
            for name, compared in self.anchors.items()
            if compared.has_fallen
        ]
        if self.against_start.interval[1] < 0.5:
            lines.append(f"the current network loses to the start: {self.against_start}")
        return lines

    def to_json(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            **self.against_best.to_json(),
            "against_start": self.against_start.to_json(),
            "pool": None if self.pool is None else self.pool.to_json(),
            "anchors": {name: compared.to_json() for name, compared in self.anchors.items()},
            "promoted": self.promoted,
            "verdict": self.verdict,
            "warnings": self.warnings,
        }


class Gated(ABC):
    """A learner with a gate: the best network so far, and the pool of former ones."""

    def __init__(self, game: Game, config: GateConfig, network: Network) -> None:
        self.game = game
        self._gate = config
        self.best = frozen_copy(network)
        self.pool = Pool(config.pool)
        self.pool.add(START, self.best)
        self.promotions = 0
        self.workers: Workers = InProcess()  # who play the evaluations
        self._next_evaluation = config.eval_freq

    def play_apart(self, workers: Workers) -> None:
        """From now on these workers play what can be played elsewhere."""
        self.workers = workers

    @property
    @abstractmethod
    def network(self) -> Network:
        """The one that learns."""

    @property
    @abstractmethod
    def averaged(self) -> Network:
        """The current network, as it is evaluated and may become the best."""

    @property
    @abstractmethod
    def steps(self) -> int: ...

    @property
    def remarks(self) -> list[str]:
        """What whoever started the run should know."""
        return []

    @property
    def start(self) -> Network:
        """The network that the run began with."""
        return self.pool.members[START]

    @property
    def best_name(self) -> str:
        """What the best is called in ratings."""
        return f"best {self.promotions}" if self.promotions else START

    def _evaluated(self, progress: Progress) -> Progress:
        """With an evaluation; the next one is due after as many steps again."""
        evaluation = self.evaluate()
        freq = self._gate.eval_freq
        self._next_evaluation += freq * -(-(self.steps + 1 - self._next_evaluation) // freq)
        return replace(progress, evaluation=evaluation)

    def evaluate(self) -> Evaluation:
        """Plays the current network against the best, the start and the anchors, then perhaps the pool; promotes it."""
        against_best = against(self.game, self.averaged, self.best, self._gate, self.steps, self.workers)
        matches = self._anchor_matches(self.averaged)
        if self.promotions:
            matches.append(self._match(self.averaged, self.start, self._gate.n_eval_games))
        scores = self._scores(matches)
        start_score = scores[-1] if self.promotions else against_best.score
        start_anchors = self._start_anchors
        anchors = {name: Comparison(score, start_anchors[name]) for name, score in zip(ANCHORS, scores, strict=False)}
        pool = self._pool_scores(start_score) if against_best.passed and self._asks_pool else None
        promoted = against_best.passed and (pool is None or pool.rises)
        evaluation = Evaluation(self.steps, against_best, start_score, pool, anchors, promoted)
        if promoted:
            self._promote(evaluation)
        return evaluation

    def against_start(self, games: int) -> dict[str, Any]:
        """The best against the start by a sequential test; for the ratings, too."""
        config = replace(self._gate, gate="sprt", n_eval_games=games)
        verdict = against(self.game, self.best, self.start, config, self.steps, self.workers)
        if self.promotions:
            self.pool.note(self.best_name, START, verdict.score)
        return {**verdict.to_json(), "better": verdict.passed, "verdict": verdict.words}

    def _gate_state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What a resumed run needs; an evaluation that was cut short is played again, game by game the same."""
        tensors, pool_facts = self.pool.state()
        facts = {"promotions": self.promotions, "next_evaluation": self._next_evaluation, "pool": pool_facts}
        return tensors | network_tensors("best", self.best), facts

    def _restore_gate(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        restore_network("best", self.best, tensors)
        self.pool.restore(self.best, tensors, facts["pool"])
        self.promotions, self._next_evaluation = int(facts["promotions"]), int(facts["next_evaluation"])
        self.__dict__.pop("_start_anchors", None)
        self._opponents_changed()

    def _opponents_changed(self) -> None:  # noqa: B027, most learners meet none
        """The best or the pool is another."""

    @property
    def _former(self) -> dict[str, Network]:
        """The pool without the best."""
        return {name: network for name, network in self.pool.members.items() if name != self.best_name}

    @property
    def _asks_pool(self) -> bool:
        return self._gate.gate != "threshold" and bool(self._former)

    def _promote(self, evaluation: Evaluation) -> None:
        before = self.best_name
        self.promotions += 1
        self.best.load_state_dict(self.averaged.state_dict())
        self._note(evaluation, before)
        self.pool.add(self.best_name, self.best)
        self._opponents_changed()

    def _note(self, evaluation: Evaluation, before: str) -> None:
        """Keeps the games that made the new best, for the ratings."""
        if not self.pool.meetings:
            for name, score in self._start_anchors.items():
                self.pool.note(START, name, score)
        met = {before: evaluation.against_best.score, START: evaluation.against_start}
        met |= evaluation.pool.members if evaluation.pool else {}
        met |= {name: compared.score for name, compared in evaluation.anchors.items()}
        for name, score in met.items():
            self.pool.note(self.best_name, name, score)

    def _pool_scores(self, start_score: Score) -> PoolScores:
        former = self._former
        games = max(2, self._gate.n_eval_games // len(former))
        matches = [
            self._match(player, other, games) for player in (self.averaged, self.best) for other in former.values()
        ]
        scores = self._scores(matches)
        current = dict(zip(former, scores, strict=False))
        if START in former:
            current[START] = start_score
        best = scores[len(former) :]
        rates = [score.rate for score in current.values()]
        return PoolScores(current, sum(rates) / len(rates), sum(score.rate for score in best) / len(best))

    @cached_property
    def _start_anchors(self) -> dict[str, Score]:
        return dict(zip(ANCHORS, self._scores(self._anchor_matches(self.start)), strict=True))

    def _anchor_matches(self, network: Network) -> list[Match]:
        games = min(ANCHOR_GAMES, self._gate.n_eval_games)
        return [self._match(network, name, games, self._gate.seed) for name in ANCHORS]

    def _match(self, network: Network, other: Network | str, games: int, seed: int | None = None) -> Match:
        """The same openings for everybody in one evaluation."""
        drawn = _seed(self._gate, self.steps, CHUNKS) if seed is None else seed
        return Match(self.game.name, self.game.rules, network, other, games, drawn, self._gate.threads)

    def _scores(self, matches: list[Match]) -> list[Score]:
        """Of the first players, in distinct games that share the table evenly."""
        family = len(rival_seatings(self.game))
        played = in_order(self.workers, played_match, matches)
        return [score_of(distinct_families(games, family).gained) for games in played]


class SelfPlay(Gated):
    """A run in progress: a learner that meets the best network so far and the pool of former ones."""

    def __init__(self, game: Game, config: SelfPlayConfig, network: Network | None = None) -> None:
        self.config = config
        self.learner = Ppo(game, config, network, dict.fromkeys(ANCHORS, config.anchor_share / len(ANCHORS)))
        super().__init__(game, config, self.learner.network)
        self._opponents_changed()

    @property
    def network(self) -> Network:
        return self.learner.network

    @property
    def averaged(self) -> Network:
        return self.learner.averaged

    @property
    def steps(self) -> int:
        return self.learner.steps

    @property
    def remarks(self) -> list[str]:
        return self.learner.remarks

    @property
    def update(self) -> int:
        return self.learner.update

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; some updates end with an evaluation."""
        for progress in self.learner.updates():
            yield progress if self.steps < self._next_evaluation else self._evaluated(progress)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs."""
        tensors, facts = self.learner.state()
        gate_tensors, gate_facts = self._gate_state()
        return tensors | gate_tensors, facts | gate_facts

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`."""
        self.learner.restore(tensors, facts)
        self._restore_gate(tensors, facts)

    def _opponents_changed(self) -> None:
        former = self._former
        share = self.config.pool_share if former else 0.0
        pool = [Opponent(network, share / len(former)) for network in former.values()]
        self.learner.opponents = [Opponent(self.best, 1 - share), *pool]


def against(game: Game, current: Network, best: Network, config: GateConfig, steps: int, workers: Workers) -> Verdict:
    """The gate: a function of the two networks, the seed and the number of steps, whoever plays its games."""
    chunks = CHUNKS if config.gate == "sprt" else 1
    wanted = -(-config.n_eval_games // chunks)
    matches = [
        Match(game.name, game.rules, current, best, wanted, _seed(config, steps, chunk), config.threads)
        for chunk in range(chunks)
    ]
    played: list[Games] = []
    for games in in_order(workers, played_match, matches):
        played.append(games)
        verdict = judged(_together(played), len(rival_seatings(game)), config)
        if sequential_test(config).verdict(verdict.counted) is not None:
            break
    return verdict


def _seed(config: GateConfig, steps: int, chunk: int) -> int:
    return int(np.random.default_rng([config.seed, steps, chunk]).integers(2**63))


def _together(parts: list[Games]) -> Games:
    return Games(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.courses for part in parts]),
    )
