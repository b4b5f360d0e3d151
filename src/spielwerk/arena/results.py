"""What is left of a game once it is over, as statistics see it. No game is known here."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One finished game. A side is a seat, or the seats of a team; tuples are by side.

    Games of one pairing share their opening and dice and differ in who sits where: they are one sample, not several.
    """

    pairing: str
    players: tuple[str, ...]
    scores: tuple[float, ...]  # parts of one point
    ranks: tuple[int, ...]  # from 1, equal ones are shared
    plies: int = 0
    line: str = ""  # equal for games that went the same way
    decisions: tuple[int, ...] = ()  # where there was a choice
    milliseconds: tuple[float, ...] = ()  # spent on them
    forfeit: str = ""  # why a side forfeited, if one did


def shared_point(winners: Collection[int], sides: int) -> tuple[float, ...]:
    """By side: the winners share a point; all of them, if nobody won."""
    sharing = winners or range(sides)
    return tuple(1 / len(sharing) if side in sharing else 0.0 for side in range(sides))


def ranks_of(values: tuple[float, ...]) -> tuple[int, ...]:
    """Places from 1 for the largest value; equal values share one."""
    return tuple(1 + sum(other > value for other in values) for value in values)
