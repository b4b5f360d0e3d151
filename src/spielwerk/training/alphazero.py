"""Self-play under search: a network plays against itself with a Gumbel search and learns what the search found and how
the games ended (Silver et al. 2017; Danihelka et al. 2022).

The core searches thousands of games at once and asks about one position of each in every step. Games are in two groups:
while the device judges one group's positions, the processor goes on with the other's searches. Gradient steps are
spread between them. Searches in progress are begun again with every update, so that a run can be continued exactly.

For the same reason workers elsewhere can play the groups: what a group does in an update is a function of its positions
and of the network, so that it does not matter who plays it, or how often it has to be begun again.
"""

from __future__ import annotations

import copy
import time
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from spielwerk import _core
from spielwerk.arena.workers import Needs, Shared, Workers, WorkersError, in_order, needing
from spielwerk.games import Game, make
from spielwerk.training.config import AlphaZeroConfig
from spielwerk.training.descent import Descent
from spielwerk.training.networks import (
    BoardBody,
    DenseBody,
    Network,
    log_probabilities,
    masked,
    moved,
    network_for,
    torch_threads,
)
from spielwerk.training.ppo import Progress
from spielwerk.training.replay import Column, Replay, Rows
from spielwerk.training.selfplay import Gated
from spielwerk.training.snapshot import (
    fingerprint,
    network_tensors,
    randomness,
    restore_network,
    restore_randomness,
)
from spielwerk.training.targets import length_target, unpacked

LOSSES = ("policy_loss", "value_loss", "forecast_loss", "occupancy_loss")
UNPROVED = 2  # among the exact results of rows

Arrays = dict[str, NDArray[Any]]


