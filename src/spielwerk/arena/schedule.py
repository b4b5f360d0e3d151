"""Which games are to be played: a pure function of the rules, the players and a seed.

Every game has an id made from all that it depends on. A tournament that was interrupted, or that is asked for more
games later, finds by these ids what is already played.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, permutations
from typing import Any

from spielwerk.arena.patience import PATIENCE
from spielwerk.games import Game, sides_of


@dataclass(frozen=True)
class Fixture:
    """A game to be played, and everything its course depends on."""

    id: str
    pairing: str
    game: str
    rules: dict[str, Any]
    players: tuple[str, ...]  # by side
    seed: int
    opening: int
    patience: float
    start: str = ""  # the position it begins from, in place of random turns


@dataclass(frozen=True)
class Schedule:
    """Pairing after pairing of one line-up: the same opening and dice for every way to seat the players."""

    game: Game
    lineup: tuple[str, ...]
    seed: int = 0
    opening: int = 2
    patience: float = PATIENCE
    book: tuple[str, ...] = ()
    """Positions to begin from, one for each pairing, in place of random turns."""

    @property
    def seatings(self) -> list[tuple[str, ...]]:
        """The line-up rotated, by side; equal ones once."""
        turns = range(len(self.lineup))
        return list(dict.fromkeys(self.lineup[turn:] + self.lineup[:turn] for turn in turns))

    def pairings_for(self, games: int) -> int:
        """How many pairings hold at least so many games."""
        pairings = -(-games // len(self.seatings))
        if self.book and pairings > len(self.book):
            enough = len(self.book) * len(self.seatings)
            raise ValueError(f"{len(self.book)} openings are enough for {enough} games, not for {games}")
        return pairings

    def pairing(self, number: int) -> list[Fixture]:
        """The games of one pairing. Its opening depends on the number alone: all line-ups meet the same ones."""
        start = self.book[number] if self.book else ""
        opening = self._opening(start or number)
        name = digest(*opening[:-1], self.lineup, opening[-1])
        return [
            Fixture(
                id=f"{name}-{turn}",
                pairing=name,
                game=self.game.name,
                rules=self.game.rules,
                players=players,
                seed=int(digest(*opening), 16) >> 1,
                opening=0 if start else self.opening,
                patience=self.patience,
                start=start,
            )
            for turn, players in enumerate(self.seatings)
        ]

    def _opening(self, which: int | str) -> tuple[Any, ...]:
        """All that an opening depends on: its number, or its position wherever that stands in a book."""
        turns = self.opening if isinstance(which, int) else 0
        return self.game.name, self.game.rules, self.game.rules_version, self.seed, turns, which


def lineups(game: Game, players: Sequence[str], *, gauntlet: bool = False) -> Iterator[tuple[str, ...]]:
    """Who meets whom: each with each, or the first with each of the others.

    With two sides a line-up is a pair; with more, one player meets a table of another, and the other way round.
    """
    sides = len(sides_of(game))
    meetings = combinations(players, 2) if sides == 2 else permutations(players, 2)
    for one, other in meetings:
        if not gauntlet or one == players[0]:
            yield (one, *[other] * (sides - 1))


def usual_opening(game: Game) -> int:
    """Random turns at the start: one for each of two players, none where dice bring variety."""
    return 0 if game.has_chance else 2


def digest(*facts: Any) -> str:
    """A short name for facts, the same on every machine and in every release of Python."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode(), digest_size=8).hexdigest()
