"""The Gymnasium spaces of a game."""

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from spielwerk.games import Game

Planes = NDArray[np.uint8]
Mask = NDArray[np.int8]
MASK_TYPE = np.dtype(np.int8)  # what `Discrete.sample` asks for


def planes_of(game: Game) -> Box:
    """uint8 [planes, height, width]; each plane reaches up to the maximum the game declares for it."""
    shape = game.observation_shape
    highest = np.array([plane.maximum for plane in game.planes], np.uint8)
    return Box(np.uint8(0), np.broadcast_to(highest[:, None, None], shape), shape, np.uint8)


def mask_of(game: Game) -> Box:
    """int8 [num_actions], 1 where an action is legal."""
    return Box(0, 1, (game.num_actions,), np.int8)


def actions_of(game: Game) -> Discrete:
    """Every action of the ruleset, legal or not."""
    return Discrete(game.num_actions)