class AlphaZero(Gated):
    """A run in progress: network, optimiser, games under search, the window of positions to learn from."""

    def __init__(self, game: Game, config: AlphaZeroConfig, network: Network | None = None) -> None:
        if config.device.startswith("cuda") and not torch.cuda.is_available():
            raise ValueError("there is no GPU that PyTorch can use here; take device cpu")
        torch.manual_seed(config.seed)
        self.config = config
        self.device = torch.device(config.device)
        fresh = network_for(game, config.network, *config.network_size, value_count(game))
        self._network = moved(network or fresh, self.device)
        super().__init__(game, config, self._network)
        self.update = 0
        self._steps = 0
        self._counted = 0  # decisions of the core's that are in `steps`
        self._owed = 0.0  # gradient steps for rows that were added
        self._begin = time.perf_counter()
        self._autocast = torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")
        self._occupancy = _occupancy_head(game, self._network) if config.occupancy_weight else None
        if self._occupancy is not None:
            self._occupancy.to(self.device)
        self.actor = Actor(self._network, config)
        self._losses_fast = torch.compile(self._losses, dynamic=False) if config.compile else self._losses
        further = () if self._occupancy is None else self._occupancy.parameters()
        self._descent = Descent(self._network, config, further)
        self.replay = Replay(columns_of(game), config.window, self.device)
        self._source = np.random.default_rng(config.seed)
        self.groups = _groups_of(game, config, self.device)
        for group in self.groups:
            group.games.reset(int(self._source.integers(2**63)))
        self.far_groups: list[FarGroup] = []  # instead of them, where workers play
        self._pending: Arrays = {}

    @property
    def network(self) -> Network:
        return self._network

    @property
    def averaged(self) -> Network:
        return self._descent.ema.network

    def keep_in(self, folder: Path) -> None:
        """Where the window lies."""
        self.replay.folder = folder

    @property
    def steps(self) -> int:
        return self._steps

    def play_apart(self, workers: Workers) -> None:
        super().play_apart(workers)
        self.far_groups = [FarGroup(group.first, len(group), group.facts()) for group in self.groups]
        self.groups = []

    @property
    def decisions(self) -> int:
        """That the core has taken since it was set up."""
        return sum(group.games.counts[0] for group in self.groups)

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; some updates, the last among them, end with an evaluation."""
        while self._remaining() > 0:
            start = time.perf_counter()
            playing = self.best if self.config.gate_data else self.averaged
            losses, harvests = self._far_update(playing) if self.far_groups else self._near_update(playing)
            results, length = self._gather(harvests)
            self.update += 1
            score = float(results[:, 0].mean()) if len(results) else float("nan")
            progress = Progress(
                self.update, self.steps, time.perf_counter() - start, losses, score, len(results), length
            )  # fmt: skip
            due = self.steps >= self._next_evaluation or self._remaining() <= 0
            yield self._evaluated(progress) if due else progress

    def _remaining(self) -> float:
        """How much of the run is left, from 1 to 0."""
        return self.config.remaining(self.steps, time.perf_counter() - self._begin)

    # -- playing -------------------------------------------------------------------------------

    def _near_update(self, playing: Network) -> tuple[dict[str, float], list[Harvest]]:
        """A rollout of every game, with the gradient steps that are owed spread over it."""
        self.actor.load(playing)
        learning = self._gradient_steps_owed()
        for _ in self.play(self.config.rollout):
            next(learning)
        losses = next(learning)
        assert losses is not None
        decisions, self._counted = self.decisions - self._counted, self.decisions
        harvests = [Harvest("", 0, group.first, *group.taken(), 0, {}) for group in self.groups]
        return losses, [replace(harvests[0], decisions=decisions), *harvests[1:]]

    def _far_update(self, playing: Network) -> tuple[dict[str, float], list[Harvest]]:
        """The same, with the groups played by workers meanwhile."""
        network = fingerprint(playing)
        shared = self.workers.share(copy.deepcopy(playing))
        orders = [
            GroupOrder(self.game.name, self.game.rules, self.config, group, shared, network, self.update)
            for group in self.far_groups
        ]
        harvests = in_order(self.workers, played_group, orders)
        *_, losses = self._gradient_steps_owed()
        assert losses is not None
        return losses, [self._checked_harvest(order, harvest) for order, harvest in zip(orders, harvests, strict=True)]

    def _checked_harvest(self, order: GroupOrder, harvest: Harvest) -> Harvest:
        """Takes a group's positions over; rows of another network or update would be learnt from twice."""
        if (harvest.network, harvest.update, harvest.first) != (order.network, order.update, order.group.first):
            raise WorkersError(f"a worker answered for update {harvest.update} instead of {order.update}")
        order.group.restore(harvest.games)
        return harvest

    def _gradient_steps_owed(self) -> Iterator[dict[str, float] | None]:
        """Takes the steps that are owed a part at a time, as many parts as a rollout has; then tells the losses."""
        sums = torch.zeros(len(LOSSES), device=self.device)
        planned = int(self._owed) if len(self.replay) >= self.config.minibatch else 0
        self._owed -= planned
        self._descent.set_learning_rate(self._remaining())
        done = 0
        for step in range(self.config.rollout):
            while done * self.config.rollout < planned * (step + 1):
                sums += self._gradient_step(self.replay.draw(self.config.minibatch))
                done += 1
            yield None
        yield dict(zip(LOSSES, (sums / max(done, 1)).tolist(), strict=True))

    def play(self, steps: int) -> Iterator[int]:
        """Searches on, `steps` evaluations of every game; yields the number of each."""
        yield from searched(self.groups, self.actor, steps)

    def _gather(self, harvests: Sequence[Harvest]) -> tuple[NDArray[np.float32], float]:
        """Moves rows of games that have ended into the window; their returns ``[games, seats]`` and mean length."""
        self._steps += sum(harvest.decisions for harvest in harvests)
        rows = _joined([self._pending, *(_shifted(harvest.rows, harvest.first) for harvest in harvests)])
        ends = _joined([_shifted(harvest.ends, harvest.first) for harvest in harvests])
        finished, number, self._pending = told_apart(rows, ends)
        if len(number):
            targets = targets_of(self.game, self.config, finished, ends, number)
            self.replay.add({name: torch.from_numpy(value) for name, value in targets.items()})
            self._owed += self.config.reuse * len(number) / self.config.minibatch
        returns: NDArray[np.float32] = ends["returns"]
        return returns, float(ends["place"][:, 2].mean()) if len(returns) else float("nan")

    # -- learning ------------------------------------------------------------------------------

    def _gradient_step(self, batch: Rows) -> Tensor:
        config = self.config
        weights = (1.0, config.value_weight, config.forecast_weight, config.occupancy_weight)
        return self._descent.step(self._losses_fast(batch), weights)

    def _losses(self, batch: Rows) -> tuple[Tensor, ...]:
        """Of policy, value, forecasts and occupancy."""
        with self._autocast:
            if self._occupancy is None:
                logits, values, forecasts = self._network(batch["planes"])
            else:
                logits, values, forecasts, features = self._network.with_features(batch["planes"])
        mask = unpacked(batch["masks"], logits.shape[1])
        complete = batch["complete"].float()
        occupancy_loss = torch.zeros_like(complete[0])
        if self._occupancy is not None:
            with self._autocast:
                occupancy = self._occupancy(features).flatten(1)
            occupancy_loss = _occupancy_loss(occupancy.float(), batch["finals"], complete)
        return (
            _policy_loss(logits, mask, batch["policies"].float(), batch["teaches"].float()),
            (values.float().view(len(mask), -1) - batch["values"]).square().mean(),
            ((forecasts.float() - batch["forecasts"]).square().mean(1) * complete).mean(),
            occupancy_loss,
        )

    # -- stopping and going on -----------------------------------------------------------------

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs to go on as if it had never stopped."""
        learnt, learning = self._descent.state()
        tensors = network_tensors("network", self.network) | learnt
        if self._occupancy is not None:
            tensors |= network_tensors("occupancy", self._occupancy)
        tensors |= {f"pending.{name}": torch.from_numpy(value) for name, value in self._pending.items()}
        random_tensors, numpy_state = randomness(self.device, self._source)
        gate_tensors, gate_facts = self._gate_state()
        facts = {
            "game": self.game.name,
            "rules": self.game.rules,
            "steps": self.steps,
            "update": self.update,
            "owed": self._owed,
            "elapsed": time.perf_counter() - self._begin,
            "numpy": numpy_state,
            "games": [group.facts() for group in self._places()],
            "replay": self.replay.save(),
        }
        return tensors | random_tensors | gate_tensors, facts | learning | gate_facts

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`; ValueError when that was of another game, network or number of games."""
        if (facts["game"], facts["rules"]) != (self.game.name, self.game.rules):
            raise ValueError(f"the checkpoint is of {facts['game']} {facts['rules']}, not of {self.game!r}")
        restore_network("network", self.network, tensors)
        if self._occupancy is not None:
            restore_network("occupancy", self._occupancy, tensors)
        self._descent.restore(tensors, facts)
        for group, games in zip(self._places(), facts["games"], strict=True):
            group.restore(games)
        self._pending = self._checked_pending(tensors)
        self.replay.restore(facts["replay"])
        self._restore_gate(tensors, facts)
        restore_randomness(self.device, self._source, tensors, facts["numpy"])
        self._steps, self.update = int(facts["steps"]), int(facts["update"])
        self._owed = float(facts["owed"])
        self._counted = self.decisions
        self._begin = time.perf_counter() - float(facts["elapsed"])

    def _places(self) -> Sequence[Group | FarGroup]:
        return self.far_groups or self.groups

    def _checked_pending(self, tensors: dict[str, Tensor]) -> Arrays:
        start = "pending."
        rows = {name.removeprefix(start): value.numpy() for name, value in tensors.items() if name.startswith(start)}
        empty = _core.SelfPlay(self.game, 1).take_rows()
        if rows and {name: (value.shape[1:], value.dtype) for name, value in rows.items()} != {
            name: (value.shape[1:], value.dtype) for name, value in empty.items()
        }:
            raise ValueError("the positions of unfinished games are of another game")
        if rows and not np.isin(rows["place"][:, 3], range(self.game.num_players)).all():
            raise ValueError("the checkpoint names seats that the game does not have")
        return rows


