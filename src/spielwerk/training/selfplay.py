"""Self-play through a gate: the network learns against the best one so far and replaces it when it has proved better.

The gate is not to be fooled. Every evaluation plays pairs: the same varied opening with the seats exchanged. Where the
seats decide nearly every game (White never wins `trail`), pairs that each player wins once say nothing about the
players; the gate then counts the other pairs alone, and asks for enough of them.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from spielwerk.arena.scores import Score
from spielwerk.arena.sprt import Sprt
from spielwerk.games import Game
from spielwerk.training import ppo
from spielwerk.training.config import SelfPlayConfig
from spielwerk.training.evaluation import Games, play_games, rival_seatings, score_of
from spielwerk.training.networks import Network
from spielwerk.training.players import network_player
from spielwerk.training.ppo import Ppo, Progress
from spielwerk.training.snapshot import network_tensors, restore_network

LOPSIDED = 0.8  # from here on a seat's share of the wins says more than the players'
ENOUGH = 20  # decisive pairs that a lopsided evaluation must have
CHUNKS = 10  # an SPRT looks so often at the games


@dataclass(frozen=True)
class Evaluation:
    """The current network against the best one."""

    steps: int
    score: Score
    by_seat: list[Score]
    distinct: int
    counted: list[float]  # the scores of the pairs that count, from 0 to 1
    lopsided: bool
    promoted: bool
    verdict: str

    def to_json(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "score": self.score.to_json(),
            "by_seat": [score.to_json() for score in self.by_seat],
            "distinct": self.distinct,
            "pairs_counted": len(self.counted),
            "lopsided": self.lopsided,
            "promoted": self.promoted,
            "verdict": self.verdict,
        }


class SelfPlay:
    """A run in progress: a learner, and the best network so far as its rival."""

    def __init__(self, game: Game, config: SelfPlayConfig, network: Network | None = None) -> None:
        self.game = game
        self.config = config
        self.learner = Ppo(game, replace(config, opponent=ppo.EVERY_SEAT), network)
        self.best = copy.deepcopy(self.learner.network)
        self.learner.rival = self.best
        self.promotions = 0
        self._next_evaluation = config.eval_freq

    @property
    def network(self) -> Network:
        return self.learner.network

    @property
    def steps(self) -> int:
        return self.learner.steps

    @property
    def update(self) -> int:
        return self.learner.update

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; some updates end with an evaluation."""
        for progress in self.learner.updates():
            if self.steps < self._next_evaluation:
                yield progress
                continue
            evaluation = self.evaluate()
            self._next_evaluation = self.steps + self.config.eval_freq
            yield replace(progress, evaluation=evaluation)

    def evaluate(self) -> Evaluation:
        """Plays the current network against the best; makes it the best when it passes the gate."""
        evaluation = evaluated(self.game, self.network, self.best, self.config, self.steps)
        if evaluation.promoted:
            self.best.load_state_dict(self.network.state_dict())
            self.promotions += 1
        return evaluation

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs; an evaluation that was cut short is played again, game by game the same."""
        tensors, facts = self.learner.state()
        facts |= {"promotions": self.promotions, "next_evaluation": self._next_evaluation}
        return tensors | network_tensors("best", self.best), facts

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`."""
        self.learner.restore(tensors, facts)
        restore_network("best", self.best, tensors)
        self.promotions, self._next_evaluation = int(facts["promotions"]), int(facts["next_evaluation"])


def evaluated(game: Game, current: Network, best: Network, config: SelfPlayConfig, steps: int) -> Evaluation:
    """The gate: a function of the two networks, the seed and the number of steps."""
    seating = rival_seatings(game)
    chunks = CHUNKS if config.gate == "sprt" else 1
    played: list[Games] = []
    for chunk in range(chunks):
        seed = int(np.random.default_rng([config.seed, steps, chunk]).integers(2**63))
        wanted = -(-config.n_eval_games // chunks)
        played.append(
            play_games(game, network_player(current), network_player(best), seating, wanted, seed, config.threads)
        )
        evaluation = judged(_together(played), len(seating), config, steps)
        if _sprt(config).verdict(evaluation.counted) is not None:
            break
    return evaluation


def judged(games: Games, family: int, config: SelfPlayConfig, steps: int) -> Evaluation:
    """What an evaluation's games say; `family` of them share an opening."""
    pairs = ((np.sign(games.gained) + 1) / 2).reshape(-1, family).mean(1)
    lopsided = _favoured_share(games.returns) >= LOPSIDED
    counted = pairs[pairs != 0.5] if lopsided else pairs
    promoted, words = _passed(counted.tolist(), lopsided, config)
    score = score_of(games.gained)
    verdict = f"{score}, {games.distinct} distinct games; {words}"
    return Evaluation(
        steps, score, games.by_seat(), games.distinct, counted.tolist(), lopsided, promoted, verdict
    )  # fmt: skip


def _passed(counted: list[float], lopsided: bool, config: SelfPlayConfig) -> tuple[bool, str]:
    if lopsided and len(counted) < ENOUGH:
        return False, f"kept: the seats decide all but {len(counted)} pairs, too few to judge by"
    rate = sum(counted) / len(counted) if counted else 0.5
    where = f" in the {len(counted)} pairs that seats do not decide" if lopsided else ""
    if config.gate == "sprt":
        answer = _sprt(config).verdict(counted)
        words = {"accept": "promoted: better", "reject": "kept: not better", None: "kept: not decided"}[answer]
        return answer == "accept", f"{words} by the sequential test, {100 * rate:.1f} %{where}"
    passed = rate >= config.win_threshold
    return passed, f"{'promoted' if passed else 'kept'}: {100 * rate:.1f} %{where}, {config.win_threshold:.0%} needed"


def _sprt(config: SelfPlayConfig) -> Sprt:
    return Sprt(0.5, config.win_threshold)


def _favoured_share(returns: NDArray[np.float64]) -> float:
    """The share of games that the luckiest seat wins, a draw counted half."""
    return float(((np.sign(returns) + 1) / 2).mean(0).max())


def _together(parts: list[Games]) -> Games:
    return Games(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.courses for part in parts]),
    )
