"""How a game ended: who won, what every seat got, and whether the rules, a player or the clock ended it.

A player who resigns, forfeits or runs out of time loses together with the whole side (`game.sides`), and all other
sides share the win. That formula lives here alone, in `Outcome.lost_by`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from spielwerk.games import Game, State, sides_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class How(StrEnum):
    """What ended a game. Endings at the table are named as records write their `reason`."""

    RULES = "rules"
    TRUNCATED = "truncated"  # by a ply limit
    RESIGNED = "resigned"
    FORFEITED = "forfeit"
    TIMED_OUT = "timeout"
    AGREED = "agreed"  # a draw that all sides accepted
    CANCELLED = "cancelled"  # before it began; such games are not recorded


# Ways a game ends at the table rather than by its rules, as records know them.
TABLE_ENDINGS = (How.RESIGNED, How.FORFEITED, How.TIMED_OUT, How.AGREED)

_FIELDS = ("winner", "returns", "points", "reason", "truncated")


@dataclass(frozen=True)
class Outcome:
    """The end of a game; tuples but `winner` are by seat."""

    winner: tuple[int, ...]  # seats; empty for a draw
    returns: tuple[float, ...]
    points: tuple[int, ...]
    reason: str
    how: How = How.RULES

    def __post_init__(self) -> None:
        """Zero has one sign: -0.0 would print and compare as text differently."""
        object.__setattr__(self, "returns", tuple(value + 0.0 for value in self.returns))

    @property
    def truncated(self) -> bool:
        """Whether a ply limit ended the game."""
        return self.how is How.TRUNCATED

    def won(self, seat: int) -> bool:
        """Whether the seat is among the winners; second place is no win, whatever it returns."""
        return seat in self.winner

    def winning_sides(self, game: Game) -> list[int]:
        """The numbers of the sides that won; none in a draw."""
        return [number for number, side in enumerate(sides_of(game)) if self.won(side[0])]

    # How games end

    @classmethod
    def by_rules(cls, state: State) -> Outcome | None:
        """What the rules say of this position; None while the game runs."""
        if not state.over:
            return None
        how = How.TRUNCATED if state.truncated else How.RULES
        return cls(state.winner, state.returns, state.points, state.reason, how)

    @classmethod
    def lost_by(cls, game: Game, seat: int, how: How) -> Outcome:
        """The side of `seat` loses and gets -1. The other sides win together and share a +1 equally.

        So returns sum to zero wherever sides are of one size, and with two sides they are -1 and +1.
        """
        losers = sides_of(game)[game.sides[seat]]
        share = 1.0 / (len(sides_of(game)) - 1)
        seats = range(game.num_players)
        return cls(
            winner=tuple(other for other in seats if other not in losers),
            returns=tuple(-1.0 if other in losers else share for other in seats),
            points=(0,) * len(seats),
            reason=how.value,
            how=how,
        )

    @classmethod
    def nobody_won(cls, game: Game, how: How) -> Outcome:
        """A draw that was agreed upon, or a game that was cancelled."""
        return cls((), (0.0,) * game.num_players, (0,) * game.num_players, how.value, how)

    # As records write it

    def to_json(self) -> dict[str, Any]:
        """The result of a record."""
        return {
            "winner": list(self.winner),
            "returns": list(self.returns),
            "points": list(self.points),
            "reason": self.reason,
            "truncated": self.truncated,
        }

    @classmethod
    def from_json(cls, data: Any) -> Outcome:
        """The outcome a record's result describes; ValueError when it has another shape."""
        if not isinstance(data, dict) or not {*_FIELDS[:-1]} <= data.keys() <= {*_FIELDS}:
            raise ValueError(f"the record's result must have {', '.join(_FIELDS)} and nothing else")
        reason, truncated = data["reason"], data.get("truncated", False)
        if not isinstance(reason, str) or not isinstance(truncated, bool):
            raise ValueError("in the record's result 'reason' must be a text and 'truncated' true or false")
        return cls(
            winner=_numbers(data, "winner", int),
            returns=_returns(data),
            points=_numbers(data, "points", int),
            reason=reason,
            how=_how(reason, truncated),
        )

    def check_table_ending(self, game: Game) -> None:
        """ValueError unless a game of these rules can end at the table like this."""
        if self.how not in TABLE_ENDINGS:
            raise ValueError(f"a game ends at the table by {', '.join(TABLE_ENDINGS)}; no ply limit truncates it there")
        if self.how is How.AGREED:
            if self != Outcome.nobody_won(game, self.how):
                raise ValueError("the record's result is 'agreed', a draw: nobody wins, all returns and points are 0")
        elif not any(self._is_loss_of(game, side[0]) for side in sides_of(game)):
            raise ValueError(
                f"the record's result is '{self.how}': one side of {_sides_text(game)} gets -1,"
                " all others win, share +1 and get no points"
            )

    def _is_loss_of(self, game: Game, seat: int) -> bool:
        loss = Outcome.lost_by(game, seat, self.how)
        # Arenas of earlier releases wrote +1 for each of several winning sides.
        undivided = tuple(1.0 if value > 0 else value for value in loss.returns)
        return self.winner == loss.winner and self.points == loss.points and self.returns in (loss.returns, undivided)


def winners_in(returns: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Who won, in many games at once: the seats ``[games, seats]`` with the best return, if that is above zero.

    The same definition as ``state.winner``; a row without a winner is a draw.
    """
    best = returns.max(axis=-1, keepdims=True)
    won: NDArray[np.bool_] = (returns == best) & (best > 0)
    return won


def _how(reason: str, truncated: bool) -> How:
    if truncated:
        return How.TRUNCATED
    return How(reason) if reason in (*TABLE_ENDINGS, How.CANCELLED) else How.RULES


def _numbers(data: dict[str, Any], name: str, *kinds: type) -> tuple[Any, ...]:
    values = data[name]
    if not isinstance(values, list) or any(type(value) not in kinds for value in values):
        raise ValueError(f"in the record's result '{name}' must be a list of numbers")
    return tuple(values)


def _returns(data: dict[str, Any]) -> tuple[float, ...]:
    values = _numbers(data, "returns", int, float)
    if not all(-1 <= value <= 1 for value in values):  # which NaN is not either
        raise ValueError("in the record's result 'returns' must be numbers from -1 to 1")
    return values


def _sides_text(game: Game) -> str:
    return " and ".join("+".join(map(str, side)) for side in sides_of(game))
