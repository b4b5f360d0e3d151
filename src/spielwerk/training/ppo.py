"""Proximal policy optimisation on the batched environment: from top to bottom, one file.

The learner takes a seat per game, drawn before the game starts, against an opponent; with ``opponent="self"`` it
plays every seat and learns from all of them. Forced decisions are played by the environment and not counted.
"""

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from spielwerk.games import Game
from spielwerk.gpu.driver import GpuError
from spielwerk.training.advantages import estimate_advantages, forecast_targets
from spielwerk.training.config import PpoConfig
from spielwerk.training.ema import Ema
from spielwerk.training.groups import DeviceGames, Group, HostGames
from spielwerk.training.networks import (
    FORECASTS,
    LIMIT,
    Network,
    log_probabilities,
    masked,
    moved,
    network_for,
    sample_actions,
)
from spielwerk.training.players import player_of
from spielwerk.training.snapshot import (
    network_tensors,
    optimiser_tensors,
    randomness,
    restore_network,
    restore_optimiser,
    restore_randomness,
)

if TYPE_CHECKING:
    from spielwerk.training.selfplay import Evaluation

EVERY_SEAT = "self"
WARM_UP_UPDATES = 5  # over which the learning rate rises
LOSSES = ("policy_loss", "value_loss", "entropy", "forecast_loss", "approx_kl", "clip_fraction")
GRADIENT_ALIGNMENT = 64  # so that every parameter's part begins where vector instructions like it


@dataclass(frozen=True)
class Progress:
    update: int
    steps: int
    seconds: float
    losses: dict[str, float]
    score: float  # mean return of the learner in games that ended, NaN when none did
    games: int
    length: float = math.nan  # mean number of decisions in these games, forced ones not counted
    evaluation: "Evaluation | None" = None


class Opponent(NamedTuple):
    """A network that takes the seats which the learner does not, in this part of the games."""

    network: Network
    share: float


class Course:
    """How far a run is, and what leads it there: one of each, however many boards share the weights.

    CUDA graphs hold on to these very tensors, so they are changed and never replaced once the run has begun.
    """

    def __init__(self, network: Network, config: PpoConfig, device: torch.device) -> None:
        on_gpu = device.type == "cuda"  # where graphs must find everything that changes in the GPU's memory
        self.optimiser = torch.optim.Adam(
            network.parameters(),
            lr=torch.tensor(1.0, device=device) if on_gpu else 1.0,  # set before every update
            eps=1e-5,
            fused=True,
            capturable=on_gpu,
        )
        self.ema = Ema(network, config.ema_share)
        self.steps = 0
        self.update = 0
        self.begin = time.perf_counter()
        self._network = network
        self._config = config

    @cached_property
    def gradient(self) -> Tensor:
        """Made by the first step, since until then every board's learner may lay the weights out anew."""
        return _one_gradient(self._network)

    @property
    def remaining(self) -> float:
        """How much of the run is left, from 1 to 0."""
        return self._config.remaining(self.steps, time.perf_counter() - self.begin)

    def set_learning_rate(self) -> None:
        """For the update to come."""
        rate = self._config.initial_learning_rate * self._warm_up() * self.remaining
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def _warm_up(self) -> float:
        """Adam and the value must know their ground before large steps, most of all where a trained network goes on."""
        return min(1.0, (self.update + 1) / WARM_UP_UPDATES)

    def descend(self, loss: Tensor) -> None:
        """One gradient step."""
        self.gradient.zero_()
        loss.backward()  # type: ignore[no-untyped-call]
        self.gradient.mul_((self._config.max_grad_norm / (self.gradient.norm() + 1e-6)).clamp(max=1.0))
        self.optimiser.step()
        self.ema.follow()

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What `restore` needs."""
        facts = {"steps": self.steps, "update": self.update, "elapsed": time.perf_counter() - self.begin}
        averaged, averaging = self.ema.state()
        return optimiser_tensors(self.optimiser) | averaged, facts | averaging

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`."""
        restore_optimiser(self.optimiser, tensors)
        self.ema.restore(tensors, facts)
        self.steps, self.update = int(facts["steps"]), int(facts["update"])
        self.begin = time.perf_counter() - float(facts["elapsed"])


