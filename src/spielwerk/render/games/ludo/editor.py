"""Setting up positions of Ludo by clicking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spielwerk.render.editing import Editor, Tool, tools_for
from spielwerk.render.games.ludo.words import COLOURS, NAMES
from spielwerk.render.scene import Label, same

if TYPE_CHECKING:
    from spielwerk.games import Game

_PLACE, _TURN, _DIE = Label("Place", "Setzen"), Label("To move", "Am Zug"), Label("Die", "Würfel")
_CAPTURED = Label("Has captured", "Hat geschlagen")
_LETTERS = "GYBR"
_YARD, _HOME, _FINISHED = -1, 52, 57


def tools(game: Game) -> list[Tool]:
    """What can be placed and set under these rules."""
    return list(_tools(game))


def _tools(game: Game) -> Iterator[Tool]:
    playing = [(_LETTERS[colour], NAMES[colour], COLOURS[colour]) for colour in game.start(seed=0).position["colours"]]
    for letter, name, colour in playing:
        label = Label(f"{name.en} piece", f"{name.de}, eine Figur")
        yield Tool(id=f"piece-{letter}", label=label, group=_PLACE, symbol=f"token-{colour}-0")
    yield Tool(id="yard", label=Label("back to the yard", "zurück in den Hof"), group=_PLACE)
    yield from tools_for({f"turn-{letter}": name for letter, name, _ in playing}, _TURN, at_once=True)
    dice = {f"die-{number}": same(str(number)) for number in range(1, 7)}
    yield from tools_for({"die--": Label("to fall", "fällt noch"), **dice}, _DIE, at_once=True)
    yield from tools_for(
        {f"captured-{letter}": name for letter, name, _ in playing}, _CAPTURED, at_once=True, toggles=True
    )


@dataclass
class _Table:
    """A text taken apart: colours by letter, then the other fields by name."""

    pieces: dict[str, list[str]]
    captured: set[str]
    fields: dict[str, str]

    @classmethod
    def read(cls, text: str) -> _Table:
        table = cls({}, set(), {})
        for field in text.split(" "):
            name, equals, value = field.partition("=")
            if not equals:
                raise ValueError("this text is no position to edit")
            if name.rstrip("!") in _LETTERS:
                table.pieces[name[0]] = value.split(",")
                table.captured |= {name[0]} if name.endswith("!") else set()
            else:
                table.fields[name] = value
        if {"turn", "die", "sixes", "plies"} - set(table.fields) or not table.pieces:
            raise ValueError("this text is no position to edit")
        return table

    @property
    def text(self) -> str:
        colours = [f"{one}{'!' * (one in self.captured)}={','.join(places)}" for one, places in self.pieces.items()]
        return " ".join([*colours, *(f"{name}={value}" for name, value in self.fields.items())])

    @property
    def mover(self) -> int:
        return [*self.pieces].index(self.fields["turn"])


def apply(game: Game, text: str, tool: str, place: str) -> str:
    """The text after placing or setting something."""
    table = _Table.read(text)
    if tool not in {one.id for one in tools(game)}:
        raise ValueError("there is no such tool")
    kind, _, value = tool.partition("-")
    if kind == "captured":
        table.captured ^= {value}
    elif kind == "die":
        table.fields["die"] = value
    elif kind == "turn":
        table.fields["turn"] = value
    elif kind == "piece":
        _put(table, value, place)
    else:
        _take(table, place)
    _count_sixes(table)
    return table.text


def _put(table: _Table, letter: str, place: str) -> None:
    """From the yard if one is there, otherwise the piece that stands elsewhere."""
    colour = COLOURS[_LETTERS.index(letter)]
    code = _code(place, colour)
    pieces = table.pieces[letter]
    free = [number for number, where in enumerate(pieces) if where == "y" and code != "y"]
    free += [number for number, where in enumerate(pieces) if where != code]
    if free:
        pieces[free[0]] = code
    if code == "f" or code.startswith("h"):
        table.captured.add(letter)


def _take(table: _Table, place: str) -> None:
    for letter, pieces in table.pieces.items():
        try:
            code = _code(place, COLOURS[_LETTERS.index(letter)])
        except ValueError:
            continue
        table.pieces[letter] = ["y" if where == code else where for where in pieces]


def _code(place: str, colour: str) -> str:
    """How a place is written for a colour."""
    kind, _, rest = place.partition("-")
    if kind == "square" and rest.isdecimal() and int(rest) < _HOME:
        return rest
    if kind == "home" and rest in {f"{colour}-{index}" for index in range(5)}:
        return f"h{rest[-1]}"
    if place in (f"yard-{colour}", f"goal-{colour}"):
        return "y" if kind == "yard" else "f"
    raise ValueError("this piece cannot stand there")


def _count_sixes(table: _Table) -> None:
    """What the die shows and the sixes in a row fit each other."""
    sixes, mover, die = [*table.fields["sixes"]], table.mover, table.fields["die"]
    if die == "6" and sixes[mover] == "0":
        sixes[mover] = "1"
    elif die in "12345":
        sixes[mover] = "0"
    table.fields["sixes"] = "".join(sixes)


def draft(game: Game, text: str) -> Mapping[str, Any]:
    """What the scene reads."""
    table, position = _Table.read(text), dict(game.start(seed=0).position)
    position["pieces"] = [_number(place) for pieces in table.pieces.values() for place in pieces]
    position["captured"] = [int(letter in table.captured) for letter in table.pieces]
    position["sixes"] = [int(digit) for digit in table.fields["sixes"]]
    position["die"] = 0 if table.fields["die"] == "-" else int(table.fields["die"])
    position["to_move"] = position["moves_pieces_of"] = table.mover
    return position


def _number(place: str) -> int:
    if place in ("y", "f"):
        return _YARD if place == "y" else _FINISHED
    return _HOME + int(place[1:]) if place.startswith("h") else int(place)


EDITOR = Editor(tools=tools, apply=apply, draft=draft)

VIOLATIONS = {
    "{} has a piece home without having captured": "{} hat eine Figur im Ziel, ohne geschlagen zu haben.",
    "enemies share square {}, which is not safe": "Auf Feld {} stehen Gegner zusammen, und es ist nicht sicher.",
    "more than two pieces stand on square {}, which is not safe": (
        "Auf Feld {} stehen mehr als zwei Figuren, und es ist nicht sicher."
    ),
    "the die shows a six that the sixes of {} do not count": "Der Würfel zeigt eine Sechs, die bei {} nicht zählt.",
    "{} has sixes in a row, but the die shows another number": "{} hat Sechsen in Folge, der Würfel zeigt anderes.",
    "the game is over, but a die has fallen": "Die Partie ist zu Ende, aber ein Würfel ist gefallen.",
    "the order must name the colours that have finished, and only those": (
        "Die Reihenfolge muss genau die Farben nennen, die fertig sind."
    ),
    "{} has finished and has no turn": "{} ist fertig und nicht mehr am Zug.",
    "more than one side has finished": "Mehr als eine Seite ist fertig.",
    "the game is over, but {} has not ended it": "Die Partie ist zu Ende, aber {} hat sie nicht beendet.",
    "the pieces stand where only {} decisions or more can have brought them, not {}": (
        "So stehen die Figuren erst nach mindestens {} Entscheidungen, nicht nach {}."
    ),
    "{} moves first, but it is another's turn": "{} beginnt, aber jemand anderes ist am Zug.",
    "nobody can have captured yet": "Noch kann niemand geschlagen haben.",
}
