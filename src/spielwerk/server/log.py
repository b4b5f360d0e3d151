"""A table as its events tell it: pure, so that a restart reads the same table that clients saw.

`Log.apply` is the only way a table changes. The functions that propose events (`play_events` and its
neighbours) change nothing: what they return is stored first and applied afterwards.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spielwerk.games import CHANCE, Game, State, sides_of
from spielwerk.play import Action, Clock, GameInProgress, How, Outcome, TimeControl
from spielwerk.play.rounds import Rounds
from spielwerk.records import Record
from spielwerk.render.description import description_of
from spielwerk.render.scene import Label
from spielwerk.server.protocol import Refused

_REPOSITIONING = frozenset({"play", "dice", "takeback"})
# Events after which an answer to the position before is stale.
_MOVING = frozenset({"play", "dice", "takeback", "resign", "flag", "over"})


@dataclass(frozen=True)
class Event:
    """One stored fact."""

    seq: int
    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)
    at_ms: int = 0


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
    dice_key: str | None = None  # the secret behind the dice; without it they follow from the seed
    public: bool = False
    hotseat: bool = False
    uploaded: bool = False
    pace_ms: int = 0
    origin: tuple[str, int] | None = None
    owner_hash: str | None = None
    control: TimeControl | None = None
    rounds: Rounds | None = None  # of the match this game belongs to, before it

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
    offers: list[Offer] = field(default_factory=list)
    outcome: Outcome | None = None  # as the event `over` says it
    next: str | None = None
    stand_ins: dict[int, str] = field(default_factory=dict)  # why an agent did not play itself, by ply
    words: list[Label] = field(default_factory=list)  # what each action did, where the game says so
    stood_in: set[int] = field(default_factory=set)  # seats that an agent plays on
    progress: GameInProgress = field(init=False)
    clock: Clock | None = field(init=False)

    def __post_init__(self) -> None:
        """Sets the first position up."""
        setup = self.setup
        self.progress = GameInProgress(setup.game, start=setup.start, seed=setup.seed, chance="explicit")
        self._move_words = description_of(setup.game.name).move_words
        self.clock = Clock(setup.control, setup.game.num_players) if setup.control else None
        if self.clock is not None:
            self.clock.run_for(self._seat_on_the_clock(), setup.created_ms)

    # What can be asked

    @property
    def game(self) -> Game:
        return self.setup.game

    @property
    def state(self) -> State:
        """The position on the table, dice to be played as actions."""
        return self.progress.state

    @property
    def actions(self) -> Sequence[Action]:
        return self.progress.actions

    @property
    def texts(self) -> list[str]:
        """All actions so far, in notation."""
        return list(self.progress.record.actions)

    @property
    def result(self) -> dict[str, Any] | None:
        """The outcome as records and clients read it."""
        return None if self.outcome is None else self.outcome.to_json()

    @property
    def over(self) -> bool:
        """Whether nothing more can be played; uploaded games are there to be looked at."""
        return self.outcome is not None or self.setup.uploaded

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
    def rounds(self) -> Rounds | None:
        """The match this game belongs to, this round included once it is over."""
        rounds = self.setup.rounds
        return rounds if rounds is None or self.outcome is None else rounds.after_round(self.outcome)

    def position(self, ply: int) -> State:
        return self.progress.position(ply)

    def holders(self) -> set[int]:
        """Everyone who plays, each person once."""
        return {seat.holder for seat in self.seats if seat.kind == "human" and seat.holder is not None}

    def others(self, mine: Iterable[int]) -> set[int]:
        """The people besides the one who holds these seats."""
        return self.holders() - {self.seats[seat].holder for seat in mine}

    def record(self) -> Record:
        """The game as records write it, without the seed: that would tell the dice to come."""
        cancelled = self.outcome is not None and self.outcome.how is How.CANCELLED
        return replace(
            self.progress.record,
            seats=[seat.name or seat.level or "" for seat in self.seats],
            start=self.setup.start,
            actions=self.texts,
            seed=None,
            comments={ply: stand_in_comment(why) for ply, why in self.stand_ins.items()},
            result=None if cancelled else self.result,
        )

    # What changes it

    def apply(self, event: Event) -> None:
        if event.seq != self.seq + 1:
            raise ValueError(f"table {self.setup.id}: event {event.seq} cannot follow {self.seq}")
        getattr(self, f"_apply_{event.kind}")(event)
        self.seq = event.seq
        if event.kind in _REPOSITIONING:
            self.position_seq = event.seq
        if event.kind in _MOVING:
            self.moved_seq = event.seq
            self.offers = []
        if self.clock is not None:
            self._set_clock(self.clock, event)

    def _set_clock(self, clock: Clock, event: Event) -> None:
        if event.kind == "pause":
            return clock.pause(event.data["from"], event.at_ms)
        if event.kind == "play" and event.seat is not None and self.state.player != event.seat:
            clock.end_turn(event.seat, event.at_ms)
        clock.run_for(self._seat_on_the_clock(), event.at_ms)
        if event.kind == "takeback" and clock.running is not None:
            clock.renew(clock.running)
        if event.kind == "flag" and event.seat is not None:
            clock.stop_at_zero(event.seat)
        return None

    def _seat_on_the_clock(self) -> int | None:
        """Whose time runs: not that of a stand-in, who answers at once, nor where agents are left among themselves."""
        seat = self.player
        return seat if seat is not None and seat not in self.stood_in and self.holders() else None

    def _apply_pause(self, event: Event) -> None:
        """Nothing but the clock knows of it."""

    def _apply_play(self, event: Event) -> None:
        text, words = event.data["text"], self._move_words
        before = self.state.clone() if words else None
        self.progress.play(text)
        if words and before is not None:
            self.words.append(words(before, text, self.state))
        if "fallback" in event.data:
            self.stand_ins[len(self.actions)] = event.data["fallback"]

    _apply_dice = _apply_play

    def _apply_takeback(self, event: Event) -> None:
        self.progress.take_back(event.data["ply"])
        del self.words[event.data["ply"] :]
        self.stand_ins = {ply: why for ply, why in self.stand_ins.items() if ply <= event.data["ply"]}

    def _apply_resign(self, event: Event) -> None:
        if event.data.get("level") is not None and event.seat is not None:
            self.seats[event.seat] = Seat("agent", level=event.data["level"])
            self.stood_in.add(event.seat)

    _apply_flag = _apply_resign

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
        self.outcome = Outcome.from_json(event.data["result"])

    def _apply_rematch(self, event: Event) -> None:
        self.next = event.data["table"]
        self.offers = []


def stand_in_comment(why: str) -> str:
    """What a record says where an agent gave no answer and another move was played for it."""
    return f"played by a stand-in: {why}"


# What may happen next


@dataclass(frozen=True)
class Draft:
    """An event without its number."""

    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


def numbered(log: Log, drafts: Iterable[Draft], at_ms: int = 0) -> list[Event]:
    """The drafts as the table's next events, all of the same moment."""
    return [
        Event(seq, draft.kind, draft.seat, draft.data, at_ms) for seq, draft in enumerate(drafts, start=log.seq + 1)
    ]


