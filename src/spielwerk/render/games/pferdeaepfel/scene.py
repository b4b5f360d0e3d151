"""The scene of Pferdeäpfel: two horses, brown and golden apples, boards of side 3 to 8."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from spielwerk.render.buttons import button, button_width
from spielwerk.render.games.pferdeaepfel.symbols import APPLE_BROWN, APPLE_GOLDEN, HORSE_BLACK, HORSE_WHITE
from spielwerk.render.games.pferdeaepfel.words import RULESETS, SEATS, TITLE
from spielwerk.render.glyphs import text_width
from spielwerk.render.scene import (
    LEGAL,
    MARGIN,
    STATUS,
    Circle,
    Hit,
    Label,
    Layer,
    Rect,
    Scene,
    Shape,
    StateLike,
    Static,
    Tally,
    Text,
    Use,
    listed,
    same,
)

# 840 is the smallest number all sides from 3 to 8 divide: every board has whole cells and one frame.
_BOARD = 840
_EDGE = 40
_WIDTH = _BOARD + 2 * _EDGE
_HEIGHT = 1000
_BOTTOM = _EDGE + _BOARD
_RIGHT = _EDGE + _BOARD
_MARGIN_MIDDLE = 955  # of the strip below the board that tells turn and supplies

_HORSES = (HORSE_WHITE, HORSE_BLACK)
_HORSE_NAMES = (Label("White horse", "Weißes Pferd"), Label("Black horse", "Schwarzes Pferd"))
_APPLES = {"brown": APPLE_BROWN, "golden": APPLE_GOLDEN}
_APPLE_NAMES = {
    "brown": Label("brown apple", "brauner Apfel"),
    "golden": Label("golden apple", "goldener Apfel"),
}
_APPLE_SIZES = {"brown": 0.66, "golden": 0.76}  # of a cell; the golden one includes its ring
_HORSE_SIZE = 0.9
_BUTTONS = {"-": Label("no apple", "kein Apfel"), "pass": Label("pass", "passen")}
# Shapes are drawn once and shared by all scenes; this many of a kind cover every board size.
_SHAPES_KEPT = 4096
_ACTIONS = re.compile(r"@?[a-h][1-8]|-|pass")


def scene(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The position's picture.

    `actions` are the texts played so far; with them the last move is marked. `legal` shows where the
    player may jump or lay an apple and adds the hit areas that play it.
    """
    position = state.position
    board = _board(position["size"])
    texts = [state.text(action) for action in state.legal_actions]
    shown = texts if legal else []
    status = _status(state, position, texts)
    stores = tuple(_stores(position))
    return Scene(
        static=_static(board.size),
        title=listed((TITLE, RULESETS[state.game.name.partition("/")[2]], same(f"{board.size}×{board.size}"))),
        headline=status.headline,
        detail=status.detail,
        notes=_notes(stores),
        tallies=tuple(_tallies(position)),
        summary=_summary(position, board, status),
        layers=(
            Layer("marks", tuple(_last_move(state, position, board, actions or ()))),
            Layer(LEGAL, tuple(_legal_marks(position, board, shown))),
            Layer("apples", tuple(_apples(position, board))),
            Layer("horses", tuple(_horses(position, board))),
            Layer(STATUS, _turn(_shown_seat(state, position), status.headline, status.detail)),
            Layer(MARGIN, (*stores, *_buttons(shown, _left_of(stores) - 24))),
        ),
        hits=tuple([_hit(text, position["to_move"]) for text in shown]),
    )


