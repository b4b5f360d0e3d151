"""A table as its events tell it: pure, so that a restart reads the same table that clients saw.

`Log.apply` is the only way a table changes. The functions that propose events (`play_events` and its
neighbours) change nothing: what they return is stored first and applied afterwards.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from spielwerk.games import CHANCE, Game, State, make
from spielwerk.records import Record, result_of
from spielwerk.server.protocol import Refused

_REPOSITIONING = frozenset({"play", "dice", "takeback"})
# Events after which an answer to the position before is stale.
_MOVING = frozenset({"play", "dice", "takeback", "resign", "over"})


@dataclass(frozen=True)
class Event:
    """One stored fact."""

    seq: int
    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Seat:
    """Who plays a seat. `holder` tells people apart: seats of one person have the same."""

    kind: str
    name: str | None = None
    level: str | None = None
    holder: int | None = None
    token_hash: str | None = None
    invite_hash: str | None = None


@dataclass(frozen=True)
class Action:
    """One action as played; `seat` is None for dice."""

    text: str
    seat: int | None
    turn: int


@dataclass(frozen=True)
class Offer:
    """Something proposed to the others; it happens once all of `waiting` have agreed."""

    kind: str
    seat: int
    waiting: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What never changes about a table."""

    id: str
    created_ms: int
    game: Game
    start: str | None
    seed: int
    public: bool = False
    hotseat: bool = False
    uploaded: bool = False
    pace_ms: int = 0
    origin: tuple[str, int] | None = None
    owner_hash: str | None = None

    def first_position(self) -> State:
        """Before any action, dice to be played as actions."""
        if self.start is not None:
            return self.game.from_text(self.start, chance="explicit")
        return self.game.start(seed=self.seed, chance="explicit")


@dataclass
class Log:
    """A table after its events so far."""

    setup: Setup
    seats: list[Seat]
    seq: int = 0
    moved_seq: int = 0  # of the last event that makes answers to earlier ones stale
    position_seq: int = 0  # of the last event that changed the position
    actions: list[Action] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    result: dict[str, Any] | None = None
    next: str | None = None
    state: State = field(init=False)

    def __post_init__(self) -> None:
        """Sets the first position up."""
        self.state = self.setup.first_position()

    # What can be asked

    @property
    def game(self) -> Game:
        """The ruleset with its parameters."""
        return self.setup.game

    @property
    def over(self) -> bool:
        """Whether nothing more can be played; uploaded games are there to be looked at."""
        return self.result is not None or self.setup.uploaded

    @property
    def status(self) -> str:
        """waiting, running or over."""
        if self.over:
            return "over"
        return "waiting" if any(seat.kind == "open" for seat in self.seats) else "running"

    @property
    def player(self) -> int | None:
        """The seat the table waits for."""
        seat = self.state.player
        return seat if self.status == "running" and seat is not None and seat != CHANCE else None

    @property
    def texts(self) -> list[str]:
        """All actions so far."""
        return [action.text for action in self.actions]

    def position(self, ply: int) -> State:
        """The position after so many actions."""
        state = self.setup.first_position()
        for action in self.actions[:ply]:
            state.play(action.text)
        return state

    def holders(self) -> set[int]:
        """Everyone who plays, each person once."""
        return {seat.holder for seat in self.seats if seat.kind == "human" and seat.holder is not None}

    def others(self, mine: Iterable[int]) -> set[int]:
        """The people besides the one who holds these seats."""
        return self.holders() - {self.seats[seat].holder for seat in mine}

    def record(self) -> Record:
        """The game as records write it."""
        result = self.result if self.result and self.result["reason"] != "cancelled" else None
        return Record(
            game=self.game.name,
            rules=self.game.rules,
            rules_version=self.game.rules_version,
            seats=[seat.name or seat.level or "" for seat in self.seats],
            start=self.setup.start,
            actions=self.texts,
            result=result,
        )

    # What changes it

    def apply(self, event: Event) -> None:
        """Takes up the next event."""
        if event.seq != self.seq + 1:
            raise ValueError(f"table {self.setup.id}: event {event.seq} cannot follow {self.seq}")
        getattr(self, f"_apply_{event.kind}")(event)
        self.seq = event.seq
        if event.kind in _REPOSITIONING:
            self.position_seq = event.seq
        if event.kind in _MOVING:
            self.moved_seq = event.seq
            self.offers = []

    def _apply_play(self, event: Event) -> None:
        text = event.data["text"]
        self.state.play(text)
        self.actions.append(Action(text, event.seat, next_turn(self.actions, event.seat)))

    _apply_dice = _apply_play

    def _apply_takeback(self, event: Event) -> None:
        ply = event.data["ply"]
        self.state = self.position(ply)
        del self.actions[ply:]

    def _apply_resign(self, event: Event) -> None:
        if event.data.get("level") is not None and event.seat is not None:
            self.seats[event.seat] = Seat("agent", level=event.data["level"])

    def _apply_join(self, event: Event) -> None:
        if event.seat is not None:
            self.seats[event.seat] = replace(
                self.seats[event.seat],
                kind="human",
                name=event.data["name"],
                holder=event.data["holder"],
                token_hash=event.data["token_hash"],
                invite_hash=None,
            )

    def _apply_offer(self, event: Event) -> None:
        kept = [offer for offer in self.offers if offer.kind != event.data["offer"]]
        waiting = tuple(event.data.get("waiting", ()))
        if waiting and event.seat is not None:
            kept.append(Offer(event.data["offer"], event.seat, waiting))
        self.offers = kept

    def _apply_over(self, event: Event) -> None:
        self.result = event.data["result"]

    def _apply_rematch(self, event: Event) -> None:
        self.next = event.data["table"]
        self.offers = []


