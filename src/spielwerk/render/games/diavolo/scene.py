"""The scene of DiavoloPP: lands, islands, bridges and blocked fields on triangles of side 3 to 30.

Everything on the board is drawn from the names of lands and bridges and scales with the length of an edge, so
that a board of side 30 looks like one of side 3 from further away. Lines are thin shapes, not strokes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt
from typing import Any

from spielwerk.render.buttons import button
from spielwerk.render.games.diavolo.words import TITLE
from spielwerk.render.glyphs import text_width
from spielwerk.render.plain import seats
from spielwerk.render.scene import (
    LEGAL,
    MARGIN,
    STATUS,
    Circle,
    Hit,
    Label,
    Layer,
    Path,
    Polygon,
    Rect,
    Scene,
    Shape,
    StateLike,
    Static,
    Symbol,
    Tally,
    Text,
    Use,
    listed,
    same,
)

_BASE = 900.0  # the board's lower side
_TALL = sqrt(3) / 2  # height of a triangle whose side is 1
_LEFT, _TOP = 50.0, 36.0
_BOTTOM = _TOP + _BASE * _TALL
_WIDTH, _HEIGHT = 1000, 864
_RIGHT = _WIDTH - 24

_COLOURS = ("white", "red")
_NAMES = {"white": Label("White", "Weiß"), "red": Label("Red", "Rot")}
_BUTTONS = {"swap": Label("swap colours", "Farben tauschen"), "pass": Label("pass", "passen")}

# Shapes are drawn once and shared by all scenes; this many of a kind cover several boards of side 30.
_SHAPES_KEPT = 16_384

Grid = tuple[int, int]
Spot = tuple[float, float]


def scene(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The position's picture.

    `actions` are the texts played so far; with them the last turn is marked. `legal` shows where the player may
    build and adds the hit areas that do it.
    """
    position = state.position
    board = _board(position["side"])
    texts = [state.text(action) for action in state.legal_actions]
    shown = texts if legal else []
    status = _status(state, position, texts)
    sides = [_Side.of(state, position, colour) for colour in _COLOURS]
    return Scene(
        static=_static(board.side),
        title=listed((TITLE, same(str(board.side)))),
        headline=status.headline,
        detail=status.detail,
        remarks=status.remarks,
        notes=tuple(_score(position, colour) for colour in _COLOURS),
        tallies=tuple(_tally(position, colour) for colour in _COLOURS),
        layers=(
            Layer("blocked", tuple([_hatch(board, state.text(action)) for action in position["blocked"]])),
            Layer("coasts", tuple(_coasts(sides, board))),
            Layer("lands", tuple(_lands(sides, board))),
            Layer("bridges", tuple(_bridges(sides, board))),
            Layer("marks", tuple(_last_turn(board, actions or ()))),
            Layer(LEGAL, tuple([_legal_mark(board, text) for text in shown if text not in _BUTTONS])),
            Layer("points", tuple(_badges(sides, board))),
            Layer(STATUS, tuple(_turn(position, status))),
            Layer(MARGIN, (*_scores(position), *_buttons(shown))),
        ),
        hits=tuple([_hit(text) for text in shown]),
    )


# --- Geometry -------------------------------------------------------------------------------------


@lru_cache(maxsize=_SHAPES_KEPT)
def _grid(name: str) -> tuple[Grid, ...]:
    """The points of a land or a bridge."""
    return tuple((int(column), int(row)) for column, row in (p.split(",") for p in name.replace("-", "+").split("+")))


def _land_name(points: Iterable[Grid]) -> str:
    return "+".join(f"{column},{row}" for column, row in sorted(points))


def _inset(outline: Sequence[Spot], distance: float) -> list[Spot]:
    """The outline with every side moved inwards; `outline` runs clockwise on the screen."""
    moved = []
    for before, here, after in zip([outline[-1], *outline], outline, [*outline[1:], outline[0]], strict=False):
        (ax, ay), (bx, by) = _normal(before, here), _normal(here, after)
        stretch = distance / (1 + ax * bx + ay * by)
        moved.append((here[0] + (ax + bx) * stretch, here[1] + (ay + by) * stretch))
    return moved


def _normal(start: Spot, end: Spot) -> Spot:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = sqrt(dx * dx + dy * dy)
    return -dy / length, dx / length


