"""Learning from a teacher (behaviour cloning): a network learns what another agent plays, and how those games end.

The teacher plays whole games against itself, begun by random actions and disturbed by others now and then, so that the
network sees more than the teacher's own paths. Every position of a choice is learnt with what the teacher would play
there. A search that teaches a network is half of expert iteration; `selfplay` and `alphazero` can go on from there.

A game follows from the seed and its number alone, so that neither threads nor a stop change what is learnt. Several
boards may share the network: they take turns, update by update, and each has a window of its own.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from spielwerk.agents import agent
from spielwerk.arena.players import check_player, seat_agent
from spielwerk.games import Game, State
from spielwerk.training.boards import boards_of
from spielwerk.training.config import ImitationConfig
from spielwerk.training.descent import Descent
from spielwerk.training.networks import Network, log_probabilities, masked, moved, network_for, require_any_size
from spielwerk.training.ppo import Progress
from spielwerk.training.replay import Column, Replay, Rows
from spielwerk.training.snapshot import (
    network_tensors,
    restore_network,
    restore_torch_randomness,
    torch_randomness,
)
from spielwerk.training.targets import length_target, unpacked

LOSSES = ("policy_loss", "value_loss", "forecast_loss")
MOST_EMPTY = 100  # updates in a row without a position to learn from
SHOWN_AT_ONCE = 1024  # positions whose answers are compared with the teacher's

Arrays = dict[str, NDArray[Any]]


@dataclass
class Board:
    """One board of a run: the network as it plays there, and what has been taught."""

    game: Game
    network: Network
    averaged: Network
    replay: Replay
    owed: float = 0.0  # gradient steps for rows that were added


class Imitation:
    """A run in progress: network, optimiser, windows of positions to learn from."""

    def __init__(self, game: Game, config: ImitationConfig, network: Network | None = None) -> None:
        torch.manual_seed(config.seed)
        self.game, self.config = game, config
        self.device = torch.device(config.device)
        boards = boards_of(game, config.mix)
        if config.mix:
            require_any_size(game, config.network, config.network_size)
        self.teacher = config.teacher or usual_teacher(game)
        for board in boards.values():
            check_player(self.teacher, board)
        self.network = moved(network or network_for(game, config.network, *config.network_size), self.device)
        self._descent = Descent(self.network, config)
        self._boards = {name: self._board(board) for name, board in boards.items()}
        self.steps = self.update = 0
        self._games = 0  # of the teacher
        self._begin = time.perf_counter()
        self._autocast = torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _board(self, game: Game) -> Board:
        network = moved(self.network.on_board(game), self.device) if self.config.mix else self.network
        averaged = self._descent.ema.on_board_of(network)
        return Board(game, network, averaged, Replay(columns_of(game), self.config.window, self.device))

    @property
    def averaged(self) -> Network:
        """The network that the run makes: that of the averaged weights, or the one that learns."""
        return self._descent.ema.network

    @property
    def boards(self) -> dict[str, tuple[Game, Network]]:
        """Every board of a mix by its name, with the network as it plays there; nothing where there is no mix."""
        return {name: (one.game, one.averaged) for name, one in self._boards.items()} if self.config.mix else {}

    @property
    def remarks(self) -> list[str]:
        """What whoever started the run should know."""
        turns = [f"the boards take turns: {', '.join(self._boards)}"] if self.config.mix else []
        return [f"the teacher is {self.teacher}", *turns]

    def keep_in(self, folder: Path) -> None:
        """Where the windows lie."""
        for name, one in self._boards.items():
            one.replay.folder = folder / name if self.config.mix else folder

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; yields after every update."""
        names = list(self._boards)
        while self._remaining() > 0:
            yield self._make_update(self._boards[names[self.update % len(names)]])

    def _make_update(self, board: Board) -> Progress:
        start = time.perf_counter()
        lessons = self._lessons(board.game)
        rows = {
            name: torch.from_numpy(np.concatenate([lesson.rows[name] for lesson in lessons]))
            for name in columns_of(board.game)
        }
        agreement = self._agreement(board, rows)
        board.replay.add(rows)
        count = len(rows["actions"])
        board.owed += self.config.reuse * count / self.config.minibatch
        losses = self._learn(board)
        self.steps += count
        self.update += 1
        score = float(np.mean([lesson.returns[0] for lesson in lessons]))
        return Progress(
            self.update, self.steps, time.perf_counter() - start, losses | {"agreement": agreement}, score,
            len(lessons), count / len(lessons),
        )  # fmt: skip

    def _remaining(self) -> float:
        """How much of the run is left, from 1 to 0."""
        return self.config.remaining(self.steps, time.perf_counter() - self._begin)

    # -- playing -------------------------------------------------------------------------------

    def _lessons(self, game: Game) -> list["Lesson"]:
        """The next games of the teacher; those in which there was nothing to choose are left out."""
        for _ in range(MOST_EMPTY):
            numbers = range(self._games, self._games + self.config.n_envs)
            self._games += self.config.n_envs
            lessons = [lesson for lesson in self._played(game, numbers) if len(lesson.rows["actions"])]
            if lessons:
                return lessons
        raise ValueError(
            f"the teacher has had no choice in its last {MOST_EMPTY * self.config.n_envs} games of {game!r}"
        )

    def _played(self, game: Game, numbers: range) -> list["Lesson"]:
        """The games with these numbers, in order; whoever stops waiting ends them."""
        given_up = Event()
        with ThreadPoolExecutor(self.config.threads) as threads:
            try:
                play = partial(taught_game, game, self.teacher, self.config, given_up=given_up)
                return list(threads.map(play, numbers))
            except BaseException:
                given_up.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    @torch.no_grad()
    def _agreement(self, board: Board, rows: Rows) -> float:
        """How often the network's likeliest action is the teacher's, in games it has not learnt from yet."""
        agreed = 0
        for first in range(0, len(rows["actions"]), SHOWN_AT_ONCE):
            part = {name: value[first : first + SHOWN_AT_ONCE].to(self.device) for name, value in rows.items()}
            with self._autocast:
                logits = board.averaged(part["planes"])[0]
            chosen = masked(logits, unpacked(part["masks"], logits.shape[1])).argmax(1)
            agreed += int((chosen == part["actions"]).sum())
        return agreed / len(rows["actions"])

    # -- learning ------------------------------------------------------------------------------

    def _learn(self, board: Board) -> dict[str, float]:
        """Takes the gradient steps that are owed; the mean losses."""
        planned, sums = int(board.owed), torch.zeros(len(LOSSES), device=self.device)
        board.owed -= planned
        for _ in range(planned):
            sums += self._gradient_step(board, board.replay.draw(self.config.minibatch))
        return dict(zip(LOSSES, (sums / max(planned, 1)).tolist(), strict=True))

    def _gradient_step(self, board: Board, batch: Rows) -> Tensor:
        self._descent.set_learning_rate(self._remaining())
        weights = (1.0, self.config.value_weight, self.config.forecast_weight)
        return self._descent.step(self._losses(board.network, batch), weights)

    def _losses(self, network: Network, batch: Rows) -> tuple[Tensor, ...]:
        """Of policy, value and forecasts."""
        with self._autocast:
            logits, values, forecasts = network(batch["planes"])
        log_probs = log_probabilities(masked(logits, unpacked(batch["masks"], logits.shape[1])))
        return (
            functional.nll_loss(log_probs, batch["actions"]),
            (values.float() - batch["values"]).square().mean(),
            (forecasts.float() - batch["forecasts"]).square().mean(),
        )

    # -- stopping and going on -----------------------------------------------------------------

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs to go on as if it had never stopped."""
        learnt, learning = self._descent.state()
        facts = {
            "game": self.game.name,
            "rules": self.game.rules,
            "steps": self.steps,
            "update": self.update,
            "games": self._games,
            "elapsed": time.perf_counter() - self._begin,
            "boards": {
                name: {"owed": one.owed, "replay": one.replay.save()} for name, one in self._boards.items()
            },
        }  # fmt: skip
        return network_tensors("network", self.network) | learnt | torch_randomness(self.device), facts | learning

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`; ValueError when that was of another game, network or mix."""
        if (facts["game"], facts["rules"]) != (self.game.name, self.game.rules):
            raise ValueError(f"the checkpoint is of {facts['game']} {facts['rules']}, not of {self.game!r}")
        if set(facts["boards"]) != set(self._boards):
            raise ValueError(f"the checkpoint is of {', '.join(facts['boards'])}, not of {', '.join(self._boards)}")
        restore_network("network", self.network, tensors)
        self._descent.restore(tensors, facts)
        for name, one in self._boards.items():
            one.owed = float(facts["boards"][name]["owed"])
            one.replay.restore(facts["boards"][name]["replay"])
        restore_torch_randomness(self.device, tensors)
        self.steps, self.update = int(facts["steps"]), int(facts["update"])
        self._games = int(facts["games"])
        self._begin = time.perf_counter() - float(facts["elapsed"])