@dataclass(frozen=True, eq=False)
class _Board:
    """One for each size, so that what is drawn on it can be remembered by it."""

    size: int

    @cached_property
    def cell(self) -> int:
        return _BOARD // self.size

    def name(self, square: int) -> str:
        row, column = divmod(square, self.size)
        return f"{'abcdefgh'[column]}{self.size - row}"

    def square(self, name: str) -> int:
        column, rank = "abcdefgh".index(name[0]), int(name[1])
        if column >= self.size or rank > self.size:
            raise ValueError(f"{name} is not on a board of side {self.size}")
        return (self.size - rank) * self.size + column

    def is_jump(self, origin: int, target: int) -> bool:
        (row, column), (to_row, to_column) = divmod(origin, self.size), divmod(target, self.size)
        return {abs(row - to_row), abs(column - to_column)} == {1, 2}

    def corner(self, square: int) -> tuple[int, int]:
        row, column = divmod(square, self.size)
        return _EDGE + column * self.cell, _EDGE + row * self.cell

    def point(self, square: int, across: float = 0.5, down: float = 0.5) -> tuple[float, float]:
        """A point of the cell, given as parts of its side from its left and its top."""
        x, y = self.corner(square)
        return x + across * self.cell, y + down * self.cell

    def area(self, square: int, id: str, classes: str, label: Label) -> Rect:
        x, y = self.corner(square)
        return Rect(id=id, classes=classes, label=label, x=x, y=y, width=self.cell, height=self.cell)


@cache
def _board(size: int) -> _Board:
    return _Board(size)


class _Place(NamedTuple):
    """Centre and size of a symbol."""

    x: float
    y: float
    size: float


@lru_cache
def _static(size: int) -> Static:
    board = _board(size)
    return Static(
        game="pferdeaepfel",
        view=(0, 0, _WIDTH, _HEIGHT),
        focus=(0, 0, _WIDTH, _WIDTH),
        layers=(
            Layer("paper", (Rect(classes="paper", x=0, y=0, width=_WIDTH, height=_HEIGHT),)),
            Layer("cells", tuple(_cells(board))),
            Layer("frame", (Rect(classes="frame", x=_EDGE, y=_EDGE, width=_BOARD, height=_BOARD),)),
            Layer("coordinates", tuple(_coordinates(board))),
        ),
        symbols=(*_HORSES, *_APPLES.values()),
    )


def _cells(board: _Board) -> Iterator[Shape]:
    for square in range(board.size**2):
        name = board.name(square)
        # a1 is dark, as in chess
        dark = (ord(name[0]) + int(name[1])) % 2 == (ord("a") + 1) % 2
        yield board.area(square, f"cell-{name}", "cell dark" if dark else "cell", same(name))


def _coordinates(board: _Board) -> Iterator[Shape]:
    for step in range(board.size):
        middle = _EDGE + (step + 0.5) * board.cell
        rank, file = same(str(board.size - step)), same("abcdefgh"[step])
        for x, y, content in ((_EDGE / 2, middle + 8, rank), (middle, _BOTTOM + 27, file)):
            yield Text(classes="quiet", x=x, y=y, size=16, content=content, anchor="middle")


def _last_move(state: StateLike, position: Mapping[str, Any], board: _Board, actions: Sequence[str]) -> Iterator[Shape]:
    """Where the last jump went from and to, and the apple laid with it or since."""
    steps = _ACTIONS.findall(" ".join(actions))
    turns = [step for step in steps if step == "pass" or step[0] in "abcdefgh"]
    if turns and turns[-1] != "pass":
        target = board.square(turns[-1])
        origin = _origin(state, position, board, turns)
        if board.is_jump(origin, target):  # else the game began in a set-up position
            yield _last_mark(board, origin, "from", _JUMPED)
        yield _last_mark(board, target, "to", _JUMPED)
    apples_come_first = steps[:1] != turns[:1]
    recent = steps[-2:] if apples_come_first else steps[-1:]
    for step in recent:
        if step.startswith("@"):
            yield _last_mark(board, board.square(step[1:]), "place", _LAID)


_JUMPED = Label("last jump", "letzter Sprung")
_LAID = Label("apple laid last", "zuletzt gelegter Apfel")


@lru_cache(maxsize=_SHAPES_KEPT)
def _last_mark(board: _Board, square: int, what: str, label: Label) -> Rect:
    return board.area(square, f"last-{what}", f"last-move {what}", label)