def _clockwise(outline: Sequence[Spot]) -> list[Spot]:
    closed = zip(outline, [*outline[1:], outline[0]], strict=True)
    area = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in closed)
    return list(outline) if area > 0 else list(reversed(outline))


def _middle(spots: Sequence[Spot]) -> Spot:
    return sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)


def _path(*outlines: Sequence[Spot]) -> str:
    parts = []
    for outline in outlines:
        first, *rest = (f"{x:.2f} {y:.2f}" for x, y in outline)
        parts.append(f"M{first} {' '.join(f'L{spot}' for spot in rest)} Z")
    return " ".join(parts)


def _outline_of(lands: Iterable[Sequence[Grid]]) -> list[Grid]:
    """The points around edge-connected lands: edges that only one of them has, end to end."""
    sides = Counter(frozenset(side) for a, b, c in lands for side in ((a, b), (b, c), (a, c)))
    beside = defaultdict(list)
    for first, second in (tuple(side) for side, times in sides.items() if times == 1):
        beside[first].append(second)
        beside[second].append(first)
    start = min(beside)
    walk, here = [start], max(beside[start])
    while here != start:
        walk.append(here)
        here = next(point for point in beside[here] if point != walk[-2])
    return walk


@dataclass(frozen=True, eq=False)
class _Board:
    """One for each side, so that what is drawn on it can be remembered by it."""

    side: int

    @property
    def edge(self) -> float:
        return _BASE / self.side

    @property
    def pen(self) -> float:
        """What bridges and outlines are measured in: an edge, but on small boards no more than a finger."""
        return min(self.edge, 120.0)

    def spot(self, point: Grid) -> Spot:
        column, row = point[0] - 1, point[1] - 1
        return _LEFT + (column + row / 2) * self.edge, _BOTTOM - row * _TALL * self.edge

    def outline(self, points: Iterable[Grid], inset: float = 0) -> list[Spot]:
        """The spots of these points, moved inwards by so many pens."""
        return _inset(_clockwise([self.spot(point) for point in points]), inset * self.pen)

    def core(self, points: Iterable[Grid]) -> list[Spot]:
        """A small triangle in the middle of a field."""
        return _inset(_clockwise([self.spot(point) for point in points]), 0.2 * self.edge)

    def fields(self) -> Iterator[tuple[Grid, ...]]:
        for row in range(1, self.side + 1):
            for column in range(1, self.side + 2 - row):
                right, above = (column + 1, row), (column, row + 1)
                yield (column, row), right, above
                if column + row <= self.side:
                    yield right, above, (column + 1, row + 1)

    def bar(self, ends: Sequence[Grid], shorten: float, half_width: float) -> list[Spot]:
        """A bar along an edge: shortened at both ends by parts of the edge, its width in pens."""
        start, end = map(self.spot, ends)
        nx, ny = _normal(start, end)
        along = ny * shorten * self.edge, -nx * shorten * self.edge
        aside = nx * half_width * self.pen, ny * half_width * self.pen
        return [
            (start[0] + along[0] + aside[0], start[1] + along[1] + aside[1]),
            (end[0] - along[0] + aside[0], end[1] - along[1] + aside[1]),
            (end[0] - along[0] - aside[0], end[1] - along[1] - aside[1]),
            (start[0] + along[0] - aside[0], start[1] + along[1] - aside[1]),
        ]


@cache
def _board(side: int) -> _Board:
    return _Board(side)


# --- What stays -----------------------------------------------------------------------------------

_TRIANGLE: tuple[Spot, ...] = ((50, 10), (96, 90), (4, 90))
_SYMBOLS = {
    "white": Symbol(
        "land-white",
        (
            Polygon(classes="coast white", points=_TRIANGLE),
            Polygon(classes="shore white", points=tuple(_inset(_TRIANGLE, 6))),
        ),
    ),
    "red": Symbol(
        "land-red",
        (
            Polygon(classes="coast red", points=_TRIANGLE),
            Polygon(classes="shore red", points=tuple(_inset(_TRIANGLE, 6))),
            Polygon(classes="coast red", points=tuple(_inset(_TRIANGLE, 19))),
        ),
    ),
}


