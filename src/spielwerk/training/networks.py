"""Networks that read any game's planes: a policy over all actions and a value for the seat that acts."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from spielwerk.games import Game

# Logits stay within ±LIMIT and illegal ones are set far below: their probability vanishes next to any legal one's,
# and nothing overflows. Much larger numbers would slow the exponential down.
LIMIT = 20.0
ILLEGAL = -60.0


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

    @classmethod
    def of(cls, game: Game, kind: str, channels: int, blocks: int) -> "NetworkShape":
        return cls(*game.observation_shape, game.num_actions, kind, channels, blocks)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Network(nn.Module):
    """uint8 planes ``[batch, planes, height, width]`` to logits ``[batch, actions]`` and values ``[batch]``."""

    scale: Tensor

    def __init__(self, shape: NetworkShape, maxima: list[int]) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("scale", 1.0 / torch.tensor(maxima, dtype=torch.float32)[None, :, None, None])
        if shape.kind == "mlp":
            self.trunk, features = _dense_trunk(shape)
        elif shape.kind == "residual":
            self.trunk, features = _residual_trunk(shape)
        else:
            raise ValueError(f"a network is mlp or residual, not {shape.kind}")
        self.policy = _layer(features, shape.actions, gain=0.01)
        self.value = _layer(features, 1, gain=1.0)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        features = self.trunk(planes * self.scale)
        return self.policy(features), torch.tanh(self.value(features).squeeze(-1))


def network_for(game: Game, kind: str = "mlp", channels: int = 256, blocks: int = 2) -> Network:
    """A fresh network for a game."""
    return Network(NetworkShape.of(game, kind, channels, blocks), [plane.maximum for plane in game.planes])


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


def _dense_trunk(shape: NetworkShape) -> tuple[nn.Module, int]:
    layers: list[nn.Module] = [nn.Flatten()]
    inputs = shape.planes * shape.height * shape.width
    for _ in range(shape.blocks):
        layers += [_layer(inputs, shape.channels), nn.ReLU()]
        inputs = shape.channels
    return nn.Sequential(*layers), inputs


def _residual_trunk(shape: NetworkShape) -> tuple[nn.Module, int]:
    squeeze = max(4, 512 // (shape.height * shape.width))
    layers: list[nn.Module] = [nn.Conv2d(shape.planes, shape.channels, 3, padding=1), nn.ReLU()]
    layers += [ResidualBlock(shape.channels) for _ in range(shape.blocks)]
    layers += [nn.Conv2d(shape.channels, squeeze, 1), nn.ReLU(), nn.Flatten()]
    layers += [_layer(squeeze * shape.height * shape.width, 256), nn.ReLU()]
    return nn.Sequential(*layers), 256


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.second.weight)

    def forward(self, features: Tensor) -> Tensor:
        return torch.relu(features + self.second(torch.relu(self.first(features))))
