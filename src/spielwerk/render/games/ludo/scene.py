"""The scene of Ludo: a cross of 52 squares, four yards, home columns, tokens with letters, and the die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spielwerk.render.buttons import button, button_width
from spielwerk.render.games.ludo.words import COLOURS, LETTERS, NAMES, RULESETS, TITLE
from spielwerk.render.scene import (
    LEGAL,
    MARGIN,
    NOTHING,
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
from spielwerk.render.symbols import DICE, DIE_TO_FALL

if TYPE_CHECKING:
    from spielwerk.games import Game, State

_CELL = 60
_SIDE = 15
_EDGE = 30
_BOARD = _SIDE * _CELL
_WIDTH = _BOARD + 2 * _EDGE
_HEIGHT = _WIDTH + 76
_RIGHT = _EDGE + _BOARD
_MARGIN_MIDDLE = _WIDTH + 26  # of the strip below the board that tells turn and die

_TRACK = 52
_QUARTER = 13
_SAFE = (0, 8, 13, 21, 26, 34, 39, 47)
_HOME, _FINISHED, _YARD = 52, 57, -1

_PASS = Label("pass", "passen")

# Parts of a cell: how large a token is, by how many share the cell along one side.
_TOKEN_SIZES = {1: 0.86, 2: 0.5, 3: 0.34, 4: 0.25}
_PAIR_SIZE = 0.62


def scene(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The position's picture.

    `actions` are the texts played so far, dice included; with them the last move is marked. `legal` shows
    which pieces may move and where to, and adds the hit areas that play it.
    """
    table = _Position.of(state)
    texts = [state.text(action) for action in state.legal_actions] if legal else []
    moves = _moves(state, table, texts)
    status = _status(state, table)
    before = _before_last_move(state, actions or ())
    return Scene(
        static=_static(table.colours),
        title=_title(state, table),
        headline=status.headline,
        detail=status.detail,
        tallies=tuple(_tally(table, colour) for colour in table.colours),
        summary=_summary(table, status),
        layers=(
            Layer("captures", tuple(_capture_markers(table))),
            Layer("marks", tuple(_last_move(table, before))),
            Layer("blocks", tuple(_blocks(table))),
            Layer(LEGAL, tuple(_targets(table, moves))),
            Layer("pieces", tuple(_pieces(table, before))),
            Layer("choices", tuple(_choices(table, moves))),
            Layer("counts", tuple(_counts(table))),
            Layer("dice", () if state.over or "d1" in texts else (_die(table),)),
            Layer(STATUS, tuple(_turn(state, table, status))),
            Layer(MARGIN, tuple(_buttons(texts))),
        ),
        hits=tuple(_hit(table, text, moves) for text in texts),
    )


# --- Where things are -----------------------------------------------------------------------------------------


class _Point(NamedTuple):
    """In cells from the top left corner of the board."""

    x: float
    y: float

    def turned(self, quarters: int) -> _Point:
        """Turned clockwise around the middle of the board: Green's corner becomes Yellow's, and so on."""
        return _Point(_SIDE - self.y, self.x).turned(quarters - 1) if quarters else self

    @property
    def canvas(self) -> tuple[float, float]:
        return _EDGE + self.x * _CELL, _EDGE + self.y * _CELL


def _square(square: int) -> _Point:
    """The middle of a square: Green's quarter runs along an arm, up the next one and across its end."""
    quarter, step = divmod(square, _QUARTER)
    if step < 5:
        middle = _Point(1.5 + step, 6.5)
    elif step < 11:
        middle = _Point(6.5, 10.5 - step)
    else:
        middle = _Point(step - 3.5, 0.5)
    return middle.turned(quarter)


def _home(colour: int, index: int) -> _Point:
    return _Point(1.5 + index, 7.5).turned(colour)