@lru_cache
def _static(side: int) -> Static:
    board = _board(side)
    return Static(
        game="diavolo",
        view=(0, 0, _WIDTH, _HEIGHT),
        focus=(0, 0, _WIDTH, _HEIGHT),
        layers=(
            Layer("paper", (Rect(classes="paper", x=0, y=0, width=_WIDTH, height=_HEIGHT),)),
            Layer("fields", tuple(_fields(board))),
            Layer("frame", (Polygon(classes="frame", points=_corners(board)),)),
            Layer("coordinates", tuple(_coordinates(board))),
        ),
        symbols=tuple(_SYMBOLS.values()),
    )


def _corners(board: _Board) -> tuple[Spot, ...]:
    return tuple(board.spot(point) for point in ((1, 1), (board.side + 1, 1), (1, board.side + 1)))


def _fields(board: _Board) -> Iterator[Shape]:
    for points in board.fields():
        name = _land_name(points)
        spots = [board.spot(point) for point in points]
        down = spots[0][1] > spots[1][1]
        yield Polygon(
            id=f"field-{name}", classes="field down" if down else "field", label=same(name), points=tuple(spots)
        )


def _coordinates(board: _Board) -> Iterator[Shape]:
    """Columns below, rows on the left; on large boards every fifth."""
    size = 14 if board.side <= 15 else 11
    gap = 0.14 * board.pen + 6  # clear of a bridge's pier
    for number in range(1, board.side + 2):
        if board.side > 20 and number % 5 and number != 1:
            continue
        below, left = board.spot((number, 1)), board.spot((1, number))
        content = same(str(number))
        yield Text(classes="quiet", x=below[0], y=below[1] + gap + size, size=size, content=content, anchor="middle")
        yield Text(classes="quiet", x=left[0] - gap, y=left[1] + size / 2 - 2, size=size, content=content, anchor="end")


# --- The position ---------------------------------------------------------------------------------


def _seat_of(position: Mapping[str, Any], colour: str) -> int:
    white_seat: int = position["white_seat"]
    return white_seat if colour == "white" else 1 - white_seat


def _seat_class(position: Mapping[str, Any], colour: str) -> str:
    return f"seat-{_seat_of(position, colour)}"


@dataclass(frozen=True)
class _Side:
    """What a colour has built, by name."""

    colour: str
    seat: str
    component_of: dict[str, int]
    in_islands: frozenset[str]
    islands: list[list[str]]
    bridges: list[str]

    @classmethod
    def of(cls, state: StateLike, position: Mapping[str, Any], colour: str) -> _Side:
        lands = [state.text(action) for action in position[colour]]
        in_islands = [state.text(action) for action in position[f"{colour}_islands"]]
        return cls(
            colour=colour,
            seat=_seat_class(position, colour),
            component_of=dict(zip(lands, position[f"{colour}_components"], strict=True)),
            in_islands=frozenset(in_islands),
            islands=_islands(in_islands),
            bridges=[state.text(action) for action in position[f"{colour}_bridges"]],
        )


def _islands(names: Iterable[str]) -> list[list[str]]:
    """The names of the lands of each island: those that hang together by points, for islands share none."""
    island_at: dict[Grid, list[str]] = {}
    for name in names:
        touched = {id(island): island for point in _grid(name) if (island := island_at.get(point))}
        joined = sorted({name}.union(*touched.values()), key=_grid)
        island_at |= {point: joined for land in joined for point in _grid(land)}
    return list({id(island): island for island in island_at.values()}.values())


@lru_cache(maxsize=_SHAPES_KEPT)
def _hatch(board: _Board, name: str) -> Path:
    """A blocked field: lines parallel to one side of it."""
    lines = max(2, min(7, round(board.edge / 14)))
    (ax, ay), (bx, by), (cx, cy) = board.outline(_grid(name), 0.06)
    strokes = []
    for number in range(1, lines + 1):
        part = (number - 0.5) / lines
        start, end = (ax + (cx - ax) * part, ay + (cy - ay) * part), (bx + (cx - bx) * part, by + (cy - by) * part)
        strokes.append(f"M{start[0]:.2f} {start[1]:.2f} L{end[0]:.2f} {end[1]:.2f}")
    label = Label(f"{name} is blocked", f"{name} ist gesperrt")
    return Path(id=f"blocked-{name}", classes="hatch", label=label, d=" ".join(strokes))


def _coasts(sides: Iterable[_Side], board: _Board) -> Iterator[Shape]:
    for side in sides:
        for island in side.islands:
            yield from _coast(board, side.colour, tuple(island))


