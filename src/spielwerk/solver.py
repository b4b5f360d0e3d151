"""Exact results: who wins a position with best play, in how many actions, and how."""

import math

from spielwerk._core import Solution, Solver
from spielwerk.games import CHANCE, State

__all__ = ["Solution", "Solver", "solve"]


def solve(
    state: State, seconds: float | None = None, *, distance: bool = True, nodes: int = 0, megabytes: int = 256
) -> Solution:
    """What can be proved about a position within so many seconds (and nodes; without limits until it is proved).

    The result says by `verdict` whether the seat to act wins, loses, draws, or whether that is unknown; by `winner`
    which seat wins; by `distance` in how many actions against the best defence, left out with ``distance=False``; by
    `line` how. Only games of two seats without dice can be solved: ValueError for others, and for a game that is over.
    A `Solver` of one's own keeps what it learnt from one position to the next.
    """
    if state.player is None or state.player == CHANCE:
        raise ValueError("nothing is left to solve: the game is over" if state.over else "a die is to fall")
    if seconds is not None and not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a number above 0, or None for no limit, not {seconds}")
    if nodes < 0:
        raise ValueError(f"nodes must not be negative, but it is {nodes}")
    return Solver(state.game, megabytes).solve(
        state,
        distance=distance,
        nodes=nodes,
        milliseconds=1000 * (seconds or 0.0),
        progress=lambda _: True,  # running a line of Python now and then lets Ctrl-C through
    )