def opening_drafts(setup: Setup) -> list[Draft]:
    """What happens before the first decision: the dice that open the game."""
    return consequences(setup, setup.first_position(), after=0)


def play_drafts(log: Log, text: str, fallback: str | None = None) -> list[Draft]:
    """An action or a whole turn by the seat to act, and what follows from it; IllegalAction tells why not."""
    state = log.state.clone()
    seat = state.player
    singles = state.split_turn(text)
    drafts = []
    for single in singles:
        state.play(single)
        drafts.append(Draft("play", seat, {"text": single} | ({"fallback": fallback} if fallback else {})))
    return drafts + consequences(log.setup, state, after=log.seq + len(drafts))


def resign_drafts(log: Log, seat: int, stand_in: str) -> list[Draft]:
    """Two sides: the other one wins. More: an agent plays the seat on, so that the others' game goes on."""
    if log.status == "waiting":
        return [_over(Outcome.nobody_won(log.game, How.CANCELLED), seat)]
    if len(sides_of(log.game)) > 2:
        return [Draft("resign", seat, {"level": stand_in})]
    return [Draft("resign", seat), _over(Outcome.lost_by(log.game, seat, How.RESIGNED), seat)]


def flag_drafts(log: Log, seat: int, stand_in: str) -> list[Draft]:
    """A seat's time is up: with two sides it has lost, with more an agent plays it on, as after resigning."""
    if len(sides_of(log.game)) > 2:
        return [Draft("flag", seat, {"level": stand_in})]
    return [Draft("flag", seat), _over(Outcome.lost_by(log.game, seat, How.TIMED_OUT), seat)]


def exchanged(seats: Sequence[Seat]) -> list[Seat]:
    """Everyone moves on by one seat; with two sides, teams included, that exchanges the sides."""
    return [*seats[-1:], *seats[:-1]]


def check_fresh(log: Log, seq: int) -> None:
    """Refuses an answer to a position that is no longer there."""
    if seq < log.moved_seq:
        raise Refused("stale", f"the table has moved on to {log.seq}; this answered {seq}")
    if seq > log.seq:
        raise Refused("malformed", f"there is no event {seq} yet; the last one is {log.seq}")


def consequences(setup: Setup, state: State, after: int) -> list[Draft]:
    """What happens by itself from a position on, which is played forward: dice, and the end of the game.

    `after` is the number of the last event before.
    """
    drafts: list[Draft] = []
    while state.player == CHANCE:
        text = _die(setup, after + len(drafts) + 1, state)
        state.play(text)
        drafts.append(Draft("dice", None, {"text": text}))
    if (outcome := Outcome.by_rules(state)) is not None:
        drafts.append(_over(outcome))
    return drafts


def _over(outcome: Outcome, seat: int | None = None) -> Draft:
    return Draft("over", seat, {"result": outcome.to_json()})


def _die(setup: Setup, event: int, state: State) -> str:
    """The outcome that falls as this event. Events are never numbered twice: taking back foretells no die.

    A keyed hash (HMAC): known dice, ids and moves tell nothing about those to come, and a crash between the draw and
    its storing cannot be used to roll again.
    """
    key = bytes.fromhex(setup.dice_key) if setup.dice_key else str(setup.seed).encode()
    digest = hmac.digest(key, f"die:{event}".encode(), "sha256")
    point = int.from_bytes(digest[:7], "big") / 2**56
    for action, probability in state.outcomes:
        point -= probability
        if point < 0:
            return state.text(action)
    return state.text(state.outcomes[-1][0])