@lru_cache(maxsize=_SHAPES_KEPT)
def _coast(board: _Board, colour: str, island: tuple[str, ...]) -> tuple[Shape, ...]:
    """An island is one body with a strong outline."""
    around = _outline_of([_grid(name) for name in island])
    label = Label(f"{_NAMES[colour].en} island", f"Insel von {_NAMES[colour].de}")
    return (
        Polygon(id=f"coast-{island[0]}", classes=f"coast {colour}", label=label, points=tuple(board.outline(around))),
        Polygon(id=f"shore-{island[0]}", classes=f"shore {colour}", points=tuple(board.outline(around, 0.075))),
    )


def _lands(sides: Iterable[_Side], board: _Board) -> Iterator[Shape]:
    for side in sides:
        for name in side.component_of:
            yield from _land(board, name, side.colour, side.seat, name in side.in_islands)


@lru_cache(maxsize=_SHAPES_KEPT)
def _land(board: _Board, name: str, colour: str, seat: str, in_island: bool) -> tuple[Shape, ...]:
    """White lands are plain, red ones have a dark core; inside islands only seams and cores are drawn."""
    points = _grid(name)
    outer, inner = (0.075, 0.09) if in_island else (0.055, 0.085)
    rim = [board.outline(points, outer), board.outline(points, inner)[::-1]]
    ground = Polygon(id=f"ground-{name}", classes=f"shore {colour}", points=tuple(rim[0]))
    if colour == "red":
        rim.append(board.core(points))
    label = Label(f"{_NAMES[colour].en} land {name}", f"Land von {_NAMES[colour].de}: {name}")
    land = Path(id=f"land-{name}", classes=f"coast {colour} {seat}", label=label, d=_path(*rim))
    return (land,) if in_island else (ground, land)


def _bridges(sides: Iterable[_Side], board: _Board) -> Iterator[Shape]:
    for side in sides:
        for name in side.bridges:
            yield from _bridge(board, name, side.colour, side.seat)


@lru_cache(maxsize=_SHAPES_KEPT)
def _bridge(board: _Board, name: str, colour: str, seat: str) -> tuple[Shape, ...]:
    """A bar with round piers; White's deck is plain, Red's has a dark core."""
    return tuple(_bridge_shapes(board, name, colour, seat))


def _bridge_shapes(board: _Board, name: str, colour: str, seat: str) -> Iterator[Shape]:
    ends = _grid(name)
    label = Label(f"{_NAMES[colour].en} bridge {name}", f"Brücke von {_NAMES[colour].de}: {name}")
    yield Polygon(
        id=f"bridge-{name}",
        classes=f"bridge {colour} {seat}",
        label=label,
        points=tuple(board.bar(ends, 0, 0.085)),
    )
    for number, end in enumerate(ends):
        x, y = board.spot(end)
        for part, radius, classes in (("pier", 0.14, "bridge"), ("top", 0.095, "deck")):
            yield Circle(
                id=f"{part}-{number}-{name}", classes=f"{classes} {colour}", x=x, y=y, radius=radius * board.pen
            )
    yield Polygon(id=f"deck-{name}", classes=f"deck {colour}", points=tuple(board.bar(ends, 0, 0.045)))
    if colour == "red":
        yield Polygon(id=f"core-{name}", classes="bridge red", points=tuple(board.bar(ends, 0.2, 0.015)))


def _last_turn(board: _Board, actions: Sequence[str]) -> Iterator[Shape]:
    steps = " ".join(actions).split()
    thickness = max(0.05, 2.5 / board.pen)
    for text in _last_steps(steps):
        label = Label("built last", "zuletzt gebaut")
        if "+" in text:
            ring = _path(board.outline(_grid(text), 0.0), board.outline(_grid(text), thickness)[::-1])
        else:
            bar = [board.bar(_grid(text), 0, 0.12 + thickness), board.bar(_grid(text), 0, 0.12)[::-1]]
            ring = _path(*bar)
        yield Path(id=f"last-{text}", classes="last-land", label=label, d=ring)


def _last_steps(steps: Sequence[str]) -> list[str]:
    """The actions of the turn that ended last, or of the one half made; swaps and passes mark nothing."""
    turns: list[list[str]] = []
    for step in steps:
        if turns and "+" in step and len(turns[-1]) == 1 and "+" in turns[-1][0]:
            turns[-1].append(step)
        else:
            turns.append([step])
    return [step for step in (turns[-1] if turns else []) if step not in _BUTTONS]


