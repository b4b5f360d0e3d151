"""PPO on several boards with one network: the boards take turns, update by update."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from spielwerk.games import Game
from spielwerk.training.boards import mixed_boards
from spielwerk.training.config import PpoRunConfig
from spielwerk.training.networks import Network, moved, network_for, require_any_size
from spielwerk.training.ppo import Course, Ppo, Progress

COMPILED_VERSIONS = 4  # of a function for one board, at most: with and without gradients, whole batches and small ones


class MixedPpo:
    """A run in progress. Every board has games of its own; weights, optimiser and schedule are the same for all.

    `network` is for the board of `game`, which need not be one of the mix.
    """

    def __init__(self, game: Game, config: PpoRunConfig, network: Network | None = None) -> None:
        boards = mixed_boards(game, config.mix)
        require_any_size(game, config.network, config.network_size)
        if config.compile:
            _let_compile_for(len(boards))
        torch.manual_seed(config.seed)
        self.game, self.config = game, config
        fresh = network_for(game, config.network, *config.network_size)
        self.network = moved(network or fresh, torch.device(config.device))
        self._learners: dict[str, Ppo] = {}
        course: Course | None = None
        for name, board in boards.items():
            self._learners[name] = Ppo(board, config, self.network.on_board(board), course=course)
            course = self._learners[name].course
        self.averaged = self._first.course.ema.on_board_of(self.network)
        self._tables: dict[str, dict[str, Any]] = {}  # of the boards that nobody has played on since they were noted

    @property
    def boards(self) -> dict[str, tuple[Game, Network]]:
        """Every board of the mix by its name, with the network as it plays there."""
        ema = self._first.course.ema
        return {name: (one.game, ema.on_board_of(one.network)) for name, one in self._learners.items()}

    @property
    def steps(self) -> int:
        """Those on all boards."""
        return self._first.steps

    @property
    def update(self) -> int:
        return self._first.update

    @property
    def remarks(self) -> list[str]:
        """What whoever started the run should know."""
        of_boards = [f"{name}: {line}" for name, learner in self._learners.items() for line in learner.remarks]
        return [f"the boards take turns: {', '.join(self._learners)}", *of_boards]

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; yields after every update."""
        names = list(self._learners)
        while self._first.course.remaining > 0:
            name = names[self.update % len(names)]
            self._tables.pop(name, None)
            yield self._learners[name].make_update()

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs to go on as if it had never stopped."""
        for name, learner in self._learners.items():
            if name not in self._tables:
                self._tables[name] = learner.table()
        tensors, facts = self._first.learnt()
        return tensors, facts | {"boards": dict(self._tables)}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`; ValueError when that was of other boards, another network or number of games."""
        boards = facts.get("boards", {})
        if set(boards) != set(self._learners):
            raise ValueError(f"the checkpoint is of {', '.join(boards) or 'one board'}, not of {self.config.mix}")
        for name, learner in self._learners.items():
            learner.restore_table(boards[name])
        self._first.restore_learnt(tensors, facts)
        self._tables.clear()

    @property
    def _first(self) -> Ppo:
        """Any of them would do: what is asked of it is the same for all."""
        return next(iter(self._learners.values()))


def _let_compile_for(boards: int) -> None:
    """PyTorch compiles a function anew for every board, and after eight times it would no longer do so."""
    limits = torch._dynamo.config
    limits.cache_size_limit = max(limits.cache_size_limit, COMPILED_VERSIONS * boards)