class Actor:
    """The network that plays: a copy that is only asked, in lower precision on a GPU."""

    def __init__(self, network: Network, config: AlphaZeroConfig) -> None:
        self._network = copy.deepcopy(network).requires_grad_(False).eval()
        if config.device != "cpu":
            self._network.to(torch.bfloat16)
        self._judge = torch.compile(self._network, dynamic=False) if config.compile else self._network

    def load(self, network: Network) -> None:
        """Takes over the weights."""
        self._network.load_state_dict(network.state_dict())

    @torch.no_grad()
    def __call__(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values of positions."""
        logits, values, _ = self._judge(planes)
        return logits.float(), values.float()


class Group:
    """Some of the games: their searches in the core, and the network's answers on their way to them."""

    def __init__(self, game: Game, first: int, count: int, config: AlphaZeroConfig, device: torch.device) -> None:
        self.first = first
        self.games = _core.SelfPlay(
            game, count, config.threads, config.sims, config.fast_sims, config.full_share, config.opening,
            config.play_out, config.considered, value_scale=config.value_scale,
        )  # fmt: skip
        self._planes = torch.from_numpy(self.games.observation)
        on_gpu = device.type == "cuda"
        self.seen = torch.empty_like(self._planes, device=device) if on_gpu else self._planes
        values = value_count(game)
        self._logits = torch.zeros((count, game.num_actions), pin_memory=on_gpu)
        self._values = torch.zeros((count, values) if values > 1 else (count,), pin_memory=on_gpu)
        self._arrival = torch.cuda.Event() if on_gpu else None  # type: ignore[no-untyped-call]
        if on_gpu:
            _pin(self, self.games.observation)

    def __len__(self) -> int:
        return len(self._planes)

    def ask(self, actor: Actor) -> None:
        """Lets the network judge the leaves; on a GPU the answer comes later."""
        if self._arrival is not None:
            self.seen.copy_(self._planes, non_blocking=True)
        self._judge(actor)
        if self._arrival is not None:
            self._arrival.record()

    def go_on(self) -> None:
        """Waits for the answer and searches on, to the next leaves."""
        self._wait()
        self._search()

    def taken(self) -> tuple[Arrays, Arrays]:
        """Rows and ends since the last time."""
        return self.games.take_rows(), self.games.take_ends()

    def _judge(self, actor: Actor) -> None:
        logits, values = actor(self.seen)
        self._logits.copy_(logits, non_blocking=True)
        self._values.copy_(values, non_blocking=True)

    def _wait(self) -> None:
        if self._arrival is not None:
            self._arrival.synchronize()

    def _search(self) -> None:
        self.games.step(self._logits.numpy(), self._values.numpy())

    def facts(self) -> dict[str, Any]:
        """Games in progress: positions, dice to come, and what else each needs to go on."""
        count = len(self)
        states = [self.games.state(row) for row in range(count)]
        return {
            "positions": [state.to_text() for state in states],
            "dice": [state.stream for state in states],
            "memories": [self.games.memory(row) for row in range(count)],
        }

    def restore(self, facts: dict[str, Any]) -> None:
        """The inverse of `facts`; positions are read as text, so that no file can bring an impossible one."""
        entries = _entries(facts, len(self))
        for row, (text, dice, memory) in enumerate(entries):
            self.games.place(row, self.games.game.from_text(text, seed=dice), *memory)


def _entries(facts: dict[str, Any], count: int) -> list[tuple[str, Any, Any]]:
    entries = list(zip(facts["positions"], facts["dice"], facts["memories"], strict=True))
    if len(entries) != count:
        raise ValueError(f"the checkpoint holds {len(entries)} games at once, not {count}")
    return entries


def searched(groups: Sequence[Group], actor: Actor, steps: int) -> Iterator[int]:
    """Searches on, `steps` evaluations of every game; yields the number of each."""
    for group in groups:
        group.games.restart()
        group.ask(actor)
    for step in range(steps):
        for group in groups:
            group.go_on()
            if step + 1 < steps:
                group.ask(actor)
        yield step


# -- groups that workers play --------------------------------------------------------------------


@dataclass
class FarGroup:
    """Some of the games, as they stand between two updates."""

    first: int
    count: int
    games: dict[str, Any]

    def facts(self) -> dict[str, Any]:
        return self.games

    def restore(self, facts: dict[str, Any]) -> None:
        _entries(facts, self.count)
        self.games = facts


@dataclass(frozen=True)
class GroupOrder:
    """What a worker needs to play a group on, until the next update."""

    game: str
    rules: dict[str, Any]
    config: AlphaZeroConfig
    group: FarGroup
    playing: Shared[Network]
    network: str  # its fingerprint
    update: int


@dataclass(frozen=True)
class Harvest:
    """What a group brought in an update, and by which network."""

    network: str
    update: int
    first: int
    rows: Arrays
    ends: Arrays
    decisions: int
    games: dict[str, Any]


def _order_needs(order: GroupOrder) -> Needs:
    return Needs(cpus=order.config.threads, gpus=1 if order.config.device == "cuda" else 0)


@needing(_order_needs)
def played_group(order: GroupOrder) -> Harvest:
    """The same rows, whoever plays and however often."""
    game = make(order.game, **order.rules)
    playing = order.playing.value
    if fingerprint(playing) != order.network:
        raise WorkersError("the network has changed on its way to a worker")
    group = Group(game, order.group.first, order.group.count, order.config, torch.device(order.config.device))
    group.restore(order.group.games)
    actor = _actor(game, order.config, playing)
    with torch_threads(order.config.threads if order.config.device == "cpu" else 1):
        for _ in searched([group], actor, order.config.rollout):
            pass
    decisions = group.games.counts[0]
    return Harvest(order.network, order.update, order.group.first, *group.taken(), decisions, group.facts())


_actors: dict[tuple[Game, AlphaZeroConfig], Actor] = {}


def _actor(game: Game, config: AlphaZeroConfig, playing: Network) -> Actor:
    """One for all updates of a run, since compiling takes a minute."""
    if (game, config) not in _actors:
        _actors.clear()
        _actors[game, config] = Actor(playing, config)
    actor = _actors[game, config]
    actor.load(playing)
    return actor


def _groups_of(game: Game, config: AlphaZeroConfig, device: torch.device) -> list[Group]:
    """On a GPU two, to overlap; a processor that does both gains nothing by that."""
    count = min(config.groups or (2 if device.type == "cuda" else 1), config.n_envs)
    bounds = pairwise([part * config.n_envs // count for part in range(count + 1)])
    return [Group(game, first, last - first, config, device) for first, last in bounds]


def value_count(game: Game) -> int:
    """How many values a network needs: one where two sides share what there is, otherwise one for every seat."""
    return 1 if len(set(game.sides)) == 2 else int(game.num_players)


# -- what is learnt ------------------------------------------------------------------------------


def columns_of(game: Game) -> dict[str, Column]:
    """A row of the window. Sets of cells and actions are packed, eight to a byte."""
    shape = game.observation_shape
    cells = shape[0] * shape[1] * shape[2]
    return {
        "planes": Column(shape, torch.uint8),
        "masks": Column((-(-game.num_actions // 8),), torch.uint8),
        "policies": Column((game.num_actions,), torch.float16),
        "teaches": Column((), torch.uint8),  # whether the policy is worth learning
        "values": Column((value_count(game),), torch.float32),
        "forecasts": Column((2,), torch.float32),  # length and margin
        "complete": Column((), torch.uint8),  # whether the game was played to its end
        "finals": Column((-(-cells // 8),), torch.uint8),  # where the last position's planes are not empty
    }


def targets_of(game: Game, config: AlphaZeroConfig, rows: Arrays, ends: Arrays, number: NDArray[np.int64]) -> Arrays:
    """Rows for the window, from positions that were searched and the ends of games; `number` is the end of each row."""
    seat = rows["place"][:, 3]
    turns = (seat[:, None] + np.arange(game.num_players)) % game.num_players  # the seat to act first
    values = _value_targets(rows, np.take_along_axis(ends["returns"][number], turns, 1), config)
    points = np.take_along_axis(ends["points"][number], turns, 1)
    margins = (points[:, 0] - points[:, 1:].max(1)) / config.points_scale
    left = ends["place"][number, 2] - rows["place"][:, 2]
    forecasts = np.stack([length_target(left), margins.clip(-1, 1)], 1)
    finals = np.packbits(ends["observation"].reshape(len(ends["place"]), game.num_players, -1) > 0, axis=2)
    return {
        "planes": rows["observation"],
        "masks": np.packbits(rows["mask"], axis=1),
        "policies": rows["policy"].astype(np.float16),
        "teaches": (rows["exact"] != -1).astype(np.uint8),  # in a lost position every action is as good
        "values": values[:, : value_count(game)].astype(np.float32),
        "forecasts": forecasts.astype(np.float32),
        "complete": ends["played_out"][number],
        "finals": finals[number, seat],
    }


def _value_targets(rows: Arrays, returns: NDArray[Any], config: AlphaZeroConfig) -> NDArray[Any]:
    """The result and a part of what the search expected; where the search has proved the result, that alone."""
    mixed = (1 - config.search_value) * returns + config.search_value * rows["value"]
    proved = rows["exact"] != UNPROVED
    mixed[proved, 0] = rows["exact"][proved]
    return mixed


def told_apart(rows: Arrays, ends: Arrays) -> tuple[Arrays, NDArray[np.int64], Arrays]:
    """Rows whose game has ended, the number of that end for each, and the rows of games that go on.

    All game by game and decision by decision, whatever the threads were.
    """
    order = np.lexsort(rows["place"][:, 2::-1].T)
    ends_order = np.argsort(_game_keys(ends), kind="stable")
    keys, wanted = _game_keys(ends)[ends_order], _game_keys(rows)[order]
    places = np.searchsorted(keys, wanted)
    found = places < len(keys)
    found[found] = keys[places[found]] == wanted[found]
    finished = {name: value[order[found]] for name, value in rows.items()}
    return finished, ends_order[places[found]], {name: value[order[~found]] for name, value in rows.items()}


def _game_keys(arrays: Arrays) -> NDArray[np.int64]:
    place = arrays["place"].astype(np.int64)
    keys: NDArray[np.int64] = (place[:, 0] << 31) | place[:, 1]
    return keys


def _joined(parts: list[Arrays]) -> Arrays:
    filled = [part for part in parts if part]
    return {name: np.concatenate([part[name] for part in filled]) for name in filled[0]}


def _shifted(arrays: Arrays, first: int) -> Arrays:
    """With games numbered among all groups."""
    place = arrays["place"].copy()
    place[:, 0] += first
    return arrays | {"place": place}


def _policy_loss(logits: Tensor, mask: Tensor, policies: Tensor, teaches: Tensor) -> Tensor:
    """The Kullback-Leibler divergence of the network's policy from the improved one."""
    targets = policies / policies.sum(1, keepdim=True).clamp(min=1e-3)
    log_probs = log_probabilities(masked(logits, mask))
    return ((targets * (targets.clamp(min=1e-8).log() - log_probs)).sum(1) * teaches).mean()


def _occupancy_loss(logits: Tensor, finals: Tensor, complete: Tensor) -> Tensor:
    targets = unpacked(finals, logits.shape[1]).float()
    return (functional.binary_cross_entropy_with_logits(logits, targets, reduction="none").mean(1) * complete).mean()


def _occupancy_head(game: Game, network: Network) -> nn.Module | None:
    """Foretells where the planes of the last position will not be empty."""
    planes, height, width = game.observation_shape
    if isinstance(network.body, BoardBody):
        return nn.Conv2d(network.shape.channels, planes, 1)
    if isinstance(network.body, DenseBody):
        return nn.Linear(network.shape.channels, planes * height * width)
    return None


def _pin(owner: Group, array: NDArray[Any]) -> None:
    """Lets the GPU read the core's own memory, without a copy in between, for as long as the owner lives."""
    runtime = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    torch.cuda.check_error(int(runtime.cudaHostRegister(array.ctypes.data, array.nbytes, 0)))
    weakref.finalize(owner, runtime.cudaHostUnregister, array.ctypes.data)
