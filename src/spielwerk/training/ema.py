"""A moving average of the weights while a network learns: what single gradient steps did by chance is averaged out.

The average is exponential, and its time constant is a share of the gradient steps so far (a power-function EMA, Karras
et al. 2024). So it means the same for every batch size and length of a run, and holds nothing of the first, random
weights: until the share of the steps is one step, the average is the weights themselves. With a share of 1 it is the
plain mean of all steps.
"""

from typing import Any

import torch
from torch import Tensor

from spielwerk.training.networks import Network, frozen_copy
from spielwerk.training.snapshot import network_tensors, restore_network


class Ema:
    """`network` has the averaged weights; with a share of 0 it is the one that learns, and nothing is kept.

    CUDA graphs hold on to the tensors in here, so they are changed and never replaced. Parameters are all that is
    averaged: the networks' buffers are constants.
    """

    def __init__(self, network: Network, share: float) -> None:
        self.network = frozen_copy(network) if share else network
        self._share = share
        self._weights: list[Tensor] = list(network.parameters())
        self._means: list[Tensor] = list(self.network.parameters())
        self._steps = torch.zeros((), dtype=torch.float64, device=self._weights[0].device)

    @torch.no_grad()
    def follow(self) -> None:
        """After a gradient step."""
        if not self._share:
            return
        self._steps += 1
        pull = (1 / (self._share * self._steps)).clamp(max=1.0).float()
        gaps = torch._foreach_sub(self._weights, self._means)
        torch._foreach_mul_(gaps, pull)
        torch._foreach_add_(self._means, gaps)

    def on_board_of(self, network: Network) -> Network:
        """The average on the board of this network, which shares its weights with the one that learns."""
        if not self._share:
            return network
        averaged = frozen_copy(network)
        averaged.body = self.network.body
        return averaged

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What `restore` needs."""
        return (network_tensors("ema", self.network), {"ema_steps": int(self._steps)}) if self._share else ({}, {})

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Goes on from `state()`."""
        if self._share:
            restore_network("ema", self.network, tensors)
            self._steps.fill_(int(facts["ema_steps"]))
