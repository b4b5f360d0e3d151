"""Thinking time: what was agreed (`TimeControl`), and what is left of it (`Clock`).

A clock knows no other time than what it is given, so that a game reads back from its events with the same clock.

- The first turn of a seat costs nothing, but has to be made within the time.
- A turn ends when the seat has nothing more to decide before the next die or the next seat: then the increment is
  added, or the time for a move is there in full again.
- Time that was used is not given back by taking back; whoever is to move then has the clock running from that moment.
- Correspondence counts days on the calendar. Other clocks stand still while nobody could have moved (`pause`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

DAY = 86_400
LONGEST_GAME = 3 * 3600
LONGEST_INCREMENT = 180
SHORTEST, LONGEST_MOVE = 3, 3600
MOST_DAYS = 14

_WRITTEN = re.compile(r"(game|move|days):(\d{1,6})(?:\+(\d{1,4}))?")


class Pace(StrEnum):
    """What the time is for."""

    GAME = "game"
    MOVE = "move"
    DAYS = "days"


@dataclass(frozen=True)
class TimeControl:
    """How long each seat may think: in seconds, or in days per move."""

    pace: Pace
    amount: int
    increment: int = 0

    def __post_init__(self) -> None:
        """ValueError where it is no time to play in."""
        least, most = {
            Pace.GAME: (SHORTEST, LONGEST_GAME),
            Pace.MOVE: (SHORTEST, LONGEST_MOVE),
            Pace.DAYS: (1, MOST_DAYS),
        }[self.pace]
        if not least <= self.amount <= most:
            unit = "days" if self.pace is Pace.DAYS else "seconds"
            raise ValueError(f"a clock per {self.pace} has from {least} to {most} {unit}, not {self.amount}")
        if not 0 <= self.increment <= (LONGEST_INCREMENT if self.pace is Pace.GAME else 0):
            raise ValueError(
                f"an increment of 0 to {LONGEST_INCREMENT} seconds belongs to a clock per game, not {self.increment}"
            )

    @classmethod
    def from_text(cls, text: str) -> TimeControl:
        """From 'game:300+5', 'move:30' or 'days:3'."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError("a clock is written like game:300+5, move:30 or days:3")
        return cls(Pace(found[1]), int(found[2]), int(found[3] or 0))

    def __str__(self) -> str:
        """As `from_text` reads it."""
        return f"{self.pace}:{self.amount}" + (f"+{self.increment}" if self.increment else "")

    @property
    def counts_days(self) -> bool:
        """Whether it runs by the calendar, whatever happens to the server."""
        return self.pace is Pace.DAYS

    @property
    def full_ms(self) -> int:
        """What a seat begins with."""
        return 1000 * self.amount * (DAY if self.counts_days else 1)


@dataclass
class Clock:
    """The time left to each seat, and for whom it runs since when."""

    control: TimeControl
    seats: int
    left_ms: list[int] = field(init=False)
    running: int | None = None
    since_ms: int = 0
    _begun: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        """Everyone has all of their time."""
        self.left_ms = [self.control.full_ms] * self.seats
        self._begun = [False] * self.seats

    @property
    def deadline_ms(self) -> int | None:
        """When the flag falls unless something happens before."""
        return None if self.running is None else self.since_ms + self.left_ms[self.running]

    def left_at(self, now_ms: int) -> list[int]:
        """What each seat has left at a moment."""
        return [left - (self._used(now_ms) if seat == self.running else 0) for seat, left in enumerate(self.left_ms)]

    def has_flagged(self, now_ms: int) -> bool:
        """Whether the time of the running seat is up."""
        return self.deadline_ms is not None and now_ms >= self.deadline_ms

    # What changes it

    def run_for(self, seat: int | None, now_ms: int) -> None:
        """Charges who was thinking until now, and lets the time of `seat` run."""
        if self.running is not None:
            self.left_ms[self.running] = max(0, self.left_at(now_ms)[self.running])
        self.running, self.since_ms = seat, now_ms

    def end_turn(self, seat: int, now_ms: int) -> None:
        """The seat has made its turn, and gets what that brings."""
        self.run_for(None, now_ms)
        renewed = self.control.pace is not Pace.GAME or not self._begun[seat]
        self._begun[seat] = True
        self.left_ms[seat] = self.control.full_ms if renewed else self.left_ms[seat] + 1000 * self.control.increment

    def renew(self, seat: int) -> None:
        """After taking back: the time for a move is there in full again."""
        if self.control.pace is not Pace.GAME:
            self.left_ms[seat] = self.control.full_ms

    def stop_at_zero(self, seat: int) -> None:
        """The seat has used all of its time."""
        self.left_ms[seat] = 0

    def pause(self, from_ms: int, now_ms: int) -> None:
        """Nobody could move from then until now."""
        self.run_for(self.running, max(self.since_ms, from_ms))
        self.since_ms = max(self.since_ms, now_ms)

    def _used(self, now_ms: int) -> int:
        return max(0, now_ms - self.since_ms)