def _origin(state: StateLike, position: Mapping[str, Any], board: _Board, turns: Sequence[str]) -> int:
    """The square the last jump left: the same seat's jump before it, else its start square."""
    target = board.square(turns[-1])
    horses = (position["white"], position["black"])
    if target not in horses:
        raise ValueError(f"the actions do not lead here: no horse stands on {turns[-1]}")
    earlier = [turn for turn in turns[-3::-2] if turn != "pass"]
    if earlier:
        return board.square(earlier[0])
    captured = horses[0] == horses[1]
    seat = position["to_move"] if captured else horses.index(target)
    return board.square(state.game.rules[("white_start", "black_start")[seat]])


def _legal_marks(position: Mapping[str, Any], board: _Board, texts: Sequence[str]) -> list[Shape]:
    horses = {board.name(position["white"]), board.name(position["black"])}
    return [_legal_mark(board, text, text in horses) for text in texts if text not in _BUTTONS]


@lru_cache(maxsize=_SHAPES_KEPT)
def _legal_mark(board: _Board, text: str, captures: bool) -> Circle:
    x, y = board.point(board.square(text.removeprefix("@")))
    if text.startswith("@"):
        classes, radius = "legal place", 0.06
    elif captures:
        classes, radius = "legal capture", 0.46
    else:
        classes, radius = "legal jump", 0.12
    return Circle(id=f"legal-{text}", classes=classes, x=x, y=y, radius=radius * board.cell)


def _apples(position: Mapping[str, Any], board: _Board) -> list[Shape]:
    # Under a horse an apple steps aside, above the horse's nose, so that both are seen.
    beside = {position["white"]: 0.83, position["black"]: 0.17}
    if position["white"] == position["black"]:
        beside = {position["white"]: (0.83, 0.17)[position["to_move"]]}
    return [_apple(board, kind, square, beside.get(square)) for kind in _APPLES for square in position[kind]]


@lru_cache(maxsize=_SHAPES_KEPT)
def _apple(board: _Board, kind: str, square: int, across: float | None) -> Use:
    """In the middle of its square, or beside the horse that stands there."""
    name, kind_name = board.name(square), _APPLE_NAMES[kind]
    x, y = board.point(square) if across is None else board.point(square, across, 0.18)
    return Use(
        id=f"apple-{name}",
        classes=f"apple apple-{kind}",
        label=Label(f"{kind_name.en} on {name}", f"{kind_name.de} auf {name}"),
        symbol=_APPLES[kind].name,
        x=x,
        y=y,
        size=_APPLE_SIZES[kind] * (1.0 if across is None else 0.45) * board.cell,
    )


def _horses(position: Mapping[str, Any], board: _Board) -> Iterator[Shape]:
    captured = position["white"] == position["black"]
    captor: int = position["to_move"]
    for seat in (1 - captor, captor) if captured else (0, 1):
        square = position[("white", "black")[seat]]
        if captured and seat != captor:
            yield _captured_horse(board, seat, square)
            continue
        yield _standing_horse(board, seat, square)
        place = _Place(*board.point(square), _HORSE_SIZE * board.cell)
        yield from _held_apple(position, seat, f"held-{seat}", place)


@lru_cache(maxsize=_SHAPES_KEPT)
def _standing_horse(board: _Board, seat: int, square: int) -> Use:
    place = _Place(*board.point(square), _HORSE_SIZE * board.cell)
    return _horse(seat, f"horse-{seat}", place, _horse_on(board, seat, square))


@lru_cache(maxsize=_SHAPES_KEPT)
def _captured_horse(board: _Board, seat: int, square: int) -> Use:
    """Small, behind the captor's head."""
    x, y = board.point(square, (0.76, 0.24)[seat], 0.24)
    label = _horse_on(board, seat, square)
    taken = Label(f"{label.en}, captured", f"{label.de}, geschlagen")
    return _horse(seat, f"horse-{seat}", _Place(x, y, 0.4 * board.cell), taken, "captured")


def _horse_on(board: _Board, seat: int, square: int) -> Label:
    name = board.name(square)
    return Label(f"{_HORSE_NAMES[seat].en} on {name}", f"{_HORSE_NAMES[seat].de} auf {name}")


