"""What a picture is: shapes with meaning, described once per game and painted in many places.

A `Scene` is a `Static` part, which depends only on the rules in force (board, coordinates, symbols),
and dynamic layers, which depend on the position. Shapes carry semantic classes (a theme gives them
colour), ids that stay the same from one scene to the next (a client moves 'horse-0', it does not
redraw it), and labels in both languages. A `Hit` names the shape a person may click and the action
text this plays.

Three forms leave Python as plain JSON data:

- `Scene.to_json()`: everything, `{"version", "static": {…}, "layers": […], "hits": […], …}`;
- `Scene.dynamic_json()`: the same, with only the key of the static part in "static";
- `Scene.difference(previous)`, or as text `difference_text`: `{"version", "static": key, "changes": {…}, …}`, which
  `apply_difference` turns, together with the previous scene's JSON, into the new scene's JSON.

A label is written as one text where both languages agree and as {"en": …, "de": …} where they differ;
fields of a shape that have their default value are left out. The protocol's models and the page's types are
generated from the dataclasses of this module.

What painters understand, and a game therefore keeps to:

- **Words** are fields of the scene (`headline`, `detail`, `remarks`, `notes`, `summary`). A game that wants them in its
  picture draws them as well; nobody reads them from there.
- **Tallies** are numbers that go with pieces: taken, laid, left. A painter with room beside the board shows them there,
  and may then leave out what the game draws of them beyond `focus`.
- **Layers** have any name, but for three. What lies in `MARGIN` belongs beside the board: it is not turned and not
  zoomed with it. `STATUS` is the same for the drawn headline, detail and remarks, and whose turn it is; it may be
  hidden where a status line says that already. What lies in `LEGAL` shows where the player may go: it is hidden from
  those who may not move.
- **Places of the board** are static shapes with an id and a label. Square ones are `Rect` shapes of class `cell`
  (`cell dark` for every other one); a board of them is painted in the terminal too, with the static `Text` shapes
  left of it and below it as names of rows and columns.
- **Classes** with a meaning beyond their colour: `legal` (`legal capture`, `legal place`) marks a possible action, its
  id being `legal-<action>`; `last-move` with `from`, `to` or `place` marks what was played last; `held` is carried by
  the piece on the same place; `seat-<number>` says whose a piece is; `button` plays an action that has no place on
  the board; `die` is rolled, not moved, and `die waiting` is still in the hand.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any, ClassVar, Final, Literal, Protocol

VERSION = 1

MARGIN: Final = "margin"
STATUS: Final = "status"
LEGAL: Final = "legal"

Json = dict[str, Any]
Lang = Literal["en", "de"]
Box = tuple[float, float, float, float]


class GameLike(Protocol):
    """The part of a Game that scenes read."""

    @property
    def name(self) -> str: ...
    @property
    def rules(self) -> Mapping[str, Any]: ...


class StateLike(Protocol):
    """The part of a State that scenes read."""

    @property
    def game(self) -> GameLike: ...
    @property
    def player(self) -> int | None: ...
    @property
    def legal_actions(self) -> Sequence[int]: ...
    @property
    def over(self) -> bool: ...
    @property
    def winner(self) -> tuple[int, ...]: ...
    @property
    def points(self) -> tuple[int, ...]: ...
    @property
    def reason(self) -> str: ...
    @property
    def position(self) -> Mapping[str, Any]: ...
    def text(self, action: int, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Label:
    """A text in both languages."""

    en: str
    de: str

    def to_json(self) -> str | Json:
        return self.en if self.en == self.de else {"en": self.en, "de": self.de}

    def in_language(self, lang: Lang) -> str:
        return self.de if lang == "de" else self.en


def same(text: str) -> Label:
    """A label that reads alike in both languages, such as a square's name."""
    return Label(text, text)


NOTHING = same("")


