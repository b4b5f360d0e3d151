"""One game in progress: its actions with who played them, taking back, and endings at the table.

Nothing here knows screens, agents or networks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from spielwerk.errors import IllegalAction
from spielwerk.games import CHANCE, Game, State
from spielwerk.outcome import How, Outcome
from spielwerk.records import Recorder


class Action(NamedTuple):
    """One action as played; `seat` is None for dice."""

    text: str
    seat: int | None
    turn: int


class Turn(NamedTuple):
    """What one seat played in one turn, after the die that opened it."""

    seat: int
    actions: list[str]


class GameInProgress(Recorder):
    """A game from its start, or from the text of a position, with its record.

    With chance='explicit' the caller plays the dice.
    """

    def __init__(
        self,
        game: Game,
        *,
        start: str | None = None,
        seed: int | None = None,
        seats: Iterable[str] = (),
        chance: str = "auto",
    ) -> None:
        super().__init__(game, start=start, seed=seed, seats=seats, chance=chance)
        self.game = game
        self.actions: list[Action] = []
        self.loser: int | None = None  # the seat that ended the game at the table
        self._chance = chance
        self._ended: Outcome | None = None
        self._note(None, self.state.fallen)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by its rules or at the table; None while it runs."""
        return self._ended or Outcome.by_rules(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or at the table."""
        return self._ended is not None or self.state.over

    @property
    def decisions(self) -> int:
        """How many actions so far were no dice."""
        return sum(action.seat is not None for action in self.actions)

    def position(self, ply: int) -> State:
        """The position after so many actions, dice to be played as actions."""
        state = self._first_position()
        for action in self.actions[:ply]:
            state.play(action.text)
        return state

    def turns(self) -> list[Turn]:
        """All turns in which somebody has acted."""
        turns: list[Turn] = []
        for _, group in groupby(self.actions, key=lambda action: action.turn):
            actions = list(group)
            if (seat := actions[-1].seat) is not None:
                turns.append(Turn(seat, [action.text for action in actions]))
        return turns

    # What changes it

    def play(self, action: int | str) -> None:
        """Plays an action or a whole turn; IllegalAction changes nothing."""
        self._require_running()
        seat = self.state.player
        singles, fallen = self._play_and_record(action)
        self._note(None if seat == CHANCE else seat, singles)
        if fallen:
            self._note(None, fallen)

    def takeback_ply(self, seats: Collection[int]) -> int | None:
        """Where taking back leads: before the last step of a half-made turn, else to the start of their last turn."""
        actions = self.actions
        last = next((index for index in reversed(range(len(actions))) if actions[index].seat in seats), None)
        if last is None or self.is_half_made(last):
            return last
        first = last
        while first > 0 and actions[first - 1].turn == actions[last].turn and actions[first - 1].seat in seats:
            first -= 1
        return first

    def is_half_made(self, index: int) -> bool:
        """Whether the action is the latest and its turn not yet complete: nobody can have answered it."""
        return index == len(self.actions) - 1 and self.state.player == self.actions[index].seat

    def take_back(self, ply: int) -> None:
        """Back to the position after `ply` actions.

        Dice that fall by themselves go on from where they are: who takes back does not learn the next one.
        """
        position = self.position(ply)
        if self._chance == "auto":
            position = self.game.from_text(position.to_text(), seed=self.state.stream)
        self.state = position
        self.record.actions[ply:] = position.fallen
        del self.actions[ply:]
        self._note(None, position.fallen)
        self.resume()

    def lose(self, seat: int, how: How) -> None:
        """A player resigns, forfeits or runs out of time: the game ends, lost for the whole side."""
        self._require_running()
        self.loser = seat
        self._end(Outcome.lost_by(self.game, seat, how))

    def resume(self) -> None:
        """Takes an ending at the table back."""
        self.loser = None
        self._end(None)

    def _require_running(self) -> None:
        if self.over:
            raise IllegalAction("the game is over", "over")

    def _end(self, outcome: Outcome | None) -> None:
        self._ended = outcome
        self.record.result = None if self.outcome is None else self.outcome.to_json()

    def _note(self, seat: int | None, texts: list[str]) -> None:
        for text in texts:
            self.actions.append(Action(text, seat, next_turn(self.actions, seat)))

    def _first_position(self) -> State:
        """Before any action."""
        record = self.record
        if record.start is not None:
            return self.game.from_text(record.start, chance="explicit")
        return self.game.start(seed=record.seed, chance="explicit")


def next_turn(actions: Sequence[Action], seat: int | None) -> int:
    """The turn an action belongs to; dice open one, and whoever plays on without dice is still in the same."""
    if not actions:
        return 1
    last = actions[-1]
    goes_on = seat is not None and last.seat in (None, seat)
    return last.turn if goes_on else last.turn + 1