def usual_teacher(game: Game) -> str:
    """A search that plays the game well and answers within a few milliseconds."""
    search = "alphabeta:nodes=10000"
    return search if agent(search).plays(game) else "expectimax:depth=2"


# -- games of the teacher ------------------------------------------------------------------------


@dataclass(frozen=True)
class Lesson:
    """A game: a row for every position of a choice, and what each seat got in the end."""

    rows: Arrays
    returns: Sequence[float]


def columns_of(game: Game) -> dict[str, Column]:
    """A row of the window. Sets of actions are packed, eight to a byte."""
    return {
        "planes": Column(game.observation_shape, torch.uint8),
        "masks": Column((-(-game.num_actions // 8),), torch.uint8),
        "actions": Column((), torch.int64),
        "values": Column((), torch.float32),
        "forecasts": Column((2,), torch.float32),  # length and margin
    }


def taught_game(
    game: Game, spec: str, config: ImitationConfig, number: int, given_up: Event | None = None
) -> Lesson:  # fmt: skip
    """The game with this number, seen under one of its symmetries; the same whoever plays it."""
    source = np.random.default_rng([config.seed, number])
    teacher = seat_agent(spec, int(source.integers(2**63)))
    state = game.start(seed=int(source.integers(2**63)))
    symmetry = int(source.integers(game.num_symmetries))
    opening = int(source.integers(config.opening + 1))
    rows: dict[str, list[Any]] = {name: [] for name in ("planes", "masks", "actions")}
    seats: list[int] = []
    while not (state.over or (given_up is not None and given_up.is_set())):
        action = int(source.choice(state.legal_actions))
        if opening > 0:
            opening -= 1
        elif len(state.legal_actions) > 1:
            advice = teacher.act(state)
            seats.append(_note(rows, state, advice, symmetry))
            if source.random() >= config.errs:
                action = advice
        state.play(action)
    return Lesson(_stacked(game, rows) | _outcomes(state, seats, config), state.returns)


def _note(rows: dict[str, list[Any]], state: State, advice: int, symmetry: int) -> int:
    """Adds a position and what the teacher plays there; gives the seat that acts."""
    seat, image = state.player, state.symmetric(symmetry)
    assert seat is not None
    rows["planes"].append(image.observation(seat))
    rows["masks"].append(np.packbits(image.mask))
    rows["actions"].append(state.symmetric_action(advice, symmetry))
    return seat


def _stacked(game: Game, rows: dict[str, list[Any]]) -> Arrays:
    kinds = {"planes": np.uint8, "masks": np.uint8, "actions": np.int64}
    columns = columns_of(game)
    return {name: np.array(rows[name], kinds[name]).reshape(-1, *columns[name].shape) for name in kinds}


def _outcomes(state: State, seats: list[int], config: ImitationConfig) -> Arrays:
    """Results and forecasts of the seats that acted, one after the other."""
    acting = np.array(seats, np.int64)
    returns, points = np.array(state.returns), np.array(state.points, np.float64)
    best_other = np.array([np.delete(points, seat).max() for seat in range(len(points))])
    margins = ((points - best_other) / config.points_scale).clip(-1, 1)
    left = length_target(np.arange(len(acting), 0, -1))
    return {
        "values": returns[acting].astype(np.float32),
        "forecasts": np.stack([left, margins[acting]], 1).astype(np.float32),
    }
