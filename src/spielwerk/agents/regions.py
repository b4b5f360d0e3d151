"""Regions of a board: what boards of different sizes have in common.

A cell belongs to a region by how far it is from the border in each of four directions, as far as REACH. So a corner, a
rim and the middle are the same regions on a board of any size, and what a network learns there holds on all of them.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from spielwerk.games import Game

REACH = 3
REGIONS = (REACH + 1) ** 4


@cache
def places_of(game: Game, planes: int) -> NDArray[np.int64]:
    """What stands for a cell on boards of any size, ``[planes, cells]``: its region.

    An evaluation network's planes beyond those of the observation are a game's insights, which are counts: there a cell
    stands for a number, the same on every board.
    """
    regions = regions_of(game)
    places = np.tile(regions, (planes, 1))
    places[game.observation_shape[0] :] = np.minimum(np.arange(len(regions)), REGIONS - 1)
    return places


@cache
def regions_of(game: Game) -> NDArray[np.int64]:
    """The region of every cell of the observation's grid, row by row."""
    board = _board(game)
    region = np.zeros(board.shape, np.int64)
    for axis, direction in ((0, 1), (0, -1), (1, 1), (1, -1)):
        region = region * (REACH + 1) + np.minimum(_cells_before(board, axis, direction), REACH)
    return region.reshape(-1)


def _board(game: Game) -> NDArray[np.bool_]:
    """Which cells belong to the board, since a grid may be larger: where actions lead, and what planes show at first.

    Planes that are the same everywhere do not tell.
    """
    planes = game.start(seed=0).observation(0) != 0
    board = np.zeros(planes.shape[1:], np.bool_)
    for kind, row, column in game.action_cells:
        if kind >= 0:
            board[row, column] = True
    for plane in planes:
        if not plane.all():
            board |= plane
    return board


def _cells_before(board: NDArray[np.bool_], axis: int, direction: int) -> NDArray[np.int64]:
    """For each cell how many cells of the board lie between it and the border in a direction."""
    counted = np.flip(np.cumsum(np.flip(board, axis), axis), axis) if direction < 0 else np.cumsum(board, axis)
    return counted - board