def listed(labels: Iterable[Label], separator: str = ", ") -> Label:
    """Labels one after the other, without the empty ones."""
    said = [label for label in labels if label.en]
    return Label(separator.join(label.en for label in said), separator.join(label.de for label in said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What all shapes share; `classes` are separated by blanks, as in SVG."""

    kind: ClassVar[str]
    id: str = ""
    classes: str = ""
    label: Label | None = None
    _text: str = field(default="", init=False, repr=False, compare=False)

    @property
    def json_text(self) -> str:
        """Made once, because games share most shapes among their scenes."""
        if not self._text:
            object.__setattr__(self, "_text", _written(self.to_json()))
        return self._text

    def to_json(self) -> Json:
        json_data: Json = {"kind": self.kind}
        for name, default in self._json_fields():
            value = getattr(self, name)
            if value != default:
                json_data[name] = value if type(value) in (str, int) else plain(value)
        return json_data

    @classmethod
    @cache
    def _json_fields(cls) -> tuple[tuple[str, Any], ...]:
        """Names and defaults."""
        return tuple((entry.name, entry.default) for entry in fields(cls) if entry.init)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect(Shape):
    kind: ClassVar[str] = "rect"
    x: float
    y: float
    width: float
    height: float
    radius: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle(Shape):
    kind: ClassVar[str] = "circle"
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Shape):
    kind: ClassVar[str] = "line"
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Polygon(Shape):
    kind: ClassVar[str] = "polygon"
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Shape):
    """An outline in SVG path language: absolute M, L, Q, C and Z only, so that any painter can read it."""

    kind: ClassVar[str] = "path"
    d: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Shape):
    """A short text; (x, y) is on the baseline, `size` is the height of a capital letter.

    Painters add the class 'text' to its own.
    """

    kind: ClassVar[str] = "text"
    x: float
    y: float
    size: float
    content: Label
    anchor: Literal["start", "middle", "end"] = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(Shape):
    """A symbol in a square of side `size` around the centre (x, y).

    `path` has the centres it passes on its way here from where it stood before the last move.
    """

    kind: ClassVar[str] = "use"
    symbol: str
    x: float
    y: float
    size: float
    path: tuple[tuple[float, float], ...] = ()


AnyShape = Rect | Circle | Line | Polygon | Path | Text | Use


@dataclass(frozen=True, slots=True)
class Symbol:
    """A drawing in a 100 by 100 box that scenes use by name."""

    name: str
    shapes: tuple[Shape, ...]

    def to_json(self) -> Json:
        return {"name": self.name, "shapes": plain(self.shapes)}


@dataclass(frozen=True, slots=True)
class Layer:
    name: str
    shapes: tuple[Shape, ...]

    def to_json(self) -> Json:
        return {"name": self.name, "shapes": [shape.to_json() for shape in self.shapes]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Clicking the shape whose id is `area` plays the action written `action`.

    `source`, where there is one, is the id of the piece that moves: it can be dragged to the area.
    """

    area: str
    action: str
    label: Label
    source: str = ""
    id: str = field(init=False, repr=False, compare=False)
    _text: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", f"hit-{self.action}")

    @property
    def json_text(self) -> str:
        """Made once, as with shapes."""
        if not self._text:
            object.__setattr__(self, "_text", _written(self.to_json()))
        return self._text

    def to_json(self) -> Json:
        json_data: Json = {"id": self.id, "area": self.area, "action": self.action, "label": self.label.to_json()}
        return json_data | ({"source": self.source} if self.source else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A number of pieces, such as those taken, laid or left: of one seat, or of all (-1)."""

    label: Label
    count: int
    symbol: str
    seat: int = -1

    def to_json(self) -> Json:
        return {"label": self.label.to_json(), "count": self.count, "symbol": self.symbol, "seat": self.seat}


@dataclass(frozen=True, kw_only=True)
class Static:
    """What stays the same as long as the rules do. `focus` is the part of `view` that holds the board."""

    game: str
    view: Box
    focus: Box
    layers: tuple[Layer, ...]
    symbols: tuple[Symbol, ...]

    def __post_init__(self) -> None:
        _refuse_repeats("shape ids", [shape.id for shape in shapes_of(self.layers) if shape.id])
        _refuse_unknown("symbols", _symbols_in(self.layers), self.symbol_names)

    @cached_property
    def key(self) -> str:
        """Equal for equal static parts, so that a client can tell whether it has this one."""
        content = json.dumps(self._content, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(shape.id for shape in shapes_of(self.layers) if shape.id)

    @cached_property
    def symbol_names(self) -> frozenset[str]:
        return frozenset(symbol.name for symbol in self.symbols)

    @cached_property
    def _content(self) -> Json:
        return {entry.name: plain(getattr(self, entry.name)) for entry in fields(self)}

    def to_json(self) -> Json:
        return {"key": self.key} | self._content


@dataclass(frozen=True, kw_only=True, repr=False)
class Scene:
    """One picture: the static part below, the position's layers above it, and where to click.

    `title` names the game and its rules, `headline` says whose turn it is or who won, `detail` what there is to do or
    how it ended, `remarks` what else holds for this turn or this ending, and `notes` what lies beside the board, such
    as scores and supplies. `summary` says all of it to those who do not see the picture; where a game does not write
    one, it is made of the others.
    """

    static: Static
    title: Label
    headline: Label
    detail: Label = NOTHING
    remarks: tuple[Label, ...] = ()
    notes: tuple[Label, ...] = ()
    tallies: tuple[Tally, ...] = ()
    summary: Label = NOTHING
    layers: tuple[Layer, ...]
    hits: tuple[Hit, ...] = ()

    def __post_init__(self) -> None:
        if self.summary == NOTHING:
            object.__setattr__(self, "summary", _sentences(self.status, *self.notes))
        self._check()

    def _check(self) -> None:
        """Scenes are made for every move of every game, so each question is asked of all shapes at once."""
        dynamic_ids = [shape.id for layer in self.layers for shape in layer.shapes]
        if "" in dynamic_ids:
            raise ValueError("every shape of a dynamic layer needs an id")
        known = self.static.ids.union(dynamic_ids)
        if len(known) < len(self.static.ids) + len(dynamic_ids):
            _refuse_repeats("shape ids", [*self.static.ids, *dynamic_ids])
        _refuse_repeats("hits", [hit.id for hit in self.hits])
        _refuse_unknown("hit areas", {hit.area for hit in self.hits}, known)
        _refuse_unknown("hit sources", {hit.source for hit in self.hits if hit.source}, known)
        _refuse_unknown("symbols", _symbols_in(self.layers), self.static.symbol_names)
        _refuse_unknown("symbols", {tally.symbol for tally in self.tallies}, self.static.symbol_names)

    def __repr__(self) -> str:
        return f"<Scene {self.title.en!r}: {self.summary.en}>"

    @property
    def status(self) -> Label:
        """Headline, detail and remarks in one line."""
        return listed((self.headline, self.detail, *self.remarks))

    def shapes(self) -> Iterator[Shape]:
        """All shapes in painting order."""
        yield from shapes_of(self.static.layers)
        yield from shapes_of(self.layers)

    def to_json(self) -> Json:
        return self.dynamic_json() | {"static": self.static.to_json()}

    def dynamic_json(self) -> Json:
        return {
            "version": VERSION,
            "static": self.static.key,
            **self._words(),
            "layers": [layer.to_json() for layer in self.layers],
            "hits": [hit.to_json() for hit in self.hits],
        }

    def _words(self) -> Json:
        return {name: plain(getattr(self, name)) for name in WORDS}

    def difference(self, previous: Scene) -> Json:
        """What a client that shows `previous` needs in order to show this scene.

        Where the static part or the set of layers is another one, that is the whole scene.
        """
        difference: Json = json.loads(self.difference_text(previous))
        return difference

    def difference_text(self, previous: Scene) -> str:
        """The same as JSON text: put together from the texts of shapes, it is made for every move of every game."""
        if self.static.key != previous.static.key or _names(self.layers) != _names(previous.layers):
            return _written(self.to_json())
        pairs = zip(previous.layers, self.layers, strict=True)
        changes = [
            f'"{new.name}":{_list_change(old.shapes, new.shapes)}' for old, new in pairs if old.shapes != new.shapes
        ]
        return (
            f'{{"version":{VERSION},"static":"{self.static.key}",'
            f"{_written(self._words())[1:-1]},"
            f'"changes":{{{",".join(changes)}}},"hit_changes":{_list_change(previous.hits, self.hits)}}}'
        )


# The fields of a scene that are words: short, so that a difference holds all of them.
WORDS: Final = ("title", "headline", "detail", "remarks", "notes", "tallies", "summary")


def apply_difference(previous: Json, difference: Json) -> Json:
    """The new scene's JSON from the previous scene's JSON; a client does the same to its own copy."""
    if "changes" not in difference:
        return difference
    changes = difference["changes"]
    layers = [
        {"name": layer["name"], "shapes": _changed(layer["shapes"], changes.get(layer["name"], {}))}
        for layer in previous["layers"]
    ]
    hits = _changed(previous["hits"], difference["hit_changes"])
    words = {name: difference[name] for name in WORDS}
    return previous | words | {"layers": layers, "hits": hits}


def shapes_of(layers: Iterable[Layer]) -> Iterator[Shape]:
    return (shape for layer in layers for shape in layer.shapes)


def plain(value: Any) -> Any:
    """A value as JSON data; numbers keep two decimals, whole ones become ints."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 2)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.to_json() if hasattr(value, "to_json") else value


def _sentences(*labels: Label) -> Label:
    ended = [Label(f"{label.en}.", f"{label.de}.") for label in labels if label.en]
    return listed(ended, " ")


def _names(layers: Iterable[Layer]) -> list[str]:
    return [layer.name for layer in layers]


def _list_change(before: Sequence[Shape | Hit], after: Sequence[Shape | Hit]) -> str:
    """Ids to drop, items to put (replaced in place, else appended), and the order where that is not it."""
    old = {item.id: item for item in before}
    new = {item.id: item for item in after}
    parts = []
    if drop := [key for key in old if key not in new]:
        parts.append(f'"drop":{_written(drop)}')
    # Equal items are mostly the same one, which dataclasses do not ask first.
    if put := [item.json_text for key, item in new.items() if (was := old.get(key)) is not item and was != item]:
        parts.append(f'"put":[{",".join(put)}]')
    if [key for key in old if key in new] + [key for key in new if key not in old] != list(new):
        parts.append(f'"order":{_written(list(new))}')
    return f"{{{','.join(parts)}}}"


_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _changed(items: list[Json], change: Json) -> list[Json]:
    dropped = set(change.get("drop", ()))
    by_id = {item["id"]: item for item in items if item["id"] not in dropped}
    by_id.update((item["id"], item) for item in change.get("put", ()))
    return [by_id[key] for key in change.get("order", by_id)]


def _symbols_in(layers: Iterable[Layer]) -> set[str]:
    return {shape.symbol for shape in shapes_of(layers) if isinstance(shape, Use)}


def _refuse_repeats(what: str, values: Sequence[str]) -> None:
    if len(set(values)) == len(values):
        return
    repeated = sorted(value for value, count in Counter(values).items() if count > 1)
    raise ValueError(f"{what} must be unique in a scene, repeated: {', '.join(repeated)}")


def _refuse_unknown(what: str, used: set[str], known: frozenset[str]) -> None:
    if not used <= known:
        raise ValueError(f"unknown {what} in the scene: {', '.join(sorted(used - known))}")
