"""Games of a tournament taken together as matches of several rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from spielwerk.arena.schedule import Fixture
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import Meeting
from spielwerk.outcome import Outcome
from spielwerk.play.rounds import Rounds


@dataclass(frozen=True)
class MatchScore:
    """How a player did against another in whole matches."""

    player: str
    opponent: str
    rounds: int
    wins: int
    draws: int
    losses: int
    points: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def line(self) -> str:
        one, two = self.points
        return (
            f"{self.player} against {self.opponent} in matches of {self.rounds} rounds: {self.wins} won,"
            f" {self.draws} drawn, {self.losses} lost; points {one} : {two}"
        )


def match_score(meeting: Meeting, store: GameStore, rounds: int) -> MatchScore:
    """Of the line-up's first player; games that fill no whole match are left out."""
    player, opponent = meeting.schedule.lineup
    wins = draws = losses = own = theirs = 0
    for first, match in _matches(meeting, store, rounds):
        mine = (player, opponent).index(first)  # whose number the line-up's first player has in this match
        own += match.sums[mine]
        theirs += match.sums[1 - mine]
        wins += match.winner == mine
        losses += match.winner == 1 - mine
        draws += match.winner is None
    return MatchScore(player, opponent, rounds, wins, draws, losses, (own, theirs))


def _matches(meeting: Meeting, store: GameStore, rounds: int) -> Iterator[tuple[str, Rounds]]:
    """Each whole match, and who had seat 0 in its first round."""
    games = [fixture for number in range(meeting.pairings) for fixture in meeting.schedule.pairing(number)]
    results = store.record_results([fixture.id for fixture in games])
    for start in range(0, len(games) - rounds + 1, rounds):
        some = games[start : start + rounds]
        if all(fixture.id in results for fixture in some):
            yield some[0].players[0], _match(some, results)


def _match(games: list[Fixture], results: dict[str, dict[str, Any]]) -> Rounds:
    match = Rounds(len(games))
    for fixture in games:
        if not match.over:
            match = match.after_round(Outcome.from_json(results[fixture.id]))
    return match
