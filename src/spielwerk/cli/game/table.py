"""The table a game is played at: seats, moves, taking back, giving up. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from spielwerk.agents import Agent, agent
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, State
from spielwerk.records import Record, Recorder, result_of


@dataclass(frozen=True)
class Setting:
    """What a game is played with: the rules, who sits where, and where it begins."""

    game: Game
    agents: tuple[Agent, ...]
    seed: int | None = None
    position: str | None = None

    def is_human(self, seat: int | None) -> bool:
        """Whether a person plays this seat."""
        return seat is not None and seat >= 0 and self.agents[seat].kind == "human"

    @property
    def has_humans(self) -> bool:
        """Whether any person plays."""
        return any(map(self.is_human, range(len(self.agents))))


class Turn(NamedTuple):
    """What one seat played in a row, dice included."""

    seat: int
    actions: list[str]


class _Before(NamedTuple):
    """The table before a move."""

    seat: int
    state: State
    actions: int


@dataclass
class Table:
    """One game in progress."""

    setting: Setting
    resigned: int | None = None
    _recorder: Recorder = field(init=False)
    _moves: list[_Before] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Sets the game up."""
        self._recorder = Recorder(
            self.setting.game,
            start=self.setting.position,
            seed=self.setting.seed,
            seats=[player.spec for player in self.setting.agents],
        )

    @property
    def state(self) -> State:
        """The position on the table."""
        return self._recorder.state

    @property
    def record(self) -> Record:
        """The game so far."""
        return self._recorder.record

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or by giving up."""
        return self.state.over or self.resigned is not None

    @property
    def human_to_act(self) -> bool:
        """Whether a person's answer is what the game waits for."""
        return not self.over and self.setting.is_human(self.state.player)

    def play(self, action: int | str) -> None:
        """Plays an action or a whole turn, blanks in it allowed; IllegalAction changes nothing."""
        if isinstance(action, str):
            _require_ascii(action)
            action = _without_blanks_if_needed(self.state, action)
        before = _Before(_acting_seat(self.state), self.state.clone(), len(self.record.actions))
        self._recorder.play(action)
        self._moves.append(before)

    def agent_plays(self) -> None:
        """The agent to act plays one action."""
        self.play(self.setting.agents[_acting_seat(self.state)].act(self.state.clone()))

    def turns(self) -> list[Turn]:
        """All turns so far."""
        ends = [*(move.actions for move in self._moves), len(self.record.actions)]
        turns: list[Turn] = []
        for move, (start, end) in zip(self._moves, pairwise(ends), strict=True):
            actions = self.record.actions[start:end]
            if turns and turns[-1].seat == move.seat:
                turns[-1].actions.extend(actions)
            else:
                turns.append(Turn(move.seat, actions))
        return turns

    def undo(self) -> bool:
        """Back to where the last human turn began, or before a resignation; False when there is none."""
        if self.resigned is not None:
            self.resigned = None
            self.record.result = result_of(self.state)
            return True
        for index in reversed(range(len(self._moves))):
            seat = self._moves[index].seat
            if self.setting.is_human(seat) and (index == 0 or self._moves[index - 1].seat != seat):
                self._go_back_to(index)
                return True
        return False

    def resign(self) -> None:
        """The human to act, or else the first human, gives up."""
        seats = range(self.setting.game.num_players)
        loser = self.state.player if self.human_to_act else next(filter(self.setting.is_human, seats))
        others = [seat for seat in seats if seat != loser]
        self.resigned = loser
        self.record.result = {
            "winner": others,
            "returns": [-1.0 if seat == loser else 1.0 / len(others) for seat in seats],
            "points": [0 for _ in seats],
            "reason": "resigned",
            "truncated": False,
        }

    def hint(self) -> tuple[list[str], float]:
        """The turn that greedy would play now, and how it values the position after it."""
        greedy, state, seat = agent("greedy:seed=0"), self.state.clone(), _acting_seat(self.state)
        actions = []
        dice_fell = False
        while state.player == seat and not dice_fell:
            action = greedy.act(state)
            actions.append(state.text(action))
            state.play(action)
            dice_fell = bool(state.fallen)
        return actions, state.evaluate(seat)

    def _go_back_to(self, index: int) -> None:
        move = self._moves[index]
        self._recorder.state = move.state
        self.record.actions = self.record.actions[: move.actions]
        self.record.result = result_of(move.state)
        del self._moves[index:]


def seated(specs: Sequence[str], seed: int | None) -> tuple[Agent, ...]:
    """The agents of these specs, one per seat; with a seed, those that draw lots repeat themselves."""
    return tuple(_seeded(agent(spec), seed, seat) for seat, spec in enumerate(specs))


def _seeded(player: Agent, seed: int | None, seat: int) -> Agent:
    if seed is None or getattr(player, "seed", seed) is not None:
        return player
    joint = "," if ":" in player.spec else ":"
    return agent(f"{player.spec}{joint}seed={seed + seat}")


def _acting_seat(state: State) -> int:
    seat = state.player
    if seat is None or seat < 0:
        raise IllegalAction("the game is over", "over")
    return seat


def _require_ascii(text: str) -> None:
    if not text.isascii():
        raise IllegalAction(f"'{text[:40]}' is no action: all are written in ASCII", "notation")


def _without_blanks_if_needed(state: State, text: str) -> str:
    """'b6 @d4' is read as 'b6@d4' unless the notation itself has the blank."""
    try:
        state.clone().play(text)
    except IllegalAction as illegal:
        return "".join(text.split()) if illegal.code == "notation" else text
    return text