@lru_cache(maxsize=_SHAPES_KEPT)
def _legal_mark(board: _Board, text: str) -> Shape:
    if "-" in text:
        return Polygon(id=f"legal-{text}", classes="legal span", points=tuple(_lens(board, _grid(text))))
    x, y = _middle([board.spot(point) for point in _grid(text)])
    return Circle(id=f"legal-{text}", classes="legal land", x=x, y=y, radius=0.055 * board.pen)


def _lens(board: _Board, ends: Sequence[Grid]) -> list[Spot]:
    """A slim rhombus along an edge, wide enough to be hit."""
    wide = board.bar(ends, 0.5, 0.1 * board.edge / board.pen)
    near, far = board.bar(ends, 0.16, 0)[:2]
    return [near, wide[0], far, wide[2]]


def _badges(sides: Iterable[_Side], board: _Board) -> Iterator[Shape]:
    """What each joined component with islands counts, on its first island."""
    for side in sides:
        islands_in = defaultdict(list)
        for island in side.islands:
            islands_in[side.component_of[island[0]]].append(island)
        for islands in islands_in.values():
            points = len(islands) * (len(islands) + 1) // 2
            yield from _badge(board, islands[0], points, _NAMES[side.colour])


def _badge(board: _Board, island: Sequence[str], points: int, owner: Label) -> Iterator[Shape]:
    x, y = _middle([_middle([board.spot(point) for point in _grid(name)]) for name in island])
    size = max(8.0, 0.19 * board.pen)
    text = str(points)
    label = Label(f"{owner.en}: {points} points", f"{owner.de}: {points} Punkte")
    radius = max(text_width(text, size) / 2, size / 2) + 0.5 * size
    yield Circle(id=f"badge-{island[0]}", classes="badge", label=label, x=x, y=y, radius=radius)
    yield Text(id=f"points-{island[0]}", x=x, y=y + size / 2, size=size, content=same(text), anchor="middle")


# --- Beside the board -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Status:
    """Whose turn it is or who won, what there is to do or how it ended, and what else should be known."""

    colour: str  # whose, or empty for a draw
    headline: Label
    detail: Label
    remarks: tuple[Label, ...] = ()


def _status(state: StateLike, position: Mapping[str, Any], texts: Sequence[str]) -> _Status:
    if state.over:
        return _result(state, position)
    colour: str = position["colour"]
    name = _NAMES[colour]
    last = (Label("last turn", "letzter Zug"),) if position["last_turn"] else ()
    headline = Label(f"{name.en} to move", f"{name.de} am Zug")
    return _Status(colour, headline, _task(position, texts), (*last, *_swapped(state, position, colour)))


def _swapped(state: StateLike, position: Mapping[str, Any], colour: str) -> tuple[Label, ...]:
    """After a swap, which seat plays the colour."""
    white_seat: int = position["white_seat"]
    if white_seat == 0:
        return ()
    seat, name = seats(state.game)[white_seat if colour == "white" else 1 - white_seat], _NAMES[colour]
    return (Label(f"{seat.en} plays {name.en}", f"{seat.de} spielt {name.de}"),)


def _task(position: Mapping[str, Any], texts: Sequence[str]) -> Label:
    if position["step"] == "second-land":
        return Label("lay the second land", "das zweite Land legen")
    bridge = any("-" in text for text in texts)
    if "pass" in texts:
        return Label("bridge or pass", "Brücke oder passen") if bridge else Label("pass", "passen")
    if "swap" in texts:
        return Label("two lands, or swap colours", "zwei Länder oder Farbtausch")
    return (
        Label("two lands or a bridge", "zwei Länder oder eine Brücke") if bridge else Label("two lands", "zwei Länder")
    )


def _result(state: StateLike, position: Mapping[str, Any]) -> _Status:
    ending = {
        "pass": Label("Red passed", "Rot hat gepasst"),
        "last-turn": Label("after Red's last turn", "nach dem letzten Zug von Rot"),
    }.get(state.reason, same(state.reason))
    if not state.winner:
        return _Status("", Label("Draw", "Unentschieden"), ending)
    colour = "white" if state.winner[0] == position["white_seat"] else "red"
    name = _NAMES[colour]
    headline = Label(f"{name.en} wins", f"{name.de} gewinnt")
    return _Status(colour, headline, ending, _swapped(state, position, colour))