class Ppo:
    """A run in progress: network, optimiser, games. `updates()` does the work.

    Games are played in groups: while the device thinks about one group, the processor steps the next. On a GPU the
    games are played there, too, if they can be, and whole rollouts run as one CUDA graph; `host_reason` says why not.
    `anchors` are agents that meet the learner in their share of the games, without them the opponent of the config in
    all. In the other games the networks in `opponents` do, and where there are none, the learner plays every seat.
    A `course` is that of another learner, whose weights the network shares.
    """

    def __init__(
        self, game: Game, config: PpoConfig, network: Network | None = None,
        anchors: Mapping[str, float] | None = None, course: Course | None = None,
    ) -> None:  # fmt: skip
        if config.device.startswith("cuda") and not torch.cuda.is_available():
            raise ValueError("there is no GPU that PyTorch can use here; take device cpu")
        torch.manual_seed(config.seed)
        self.game = game
        self.config = config
        self.device = torch.device(config.device)
        fresh = network_for(game, config.network, *config.network_size)
        self.network = moved(network or fresh, self.device)
        self.opponents: Sequence[Opponent] = ()
        if anchors is None:
            anchors = {} if config.opponent == EVERY_SEAT else {config.opponent: 1.0}
        self._decide_fast, self._losses_fast = self._decide, self._losses
        if config.compile:
            self._decide_fast = torch.compile(self._decide, dynamic=False)
            self._losses_fast = torch.compile(self._losses, dynamic=False)
        self.course = course or Course(self.network, config, self.device)
        self._entropy_weight = torch.zeros((), device=self.device)
        self._loss_sums = torch.zeros(len(LOSSES), device=self.device)
        self._buffers = _Rollout(game, config, self.device)
        self._guide = torch.zeros((), device=self.device)  # the weight of the shaping in this update
        self._uses_graphs = False
        self._rollout_graph: _Graph | None = None
        self._gradient_graph: _Graph | None = None
        self._batch = torch.zeros(config.minibatch, dtype=torch.long, device=self.device)
        self._groups, self.host_reason = _groups_of(game, config, self.device, anchors)
        self._streams = [torch.cuda.Stream(self.device) for _ in self._groups] if self.on_device else []  # type: ignore[no-untyped-call]
        self._autocast = torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")
        self._source = np.random.default_rng(config.seed)
        for group in self._groups:
            group.begin(int(self._source.integers(2**63)))

    def updates(self) -> Iterator[Progress]:
        """Plays and learns until the steps are done; yields after every update."""
        while self.course.remaining > 0:
            yield self.make_update()

    def make_update(self) -> Progress:
        """Plays a rollout and learns from it."""
        start = time.perf_counter()
        score, games, length = self._play()
        losses = self._learn()
        self._uses_graphs = self.on_device  # the first update went step by step: it compiled and warmed up
        self.course.update += 1
        self.course.steps += int(self._buffers.learns.sum())
        return Progress(self.update, self.steps, time.perf_counter() - start, losses, score, games, length)

    @property
    def averaged(self) -> Network:
        """The network that the run makes: that of the averaged weights, or the one that learns."""
        return self.course.ema.network

    @property
    def steps(self) -> int:
        return self.course.steps

    @property
    def update(self) -> int:
        return self.course.update

    # -- stopping and going on -----------------------------------------------------------------

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs to go on as if it had never stopped."""
        tensors, facts = self.learnt()
        return tensors, facts | self.table()

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`; ValueError when that was of another game, network or number of games."""
        self.restore_table(facts)
        self.restore_learnt(tensors, facts)

    def learnt(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The state without the games."""
        tensors, facts = self.course.state()
        random_tensors, facts["numpy"] = randomness(self.device, self._source)
        return network_tensors("network", self.network) | tensors | random_tensors, facts

    def restore_learnt(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `learnt()`."""
        restore_network("network", self.network, tensors)
        self.course.restore(tensors, facts)
        restore_randomness(self.device, self._source, tensors, facts["numpy"])

    def table(self) -> dict[str, Any]:
        """The games in progress."""
        return {
            "game": self.game.name,
            "rules": self.game.rules,
            "games": [group.facts() for group in self._groups],
        }

    def restore_table(self, facts: dict[str, Any]) -> None:
        """Goes on from `table()`."""
        if (facts["game"], facts["rules"]) != (self.game.name, self.game.rules):
            raise ValueError(f"the checkpoint is of {facts['game']} {facts['rules']}, not of {self.game!r}")
        for group, games in zip(self._groups, facts["games"], strict=True):
            group.restore(games)

    # -- playing -------------------------------------------------------------------------------

    @torch.no_grad()
    def _play(self) -> tuple[float, int, float]:
        """Mean return, number and mean length of the games that ended."""
        self._guide.fill_(self.config.shaping * self.course.remaining)
        for group in self._groups:
            group.totals.zero_()
        if self._uses_graphs:
            self._captured_rollout().replay()
        else:
            self._roll_out()
        returns, decisions, games = torch.stack([group.totals for group in self._groups]).sum(0).tolist()
        for group in self._groups:
            if isinstance(group, DeviceGames):
                group.env.check()
        return (returns / games, int(games), decisions / games) if games else (math.nan, 0, math.nan)

    @property
    def on_device(self) -> bool:
        """Whether the games are played on the GPU."""
        return self.host_reason is None

    @property
    def remarks(self) -> list[str]:
        """What whoever started the run should know."""
        if self.device.type == "cpu" or self.on_device or self.config.games == "cpu":
            return []
        return [f"the games are played on the processor: {self.host_reason}"]

    def _captured_rollout(self) -> "_Graph":
        """The rollout as one graph; made once more when other networks sit at the tables."""
        sitting = [(id(opponent.network), opponent.share) for opponent in self.opponents]
        if self._rollout_graph is None or self._rollout_graph.key != sitting:
            self._rollout_graph = _Graph(self._roll_out, sitting)
        return self._rollout_graph

    def _roll_out(self) -> None:
        with self._side_by_side() as lanes:
            for group, lane in lanes:
                with lane:
                    group.plan(self.config.rollout_steps)
                    self._think(group, 0)
            for step in range(self.config.rollout_steps):
                for group, lane in lanes:
                    with lane:
                        self._step(group, step)
                        if step + 1 < self.config.rollout_steps:
                            self._think(group, step + 1)
            for group, lane in lanes:
                with lane:
                    self._buffers.last_values[group.rows] = self._last_values(group)
        self._judge()

    @contextmanager
    def _side_by_side(self) -> Iterator[list[tuple[Group, AbstractContextManager[Any]]]]:
        """The groups, each with where its work is queued up: games on the GPU go on at the same time, in streams."""
        if not self.on_device:
            yield [(group, nullcontext()) for group in self._groups]
            return
        here = torch.cuda.current_stream(self.device)
        for stream in self._streams:
            stream.wait_stream(here)
        yield [(group, torch.cuda.stream(stream)) for group, stream in zip(self._groups, self._streams, strict=True)]
        for stream in self._streams:
            here.wait_stream(stream)

    def _judge(self) -> None:
        """What each decision was worth."""
        config, buffers = self.config, self._buffers
        margins, rewards = self._margins(), buffers.rewards
        if config.reward == "points":
            rewards = torch.where(buffers.dones[..., None], 0.5 * (rewards + margins), rewards)
        advantages, usable = estimate_advantages(
            buffers.values, rewards, buffers.dones, buffers.seats, buffers.last_values,
            config.discount, config.gae_lambda,
        )  # fmt: skip
        buffers.advantages.copy_(advantages)
        torch.add(advantages, buffers.values, out=buffers.returns)
        buffers.forecasts.copy_(forecast_targets(margins, buffers.dones, buffers.seats))
        torch.logical_and(usable, buffers.learns, out=buffers.usable)

    def _think(self, group: Group, step: int) -> None:
        """Asks the network about a group's positions; on a GPU the answer comes later."""
        buffers, rows = self._buffers, group.rows
        networks_play = bool(self.opponents) and group.opponent is None
        everywhere = not self.opponents and group.opponent is None
        targets = (buffers.planes, buffers.masks, buffers.seats, buffers.learns)
        for target, seen in zip(targets, group.seen(everywhere), strict=True):
            target[step, rows].copy_(seen, non_blocking=True)
        planes, masks = buffers.planes[step, rows], buffers.masks[step, rows]
        actions, log_probs, values = self._decide_fast(planes, masks)
        if networks_play:
            actions = torch.where(buffers.learns[step, rows], actions, self._reply(planes, masks))
        buffers.actions[step, rows] = actions
        buffers.values[step, rows] = values
        buffers.log_probs[step, rows] = log_probs
        group.receive(actions)

    def _decide(self, planes: Tensor, masks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """An action for every game, its log probability, and the value."""
        with self._autocast:
            logits, values, _ = self.network(planes)
        log_probs = log_probabilities(masked(logits, masks))
        actions = sample_actions(log_probs, masks)
        return actions, log_probs.gather(1, actions[:, None])[:, 0], values.float()

    def _reply(self, planes: Tensor, masks: Tensor) -> Tensor:
        """The actions of the opponent networks."""
        with self._autocast:
            logits = torch.cat(
                [opponent(planes[rows])[0] for opponent, rows in shares(self.opponents, len(planes))]
            )  # fmt: skip
        return sample_actions(log_probabilities(masked(logits, masks)), masks)

    def _step(self, group: Group, step: int) -> None:
        """Plays the network's actions, and the opponent's elsewhere."""
        buffers, rows = self._buffers, group.rows
        gained = group.step(self._guide if self.config.shaping else None)
        for target, values in zip((buffers.rewards, buffers.points, buffers.dones), gained, strict=True):
            target[step, rows].copy_(values, non_blocking=True)

    def _last_values(self, group: Group) -> Tensor:
        """The value after the last step for the seat to act; for its only opponent the opposite; unknown for others."""
        planes, _, seats, _ = (seen.to(self.device) for seen in group.seen(everywhere=True))
        seats = seats.long()[:, None]
        with self._autocast:
            values = self.network(planes)[1].float()[:, None]
        players = self.game.num_players
        filler = -values if players == 2 and self.game.zero_sum else torch.full_like(values, float("nan"))
        return filler.expand(-1, players).clone().scatter(1, seats, values)

    # -- learning ------------------------------------------------------------------------------

    def _learn(self) -> dict[str, float]:
        config, buffers = self.config, self._buffers
        index = buffers.usable.flatten().nonzero()[:, 0]
        self.course.set_learning_rate()
        self._entropy_weight.fill_(config.entropy * self.course.remaining)
        self._loss_sums.zero_()
        count = 0
        for _ in range(config.epochs):
            order = index[torch.randperm(len(index), device=self.device)]
            for batch in torch.split(order, config.minibatch):
                if len(batch) < min(config.minibatch, len(order)) or len(batch) < 2:
                    continue  # a small rest would weigh as much as a whole batch
                self._learn_from(batch)
                count += 1
        losses = dict(zip(LOSSES, (self._loss_sums / max(count, 1)).tolist(), strict=True))
        values, returns = buffers.values.flatten()[index], buffers.returns.flatten()[index]
        return losses | {"explained_variance": explained_variance(values, returns)}

    def _margins(self) -> Tensor:
        """By how much each seat leads in points where a game ended, within -1 and 1."""
        points = self._buffers.points.float()
        best_others = torch.stack([_without(points, seat).amax(-1) for seat in range(points.shape[-1])], dim=-1)
        return ((points - best_others) / self.config.points_scale).clamp(-1.0, 1.0)

    def _learn_from(self, batch: Tensor) -> None:
        """One gradient step on these decisions."""
        if self._uses_graphs and len(batch) == len(self._batch):
            self._batch.copy_(batch)
            if self._gradient_graph is None:
                self._gradient_graph = _Graph(lambda: self._gradient_step(self._batch))
            self._gradient_graph.replay()
        else:
            self._gradient_step(batch)

    def _gradient_step(self, batch: Tensor) -> None:
        loss, parts = self._losses_fast(self._buffers.chosen(batch), self._entropy_weight)
        self.course.descend(loss)
        self._loss_sums += parts.detach()

    def _losses(self, batch: dict[str, Tensor], entropy_weight: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of a batch of decisions, and its parts for the report."""
        with self._autocast:
            logits, values, forecasts = self.network(batch["planes"])
        advantages = batch["advantages"]
        spread, mean = torch.std_mean(advantages)
        advantages = (advantages - mean) / (spread + 1e-8)
        answers = logits.float(), values.float(), forecasts.float()
        loss, parts = PpoLoss.apply(*answers, batch | {"advantages": advantages}, entropy_weight, self.config)  # type: ignore[no-untyped-call]
        return loss, parts


class PpoLoss(torch.autograd.Function):
    """The clipped objective with its value, entropy and forecast terms; the gradient is worked out by hand.

    On a processor a small network's layers take less time than recording and differentiating some forty little
    operations on its answers. Of those, this leaves a dozen.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, values: Tensor, forecasts: Tensor,
        batch: dict[str, Tensor], entropy_weight: Tensor, config: PpoConfig,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        size = len(logits)
        log_probs = log_probabilities(masked(logits, batch["masks"]))
        actions = batch["actions"][:, None]
        log_ratio = log_probs.gather(1, actions)[:, 0] - batch["log_probs"]
        ratio = log_ratio.exp()
        free = batch["advantages"] * ratio
        clipped = batch["advantages"] * ratio.clamp(1 - config.clip, 1 + config.clip)
        probabilities = log_probs.exp()
        entropies = -(probabilities * log_probs).sum(1, keepdim=True)
        missed = values - batch["returns"]
        strayed = torch.where(batch["forecasts"].isnan(), 0.0, forecasts - batch["forecasts"])
        policy_loss = -torch.minimum(free, clipped).mean()
        value_loss = 0.5 * missed.square().mean()
        entropy = entropies.mean()
        forecast_loss = strayed.square().mean()
        loss = policy_loss + config.value_weight * value_loss + config.forecast_weight * forecast_loss
        loss = loss - entropy_weight * entropy

        # Of log p(a): the objective's slope where it is not clipped. Of a logit: p times what is below, and for the
        # logit of the action taken the slope itself.
        slope = (torch.where(free <= clipped, free, 0.0) / -size)[:, None]
        by_logit = probabilities * (entropy_weight / size * (log_probs + entropies) - slope)
        by_logit = by_logit.scatter_add(1, actions, slope)
        movable = batch["masks"].bool() & (logits.abs() <= LIMIT)
        ctx.save_for_backward(
            torch.where(movable, by_logit, 0.0),
            missed * (config.value_weight / size),
            strayed * (2 * config.forecast_weight / strayed.numel()),
        )
        approx_kl = (ratio - 1 - log_ratio).mean()  # the KL divergence from the policy that played, without bias
        clip_fraction = ((ratio - 1).abs() > config.clip).float().mean()
        parts = torch.stack([policy_loss, value_loss, entropy, forecast_loss, approx_kl, clip_fraction])
        ctx.mark_non_differentiable(parts)
        return loss, parts

    @staticmethod
    def backward(ctx: Any, by_loss: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        by_logits, by_values, by_forecasts = ctx.saved_tensors
        return by_loss * by_logits, by_loss * by_values, by_loss * by_forecasts, None, None, None


def shares(opponents: Sequence[Opponent], rows: int) -> Iterator[tuple[Network, slice]]:
    """Which rows of a batch each opponent plays; one whose share is too small for a row plays none."""
    total = sum(opponent.share for opponent in opponents)
    start, reached = 0, 0.0
    for opponent in opponents:
        reached += opponent.share
        stop = round(rows * reached / total)
        if stop > start:
            yield opponent.network, slice(start, stop)
        start = stop


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """How much of the returns' variance the values foretold: 1 all, 0 nothing, below 0 worse than nothing."""
    variance = float(returns.var(correction=0)) if len(returns) else 0.0
    return 1.0 - float((returns - values).var(correction=0)) / variance if variance > 0 else 0.0


def _one_gradient(network: nn.Module) -> Tensor:
    """A single tensor for the gradients of all parameters, so that measuring and cutting them is one operation each."""
    parameters = list(network.parameters())
    sizes = [-(-parameter.numel() // GRADIENT_ALIGNMENT) * GRADIENT_ALIGNMENT for parameter in parameters]
    whole = torch.zeros(sum(sizes), device=parameters[0].device)
    for parameter, part in zip(parameters, torch.split(whole, sizes), strict=True):
        parameter.grad = part[: parameter.numel()].as_strided(parameter.shape, parameter.stride())
    return whole


def _groups_of(
    game: Game, config: PpoConfig, device: torch.device, anchors: Mapping[str, float]
) -> tuple[list[Group], str | None]:
    """A group for every anchor's games, and one for the others; on a GPU twice as many, so that a processor overlaps.

    And why the games are in the processor's memory, or None when they are on the GPU.
    """
    shares: list[tuple[str | None, float]] = [*anchors.items(), (None, 1 - sum(anchors.values()))]
    parts, start, reached = [], 0, 0.0
    for spec, share in shares:
        reached += share
        stop = round(config.n_envs * reached)
        middle = (start + stop) // 2 if device.type == "cuda" else stop
        parts += [(slice(*rows), spec) for rows in pairwise(sorted({start, middle, stop}))]
        start = stop
    reason = _why_not_on_device(config, device, anchors)
    if reason is None:
        try:
            return [DeviceGames(game, rows, device, spec, config.seed) for rows, spec in parts], None
        except (GpuError, ValueError) as error:
            if config.games == "cuda":
                raise ValueError(str(error)) from None
            reason = str(error)
    if config.games == "cuda":
        raise ValueError(f"the games cannot be played on the GPU: {reason}")
    players = {spec: player_of(spec, game) for spec in anchors}
    return [
        HostGames(game, rows, config.threads, device, spec, players[spec] if spec else None, config.seed)
        for rows, spec in parts
    ], reason


def _why_not_on_device(config: PpoConfig, device: torch.device, anchors: Mapping[str, float]) -> str | None:
    if device.type != "cuda" or config.games == "cpu":
        return "so it was asked for"
    for spec in anchors:
        if spec not in DeviceGames.OPPONENTS:
            return f"the opponent {spec[:60]} plays there"
    return None


def _without(values: Tensor, index: int) -> Tensor:
    """The last dimension without one entry."""
    return torch.cat([values[..., :index], values[..., index + 1 :]], dim=-1)


class _Graph:
    """Work as a CUDA graph: thousands of kernels that the host starts with one call.

    Only what lies in the GPU's memory can differ from replay to replay. `key` says what else the work depended on.
    """

    def __init__(self, work: Callable[[], None], key: Any = None) -> None:
        self.key = key
        self._graph = torch.cuda.CUDAGraph()
        with _nothing_collected(), torch.cuda.graph(self._graph):
            work()

    def replay(self) -> None:
        self._graph.replay()


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Without Python's garbage collector: a graph of an earlier run that it frees spoils one that is being captured."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class _Rollout:
    """What was seen and done, ``[steps, games, …]``."""

    NUMBERS = ("log_probs", "advantages", "returns")  # one after the other in memory, so that they are read at once

    def __init__(self, game: Game, config: PpoConfig, device: torch.device) -> None:
        size = (config.rollout_steps, config.n_envs)
        self.planes = torch.zeros((*size, *game.observation_shape), dtype=torch.uint8, device=device)
        self.masks = torch.zeros((*size, game.num_actions), dtype=torch.uint8, device=device)
        self.actions = torch.zeros(size, dtype=torch.long, device=device)
        self.numbers = torch.zeros((len(self.NUMBERS), *size), device=device)
        self.log_probs, self.advantages, self.returns = self.numbers
        self.values = torch.zeros(size, device=device)
        self.rewards = torch.zeros((*size, game.num_players), device=device)
        self.points = torch.zeros((*size, game.num_players), dtype=torch.int32, device=device)
        self.dones = torch.zeros(size, dtype=torch.bool, device=device)
        self.learns = torch.zeros(size, dtype=torch.bool, device=device)
        self.seats = torch.zeros(size, dtype=torch.int32, device=device)
        self.last_values = torch.zeros((config.n_envs, game.num_players), device=device)
        self.usable = torch.zeros(size, dtype=torch.bool, device=device)  # decisions to learn from
        self.forecasts = torch.zeros((*size, FORECASTS), device=device)

    def chosen(self, batch: Tensor) -> dict[str, Tensor]:
        """What these decisions are learnt from, by their places among ``[steps × games]``."""
        names = ("planes", "masks", "actions", "forecasts")
        numbers = self.numbers.flatten(1).index_select(1, batch)
        return dict(zip(self.NUMBERS, numbers, strict=True)) | {
            name: getattr(self, name).flatten(0, 1).index_select(0, batch) for name in names
        }
