"""Setting up positions of Pferdeäpfel by clicking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spielwerk.render.editing import Editor, Tool, tools_for
from spielwerk.render.games.pferdeaepfel.words import SEATS
from spielwerk.render.scene import Label

if TYPE_CHECKING:
    from spielwerk.games import Game

_PLACE, _TURN, _STEP = Label("Place", "Setzen"), Label("To move", "Am Zug"), Label("Step", "Schritt")
_LOADS = (Label("White carries", "Weiß trägt"), Label("Black carries", "Schwarz trägt"))
_HELD = {
    "n": Label("nothing", "nichts"),
    "b": Label("a brown apple", "einen braunen Apfel"),
    "g": Label("a golden apple", "einen goldenen Apfel"),
}
_SYMBOLS = {
    "horse-white": Label("White horse", "Weißes Pferd"),
    "horse-black": Label("Black horse", "Schwarzes Pferd"),
    "apple-brown": Label("Brown apple", "Brauner Apfel"),
    "apple-golden": Label("Golden apple", "Goldener Apfel"),
}
_HORSES = "WB"
_FIELDS = {"carry": 4, "original": 4, "trail": 2}
# Where a horse may stand on an apple, which is written as a small letter; in `original` it always does.
_ON_APPLES = ("free-place-first", "classic-24", "original")


def _ruleset(game: Game) -> str:
    return game.name.partition("/")[2]


def tools(game: Game) -> list[Tool]:
    """What can be placed and set under these rules."""
    return list(_tools(game))


def _tools(game: Game) -> Iterator[Tool]:
    for id, label in _SYMBOLS.items():
        if id != "apple-golden" or "golden" in game.rules:
            yield Tool(id=id, label=label, group=_PLACE, symbol=id)
    yield from tools_for({"turn-w": SEATS[0], "turn-b": SEATS[1]}, _TURN, at_once=True)
    if _ruleset(game) != "trail":
        steps = {"step-jump": Label("jump", "springen"), "step-place": Label("lay an apple", "Apfel legen")}
        yield from tools_for(steps, _STEP, at_once=True)
    if _ruleset(game) == "carry":
        for seat in (0, 1):
            yield from tools_for(
                {f"load-{seat}-{key}": label for key, label in _HELD.items()}, _LOADS[seat], at_once=True
            )


@dataclass
class _Board:
    """A text taken apart. A square holds an apple ('', 'o', 'g') and horses ('', 'W', 'B', 'WB')."""

    size: int
    apples: dict[str, str]
    horses: dict[str, str]
    fields: list[str]

    @classmethod
    def read(cls, game: Game, text: str) -> _Board:
        size, ruleset = int(game.rules["size"]), _ruleset(game)
        fields = text.split(" ")
        rows = fields[0].split("/")
        if len(fields) != _FIELDS.get(ruleset, 3) or len(rows) != size:
            raise ValueError("this text is no board to edit")
        board = cls(size, {}, {}, fields[1:])
        for number, row in enumerate(rows):
            board._read_row(size - number, row)
        if ruleset == "original":
            board._read_under()
        return board

    def _read_row(self, rank: int, row: str) -> None:
        marks = "".join("." * int(mark) if mark.isdecimal() else mark for mark in row[:64])
        if len(marks) != self.size or set(marks) - set(".ogWBwbXx"):
            raise ValueError("this text is no board to edit")
        for file, mark in zip("abcdefgh", marks, strict=False):
            name = f"{file}{rank}"
            if mark in "og" or mark in "wbx":
                self.apples[name] = mark if mark in "og" else "o"
            for horse in _HORSES:
                if mark.upper() in (horse, "X"):
                    self.horses[horse] = name

    def _read_under(self) -> None:
        for horse, colour in zip(_HORSES, self.fields[-1], strict=False):
            square = self.horses.get(horse, "")
            if colour == "g" and square in self.apples:
                self.apples[square] = "g"

    def text(self, game: Game) -> str:
        if _ruleset(game) == "original":
            under = [self.apples.get(self.horses.get(horse, ""), "o") for horse in _HORSES]
            self.fields[-1] = "".join("g" if apple == "g" else "b" for apple in under)
        rows = [self._row(rank) for rank in range(self.size, 0, -1)]
        return " ".join(["/".join(rows), *self.fields])

    def _row(self, rank: int) -> str:
        out, empty = "", 0
        for file in "abcdefgh"[: self.size]:
            mark = self._mark(f"{file}{rank}")
            if mark and empty:
                out, empty = out + str(empty), 0
            out, empty = out + mark, empty + (not mark)
        return out + (str(empty) if empty else "")

    def _mark(self, name: str) -> str:
        standing = [horse for horse in _HORSES if self.horses.get(horse) == name]
        if not standing:
            return self.apples.get(name, "")
        mark = "X" if len(standing) == 2 else standing[0]
        return mark.lower() if name in self.apples else mark


def apply(game: Game, text: str, tool: str, place: str) -> str:
    """The text after placing or setting something."""
    board = _Board.read(game, text)
    kind, _, value = tool.partition("-")
    if tool not in {one.id for one in tools(game)}:
        raise ValueError("there is no such tool")
    if kind == "turn":
        board.fields[0] = value
    elif kind == "step":
        board.fields[1] = value
    elif kind == "load":
        seat, _, held = value.partition("-")
        loads = [*board.fields[2]]
        loads[int(seat)] = held
        board.fields[2] = "".join(loads)
    else:
        _put(board, _ruleset(game), tool, _square(board, place))
    return board.text(game)


def _square(board: _Board, place: str) -> str:
    name = place.removeprefix("cell-")
    if name not in {f"{file}{rank}" for file in "abcdefgh"[: board.size] for rank in range(1, board.size + 1)}:
        raise ValueError("there is no such place")
    return name


def _put(board: _Board, ruleset: str, tool: str, square: str) -> None:
    if tool.startswith("horse"):
        board.horses["W" if tool == "horse-white" else "B"] = square
        if ruleset not in _ON_APPLES:
            board.apples.pop(square, None)
        elif ruleset == "original":
            board.apples.setdefault(square, "o")
        return
    apple = "g" if tool == "apple-golden" else "o"
    if board.apples.get(square) == apple:
        del board.apples[square]
    elif ruleset in _ON_APPLES or square not in board.horses.values():
        board.apples[square] = apple


def draft(game: Game, text: str) -> Mapping[str, Any]:
    """What the scene reads."""
    board, ruleset = _Board.read(game, text), _ruleset(game)
    position = dict(game.start(seed=0).position)

    def number(name: str) -> int:
        return (board.size - int(name[1])) * board.size + "abcdefgh".index(name[0])

    for colour, apple in (("brown", "o"), ("golden", "g")):
        position[colour] = sorted(number(name) for name, mark in board.apples.items() if mark == apple)
        if colour in game.rules:
            position[f"{colour}_left"] = max(0, int(game.rules[colour]) - len(position[colour]))
    for seat, horse in zip(("white", "black"), _HORSES, strict=True):
        position[seat] = number(board.horses[horse]) if horse in board.horses else position[seat]
    position["to_move"] = int(board.fields[0] == "b")
    position["step"] = board.fields[1] if ruleset != "trail" else "jump"
    if ruleset == "carry":
        for seat, held in zip(("white", "black"), board.fields[2], strict=False):
            position[f"{seat}_holds"] = {"b": "brown", "g": "golden"}.get(held, "none")
    return position


EDITOR = Editor(tools=tools, apply=apply, draft=draft)

VIOLATIONS = {
    "there must be one white and one black horse": "Es muss ein weißes und ein schwarzes Pferd geben.",
    "there are only {} brown apples": "Es gibt nur {} braune Äpfel.",
    "there are only {} golden apples": "Es gibt nur {} goldene Äpfel.",
    "a golden apple is out while brown ones are left": "Ein goldener Apfel liegt, obwohl noch braune übrig sind.",
    "a horse is empty while the pool still has apples": "Ein Pferd ist leer, obwohl noch Äpfel im Vorrat sind.",
    "this ruleset has no golden apples": "Nach diesem Regelwerk gibt es keine goldenen Äpfel.",
    "a horse stands on an apple": "Ein Pferd steht auf einem Apfel.",
    "a horse stands on no apple, but one has fallen through it": (
        "Ein Pferd steht auf keinem Apfel, obwohl einer durch es gefallen ist."
    ),
    "the colour to move cannot have captured": "Wer am Zug ist, kann nicht geschlagen haben.",
    "no apple can be placed": "Kein Apfel kann gelegt werden.",
    "{}'s start square {} has no apple": "{}: Auf dem Anfangsfeld {} liegt kein Apfel.",
    "the horse on {} stands on an apple away from {}'s start square {}": (
        "Das Pferd auf {} steht auf einem Apfel, aber nicht auf dem Anfangsfeld ({}, {})."
    ),
    "White moves first, but has not left its start square": "Weiß beginnt, hat sein Anfangsfeld aber nicht verlassen.",
    "the horses stand on squares that they cannot have at this turn": (
        "Auf diesen Feldern können die Pferde in diesem Zug nicht stehen."
    ),
    "so many apples cannot lie at this turn": "So viele Äpfel können in diesem Zug nicht liegen.",
    "both horses stand on one apple, which has one colour": "Beide Pferde stehen auf einem Apfel; er hat eine Farbe.",
}
