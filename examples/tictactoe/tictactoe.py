"""Tic-tac-toe: its picture and its words."""

from collections.abc import Iterator, Sequence

from spielwerk.render import scene as draw
from spielwerk.render.description import GameDescription

SEATS = (draw.Label("Crosses", "Kreuze"), draw.Label("Noughts", "Kringel"))
NAMES = [f"{column}{row}" for row in "321" for column in "abc"]
CROSS = "M{0} {1}L{2} {3}M{2} {1}L{0} {3}"


def corner(square: int) -> tuple[float, float]:
    return 100.0 * (square % 3), 100.0 * (square // 3)


def cell(square: int) -> draw.Rect:
    (x, y), name, tint = corner(square), NAMES[square], ("cell", "cell dark")[square % 2]
    return draw.Rect(id=name, classes=tint, label=draw.same(name), x=x, y=y, width=100, height=100)


BOX = (0, 0, 300, 300)
CELLS = draw.Layer("board", tuple(map(cell, range(9))))
BOARD = draw.Static(game="tictactoe", view=BOX, focus=BOX, layers=(CELLS,), symbols=())


def marks(state: draw.StateLike) -> Iterator[draw.Shape]:
    text = str(state.position["text"]).replace("/", "").translate({ord(str(n)): "." * n for n in (1, 2, 3)})
    for square, mark in enumerate(text):
        (x, y), name = corner(square), f"mark-{NAMES[square]}"
        if mark == "x":
            cross = CROSS.format(x + 20, y + 20, x + 80, y + 80)
            yield draw.Path(id=name, classes="mark seat-0", label=SEATS[0], d=cross)
        if mark == "o":
            yield draw.Circle(id=name, classes="mark seat-1", label=SEATS[1], x=x + 50, y=y + 50, radius=30)


def headline(state: draw.StateLike) -> draw.Label:
    if state.player is not None:
        return draw.Label(f"{SEATS[state.player].en} to move", f"{SEATS[state.player].de} am Zug")
    for seat in state.winner:
        return draw.Label(f"{SEATS[seat].en} win", f"{SEATS[seat].de} gewinnen")
    return draw.Label("Draw", "Unentschieden")


def dot(name: str) -> draw.Circle:
    x, y = corner(NAMES.index(name))
    return draw.Circle(id=f"legal-{name}", classes="legal", x=x + 50, y=y + 50, radius=8)


def scene(state: draw.StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> draw.Scene:
    free = [state.text(action) for action in state.legal_actions] if legal else []
    layers = draw.Layer("marks", tuple(marks(state))), draw.Layer(draw.LEGAL, tuple(map(dot, free)))
    hits = tuple(draw.Hit(area=name, action=name, label=draw.same(name)) for name in free)
    return draw.Scene(static=BOARD, title=TITLE, headline=headline(state), layers=layers, hits=hits)


TITLE, STYLE = draw.same("Tic-Tac-Toe"), {".mark": "fill:none;stroke:var(--ink);stroke-width:8"}
TAKEN = {"taken": "„{text}“: Das Feld ist schon besetzt."}
GAME = GameDescription(title=TITLE, scene=scene, seats=lambda game: SEATS, style=STYLE, refusals=TAKEN)