@lru_cache(maxsize=_SHAPES_KEPT)
def _horse(seat: int, id: str, place: _Place, label: Label, condition: str = "") -> Use:
    classes = f"horse seat-{seat} {condition}".strip()
    return Use(
        id=id,
        classes=classes,
        label=label,
        symbol=_HORSES[seat].name,
        x=place.x,
        y=place.y,
        size=place.size,
    )


def _held_apple(position: Mapping[str, Any], seat: int, id: str, horse: _Place) -> Iterator[Shape]:
    """The apple a horse carries, drawn on its chest."""
    kind = position[("white_holds", "black_holds")[seat]]
    if kind != "none":
        yield _carried(seat, kind, id, horse)


@lru_cache(maxsize=_SHAPES_KEPT)
def _carried(seat: int, kind: str, id: str, horse: _Place) -> Use:
    name = _APPLE_NAMES[kind]
    return Use(
        id=id,
        classes=f"apple apple-{kind} held",
        label=Label(f"{SEATS[seat].en} holds a {name.en}", f"{SEATS[seat].de} trägt: {name.de}"),
        symbol=_APPLES[kind].name,
        x=horse.x,
        y=horse.y + 0.2 * horse.size,
        size=0.34 * horse.size,
    )


@dataclass(frozen=True)
class _Status:
    """What the margin says: whose turn or who won, and how."""

    headline: Label
    detail: Label


def _status(state: StateLike, position: Mapping[str, Any], texts: Sequence[str]) -> _Status:
    seat = SEATS[position["to_move"]]
    if state.over:
        return _Status(_result(state), _ending(state.reason, seat))
    if "pass" in texts:
        detail = Label("cannot jump", "kann nicht springen")
    elif "-" in texts:
        detail = Label("lay an apple or decline", "Apfel legen oder verzichten")
    elif position["step"] == "place":
        detail = Label("lay an apple", "einen Apfel legen")
    else:
        detail = Label("jump", "springen")
    return _Status(Label(f"{seat.en} to move", f"{seat.de} am Zug"), detail)


def _result(state: StateLike) -> Label:
    if not state.winner:
        return Label("Draw", "Unentschieden")
    seat = SEATS[state.winner[0]]
    points = state.points[state.winner[0]]
    if not points:
        return Label(f"{seat.en} wins", f"{seat.de} gewinnt")
    unit = Label("point", "Punkt") if points == 1 else Label("points", "Punkte")
    return Label(f"{seat.en} wins: {points} {unit.en}", f"{seat.de} gewinnt: {points} {unit.de}")


def _ending(reason: str, seat: Label) -> Label:
    """`seat` is whose turn it is or was: the captor, or whoever cannot jump."""
    endings = {
        "capture": Label(f"{seat.en} captured the horse", f"{seat.de} hat das Pferd geschlagen"),
        "stuck": Label(f"{seat.en} cannot jump", f"{seat.de} kann nicht springen"),
        "golden-spent": Label("all golden apples are laid", "alle goldenen Äpfel liegen"),
        "outlasted": Label("White has outlasted the apples", "Weiß hat die Äpfel überdauert"),
    }
    return endings.get(reason, same(reason))


def _summary(position: Mapping[str, Any], board: _Board, status: _Status) -> Label:
    white, black = board.name(position["white"]), board.name(position["black"])
    brown, golden = len(position["brown"]), len(position["golden"])
    return Label(
        f"{status.headline.en}, {status.detail.en}. White on {white}, Black on {black}. "
        f"Apples on the board: {brown} brown, {golden} golden.",
        f"{status.headline.de}, {status.detail.de}. Weiß auf {white}, Schwarz auf {black}. "
        f"Äpfel auf dem Brett: {brown} braune, {golden} goldene.",
    )


def _shown_seat(state: StateLike, position: Mapping[str, Any]) -> int | None:
    """Whose turn it is, or who won."""
    shown = state.winner if state.over else (position["to_move"],)
    return shown[0] if shown else None


def _left_of(stores: Sequence[Shape]) -> float:
    """Where the supplies begin."""
    return min((shape.x - shape.size / 2 for shape in stores if isinstance(shape, Use)), default=_RIGHT + 24)


