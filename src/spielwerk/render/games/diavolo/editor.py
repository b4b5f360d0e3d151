"""Setting up positions of DiavoloPP by clicking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spielwerk.render.editing import Editor, Tool, tools_for, with_all_places
from spielwerk.render.games.diavolo.scene import scene as scene_of
from spielwerk.render.scene import LEGAL, Hit, Label, Layer, Scene, same

if TYPE_CHECKING:
    from spielwerk.games import Game

_PLACE, _TURN, _FLAGS = Label("Place", "Setzen"), Label("To move", "Am Zug"), Label("Also", "Außerdem")
_NAMES = {"white": Label("White", "Weiß"), "red": Label("Red", "Rot")}
_FLAG_NAMES = {
    "second land due": Label("second land due", "zweites Land fehlt"),
    "swap open": Label("swap open", "Tausch möglich"),
    "last turn": Label("last turn", "letzter Zug"),
    "seats exchanged": Label("colours were swapped", "Farben getauscht"),
}


def tools(game: Game) -> list[Tool]:
    """The same on every board."""
    del game
    return list(_tools())


def _tools() -> Iterator[Tool]:
    for colour, name in _NAMES.items():
        land = Label(f"{name.en}: land", f"{name.de}: Land")
        yield Tool(id=f"land-{colour}", label=land, group=_PLACE, symbol=f"land-{colour}")
    for colour, name in _NAMES.items():
        yield Tool(id=f"bridge-{colour}", label=Label(f"{name.en}: bridge", f"{name.de}: Brücke"), group=_PLACE)
    yield from tools_for({f"turn-{colour}": name for colour, name in _NAMES.items()}, _TURN, at_once=True)
    yield from tools_for(
        {f"flag-{flag}": label for flag, label in _FLAG_NAMES.items()}, _FLAGS, at_once=True, toggles=True
    )


@dataclass
class _Text:
    """A text taken apart: stones by colour, the turn, and flags."""

    stones: dict[str, list[str]]
    turn: str
    flags: list[str]

    @classmethod
    def read(cls, text: str) -> _Text:
        found = cls({"white": [], "red": []}, "", [])
        for clause in (part.strip() for part in text.split(";")):
            colour, _, rest = clause.partition(" ")
            if clause in _FLAG_NAMES:
                found.flags.append(clause)
            elif clause.endswith(" to move") or clause.startswith("over "):
                found.turn = clause
            elif colour in found.stones:
                found.stones[colour] = rest.split()
            else:
                raise ValueError("this text is no position to edit")
        return found

    @property
    def text(self) -> str:
        stones = [" ".join([colour, *names]) for colour, names in self.stones.items()]
        return "; ".join([*stones, self.turn, *self.flags])


def apply(game: Game, text: str, tool: str, place: str) -> str:
    """The text after placing or setting something; what lies there already is taken away."""
    found = _Text.read(text)
    if tool not in {one.id for one in tools(game)}:
        raise ValueError("there is no such tool")
    kind, _, value = tool.partition("-")
    if kind == "turn":
        found.turn = f"{value} to move"
    elif kind == "flag":
        found.flags = [flag for flag in _FLAG_NAMES if (flag in found.flags) != (flag == value)]
    else:
        _toggle(found, value, _stone(game, place))
    return found.text


def _stone(game: Game, place: str) -> str:
    name = place.removeprefix("field-")
    game.start(seed=0).parse(name)  # refuses what no action is called
    if "," not in name:
        raise ValueError("there is no such place")
    return name


def _toggle(found: _Text, colour: str, name: str) -> None:
    there = name in found.stones[colour]
    for stones in found.stones.values():
        if name in stones:
            stones.remove(name)
    if not there:
        found.stones[colour].append(name)


def draft(game: Game, text: str) -> Mapping[str, Any]:
    """What the scene reads: lands that hang together count as one by one."""
    found, start = _Text.read(text), game.start(seed=0)
    position = dict(start.position)
    for colour, stones in found.stones.items():
        numbers = sorted({start.parse(name) for name in stones if "-" not in name})
        position |= {
            colour: numbers,
            f"{colour}_components": numbers,
            f"{colour}_bridges": sorted({start.parse(name) for name in stones if "-" in name}),
        }
    red = found.turn.startswith("red")
    position |= {"colour": "red" if red else "white", "to_move": int(red), "swap_open": int("swap open" in found.flags)}
    return position | {"step": "second-land" if "second land due" in found.flags else "turn"}


def hits(game: Game, text: str, tool: str, scene: Scene) -> Scene:
    """Fields for lands; for bridges, those that are there and those that can be built."""
    if not tool.startswith("bridge"):
        return with_all_places(scene)
    colour = tool.removeprefix("bridge-")
    found = _Text.read(text)
    there = [name for name in found.stones[colour] if "-" in name]
    builder = replace(found, turn=f"{colour} to move", flags=[]).text
    if game.check(builder):
        return replace(scene, hits=())
    state = game.from_text(builder)
    possible = [name for name in map(state.text, state.legal_actions) if "-" in name]
    marks = [layer for layer in scene_of(state).layers if layer.name == LEGAL]
    shown = tuple(shape for layer in marks for shape in layer.shapes if shape.id.removeprefix("legal-") in possible)
    layers = tuple(Layer(LEGAL, shown) if layer.name == LEGAL else layer for layer in scene.layers)
    areas = {name: f"legal-{name}" for name in possible} | {name: f"bridge-{name}" for name in there}
    known = {shape.id for layer in layers for shape in layer.shapes}
    offered = tuple(Hit(area=area, action=name, label=same(name)) for name, area in areas.items() if area in known)
    return replace(scene, layers=layers, hits=offered)


EDITOR = Editor(tools=tools, apply=apply, draft=draft, hits=hits)

VIOLATIONS = {
    "{} has a land on {}": "{} hat schon ein Land auf {}.",
    "{} is blocked by the bridge {}": "{} ist durch die Brücke {} gesperrt.",
    "{} would join more than four lands": "{}: Mehr als vier Länder hingen zusammen.",
    "{} would touch an island of its own colour": "{}: Das Land berührt eine eigene Insel.",
    "{} would make an island that touches another group of its own colour": (
        "{}: Die Insel berührt andere eigene Länder."
    ),
    "there is a bridge {} already": "Eine Brücke {} steht schon.",
    "{} has no land with the corner {}": "{} hat kein Land an der Ecke {}.",
    "{} carries a bridge already": "An {} steht schon eine Brücke.",
    "a land lies beside {}": "Neben {} liegt ein Land.",
    "a game that is over has no second land due, swap open or last turn": (
        "Eine Partie, die zu Ende ist, hat weder ein zweites Land noch Tausch noch letzten Zug."
    ),
    "a second land is due, but the first is missing": "Ein zweites Land fehlt, aber das erste liegt nicht.",
    "a second land is due, but none is possible": "Ein zweites Land fehlt, aber keines ist möglich.",
    "Red has begun to build: the swap is no longer open": "Rot hat schon gebaut: Der Tausch ist nicht mehr möglich.",
    "only Red has a last turn": "Nur Rot hat einen letzten Zug.",
    "White has passed: the swap is not open": "Weiß hat gepasst: Der Tausch ist nicht möglich.",
    "{}'s lands must be even in number, not {}": "{} muss eine gerade Zahl von Ländern haben, nicht {}.",
    "{}'s lands must be odd in number, not {}": "{} muss eine ungerade Zahl von Ländern haben, nicht {}.",
    "{} cannot have passed: it could lay two lands": "{} kann nicht gepasst haben: Zwei Länder wären möglich.",
    "the swap is open only until the second turn of the game": "Der Tausch ist nur bis zum zweiten Zug möglich.",
    "Red has not moved yet, so the swap is open": "Rot hat noch nicht gezogen, also ist der Tausch möglich.",
    "nothing has been laid that one could swap": "Es liegt nichts, was zu tauschen wäre.",
    "White has built in {} turns and Red in {}, which cannot be now": (
        "Weiß hat in {} Zügen gebaut und Rot in {}; das kann jetzt nicht sein."
    ),
}
