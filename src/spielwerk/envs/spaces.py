"""The Gymnasium spaces of a game, and the forms in which observations come.

| name | observation |
|---|---|
| ``planes`` | uint8 [planes, height, width], as the core writes it |
| ``float`` | float32 [planes, height, width], each plane divided by its maximum: from 0 to 1 |
| ``flat`` | the same as one row, float32 [planes * height * width] |
| ``dict``, ``dict-float``, ``dict-flat`` | ``{"observation": …, "action_mask": int8 [num_actions]}`` |
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from spielwerk.games import Game

Planes = NDArray[np.uint8]
Mask = NDArray[np.int8]
MASK_TYPE = np.dtype(np.int8)  # what `Discrete.sample` asks for

FORMS = ("planes", "float", "flat")
FORMS_WITH_MASK = ("dict", "dict-float", "dict-flat")


class View:
    """How an environment shows a position: the form of its planes, with or without the mask beside them."""

    def __init__(self, game: Game, name: str, allowed: tuple[str, ...] = FORMS + FORMS_WITH_MASK) -> None:
        if name not in allowed:
            raise ValueError(f"observation must be one of {', '.join(allowed)}, not {name!r}")
        form = name.removeprefix("dict").removeprefix("-") or "planes"
        self.has_mask = name in FORMS_WITH_MASK
        self._game = game
        self._scale = None if form == "planes" else (1 / _highest(game)).astype(np.float32)
        self._tail = (int(np.prod(game.observation_shape)),) if form == "flat" else game.observation_shape

    def space(self) -> Space[Any]:
        """What `shown` gives for one position; a new object each time, as spaces have a random source of their own."""
        planes = planes_of(self._game) if self._scale is None else Box(0, 1, self._tail, np.float32)
        return Dict({"observation": planes, "action_mask": mask_of(self._game)}) if self.has_mask else planes

    def formed(self, planes: Planes) -> NDArray[Any]:
        """Planes of one position or of many, [..., planes, height, width], in the wanted form."""
        if self._scale is None:
            return planes
        return (planes * self._scale).reshape(*planes.shape[:-3], *self._tail)

    def shown(self, planes: Planes, mask: NDArray[Any]) -> Any:
        """Planes and mask as an observation of `space`."""
        if self.has_mask:
            return {"observation": self.formed(planes), "action_mask": mask}
        return self.formed(planes)


def planes_of(game: Game) -> Box:
    """uint8 [planes, height, width]; each plane reaches up to the maximum the game declares for it."""
    shape = game.observation_shape
    return Box(np.uint8(0), np.broadcast_to(_highest(game), shape), shape, np.uint8)


def mask_of(game: Game) -> Box:
    """int8 [num_actions], 1 where an action is legal."""
    return Box(0, 1, (game.num_actions,), np.int8)


def actions_of(game: Game) -> Discrete:
    """Every action of the ruleset, legal or not."""
    return Discrete(game.num_actions)


def _highest(game: Game) -> NDArray[np.uint8]:
    return np.array([plane.maximum for plane in game.planes], np.uint8)[:, None, None]