def _yard(colour: int, piece: int) -> _Point:
    middle = _yard_middle(colour)
    return _Point(middle.x - 1 + piece % 2 * 2, middle.y - 1 + piece // 2 * 2)


def _finish(colour: int, piece: int) -> _Point:
    """Four places in a colour's triangle of the middle."""
    places = (_Point(6.3, 6.95), _Point(6.3, 7.5), _Point(6.3, 8.05), _Point(6.85, 7.5))
    return places[piece].turned(colour)


def _yard_middle(colour: int) -> _Point:
    return _Point(3, 3).turned(colour)


# --- What is on the table -------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    colour: int
    number: int
    place: int

    @property
    def id(self) -> str:
        return f"piece-{COLOURS[self.colour]}-{self.number}"

    @property
    def name(self) -> Label:
        owner = NAMES[self.colour]
        return Label(f"{owner.en} piece {self.number}", f"{owner.de}, Figur {self.number}")


@dataclass(frozen=True)
class _Position:
    """A position by colours instead of seats."""

    colours: tuple[int, ...]
    pieces: tuple[_Piece, ...]
    captured: tuple[int, ...]
    die: int
    sixes: int
    mover: int
    owner: int  # whose pieces the die moves

    @classmethod
    def of(cls, state: StateLike) -> _Position:
        position = state.position
        colours = tuple(position["colours"])
        return cls(
            colours=colours,
            pieces=tuple(_pieces_of(position, colours)),
            captured=tuple(colour for colour, flag in zip(colours, position["captured"], strict=True) if flag),
            die=position["die"],
            sixes=position["sixes"][position["to_move"]],
            mover=colours[position["to_move"]],
            owner=colours[position["moves_pieces_of"]],
        )

    def piece(self, colour: int, number: int) -> _Piece:
        return next(p for p in self.pieces if (p.colour, p.number) == (colour, number))

    def shared(self, piece: _Piece) -> list[_Piece]:
        """The pieces drawn in the same cell, this one included."""
        if piece.place in (_YARD, _FINISHED):
            return [piece]
        return [p for p in self.pieces if p.place == piece.place and _same_cell(p, piece)]


def _pieces_of(position: Mapping[str, Any], colours: Sequence[int]) -> Iterator[_Piece]:
    for index, place in enumerate(position["pieces"]):
        yield _Piece(colours[index // 4], index % 4, place)


def _same_cell(one: _Piece, other: _Piece) -> bool:
    return one.place < _TRACK or one.colour == other.colour


def _middle(piece: _Piece) -> _Point:
    """The middle of the cell, or of the spot, a piece stands on."""
    if piece.place == _YARD:
        return _yard(piece.colour, piece.number)
    if piece.place == _FINISHED:
        return _finish(piece.colour, piece.number)
    if piece.place >= _HOME:
        return _home(piece.colour, piece.place - _HOME)
    return _square(piece.place)


def _place_name(place: int) -> Label:
    if place == _YARD:
        return Label("in the yard", "im Hof")
    if place == _FINISHED:
        return Label("finished", "im Ziel")
    if place >= _HOME:
        return Label(f"on home square {place - _HOME}", f"auf Zielfeld {place - _HOME}")
    return Label(f"on square {place}", f"auf Feld {place}")


# --- The board ------------------------------------------------------------------------------------------------


def _star_corner(corner: int) -> tuple[float, float]:
    """Corners of a five-pointed star, outer and inner in turn, the first at the top."""
    radius, angle = (46, 21)[corner % 2], corner * pi / 5
    return round(50 + radius * sin(angle), 1), round(52 - radius * cos(angle), 1)


_STAR = Symbol("star", (Polygon(classes="star", points=tuple(_star_corner(corner) for corner in range(10))),))


@lru_cache
def _static(colours: tuple[int, ...]) -> Static:
    return Static(
        game="ludo",
        view=(0, 0, _WIDTH, _HEIGHT),
        focus=(0, 0, _WIDTH, _WIDTH),
        layers=(
            Layer("paper", (Rect(classes="paper", x=0, y=0, width=_WIDTH, height=_HEIGHT),)),
            Layer("yards", tuple(shape for colour in range(4) for shape in _yard_shapes(colour, colours))),
            Layer("track", tuple(_track_shapes(colours))),
            Layer("homes", tuple(shape for colour in range(4) for shape in _home_shapes(colour, colours))),
        ),
        symbols=(_STAR, *DICE, DIE_TO_FALL, *(_token(colour, number) for colour in colours for number in range(4))),
    )


def _paint(colour: int, colours: Sequence[int]) -> str:
    """The class that gives a shape its colour; nobody's colour is grey."""
    return COLOURS[colour] if colour in colours else "nobody"


def _box(centre: _Point, side: float, id: str, classes: str, label: Label | None = None) -> Rect:
    x, y = _Point(centre.x - side / 2, centre.y - side / 2).canvas
    size, radius = side * _CELL, 14 if side > 1 else 0
    return Rect(id=id, classes=classes, label=label, x=x, y=y, width=size, height=size, radius=radius)


def _yard_shapes(colour: int, colours: Sequence[int]) -> Iterator[Shape]:
    middle, paint = _yard_middle(colour), _paint(colour, colours)
    name = NAMES[colour]
    label = Label(f"{name.en}'s yard", f"Hof von {name.de}")
    yield _box(middle, 5.8, f"yard-{COLOURS[colour]}", f"yard {paint}", label)
    yield _box(middle, 4.0, "", f"yard-floor {paint}")
    for piece in range(4):
        x, y = _yard(colour, piece).canvas
        yield Circle(classes=f"yard-spot {paint}", x=x, y=y, radius=0.5 * _CELL)
    x, y = middle.canvas
    yield Text(
        classes=f"yard-name {paint}",
        x=x,
        y=y + 2.55 * _CELL,
        size=16,
        content=name,
        anchor="middle",
    )


def _track_shapes(colours: Sequence[int]) -> Iterator[Shape]:
    for square in range(_TRACK):
        colour, step = divmod(square, _QUARTER)
        classes = f"square start {_paint(colour, colours)}" if step == 0 else "square"
        safe = square in _SAFE
        label = Label(f"safe square {square}", f"sicheres Feld {square}") if safe else None
        label = label or Label(f"square {square}", f"Feld {square}")
        yield _box(_square(square), 1, f"square-{square}", classes, label)
        if safe:
            x, y = _square(square).canvas
            star = f"safe-star {_paint(colour, colours)}" if step == 0 else "safe-star"
            yield Use(classes=star, symbol=_STAR.name, x=x, y=y, size=0.7 * _CELL)


def _home_shapes(colour: int, colours: Sequence[int]) -> Iterator[Shape]:
    paint, name = _paint(colour, colours), NAMES[colour]
    for index in range(_FINISHED - _HOME):
        label = Label(f"{name.en}'s home square {index}", f"Zielfeld {index} von {name.de}")
        yield _box(_home(colour, index), 1, f"home-{COLOURS[colour]}-{index}", f"square home {paint}", label)
    corners = tuple(point.turned(colour).canvas for point in (_Point(6, 6), _Point(7.5, 7.5), _Point(6, 9)))
    label = Label(f"{name.en}'s goal", f"Ziel von {name.de}")
    yield Polygon(id=f"goal-{COLOURS[colour]}", classes=f"goal {paint}", label=label, points=corners)
    yield _gate(colour, paint)


def _gate(colour: int, paint: str) -> Path:
    """An arrow on the last square before home."""
    points = [_Point(x, y).turned(colour).canvas for x, y in ((0.36, 7.26), (0.64, 7.5), (0.36, 7.74))]
    (x1, y1), (x2, y2), (x3, y3) = points
    return Path(classes=f"gate {paint}", d=f"M{x1:g} {y1:g} L{x2:g} {y2:g} L{x3:g} {y3:g}")


@lru_cache
def _token(colour: int, number: int) -> Symbol:
    name = COLOURS[colour]
    return Symbol(
        f"token-{name}-{number}",
        (
            Circle(classes="token-halo", x=50, y=50, radius=49),
            Circle(classes=f"token {name}", x=50, y=50, radius=42),
            Circle(classes="token-ring", x=50, y=50, radius=35),
            Text(
                classes=f"token-name {name}",
                x=50,
                y=61,
                size=22,
                content=Label(f"{LETTERS[colour].en}{number}", f"{LETTERS[colour].de}{number}"),
                anchor="middle",
            ),
        ),
    )


# --- Pieces ---------------------------------------------------------------------------------------------------


class _Spot(NamedTuple):
    x: float
    y: float
    size: float


def _spot(table: _Position, piece: _Piece) -> _Spot:
    """Where a token is drawn: pieces that share a cell stand side by side."""
    middle = _middle(piece)
    if piece.place == _FINISHED:
        return _Spot(*middle.canvas, 0.52 * _CELL)
    here = table.shared(piece)
    index, count = here.index(piece), len(here)
    if count == 2:
        shift = (-0.19, 0.19)[index]
        return _Spot(*_Point(middle.x + shift, middle.y + shift).canvas, _PAIR_SIZE * _CELL)
    across = next(side for side in _TOKEN_SIZES if side * side >= count)
    row, column = divmod(index, across)
    x = middle.x + (column + 0.5) / across - 0.5
    y = middle.y + (row + 0.5) / across - 0.5
    return _Spot(*_Point(x, y).canvas, _TOKEN_SIZES[across] * _CELL)


def _pieces(table: _Position, before: _Position | None) -> Iterator[Shape]:
    for index, piece in enumerate(table.pieces):
        name, place = piece.name, _place_name(piece.place)
        spot = _spot(table, piece)
        steps = _steps(before.pieces[index], piece) if before is not None else ()
        yield Use(
            id=piece.id,
            classes=f"piece {COLOURS[piece.colour]} seat-{table.colours.index(piece.colour)}",
            label=Label(f"{name.en} {place.en}", f"{name.de} {place.de}"),
            symbol=_token(piece.colour, piece.number).name,
            x=spot.x,
            y=spot.y,
            size=spot.size,
            path=tuple(_middle(piece._replace(place=step)).canvas for step in steps),
        )


def _steps(old: _Piece, new: _Piece) -> tuple[int, ...]:
    """The places a piece passes one by one; none where it stays, is taken out of the yard or sent there."""
    if old.place == new.place or _YARD in (old.place, new.place):
        return ()
    steps = [old.place]
    while steps[-1] != new.place and len(steps) <= _FINISHED:
        steps.append(_next_place(steps[-1], old.colour, turns_in=new.place >= _HOME))
    return tuple(steps)


def _next_place(place: int, colour: int, *, turns_in: bool) -> int:
    if place >= _HOME:
        return place + 1
    last = (colour * _QUARTER + _TRACK - 2) % _TRACK  # before the home column
    return _HOME if turns_in and place == last else (place + 1) % _TRACK


def _tally(table: _Position, colour: int) -> Tally:
    count = sum(piece.place == _FINISHED for piece in table.pieces if piece.colour == colour)
    label = Label(f"{count} of 4 finished", f"{count} von 4 im Ziel")
    return Tally(label=label, count=count, symbol=_token(colour, 0).name, seat=table.colours.index(colour))


def _counts(table: _Position) -> Iterator[Shape]:
    """How many pieces share a cell, where they are too many to see at a glance."""
    first_of_each = {table.shared(piece)[0]: len(table.shared(piece)) for piece in table.pieces}
    for piece, count in first_of_each.items():
        if count < 3:
            continue
        middle = _middle(piece)
        x, y = _Point(middle.x + 0.5, middle.y - 0.5).canvas
        label = Label(f"{count} pieces {_place_name(piece.place).en}", f"{count} Figuren")
        yield Circle(id=f"count-{piece.id}", classes="count", x=x, y=y, radius=13, label=label)
        yield Text(
            id=f"count-text-{piece.id}",
            classes="count-text",
            x=x,
            y=y + 6,
            size=12,
            content=same(str(count)),
            anchor="middle",
        )


def _blocks(table: _Position) -> Iterator[Shape]:
    """A frame around two pieces of one side on a square that is not safe."""
    for piece in table.pieces:
        here = table.shared(piece)
        if piece.place in range(_TRACK) and piece.place not in _SAFE and here[0] == piece and len(here) > 1:
            label = Label(f"block on square {piece.place}", f"Sperre auf Feld {piece.place}")
            yield _box(_square(piece.place), 0.94, f"block-{piece.place}", "block", label)


def _capture_markers(table: _Position) -> Iterator[Shape]:
    for colour in table.captured:
        middle = _yard_middle(colour)
        x, y = _Point(middle.x, middle.y - 1).canvas
        name = NAMES[colour]
        yield Circle(
            id=f"captured-{COLOURS[colour]}",
            classes=f"capture-marker {COLOURS[colour]}",
            label=Label(f"{name.en} has captured", f"{name.de} hat geschlagen"),
            x=x,
            y=y,
            radius=0.22 * _CELL,
        )


# --- Moves ----------------------------------------------------------------------------------------------------


def _moves(state: StateLike, table: _Position, texts: Sequence[str]) -> dict[str, _Piece]:
    """For each legal move, the piece as it will stand."""
    moves = {}
    for action, text in zip(state.legal_actions, texts, strict=False):
        if text.isdecimal():
            after = cast("State", state).clone()
            after.play(action)
            moves[text] = _Position.of(after).piece(table.owner, int(text))
    return moves


def _targets(table: _Position, moves: Mapping[str, _Piece]) -> Iterator[Shape]:
    """A dot where a piece would go, or a ring where somebody stands already."""
    for text, target in moves.items():
        x, y = _middle(target).canvas
        taken = target.place < _TRACK and any(piece.place == target.place for piece in table.pieces)
        classes, radius = ("legal capture", 0.47) if taken else ("legal", 0.14)
        if taken:
            yield Circle(id=f"target-halo-{text}", classes="halo", x=x, y=y, radius=radius * _CELL)
        yield Circle(id=f"target-{text}", classes=classes, x=x, y=y, radius=radius * _CELL)


def _choices(table: _Position, moves: Mapping[str, _Piece]) -> Iterator[Shape]:
    """A dark ring and a light one around a piece that may move: on any colour, one of them stands out."""
    for text in moves:
        spot = _spot(table, table.piece(table.owner, int(text)))
        for id, classes in ((f"choice-halo-{text}", "halo"), (f"choice-{text}", "choice")):
            yield Circle(id=id, classes=classes, x=spot.x, y=spot.y, radius=spot.size / 2)


def _hit(table: _Position, text: str, moves: Mapping[str, _Piece]) -> Hit:
    if text not in moves:
        label = _PASS if text == "pass" else Label(f"the die shows {text[1]}", f"der Würfel zeigt {text[1]}")
        return Hit(area=f"button-{text}", action=text, label=label)
    piece, target = table.piece(table.owner, int(text)), _place_name(moves[text].place)
    label = Label(f"{piece.name.en}: {target.en}", f"{piece.name.de}: {target.de}")
    return Hit(area=piece.id, action=text, label=label)


def _last_move(table: _Position, before: _Position | None) -> Iterator[Shape]:
    """Where the piece that moved last came from and stands now."""
    if before is None:
        return
    for old, new in zip(before.pieces, table.pieces, strict=True):
        if new.place not in (old.place, _YARD):  # a captured piece goes, it does not move
            label = Label("last move", "letzter Zug")
            for name, piece in (("from", old), ("to", new)):
                yield _box(_middle(piece), 1, f"last-halo-{name}", "halo")
                yield _box(_middle(piece), 1, f"last-{name}", f"last-move {name} ringed", label)


def _before_last_move(state: StateLike, actions: Sequence[str]) -> _Position | None:
    """None where nothing was moved, or the actions do not tell the whole game from its start."""
    decisions = [number for number, action in enumerate(actions) if not action.startswith("d")]
    if not decisions or actions[decisions[-1]] == "pass":
        return None
    try:
        replayed = cast("Game", state.game).replay(actions[: decisions[-1]])
        before = _Position.of(replayed)
        for action in actions[decisions[-1] :]:
            replayed.play(action)
    except ValueError:
        return None
    return before if replayed.position["pieces"] == state.position["pieces"] else None


# --- Words ----------------------------------------------------------------------------------------------------


def move_words(before: StateLike, action: str, after: StateLike) -> Label:
    """What happened, as the list of moves says it after the colour's name: '6', 'leaves the yard'."""
    if action.startswith("d"):
        return same(action[1:])
    if action == "pass":
        return Label("cannot move", "kann nicht ziehen")
    table, then = _Position.of(before), _Position.of(after)
    old, new = (position.piece(table.owner, int(action)) for position in (table, then))
    return listed((_helped(table), _went(old, new), _taken(table, then)))


def _helped(table: _Position) -> Label:
    name = NAMES[table.owner]
    return Label(f"for {name.en}", f"für {name.de}") if table.owner != table.mover else NOTHING


def _went(old: _Piece, new: _Piece) -> Label:
    if old.place == _YARD:
        return Label("leaves the yard", "verlässt den Hof")
    if new.place == _FINISHED:
        return Label("finishes", "ist im Ziel")
    if new.place >= _HOME:
        return Label(f"to home square {new.place - _HOME}", f"auf Zielfeld {new.place - _HOME}")
    return Label(f"to square {new.place}", f"auf Feld {new.place}")


def _taken(table: _Position, then: _Position) -> Label:
    pairs = zip(table.pieces, then.pieces, strict=True)
    sent_home = dict.fromkeys(old.colour for old, new in pairs if old.place != _YARD and new.place == _YARD)
    names = [NAMES[colour] for colour in sent_home]
    if not names:
        return NOTHING
    return Label(
        f"captures {' and '.join(name.en for name in names)}", f"schlägt {' und '.join(name.de for name in names)}"
    )


@dataclass(frozen=True)
class _Status:
    """What the margin says: whose turn or who won, and how."""

    headline: Label
    detail: Label


def _title(state: StateLike, table: _Position) -> Label:
    count = len(table.colours)
    return listed((TITLE, RULESETS[state.game.name.partition("/")[2]], Label(f"{count} players", f"{count} Personen")))


def _status(state: StateLike, table: _Position) -> _Status:
    name, owner = NAMES[table.mover], NAMES[table.owner]
    if state.over:
        return _result(state, table)
    if not table.die:
        return _Status(Label(f"{name.en} to roll", f"{name.de} würfelt"), _sixes(table))
    if table.owner != table.mover:
        detail = Label(f"helps {owner.en}", f"hilft {owner.de}")
    elif [state.text(action) for action in state.legal_actions] == ["pass"]:
        detail = Label("no piece can move", "keine Figur kann ziehen")
    else:
        detail = Label(f"move a piece by {table.die}", f"eine Figur um {table.die} ziehen")
    return _Status(Label(f"{name.en} to move", f"{name.de} am Zug"), detail)


def _sixes(table: _Position) -> Label:
    if table.sixes == 0:
        return Label("the die is to fall", "der Würfel fällt")
    return Label(
        f"{table.sixes} {'six' if table.sixes == 1 else 'sixes'} in a row so far",
        f"bisher {table.sixes} {'Sechs' if table.sixes == 1 else 'Sechsen'} in Folge",
    )


def _result(state: StateLike, table: _Position) -> _Status:
    if not state.winner:
        limit = state.game.rules["max_plies"]
        return _Status(
            Label("Draw", "Unentschieden"),
            Label(f"after {limit} decisions", f"nach {limit} Entscheidungen"),
        )
    winners = [NAMES[table.colours[seat]] for seat in state.winner]
    en, de = " and ".join(name.en for name in winners), " und ".join(name.de for name in winners)
    several = len(winners) > 1
    return _Status(
        Label(f"{en} {'win' if several else 'wins'}", f"{de} {'gewinnen' if several else 'gewinnt'}"),
        Label("all pieces have finished", "alle Figuren sind im Ziel"),
    )


def _summary(table: _Position, status: _Status) -> Label:
    parts_en, parts_de = [], []
    for colour in table.colours:
        places = [_place_name(piece.place) for piece in table.pieces if piece.colour == colour]
        parts_en.append(f"{NAMES[colour].en}: {', '.join(place.en for place in places)}.")
        parts_de.append(f"{NAMES[colour].de}: {', '.join(place.de for place in places)}.")
    return Label(
        f"{status.headline.en}, {status.detail.en}. " + " ".join(parts_en),
        f"{status.headline.de}, {status.detail.de}. " + " ".join(parts_de),
    )


# --- The strip below the board --------------------------------------------------------------------------------


def _turn(state: StateLike, table: _Position, status: _Status) -> Iterator[Shape]:
    winners = [table.colours[seat] for seat in state.winner]
    shown = winners if state.over else [table.mover]
    yield Rect(id="turn", classes="turn", x=_EDGE, y=_MARGIN_MIDDLE - 29, width=4, height=58)
    x = _EDGE + 20
    for colour in shown:
        yield Circle(
            id=f"turn-{COLOURS[colour]}",
            classes=f"token {COLOURS[colour]}",
            label=NAMES[colour],
            x=x + 24,
            y=_MARGIN_MIDDLE,
            radius=24,
        )
        yield Text(
            id=f"turn-letter-{COLOURS[colour]}",
            classes=f"token-name {COLOURS[colour]}",
            x=x + 24,
            y=_MARGIN_MIDDLE + 10,
            size=20,
            content=LETTERS[colour],
            anchor="middle",
        )
        x += 64
    yield Text(id="headline", x=x, y=_MARGIN_MIDDLE - 4, size=20, content=status.headline)
    yield Text(id="detail", classes="quiet", x=x, y=_MARGIN_MIDDLE + 25, size=15, content=status.detail)


def _die(table: _Position) -> Shape:
    """In the yard of whoever throws it."""
    label, face, classes = Label("the die is to fall", "der Würfel fällt"), DIE_TO_FALL, "die waiting"
    if table.die:
        label, face = Label(f"the die shows {table.die}", f"der Würfel zeigt {table.die}"), DICE[table.die - 1]
        classes = "die"
    x, y = _yard_middle(table.mover).canvas
    return Use(id="die", classes=classes, label=label, symbol=face.name, x=x, y=y, size=1.2 * _CELL)


def _buttons(texts: Sequence[str]) -> Iterator[Shape]:
    """The pass, or the six faces where the die is played by hand."""
    if "pass" in texts:
        yield from button("pass", _PASS, _RIGHT - 88 - button_width(_PASS), _MARGIN_MIDDLE)
    for text in texts:
        if text.startswith("d"):
            face = int(text[1])
            yield Use(
                id=f"button-{text}",
                classes="die",
                label=same(text),
                symbol=DICE[face - 1].name,
                x=_RIGHT - 24 - (6 - face) * 58,
                y=_MARGIN_MIDDLE,
                size=50,
            )
