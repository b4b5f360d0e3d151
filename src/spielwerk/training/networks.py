"""Networks that read any game's planes: a policy over all actions, a value for the seat that acts, and forecasts.

Where asked, there is a value for every seat, the one that acts first and the others in turn after it.

A `residual` network holds no size: where a game tells which cell of the board each action belongs to, the same weights
play boards of every size. An `mlp` is bound to one board, and faster.
"""

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from spielwerk.games import Game
from spielwerk.observations import action_index
from spielwerk.sampling import draw_actions

# Logits stay within ±LIMIT and illegal ones are set far below: their probability vanishes next to any legal one's,
# and nothing overflows. Much larger numbers would slow the exponential down.
LIMIT = 20.0
ILLEGAL = -60.0

TENSOR_CORE = 8  # numbers of 16 bits that it reads at once

# What the auxiliary head foretells: how long the game goes on, and the margin in points at its end.
FORECASTS = 2


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """PyTorch with so many threads: with others it adds in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True)
class NetworkShape:
    """What it takes to build a network again. `channels` is the width of hidden layers."""

    planes: int
    height: int
    width: int
    actions: int
    kind: str = "mlp"  # mlp, residual
    channels: int = 256
    blocks: int = 2
    any_size: bool = False  # the weights fit boards of every size
    values: int = 1  # of the seat that acts, or of every seat

    @classmethod
    def of(cls, game: Game, kind: str, channels: int, blocks: int, values: int = 1) -> "NetworkShape":
        if kind not in ("mlp", "residual"):
            raise ValueError(f"a network is mlp or residual, not {kind}")
        any_size = kind == "residual" and _kinds(game) > 0
        return cls(*game.observation_shape, game.num_actions, kind, channels, blocks, any_size, values)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Network(nn.Module):
    """uint8 planes ``[batch, planes, height, width]`` to logits ``[batch, actions]``, values ``[batch]`` (of every
    seat: ``[batch, seats]``) and forecasts ``[batch, FORECASTS]``."""

    scale: Tensor
    action_index: Tensor

    def __init__(self, game: Game, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        maxima = torch.tensor([plane.maximum for plane in game.planes], dtype=torch.float32)
        self.register_buffer("scale", 1.0 / maxima[None, :, None, None])
        index = torch.tensor(action_index(game))
        self.register_buffer("action_index", index, persistent=False)
        self.body: nn.Module
        if shape.kind == "mlp":
            self.body = DenseBody(shape)
        elif shape.any_size:
            kinds = _kinds(game)
            self.body = BoardBody(shape, kinds, int(index.max()) + 1 - kinds * shape.height * shape.width)
        else:
            self.body = PointerBody(shape, game.action_planes)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, value, forecasts = self.answers(planes)
        return (logits[:, self.action_index] if self.shape.any_size else logits), value, forecasts

    def answers(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The same, before the actions of one board size are picked from all cells."""
        return self._split(*self.body(self._scaled(planes)))

    def with_features(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As `forward`, and what the heads of an mlp or of a board's network read."""
        assert isinstance(self.body, DenseBody | BoardBody)
        features = self.body.features(self._scaled(planes))
        logits, value, forecasts = self._split(*self.body.heads(features))
        return (logits[:, self.action_index] if self.shape.any_size else logits), value, forecasts, features

    def on_board(self, game: Game) -> "Network":
        """The same weights, not a copy of them, on another board; ValueError when they do not fit."""
        shape = self.shape
        other = Network(game, NetworkShape.of(game, shape.kind, shape.channels, shape.blocks, shape.values))
        if not (shape.any_size and _fits(other.state_dict(), self.state_dict())):
            raise ValueError(f"the weights of this {shape.kind} network do not fit {game!r}")
        other.body = self.body
        return other

    def _scaled(self, planes: Tensor) -> Tensor:
        """Within 0 and 1, at once in the type that the layers compute in."""
        device = planes.device.type
        if torch.is_autocast_enabled(device):
            return planes * self.scale.to(torch.get_autocast_dtype(device))
        return planes * self.scale

    def _split(self, logits: Tensor, outlook: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values = self.shape.values
        value = torch.tanh(outlook[:, 0] if values == 1 else outlook[:, :values])
        return logits, value, outlook[:, values:]


class DenseBody(nn.Module):
    """Every cell of every plane into layers that know no geometry."""

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Flatten()]
        inputs = shape.planes * shape.height * shape.width
        for _ in range(shape.blocks):
            layers += [_layer(inputs, shape.channels), nn.ReLU()]
            inputs = shape.channels
        self.trunk = nn.Sequential(*layers)
        self.policy = _layer(inputs, shape.actions, gain=0.01)
        self.outlook = _layer(inputs, shape.values + FORECASTS, gain=0.5)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self.heads(self.features(planes))

    def features(self, planes: Tensor) -> Tensor:
        features: Tensor = self.trunk(planes)
        return features

    def heads(self, features: Tensor) -> tuple[Tensor, Tensor]:
        if features.is_cuda:
            return self.heads_at_once(features)
        return self.policy(features), self.outlook(features)

    def heads_at_once(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """As one layer, with idle answers up to a multiple of eight: tensor cores take others several times as long."""
        heads = (self.policy, self.outlook)
        width = sum(head.out_features for head in heads)
        idle = self.policy.weight.new_zeros(-width % TENSOR_CORE, self.policy.in_features)
        answers = nn.functional.linear(
            features,
            torch.cat([*(head.weight for head in heads), idle]),
            torch.cat([*(head.bias for head in heads), idle[:, 0]]),
        )
        logits, outlook, _ = torch.split(answers, [*(head.out_features for head in heads), len(idle)], dim=1)
        return logits, outlook


class BoardBody(nn.Module):
    """A logit for every cell and kind of action, then those beside the board; the outlook from all cells."""

    def __init__(self, shape: NetworkShape, kinds: int, others: int) -> None:
        super().__init__()
        self.entry = nn.Conv2d(shape.planes, shape.channels, 5, padding=2)
        self.blocks = _blocks(shape, (3, 3))
        self.cells = nn.Conv2d(shape.channels, kinds, 1)
        nn.init.orthogonal_(self.cells.weight, 0.01)
        self.hidden = _layer(3 * shape.channels, 128)
        self.others = _layer(128, others, gain=0.01) if others else None
        self.outlook = _layer(128, shape.values + FORECASTS, gain=0.5)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self.heads(self.features(planes))

    def features(self, planes: Tensor) -> Tensor:
        features: Tensor = self.blocks(torch.relu(self.entry(planes)))
        return features

    def heads(self, features: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.cells(features).flatten(1)
        hidden = torch.relu(self.hidden(pooled(features)))
        if self.others is not None:
            logits = torch.cat([logits, self.others(hidden)], dim=1)
        return logits, self.outlook(hidden)


class PointerBody(nn.Module):
    """Judges an action by the cells that it leaves and reaches, where planes of the observation mark them."""

    order: Tensor
    starts: Tensor
    ends: Tensor
    REACH = 6  # cells to either side that the first layer sees: as far as a die goes

    def __init__(self, shape: NetworkShape, action_planes: list[tuple[int, int]]) -> None:
        super().__init__()
        marked = [(start, end) for start, end in action_planes if end >= 0]  # buffers, since CUDA graphs copy no lists
        self.register_buffer("starts", torch.tensor([start for start, _ in marked]), persistent=False)
        self.register_buffer("ends", torch.tensor([end for _, end in marked]), persistent=False)
        pointing = [action for action, (_, end) in enumerate(action_planes) if end >= 0]
        beside = [action for action, (_, end) in enumerate(action_planes) if end < 0]
        order = sorted(range(shape.actions), key=(pointing + beside).__getitem__)
        self.register_buffer("order", torch.tensor(order), persistent=False)
        narrow = shape.height == 1
        reach = (0 if narrow else self.REACH, self.REACH)
        self.summary = nn.Sequential(
            nn.Flatten(), _layer(shape.planes * shape.height * shape.width, 128), nn.ReLU()
        )  # fmt: skip
        self.entry = nn.Conv2d(shape.planes, shape.channels, (2 * reach[0] + 1, 2 * reach[1] + 1), padding=reach)
        self.broadcast = nn.Linear(128, shape.channels)
        self.blocks = _blocks(shape, (1, 3) if narrow else (3, 3))
        self.action = nn.Sequential(_layer(2 * shape.channels + 128, 64), nn.ReLU(), _layer(64, 1, gain=0.01))
        self.others = _layer(128, len(beside), gain=0.01)
        self.hidden = _layer(3 * shape.channels + 128, 128)
        self.outlook = _layer(128, shape.values + FORECASTS, gain=0.5)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        summary = self.summary(planes)
        features = self.blocks(torch.relu(self.entry(planes) + self.broadcast(summary)[:, :, None, None]))
        cells = features.flatten(2).transpose(1, 2)
        left = planes[:, self.starts].flatten(2) @ cells
        reached = planes[:, self.ends].flatten(2) @ cells
        around = summary[:, None, :].expand(-1, len(self.ends), -1)
        judged = self.action(torch.cat([left, reached, around], dim=2)).squeeze(2)
        logits = torch.cat([judged, self.others(summary)], dim=1)[:, self.order]
        hidden = torch.relu(self.hidden(torch.cat([pooled(features), summary], dim=1)))
        return logits, self.outlook(hidden)


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut around them; if asked, a summary of the whole board reaches every cell."""

    def __init__(self, channels: int, kernel: tuple[int, int], summarises: bool) -> None:
        super().__init__()
        padding = (kernel[0] // 2, kernel[1] // 2)
        self.first = nn.Conv2d(channels, channels, kernel, padding=padding)
        self.second = nn.Conv2d(channels, channels, kernel, padding=padding)
        nn.init.zeros_(self.second.weight)
        self.summary = nn.Linear(3 * channels, channels) if summarises else None
        if self.summary is not None:
            nn.init.zeros_(self.summary.weight)

    def forward(self, features: Tensor) -> Tensor:
        inner = self.first(features)
        if self.summary is not None:
            inner = inner + self.summary(pooled(features))[:, :, None, None]
        return torch.relu(features + self.second(torch.relu(inner)))


def pooled(features: Tensor) -> Tensor:
    """Mean, mean by board size, and maximum of every channel: ``[batch, 3 × channels]``."""
    mean = features.mean((2, 3))
    return torch.cat([mean, mean * (features.shape[2] / 8 - 1), features.amax((2, 3))], dim=1)


def network_for(game: Game, kind: str = "mlp", channels: int = 256, blocks: int = 2, values: int = 1) -> Network:
    return Network(game, NetworkShape.of(game, kind, channels, blocks, values))


def require_any_size(game: Game, kind: str, size: tuple[int, int]) -> None:
    """ValueError where such a network is bound to one board."""
    residual_fits, fits = (NetworkShape.of(game, tried, *size).any_size for tried in ("residual", kind))
    if not fits:
        remedy = "; residual fits every board" if residual_fits else ""
        raise ValueError(f"a mix needs a network that fits every board; {kind} is bound to one{remedy}")


def moved(network: Network, device: torch.device) -> Network:
    """The network on this device; on a GPU with the channels of a cell side by side, as tensor cores read them."""
    network.to(device)
    if device.type == "cuda":
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network


def frozen_copy(network: Network) -> Network:
    """A network that learns nothing by itself."""
    return copy.deepcopy(network).requires_grad_(False)


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits over legal actions only; `mask` is 1 where legal."""
    return torch.where(mask.bool(), logits.float().clamp(-LIMIT, LIMIT), ILLEGAL)


def sample_actions(log_probs: Tensor, mask: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """One legal action per row, drawn by its probability."""
    uniform = 1 - torch.rand((len(log_probs), 1), generator=generator, device=log_probs.device)
    actions: Tensor = draw_actions(log_probs.exp(), mask, uniform)
    return actions


def log_probabilities(logits: Tensor) -> Tensor:
    return torch.log_softmax(logits, dim=-1)


def _layer(inputs: int, outputs: int, gain: float = math.sqrt(2)) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _fits(weights: dict[str, Tensor], others: dict[str, Tensor]) -> bool:
    """Whether the networks differ in nothing but what they have learnt."""
    shapes = [{name: value.shape for name, value in each.items()} for each in (weights, others)]
    return shapes[0] == shapes[1] and torch.equal(weights["scale"].cpu(), others["scale"].cpu())


def _kinds(game: Game) -> int:
    """How many kinds of actions lie on the board."""
    return 1 + max(kind for kind, _, _ in game.action_cells)


def _blocks(shape: NetworkShape, kernel: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(
        *(ResidualBlock(shape.channels, kernel, summarises=number % 2 == 1) for number in range(shape.blocks))
    )