def _counts(position: Mapping[str, Any], colour: str) -> tuple[int, int, int]:
    """Points, islands and bridges of a colour."""
    islands = len(position[f"{colour}_islands"]) // 4
    return position[f"{colour}_points"], islands, len(position[f"{colour}_bridges"])


def _counted(number: int, one: Label, many: Label) -> Label:
    word = one if number == 1 else many
    return Label(f"{number} {word.en}", f"{number} {word.de}")


def _score_words(position: Mapping[str, Any], colour: str) -> tuple[Label, Label]:
    points, islands, bridges = _counts(position, colour)
    island = _counted(islands, Label("island", "Insel"), Label("islands", "Inseln"))
    bridge = _counted(bridges, Label("bridge", "Brücke"), Label("bridges", "Brücken"))
    first = _counted(points, Label("point", "Punkt"), Label("points", "Punkte"))
    return first, Label(f"{island.en}, {bridge.en}", f"{island.de}, {bridge.de}")


def _score(position: Mapping[str, Any], colour: str) -> Label:
    name, (points, rest) = _NAMES[colour], _score_words(position, colour)
    return Label(f"{name.en}: {points.en}, {rest.en}", f"{name.de}: {points.de}, {rest.de}")


def _tally(position: Mapping[str, Any], colour: str) -> Tally:
    points, _ = _score_words(position, colour)
    count, seat = position[f"{colour}_points"], _seat_of(position, colour)
    return Tally(label=points, count=count, symbol=_SYMBOLS[colour].name, seat=seat)


def _turn(position: Mapping[str, Any], status: _Status) -> Iterator[Shape]:
    """Top left, clear of the board's side: whose turn it is, or the result."""
    yield Rect(id="turn", classes="turn", x=24, y=24, width=4, height=50)
    x = 40.0
    if status.colour:
        classes = _seat_class(position, status.colour)
        yield _token(status.colour, id="turn-land", place=(x + 24, 48), size=48, classes=classes)
        x += 60
    yield Text(id="headline", x=x, y=60, size=24, content=status.headline)
    yield Text(id="detail", classes="quiet", x=24, y=106, size=18, content=status.detail)
    if status.remarks:
        yield Text(id="remarks", classes="quiet", x=24, y=138, size=16, content=listed(status.remarks))


def _token(colour: str, *, id: str, place: Spot, size: float, classes: str) -> Use:
    x, y = place
    return Use(id=id, classes=classes, label=_NAMES[colour], symbol=_SYMBOLS[colour].name, x=x, y=y, size=size)


def _scores(position: Mapping[str, Any]) -> Iterator[Shape]:
    """Top right: points, and what decides a tie."""
    for row, colour in enumerate(_COLOURS):
        y = 50 + 54 * row
        _, rest = _score_words(position, colour)
        yield _token(
            colour,
            id=f"score-land-{colour}",
            place=(_RIGHT - 18, y - 4),
            size=36,
            classes=_seat_class(position, colour),
        )
        number = same(str(position[f"{colour}_points"]))
        yield Text(
            id=f"score-{colour}",
            x=_RIGHT - 48,
            y=y + 10,
            size=24,
            content=number,
            anchor="end",
            label=_score(position, colour),
        )
        yield Text(id=f"tie-{colour}", classes="quiet", x=_RIGHT - 112, y=y + 8, size=16, content=rest, anchor="end")


def _buttons(texts: Sequence[str]) -> Iterator[Shape]:
    """What is played without touching the board; only one of them is legal at a time."""
    for text in texts:
        if text not in _BUTTONS:
            continue
        yield from button(text, _BUTTONS[text], left=24, middle=182)


@lru_cache(maxsize=_SHAPES_KEPT)
def _hit(text: str) -> Hit:
    if text in _BUTTONS:
        return Hit(area=f"button-{text}", action=text, label=_BUTTONS[text])
    if "+" in text:
        return Hit(area=f"field-{text}", action=text, label=Label(f"land {text}", f"Land {text}"))
    return Hit(area=f"legal-{text}", action=text, label=Label(f"bridge {text}", f"Brücke {text}"))