@lru_cache(maxsize=_SHAPES_KEPT)
def _turn(seat: int | None, headline: Label, detail: Label) -> tuple[Shape, ...]:
    """The left of the margin: the horse whose turn it is or that won, and the status beside it."""
    return tuple(_turn_shapes(seat, headline, detail))


def _turn_shapes(seat: int | None, headline: Label, detail: Label) -> Iterator[Shape]:
    yield Rect(id="turn", classes="turn", x=_EDGE, y=_MARGIN_MIDDLE - 29, width=4, height=58)
    x = _EDGE + 20
    if seat is not None:
        yield _horse(seat, "turn-horse", _Place(x + 26, _MARGIN_MIDDLE, 60), SEATS[seat])
        x += 70
    yield Text(id="headline", x=x, y=_MARGIN_MIDDLE - 4, size=20, content=headline)
    yield Text(id="detail", classes="quiet", x=x, y=_MARGIN_MIDDLE + 25, size=15, content=detail)


def _notes(stores: Sequence[Shape]) -> tuple[Label, ...]:
    """Supplies and what the horses carry, from left to right."""
    counted = (shape for shape in reversed(stores) if isinstance(shape, Text) or "held" in shape.classes)
    return tuple(shape.label for shape in counted if shape.label)


def _stores(position: Mapping[str, Any]) -> Iterator[Shape]:
    """The right of the margin, from the right: golden and brown supply, then what the horses carry."""
    right: float = _RIGHT
    for kind in ("golden", "brown"):
        left = position[f"{kind}_left"]
        if left < 0:  # unlimited
            continue
        yield from _supply(kind, left, right)
        right -= text_width("00", 20) + 34 + 50
    for seat in (1, 0):
        if position["white_holds"] == position["black_holds"] == "none":
            return
        place = _Place(right - 16, _MARGIN_MIDDLE, 56)
        yield _horse(seat, f"store-horse-{seat}", place, SEATS[seat])
        yield from _held_apple(position, seat, f"store-held-{seat}", place)
        right -= 60


def _tallies(position: Mapping[str, Any]) -> Iterator[Tally]:
    for kind in ("brown", "golden"):
        left = position[f"{kind}_left"]
        if left >= 0:
            yield Tally(label=_left_words(kind, left), count=left, symbol=_APPLES[kind].name)


def _left_words(kind: str, left: int) -> Label:
    return Label(f"{left} {kind} left", f"noch {left} {'goldene' if kind == 'golden' else 'braune'}")


@lru_cache(maxsize=_SHAPES_KEPT)
def _supply(kind: str, left: int, right: float) -> tuple[Shape, ...]:
    """How many apples of a kind are left, as a number after its picture."""
    count = _left_words(kind, left)
    number = Text(
        id=f"{kind}-left",
        x=right - text_width("00", 20),
        y=_MARGIN_MIDDLE + 10,
        size=20,
        content=same(str(left)),
        label=count,
    )
    apple = Use(
        id=f"{kind}-store",
        classes=f"apple apple-{kind}",
        label=count,
        symbol=_APPLES[kind].name,
        x=right - text_width("00", 20) - 34,
        y=_MARGIN_MIDDLE,
        size=60 * _APPLE_SIZES[kind],
    )
    return number, apple


def _buttons(texts: Sequence[str], right: float) -> Iterator[Shape]:
    """What is played without a square; only one such action is legal at a time."""
    for text in texts:
        if text not in _BUTTONS:
            continue
        label = _BUTTONS[text]
        yield from button(text, label, right - button_width(label), _MARGIN_MIDDLE)


@lru_cache(maxsize=1024)
def _hit(text: str, seat: int) -> Hit:
    if text in _BUTTONS:
        return Hit(area=f"button-{text}", action=text, label=_BUTTONS[text])
    name = text.removeprefix("@")
    if text == name:
        label = Label(f"jump to {name}", f"nach {name} springen")
        return Hit(area=f"cell-{name}", action=text, label=label, source=f"horse-{seat}")
    label = Label(f"lay an apple on {name}", f"einen Apfel auf {name} legen")
    return Hit(area=f"cell-{name}", action=text, label=label)
