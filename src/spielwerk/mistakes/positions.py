"""Positions with the proved value of every action, and the files that hold them.

A file is JSON Lines. The first line is a card: the rules, and how the positions were found. Every other line is one
position: its text, the seat to act, the value of each action for that seat (1 won, 0 drawn, -1 lost), the kind of
game it comes from, and that game's number.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from spielwerk.border import lines_in, quoted
from spielwerk.games import Game, make

FORMAT_VERSION = 1
SHIPPED = Path(__file__).with_name("sets")
SUFFIX = ".jsonl"
MOST_BYTES = 64_000_000


@dataclass(frozen=True)
class ProvedPosition:
    """A position of a game of two seats, with the value of every action for the seat to act."""

    position: str
    player: int
    actions: dict[str, int]
    source: str
    number: int

    @property
    def value(self) -> int:
        """With best play, for the seat to act."""
        return max(self.actions.values())

    @property
    def won(self) -> bool:
        return self.value == 1

    @property
    def critical(self) -> bool:
        """Some actions keep the result, others do not."""
        return min(self.actions.values()) < self.value


@dataclass(frozen=True)
class SetCard:
    """What every set of proved positions says of itself: the rules, and the settings it was made with."""

    what: ClassVar[str]
    game: str
    rules: dict[str, Any]
    rules_version: int
    seed: int
    nodes: int
    """The solver's limit for a single question; what it could not answer is not in the set."""

    @cached_property
    def made(self) -> Game:
        """The game of this set."""
        game = make(self.game, **self.rules)
        if game.rules_version != self.rules_version:
            raise ValueError(
                f"the {self.what} are of version {self.rules_version} of the rules of {self.game}; "
                f"this release plays version {game.rules_version}"
            )
        return game


@dataclass(frozen=True)
class Card(SetCard):
    what = "positions"
    players: dict[str, str]
    """The kinds of games, each with the spec of who played them."""

    def to_json(self) -> dict[str, Any]:
        """The first line of a file."""
        return {"spielwerk_positions": FORMAT_VERSION} | asdict(self)


@dataclass
class PositionSet:
    """A card and its positions, each of them once."""

    card: Card
    positions: list[ProvedPosition] = field(default_factory=list)

    @classmethod
    def read(cls, path: str | Path) -> "PositionSet":
        """The set in a file; ValueError naming the line that is wrong."""
        path = Path(path)
        lines = lines_in(path, MOST_BYTES)
        if not lines:
            raise ValueError(f"{path} is empty: its first line should be a card")
        card = _card(_object(lines[0], path, 1), path)
        return cls(card, [_position(_object(line, path, n), card.made, path, n) for n, line in enumerate(lines[1:], 2)])

    def lines(self) -> Iterator[str]:
        """The file, line by line."""
        yield line_of(self.card.to_json())
        for position in self.positions:
            yield line_of(asdict(position))


def line_of(data: dict[str, Any]) -> str:
    """One line of a file."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def shipped_set(game: Game) -> PositionSet | None:
    """The positions that come with this release for exactly these rules, if there are any."""
    for path in sorted(SHIPPED.glob(f"*{SUFFIX}")):
        with path.open(encoding="utf-8") as file:
            card = _card(_object(file.readline(), path, 1), path)
        if card.game == game.name and card.made == game:
            return PositionSet.read(path)
    return None


def _object(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(f"{path}, line {number}: this is no JSON") from None
    if not isinstance(data, dict):
        raise ValueError(f"{path}, line {number}: this is no JSON object")
    return data


def _card(data: dict[str, Any], path: Path) -> Card:
    version = data.get("spielwerk_positions")
    if version != FORMAT_VERSION:
        raise ValueError(f'{path} is no set of positions: its first line lacks "spielwerk_positions": {FORMAT_VERSION}')
    try:
        card = Card(**{one.name: data[one.name] for one in fields(Card)})
        _ = card.made
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}, line 1: the card is not valid: {quoted(str(error), 200)}") from None
    return card


def _position(data: dict[str, Any], game: Game, path: Path, number: int) -> ProvedPosition:
    """The position of a line, checked: its text is one of the game, its actions are all legal ones."""
    try:
        found = ProvedPosition(**{name: data[name] for name in ProvedPosition.__dataclass_fields__})
        state = game.from_text(found.position)
        legal = {state.text(action) for action in state.legal_actions}
        if state.player != found.player or legal != set(found.actions):
            raise ValueError("its player or its actions are not those of the position")
        if not all(value in (-1, 0, 1) for value in found.actions.values()):
            raise ValueError("the value of an action is -1, 0 or 1")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path}, line {number}: the position is not valid: {quoted(str(error), 200)}") from None
    return found
