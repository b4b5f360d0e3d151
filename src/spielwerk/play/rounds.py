"""A match of several rounds: the colours are exchanged after each, the points are added, and the higher sum wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spielwerk.games import Game
from spielwerk.outcome import TABLE_ENDINGS, How, Outcome

MOST_ROUNDS = 100


@dataclass(frozen=True)
class Rounds:
    """A match of two players so far. The first player has seat 0 in the first round, seat 1 in the second, …"""

    total: int
    played: int = 0
    sums: tuple[int, int] = (0, 0)  # by player
    given_up_by: int | None = None

    def player_on(self, seat: int) -> int:
        """Who sits there in the round that comes or runs."""
        return (seat + self.played) % 2

    def after_round(self, outcome: Outcome) -> Rounds:
        """The match once a round has ended like this; who resigns, forfeits or runs out of time gives up the match.

        A round that brings nobody a point, as in rulesets without any, counts one for its winner.
        """
        if outcome.how in TABLE_ENDINGS and outcome.how is not How.AGREED:
            return self.after(outcome.points, given_up_by_seat=1 - outcome.winner[0])
        return self.after(outcome.points if any(outcome.points) else [int(outcome.won(seat)) for seat in (0, 1)])

    def after(self, points: Sequence[int], given_up_by_seat: int | None = None) -> Rounds:
        """The match once a round has brought the seats these points. Who gives a round up gives up the match."""
        by_player = [points[self.player_on(player)] for player in (0, 1)]
        one, two = (had + new for had, new in zip(self.sums, by_player, strict=True))
        quitter = None if given_up_by_seat is None else self.player_on(given_up_by_seat)
        return replace(self, played=self.played + 1, sums=(one, two), given_up_by=quitter)

    @property
    def over(self) -> bool:
        """Whether the match is decided."""
        return self.played == self.total or self.given_up_by is not None

    @property
    def winner(self) -> int | None:
        """The player with the higher sum, or whom the other left; None for equal sums."""
        if self.given_up_by is not None:
            return 1 - self.given_up_by
        return None if self.sums[0] == self.sums[1] else self.sums.index(max(self.sums))


def check_rounds(game: Game) -> None:
    """ValueError where there are no two seats to exchange."""
    if game.num_players != 2:
        raise ValueError(f"--rounds is for two players who exchange colours; {game.name} has {game.num_players} seats")
