"""Games written down: a readable, versioned record, one JSON object a line for many games.

A record holds the ruleset with its parameters, the seats, every action in notation (dice included) and the
result. Reading one replays it: a record that does not follow the rules is refused at the offending ply.
"""

import json
import secrets
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from spielwerk.border import plain_line, quoted
from spielwerk.durable import append_durably, write_durably
from spielwerk.games import Game, State, make
from spielwerk.outcome import TABLE_ENDINGS, Outcome

FORMAT_VERSION = 1
MAX_RECORD_BYTES = 16_000_000
MAX_TEXT = 100_000  # characters of a position, which are the longest
MAX_DEPTH = 40  # of variations within variations


class RecordError(ValueError):
    """A record that cannot be read or does not follow the rules; `ply` tells where, counted from 1."""

    def __init__(self, message: str, ply: int | None = None) -> None:
        super().__init__(message if ply is None else f"ply {ply}: {message}")
        self.ply = ply


@dataclass
class Variation:
    """Another way to go on: its first action is played instead of the ply at which it stands.

    All plies are counted from the start of the game.
    """

    actions: list[str]
    comments: dict[int, str] = field(default_factory=dict)
    variations: dict[int, list["Variation"]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """A plain dict, without what is empty."""
        optional = {"comments": _by_text(self.comments), "variations": _variations_json(self.variations)}
        return {"actions": self.actions} | {name: value for name, value in optional.items() if value}


@dataclass
class Record:
    """One game. `start` is the text of the first position where that is not the ruleset's only one."""

    game: str
    rules: dict[str, Any]
    actions: list[str]
    rules_version: int = 1
    seats: list[str] = field(default_factory=list)
    start: str | None = None
    result: dict[str, Any] | None = None
    seed: int | None = None
    comments: dict[int, str] = field(default_factory=dict)
    evaluations: dict[int, float] = field(default_factory=dict)
    variations: dict[int, list[Variation]] = field(default_factory=dict)

    def replay(self) -> State:
        """The last position; RecordError where an action breaks the rules."""
        *_, last = self.positions()
        return last

    def positions(self) -> Iterator[State]:
        """The first position and the one after each action, each a copy of its own.

        A game of earlier rules is one of today's where today's rules lead it to the very same end.
        """
        game = self._made_game()
        if self._is_older(game):
            self._require_same_end(game)
        yield from self._positions(game)

    def check(self) -> None:
        """RecordError where an action breaks the rules, in the game or in a variation of it."""
        _follow_variations(self.variations, self.positions(), 1)

    def _require_same_end(self, game: Game) -> None:
        try:
            deque(self._positions(game), maxlen=0)
        except RecordError as error:
            raise RecordError(f"{self._other_version(game)}, where {error}") from None

    def _positions(self, game: Game) -> Iterator[State]:
        self._check_seats(game)
        state = self._first_position(game)
        yield from _positions_along(state, self.actions, 1)
        self._check_result(state)

    def to_json(self) -> dict[str, Any]:
        """A plain dict, without what is empty."""
        optional = {
            "seats": self.seats,
            "start": self.start,
            "seed": self.seed,
            "comments": _by_text(self.comments),
            "evaluations": _by_text(self.evaluations),
            "variations": _variations_json(self.variations),
        }
        return {
            "spielwerk": FORMAT_VERSION,
            "game": self.game,
            "rules": self.rules,
            "rules_version": self.rules_version,
            **{name: value for name, value in optional.items() if value not in (None, [], {})},
            "actions": self.actions,
            "result": self.result,
        }

    @classmethod
    def from_json(cls, data: Any) -> "Record":
        """The record in a plain dict; RecordError naming what is wrong with it."""
        try:
            _check_texts(data, "the record")
        except RecursionError:
            raise RecordError("the record is nested too deeply") from None
        if not isinstance(data, dict) or "spielwerk" not in data:
            raise RecordError("this is no game record: the field 'spielwerk' is missing")
        if data["spielwerk"] != FORMAT_VERSION:
            raise RecordError(
                f"record format {data['spielwerk']!r:.20} is unknown; this release reads {FORMAT_VERSION}"
            )
        return cls(
            game=_field(data, "game", str),
            rules=_field(data, "rules", dict, {}),
            rules_version=_field(data, "rules_version", int, 1),
            seats=_texts(_field(data, "seats", list, []), "seats"),
            start=_field(data, "start", str, None),
            actions=_texts(_field(data, "actions", list), "actions"),
            result=_field(data, "result", dict, None),
            seed=_field(data, "seed", int, None),
            comments=_by_ply(data, "comments", str),
            evaluations=_by_ply(data, "evaluations", (int, float)),
            variations=_variations(data, MAX_DEPTH),
        )

    def _made_game(self) -> Game:
        try:
            game = make(self.game, **self.rules)
        except (ValueError, TypeError) as error:
            raise RecordError(str(error)) from None
        if self.rules_version > game.rules_version or (self._is_older(game) and not self._ended_by_rules()):
            raise RecordError(self._other_version(game))
        return game

    def _is_older(self, game: Game) -> bool:
        return self.rules_version < game.rules_version

    def _ended_by_rules(self) -> bool:
        return self.result is not None and self.result.get("reason") not in TABLE_ENDINGS

    def _other_version(self, game: Game) -> str:
        return (
            f"the record follows version {self.rules_version} of the rules of {self.game};"
            f" this release plays version {game.rules_version}"
        )

    def _first_position(self, game: Game) -> State:
        try:
            if self.start is not None:
                return game.from_text(self.start, chance="explicit")
            starts = _possible_starts(game)
        except ValueError as error:
            raise RecordError(str(error)) from None
        if len(starts) > 1:
            raise RecordError(f"{self.game} has several first positions: the record must name its 'start'")
        return starts[0]

    def _check_seats(self, game: Game) -> None:
        if len(self.seats) not in (0, game.num_players):
            raise RecordError(f"the field 'seats' must name {game.num_players} seats or none, not {len(self.seats)}")

    def _check_result(self, state: State) -> None:
        if self.result is None:
            return
        if self.result.get("reason") in TABLE_ENDINGS and not state.over:
            try:
                Outcome.from_json(self.result).check_table_ending(state.game)
            except ValueError as error:
                raise RecordError(str(error), len(self.actions)) from None
        elif self.result != (reached := result_of(state)):
            said = quoted(str(self.result), 300)
            raise RecordError(f"the record's result is {said}, the game's is {reached}", len(self.actions))


class Recorder:
    """Plays a game from its start, or from the text of a position, and keeps the record, dice included.

    With chance='explicit' the caller plays the dice, too.
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
        self.seed = secrets.randbits(63) if seed is None else seed
        if start is None:
            before_dice = game.start(seed=self.seed, chance="explicit")
            self.state = game.start(seed=self.seed, chance=chance)
        else:
            before_dice = game.from_text(start, chance="explicit")
            self.state = game.from_text(start, seed=self.seed, chance=chance)
        names = list(seats)
        if len(names) not in (0, game.num_players):
            raise ValueError(f"{game.name} has {game.num_players} seats, not {len(names)}")
        usual = start is None and has_one_start(game)
        self.record = Record(
            game=game.name,
            rules=game.rules,
            rules_version=game.rules_version,
            actions=list(self.state.fallen),
            seats=names,
            start=None if usual else before_dice.to_text(),
            seed=self.seed,
            result=result_of(self.state),
        )

    def play(self, action: int | str) -> None:
        """Plays an action or a whole turn; IllegalAction leaves state and record as they were."""
        self._play_and_record(action)

    def _play_and_record(self, action: int | str) -> tuple[list[str], list[str]]:
        """The single actions that were played, and the dice that fell by themselves after them."""
        state = self.state
        singles = state.split_turn(action) if isinstance(action, str) else [state.text(action)]
        state.play(action)
        fallen = state.fallen
        self.record.actions += singles + fallen
        if state.over:
            self.record.result = result_of(state)
        return singles, fallen


def result_of(state: State) -> dict[str, Any] | None:
    """The result as records write it; None while the game runs."""
    outcome = Outcome.by_rules(state)
    return None if outcome is None else outcome.to_json()


def replay(game: Game, actions: Iterable[int | str] | Record) -> State:
    """The position after these actions from the start of `game`, dice included, or the end of a record."""
    if isinstance(actions, Record):
        if actions._made_game() != game:
            raise RecordError(f"the record is of {actions._made_game()!r}, not of {game!r}")
        return actions.replay()
    sequence = list(actions)
    starts = _possible_starts(game)
    for start in starts[:-1]:
        try:
            return _played_through(start.clone(), sequence)
        except RecordError:
            continue
    return _played_through(starts[-1], sequence)


def read_records(path: str | Path) -> Iterator[Record]:
    """The records of a file, one JSON object a line; RecordError names the line that is none."""
    with Path(path).open("rb") as file:
        number = 0
        while line := file.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if len(line) > MAX_RECORD_BYTES:
                raise RecordError(f"line {number} is longer than {MAX_RECORD_BYTES} bytes")
            if line.strip():
                yield _read_line(line, number)


def write_records(path: str | Path, records: Iterable[Record]) -> None:
    """Replaces a file by these records, durably."""
    write_durably(path, b"".join(_line(record) for record in records))


def append_record(path: str | Path, record: Record) -> None:
    """Adds a record to a file, durably."""
    append_durably(path, _line(record))


def _line(record: Record) -> bytes:
    return json.dumps(record.to_json(), ensure_ascii=False).encode() + b"\n"


def _read_line(line: bytes, number: int) -> Record:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(f"line {number} is not JSON") from None
    try:
        return Record.from_json(data)
    except RecordError as error:
        raise RecordError(f"line {number}: {error}") from None


def _played_through(state: State, actions: list[int | str]) -> State:
    deque(_positions_along(state, actions, 1), maxlen=0)
    return state


def _positions_along(state: State, actions: Iterable[int | str], ply: int) -> Iterator[State]:
    """Plays the actions, the first of which has this number: copies of the position before it and after each."""
    yield state.clone()
    for number, action in enumerate(actions, start=ply):
        try:
            state.play(action)
        except ValueError as error:
            raise RecordError(f"'{quoted(str(action), 40)}' cannot be played: {error}", number) from None
        yield state.clone()


def _follow_variations(variations: dict[int, list[Variation]], positions: Iterable[State], ply: int) -> None:
    """Plays each variation from the position it stands at; the first of `positions` is the one before this ply."""
    last = ply
    for last, state in enumerate(positions, start=ply):
        for variation in variations.get(last, ()):
            along = _positions_along(state.clone(), variation.actions, last)
            _follow_variations(variation.variations, along, last)
    if outside := [number for number in variations if not ply <= number <= last]:
        raise RecordError("a variation stands where no action is", outside[0])


def _by_text(entries: dict[int, Any]) -> dict[str, Any]:
    return {str(ply): value for ply, value in entries.items()}


def _variations_json(variations: dict[int, list[Variation]]) -> dict[str, Any]:
    return _by_text({ply: [one.to_json() for one in several] for ply, several in variations.items()})


def _variations(data: dict[str, Any], depth: int) -> dict[int, list[Variation]]:
    found = _by_ply(data, "variations", list)
    if found and depth == 0:
        raise RecordError(f"variations lie in each other {MAX_DEPTH} deep at most")
    return {ply: [_variation(one, depth - 1) for one in several] for ply, several in found.items()}


def _variation(data: Any, depth: int) -> Variation:
    if not isinstance(data, dict) or not data.get("actions"):
        raise RecordError("a variation is an object with one action or more")
    actions = _texts(_field(data, "actions", list), "actions")
    return Variation(actions, _by_ply(data, "comments", str), _variations(data, depth))


@lru_cache(maxsize=256)
def has_one_start(game: Game) -> bool:
    """Whether the first position need not be named: nothing about it is drawn by lot."""
    return len(_possible_starts(game)) == 1


def _possible_starts(game: Game) -> list[State]:
    """The first positions of a game before any die: one, or one per starter where that is drawn by lot."""
    starts: list[State] = []
    for seed in range(16):
        start = game.start(seed=seed, chance="explicit")
        if start not in starts:
            starts.append(start)
    return starts


def _field(data: dict[str, Any], name: str, kind: type | tuple[type, ...], *default: Any) -> Any:
    value = data.get(name)
    if value is None and default:
        return default[0]
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}[kind]  # type: ignore[index]
        raise RecordError(f"the field '{name}' must be {wanted}")
    return value


def _check_texts(value: Any, what: str) -> None:
    """Every text of a record, wherever it stands, is one line that a terminal or a page may show."""
    if isinstance(value, str):
        try:
            plain_line(value, what, MAX_TEXT)
        except ValueError as error:
            raise RecordError(str(error)) from None
    elif isinstance(value, list):
        for entry in value:
            _check_texts(entry, what)
    elif isinstance(value, dict):
        for name, entry in value.items():
            _check_texts(name, f"a name in {what}")
            _check_texts(entry, f"the field '{quoted(name, 40)}'")


def _texts(values: list[Any], name: str) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise RecordError(f"the field '{name}' must be a list of texts")
    return values


def _by_ply(data: dict[str, Any], name: str, kind: type | tuple[type, ...]) -> dict[int, Any]:
    entries = _field(data, name, dict, {})
    if not all(isinstance(ply, str) and ply.isdecimal() and isinstance(value, kind) for ply, value in entries.items()):
        raise RecordError(f"the field '{name}' must map ply numbers to values")
    return {int(ply): value for ply, value in entries.items()}
