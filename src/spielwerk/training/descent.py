"""Gradient steps on positions from a window: AdamW, with a learning rate that rises, stays, and falls at the end."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from spielwerk.training.ema import Ema
from spielwerk.training.networks import Network
from spielwerk.training.snapshot import optimiser_tensors, restore_optimiser

WARM_UP_STEPS = 100  # over which the learning rate rises


class DescentSettings(Protocol):
    """What a method's config must have."""

    @property
    def learning_rate(self) -> float: ...

    @property
    def weight_decay(self) -> float: ...

    @property
    def max_grad_norm(self) -> float: ...

    @property
    def ema_share(self) -> float: ...


class Descent:
    """The optimiser of a network and of `further` parameters, how many steps it has taken, and the average of these."""

    def __init__(self, network: Network, config: DescentSettings, further: Iterable[nn.Parameter] = ()) -> None:
        self._parameters = [*network.parameters(), *further]
        self.ema = Ema(network, config.ema_share)
        self._config = config
        self._steps = 0
        self._optimiser = torch.optim.AdamW(
            self._parameters, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )

    def set_learning_rate(self, remaining: float) -> None:
        """By how much of the run is left, from 1 to 0: it falls from the middle on."""
        warm = min(1.0, (self._steps + 1) / WARM_UP_STEPS)
        for group in self._optimiser.param_groups:
            group["lr"] = self._config.learning_rate * warm * min(1.0, 2 * remaining)

    def step(self, losses: Sequence[Tensor], weights: Sequence[float]) -> Tensor:
        """Down the weighted sum of the losses; gives them without their gradients."""
        self._steps += 1
        loss = sum(weight * part for weight, part in zip(weights, losses, strict=True))
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[union-attr]
        nn.utils.clip_grad_norm_(self._parameters, self._config.max_grad_norm, foreach=True)
        self._optimiser.step()
        self.ema.follow()
        return torch.stack([part.detach() for part in losses])

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What `restore` needs."""
        averaged, averaging = self.ema.state()
        return optimiser_tensors(self._optimiser) | averaged, {"gradient_steps": self._steps} | averaging

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`."""
        restore_optimiser(self._optimiser, tensors)
        self.ema.restore(tensors, facts)
        self._steps = int(facts["gradient_steps"])