def next_turn(actions: Sequence[Action], seat: int | None) -> int:
    """The turn an action belongs to; dice open one, and whoever plays on without dice is still in the same."""
    if not actions:
        return 1
    last = actions[-1]
    goes_on = seat is not None and last.seat in (None, seat)
    return last.turn if goes_on else last.turn + 1


# What may happen next


@dataclass(frozen=True)
class Draft:
    """An event without its number."""

    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


def numbered(log: Log, drafts: Iterable[Draft]) -> list[Event]:
    """The drafts as the table's next events."""
    return [Event(seq, draft.kind, draft.seat, draft.data) for seq, draft in enumerate(drafts, start=log.seq + 1)]


def opening_drafts(setup: Setup) -> list[Draft]:
    """What happens before the first decision: the dice that open the game."""
    return consequences(setup, setup.first_position(), 0)


def play_drafts(log: Log, text: str, fallback: str | None = None) -> list[Draft]:
    """An action or a whole turn by the seat to act, and what follows from it; IllegalAction tells why not."""
    state = log.state.clone()
    seat = state.player
    singles = state.split_turn(text)
    drafts = []
    for single in singles:
        state.play(single)
        drafts.append(Draft("play", seat, {"text": single} | ({"fallback": fallback} if fallback else {})))
    return drafts + consequences(log.setup, state, len(log.actions) + len(drafts))


def takeback_ply(log: Log, mine: Iterable[int]) -> int | None:
    """Where taking back leads: before the last step of a half-made turn, else to the start of my last turn."""
    seats, actions = set(mine), log.actions
    last = next((index for index in reversed(range(len(actions))) if actions[index].seat in seats), None)
    if last is None or is_half_made(log, last):
        return last
    first = last
    while first > 0 and actions[first - 1].turn == actions[last].turn and actions[first - 1].seat in seats:
        first -= 1
    return first


def is_half_made(log: Log, index: int) -> bool:
    """Whether the action is the latest and its turn not yet complete: nobody can have answered it."""
    return index == len(log.actions) - 1 and log.state.player == log.actions[index].seat


def resign_drafts(log: Log, seat: int, stand_in: str) -> list[Draft]:
    """Two sides: the other one wins. More: an agent plays the seat on, so that the others' game goes on."""
    if log.status == "waiting":
        return [Draft("over", seat, {"result": _no_result(log.game, "cancelled")})]
    sides = sides_of(log.game)
    if len(sides) > 2:
        return [Draft("resign", seat, {"level": stand_in})]
    losers = next(side for side in sides if seat in side)
    result = _no_result(log.game, "resigned") | {
        "winner": [other for other in range(log.game.num_players) if other not in losers],
        "returns": [-1.0 if other in losers else 1.0 for other in range(log.game.num_players)],
    }
    return [Draft("resign", seat), Draft("over", seat, {"result": result})]


def exchanged(seats: Sequence[Seat]) -> list[Seat]:
    """Everyone moves on by one seat; with two sides, teams included, that exchanges the sides."""
    return [*seats[-1:], *seats[:-1]]


def check_fresh(log: Log, seq: int) -> None:
    """Refuses an answer to a position that is no longer there."""
    if seq < log.moved_seq:
        raise Refused("stale", f"the table has moved on to {log.seq}; this answered {seq}")
    if seq > log.seq:
        raise Refused("malformed", f"there is no event {seq} yet; the last one is {log.seq}")


@lru_cache(maxsize=256)
def _sides(name: str, rules: tuple[tuple[str, Any], ...]) -> tuple[tuple[int, ...], ...]:
    game = make(name, **dict(rules))
    for seed in range(8):
        state, dice = game.start(seed=seed), random.Random(seed)
        while not state.over:
            state.play(dice.choice(state.legal_actions))
        if len(state.winner) > 1:
            rest = tuple(seat for seat in range(game.num_players) if seat not in state.winner)
            return tuple(sorted((tuple(sorted(state.winner)), rest)))
    return tuple((seat,) for seat in range(game.num_players))


def sides_of(game: Game) -> tuple[tuple[int, ...], ...]:
    """Seats that win together. The rules know it: whoever wins together in a game played out is a team."""
    if game.num_players < 4:
        return tuple((seat,) for seat in range(game.num_players))
    return _sides(game.name, tuple(sorted(game.rules.items())))


def consequences(setup: Setup, state: State, ply: int) -> list[Draft]:
    """What happens by itself from a position on, which is played forward: dice, and the end of the game."""
    drafts: list[Draft] = []
    while state.player == CHANCE:
        text = _die(setup.seed, ply + len(drafts), state)
        state.play(text)
        drafts.append(Draft("dice", None, {"text": text}))
    if state.over:
        drafts.append(Draft("over", None, {"result": result_of(state)}))
    return drafts


def _die(seed: int, ply: int, state: State) -> str:
    """The outcome that falls at this ply: the same again after a take-back, so that nobody fishes for sixes."""
    digest = hashlib.sha256(f"{seed}:{ply}".encode()).digest()
    point = int.from_bytes(digest[:7], "big") / 2**56
    for action, probability in state.outcomes:
        point -= probability
        if point < 0:
            return state.text(action)
    return state.text(state.outcomes[-1][0])


def _no_result(game: Game, reason: str) -> dict[str, Any]:
    return {
        "winner": [],
        "returns": [0.0] * game.num_players,
        "points": [0] * game.num_players,
        "reason": reason,
        "truncated": False,
    }
