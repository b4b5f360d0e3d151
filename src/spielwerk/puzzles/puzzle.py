"""What a puzzle is, and the files that hold them.

A file is JSON Lines. The first line is a card: the rules, and how the puzzles were found. Every other line is a puzzle.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from spielwerk.border import lines_in, quoted
from spielwerk.mistakes.positions import SetCard, line_of

FORMAT_VERSION = 1
SHIPPED = Path(__file__).with_name("sets")
SUFFIX = ".jsonl"
MOST_BYTES = 16_000_000

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
_SHORT, _MIDDLE = 3, 7  # actions until the win


@dataclass(frozen=True)
class Puzzle:
    """The seat to act wins with `line[0]`, and with no other action; the win takes `distance` actions at best.

    `line` is best play of both sides as far as it is kept, `draws` are the actions that draw (all others lose), and
    `missed` says how many of the card's agents do not find it.
    """

    position: str
    player: int
    distance: int
    line: list[str]
    draws: list[str]
    missed: int

    @property
    def solution(self) -> str:
        return self.line[0]

    @property
    def difficulty(self) -> Difficulty:
        """By how many agents miss it and how long the win is."""
        points = self.missed + (self.distance > _SHORT) + (self.distance > _MIDDLE)
        return "easy" if points <= 1 else "medium" if points <= 3 else "hard"


@dataclass(frozen=True)
class Card(SetCard):
    what = "puzzles"
    agents: list[str]
    """Who was asked, to grade the puzzles."""

    def id_of(self, puzzle: Puzzle) -> str:
        """A short name that stays the same as long as rules and position do."""
        text = json.dumps([self.game, self.rules, self.rules_version, puzzle.position], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]


@dataclass
class PuzzleSet:
    """A card and its puzzles, each of them once."""

    card: Card
    puzzles: list[Puzzle] = field(default_factory=list)

    @classmethod
    def read(cls, path: str | Path) -> "PuzzleSet":
        """The set in a file; ValueError naming the line that is wrong."""
        path = Path(path)
        lines = lines_in(path, MOST_BYTES)
        card = _card(lines[0] if lines else "", path)
        return cls(card, [_puzzle(line, card, path, number) for number, line in enumerate(lines[1:], 2)])

    def lines(self) -> Iterator[str]:
        """The file, line by line."""
        for data in ({"spielwerk_puzzles": FORMAT_VERSION} | asdict(self.card), *map(asdict, self.puzzles)):
            yield line_of(data)


@cache
def shipped_puzzles() -> tuple[PuzzleSet, ...]:
    """The sets that come with this release."""
    return tuple(PuzzleSet.read(path) for path in sorted(SHIPPED.glob(f"*{SUFFIX}")))


def _card(line: str, path: Path) -> Card:
    try:
        data = json.loads(line)
        if data["spielwerk_puzzles"] != FORMAT_VERSION:
            raise ValueError("another version of the format")
        card = Card(**{one.name: data[one.name] for one in fields(Card)})
        _ = card.made
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no set of puzzles: {quoted(str(error), 200)}") from None
    return card


def _puzzle(line: str, card: Card, path: Path, number: int) -> Puzzle:
    """The puzzle of a line, checked: its text is a position of the game, and its line can be played there."""
    try:
        data = json.loads(line)
        puzzle = Puzzle(**{name: data[name] for name in Puzzle.__dataclass_fields__})
        state = card.made.from_text(puzzle.position)
        if state.player != puzzle.player:
            raise ValueError("it is another player's turn")
        for action in puzzle.line:
            state.play(action)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number}: this is no puzzle: {quoted(str(error), 200)}") from None
    return puzzle
