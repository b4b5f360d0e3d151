"""Networks that read any game's planes: a policy over all actions, a value for the seat that acts, and forecasts.

A `residual` network holds no size: where a game tells which cell of the board each action belongs to, the same weights
play boards of every size. An `mlp` is bound to one board, and faster.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from spielwerk.games import Game
from spielwerk.observations import action_index

# Logits stay within ±LIMIT and illegal ones are set far below: their probability vanishes next to any legal one's,
# and nothing overflows. Much larger numbers would slow the exponential down.
LIMIT = 20.0
ILLEGAL = -60.0

# What the auxiliary head foretells: how long the game goes on, and the margin in points at its end.
FORECASTS = 2


@dataclass(frozen=True)
class NetworkShape:
    """What it takes to build a network again. `channels` is the width of hidden layers."""

    planes: int
    height: int
    width: int
    actions: int
    kinds: int  # kinds of actions that lie on the board
    kind: str = "mlp"  # mlp, residual
    channels: int = 256
    blocks: int = 2

    @classmethod
    def of(cls, game: Game, kind: str, channels: int, blocks: int) -> "NetworkShape":
        kinds = 1 + max(kind for kind, _, _ in game.action_cells)
        return cls(*game.observation_shape, game.num_actions, kinds, kind, channels, blocks)

    @property
    def any_size(self) -> bool:
        """Whether the weights fit boards of every size."""
        return self.kind == "residual" and self.kinds > 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Network(nn.Module):
    """uint8 planes ``[batch, planes, height, width]`` to logits ``[batch, actions]``, values ``[batch]`` and forecasts
    ``[batch, FORECASTS]``."""

    scale: Tensor
    action_index: Tensor
    heads: nn.Module

    def __init__(self, shape: NetworkShape, maxima: list[int], index: list[int]) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("scale", 1.0 / torch.tensor(maxima, dtype=torch.float32)[None, :, None, None])
        self.register_buffer("action_index", torch.tensor(index), persistent=False)
        if shape.kind == "mlp":
            trunk, features = _dense_trunk(shape)
            self.trunk, self.heads = trunk, DenseHeads(features, shape.actions)
        elif shape.kind == "residual" and shape.any_size:
            self.trunk = _residual_trunk(shape)
            self.heads = BoardHeads(shape.channels, shape.kinds, max(index) + 1 - _cells(shape))
        elif shape.kind == "residual":
            trunk, features = _flattened(_residual_trunk(shape), shape)
            self.trunk, self.heads = trunk, DenseHeads(features, shape.actions)
        else:
            raise ValueError(f"a network is mlp or residual, not {shape.kind}")

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, value, forecasts = self.answers(planes)
        return (logits[:, self.action_index] if self.shape.any_size else logits), value, forecasts

    def answers(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The same, before the actions of one board size are picked from all cells."""
        answers: tuple[Tensor, Tensor, Tensor] = self.heads(self.trunk(planes * self.scale))
        return answers


class DenseHeads(nn.Module):
    """Policy, value and forecasts from a flat vector of features."""

    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.policy = _layer(features, actions, gain=0.01)
        self.value = _layer(features, 1, gain=1.0)
        self.forecasts = _layer(features, FORECASTS, gain=0.1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.policy(features), torch.tanh(self.value(features).squeeze(-1)), self.forecasts(features)


class BoardHeads(nn.Module):
    """A logit for every cell and kind of action, then those beside the board; value and forecasts from all cells."""

    def __init__(self, channels: int, kinds: int, others: int) -> None:
        super().__init__()
        self.cells = nn.Conv2d(channels, kinds, 1)
        nn.init.orthogonal_(self.cells.weight, 0.01)
        self.hidden = _layer(3 * channels, 128)
        self.others = _layer(128, others, gain=0.01) if others else None
        self.value = _layer(128, 1, gain=1.0)
        self.forecasts = _layer(128, FORECASTS, gain=0.1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = self.cells(features).flatten(1)
        hidden = torch.relu(self.hidden(pooled(features)))
        if self.others is not None:
            logits = torch.cat([logits, self.others(hidden)], dim=1)
        return logits, torch.tanh(self.value(hidden).squeeze(-1)), self.forecasts(hidden)


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut around them; a summary of the whole board reaches every cell."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.summary = nn.Linear(3 * channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.summary.weight)
        nn.init.zeros_(self.second.weight)

    def forward(self, features: Tensor) -> Tensor:
        inner = self.first(features) + self.summary(pooled(features))[:, :, None, None]
        return torch.relu(features + self.second(torch.relu(inner)))


def pooled(features: Tensor) -> Tensor:
    """Mean, mean by board size, and maximum of every channel: ``[batch, 3 × channels]``."""
    mean = features.mean((2, 3))
    return torch.cat([mean, mean * (features.shape[2] / 8 - 1), features.amax((2, 3))], dim=1)


def network_for(game: Game, kind: str = "mlp", channels: int = 256, blocks: int = 2) -> Network:
    """A fresh network for a game."""
    shape = NetworkShape.of(game, kind, channels, blocks)
    return Network(shape, [plane.maximum for plane in game.planes], action_index(game))


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits over legal actions only; `mask` is 1 where legal."""
    return torch.where(mask.bool(), logits.float().clamp(-LIMIT, LIMIT), ILLEGAL)


def sampled(logits: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """One action per row, drawn by its probability (the Gumbel trick: no sum, no search)."""
    noise = torch.empty_like(logits).exponential_(generator=generator)
    return (logits - noise.log()).argmax(dim=-1)


def log_probabilities(logits: Tensor) -> Tensor:
    return torch.log_softmax(logits, dim=-1)


def _layer(inputs: int, outputs: int, gain: float = math.sqrt(2)) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _cells(shape: NetworkShape) -> int:
    return shape.kinds * shape.height * shape.width


def _dense_trunk(shape: NetworkShape) -> tuple[nn.Sequential, int]:
    layers: list[nn.Module] = [nn.Flatten()]
    inputs = shape.planes * shape.height * shape.width
    for _ in range(shape.blocks):
        layers += [_layer(inputs, shape.channels), nn.ReLU()]
        inputs = shape.channels
    return nn.Sequential(*layers), inputs


def _residual_trunk(shape: NetworkShape) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(shape.planes, shape.channels, 5, padding=2), nn.ReLU()]
    layers += [ResidualBlock(shape.channels) for _ in range(shape.blocks)]
    return nn.Sequential(*layers)


def _flattened(trunk: nn.Sequential, shape: NetworkShape) -> tuple[nn.Sequential, int]:
    """Followed by a dense layer over all cells, for games whose actions lie on no cell."""
    squeeze = max(4, 512 // (shape.height * shape.width))
    layers: list[nn.Module] = [nn.Conv2d(shape.channels, squeeze, 1), nn.ReLU(), nn.Flatten()]
    layers += [_layer(squeeze * shape.height * shape.width, 256), nn.ReLU()]
    return nn.Sequential(*trunk, *layers), 256
