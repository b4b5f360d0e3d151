"""What several methods learn in the same way: sets of actions in a few bytes, and how long a game goes on."""

import math
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

LONG_GAME = 100  # decisions that the forecast of a game's length counts as 1

Numbers = TypeVar("Numbers", Tensor, NDArray[np.generic])


def length_target(left: Numbers) -> Numbers:
    """What the forecast of a game's length learns, from the decisions that are left."""
    logarithm = torch.log1p(left) if isinstance(left, Tensor) else np.log1p(left)
    target: Numbers = logarithm / math.log1p(LONG_GAME)
    return target


def unpacked(packed: Tensor, count: int) -> Tensor:
    """The inverse of `numpy.packbits` along rows: bits, the highest of each byte first, as truth values."""
    bits = torch.tensor([128, 64, 32, 16, 8, 4, 2, 1], dtype=torch.uint8, device=packed.device)
    return ((packed[:, :, None] & bits) != 0).flatten(1)[:, :count]
