"""The scene of a game that has none of its own: what the core tells of any game, drawn plainly.

Where the observation is a grid, it is drawn as the board: a letter in a cell for each plane that marks it, with the
planes' names beside it. An action that is alone in its cell is played there, all others by buttons below.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil, sqrt
from string import ascii_letters
from typing import TYPE_CHECKING, cast

from spielwerk.render.glyphs import text_width
from spielwerk.render.scene import (
    LEGAL,
    MARGIN,
    STATUS,
    Circle,
    GameLike,
    Hit,
    Label,
    Layer,
    Rect,
    Scene,
    Shape,
    StateLike,
    Static,
    Text,
    listed,
    same,
)

if TYPE_CHECKING:
    from spielwerk.games import Game, State

_BOARD = 840.0
_EDGE = 40.0
_WIDTH = _BOARD + 2 * _EDGE
_STATUS_Y = _EDGE + _BOARD + 60
_BUTTONS_Y = _STATUS_Y + 60
_BUTTONS_HEIGHT = 240.0
_HEIGHT = _BUTTONS_Y + _BUTTONS_HEIGHT + _EDGE
_WIDE = 2.5  # of a button: its width by its height

Cell = tuple[int, int]


def seats(game: GameLike) -> tuple[Label, ...]:
    """Numbered from one."""
    numbers = range(1, cast("Game", game).num_players + 1)
    return tuple(Label(f"Player {number}", f"Spieler {number}") for number in numbers)


def scene(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The position's picture; `actions` mark nothing here."""
    del actions
    position = cast("State", state)
    height, width = _grid(position.game)
    texts = {position.text(action): action for action in position.legal_actions} if legal else {}
    cells = _cells(position.game, texts) if height else {}
    marks = _marks(position) if height else {}
    headline, detail = _headline(position), _detail(position)
    legend = tuple(_legend(marks))
    return Scene(
        static=_static(position.game.name.partition("/")[0], height, width),
        title=same(position.game.name),
        headline=headline,
        detail=detail,
        notes=(*_points(position), *(legend if height else _facts(position))),
        layers=(
            Layer("facts", tuple(_lines(position)) if not height else ()),
            Layer("marks", tuple(_letters(marks, height, width))),
            Layer(LEGAL, tuple(_dot(text, cell, height, width) for text, cell in cells.items())),
            Layer(STATUS, tuple(_status(headline, detail))),
            Layer(MARGIN, (*_legend_line(legend), *_buttons([text for text in texts if text not in cells]))),
        ),
        hits=tuple(_hit(text, cells.get(text)) for text in texts),
    )


# --- The board ----------------------------------------------------------------------------------------------------


def _grid(game: Game) -> tuple[int, int]:
    """Rows and columns; none where the observation is no board."""
    _, height, width = game.observation_shape
    return (height, width) if height > 1 and width > 1 else (0, 0)


def _side(height: int, width: int) -> float:
    return _BOARD / max(height, width, 1)


def _centre(cell: Cell, height: int, width: int) -> tuple[float, float]:
    (row, column), side = cell, _side(height, width)
    return _EDGE + (column + 0.5) * side, _EDGE + (row + 0.5) * side


@lru_cache
def _static(game: str, height: int, width: int) -> Static:
    return Static(
        game=game,
        view=(0, 0, _WIDTH, _HEIGHT),
        focus=(0, 0, _WIDTH, _WIDTH),
        layers=(
            Layer("paper", (Rect(classes="paper", x=0, y=0, width=_WIDTH, height=_HEIGHT),)),
            Layer("cells", tuple(_squares(height, width))),
        ),
        symbols=(),
    )


def _squares(height: int, width: int) -> Iterator[Shape]:
    for row in range(height):
        for column in range(width):
            side = _side(height, width)
            yield Rect(
                id=_cell_id((row, column)),
                classes="cell dark" if (row + column) % 2 else "cell",
                label=same(f"{row + 1},{column + 1}"),
                x=_EDGE + column * side,
                y=_EDGE + row * side,
                width=side,
                height=side,
            )


def _cell_id(cell: Cell) -> str:
    return f"cell-{cell[0]}-{cell[1]}"


def _marks(state: State) -> dict[str, list[Cell]]:
    """For each plane that tells cells apart, as the first seat sees it, the cells that it marks."""
    marks = {}
    for plane, values in zip(state.game.planes, state.observation(0), strict=True):
        if values.min() != values.max():
            rows, columns = values.nonzero()
            marks[plane.name] = [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
    return marks


def _letter(number: int) -> str:
    return ascii_letters[26:][number] if number < 26 else str(number)


def _letters(marks: dict[str, list[Cell]], height: int, width: int) -> Iterator[Shape]:
    marked: dict[Cell, list[int]] = defaultdict(list)
    for number, cells in enumerate(marks.values()):
        for cell in cells:
            marked[cell].append(number)
    names = list(marks)
    for cell, numbers in marked.items():
        for number, (x, y, size) in zip(numbers, _places(len(numbers), cell, height, width), strict=False):
            yield Text(
                id=f"mark-{number}-{cell[0]}-{cell[1]}",
                label=same(names[number]),
                x=x,
                y=y + size / 2,
                size=size,
                content=same(_letter(number)),
                anchor="middle",
            )


def _places(count: int, cell: Cell, height: int, width: int) -> list[tuple[float, float, float]]:
    """Where letters stand in a cell, and how large they are: one in the middle, several in its corners."""
    (x, y), side = _centre(cell, height, width), _side(height, width)
    if count == 1:
        return [(x, y, 0.45 * side)]
    return [(x + across * side, y + down * side, 0.2 * side) for down in (-0.25, 0.25) for across in (-0.25, 0.25)]


# --- What can be played -------------------------------------------------------------------------------------------


def _cells(game: Game, texts: dict[str, int]) -> dict[str, Cell]:
    """The cell of each action that is alone in one."""
    places = {text: game.action_cells[action] for text, action in texts.items()}
    cells = {text: (row, column) for text, (kind, row, column) in places.items() if kind >= 0}
    crowds = Counter(cells.values())
    return {text: cell for text, cell in cells.items() if crowds[cell] == 1}


def _dot(text: str, cell: Cell, height: int, width: int) -> Circle:
    x, y = _centre(cell, height, width)
    return Circle(id=f"legal-{text}", classes="legal", x=x, y=y, radius=0.08 * _side(height, width))


def _hit(text: str, cell: Cell | None) -> Hit:
    return Hit(area=_cell_id(cell) if cell else f"button-{text}", action=text, label=same(text))


def _buttons(texts: Sequence[str]) -> Iterator[Shape]:
    """All of them in the room there is, however many they are."""
    if not texts:
        return
    columns = max(4, ceil(sqrt(len(texts) * _BOARD / _BUTTONS_HEIGHT / _WIDE)))
    width = _BOARD / columns
    height = min(width / _WIDE, _BUTTONS_HEIGHT / ceil(len(texts) / columns))
    for number, text in enumerate(texts):
        row, column = divmod(number, columns)
        x, y = _EDGE + column * width, _BUTTONS_Y + row * height
        yield Rect(
            id=f"button-{text}",
            classes="button",
            label=same(text),
            x=x + 2,
            y=y + 2,
            width=width - 4,
            height=height - 4,
            radius=4,
        )
        yield Text(
            id=f"button-text-{text}",
            classes="accent",
            x=x + width / 2,
            y=y + 0.6 * height,
            size=min(0.3 * height, 1.2 * width / max(1, len(text))),
            content=same(text),
            anchor="middle",
        )


# --- Words --------------------------------------------------------------------------------------------------------


def _headline(state: State) -> Label:
    names = _seats_of(state)
    if not state.over:
        if state.player is None or state.player < 0:
            return Label("Chance decides", "Der Zufall entscheidet")
        name = names[state.player]
        return Label(f"{name.en} to move", f"{name.de} am Zug")
    if not state.winner:
        return Label("Draw", "Unentschieden")
    winners = [names[seat] for seat in state.winner]
    one = len(winners) == 1
    return Label(
        f"{' and '.join(name.en for name in winners)} {'wins' if one else 'win'}",
        f"{' und '.join(name.de for name in winners)} {'gewinnt' if one else 'gewinnen'}",
    )


def _seats_of(state: State) -> tuple[Label, ...]:
    """A game may name its seats without having a scene."""
    from spielwerk.render.description import description_of

    return description_of(state.game.name).seats(state.game)


def _detail(state: State) -> Label:
    return same(state.reason) if state.over else same("")


def _points(state: State) -> Iterator[Label]:
    if any(state.points):
        points = " : ".join(map(str, state.points))
        yield Label(f"Points {points}", f"Punkte {points}")


def _legend(marks: dict[str, list[Cell]]) -> Iterator[Label]:
    for number, name in enumerate(marks):
        yield same(f"{_letter(number)}: {name}")


def _legend_line(legend: Sequence[Label]) -> Iterator[Shape]:
    if legend:
        text = listed(legend)
        size = min(13.0, 13.0 * _BOARD / text_width(text.en, 13.0))
        yield Text(id="legend", classes="quiet", x=_EDGE, y=_EDGE + _BOARD + 22, size=size, content=text)


def _facts(state: State) -> list[Label]:
    return [same(f"{name.replace('_', ' ')}: {_written(value)}") for name, value in state.position.items()]


def _written(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _lines(state: State) -> Iterator[Shape]:
    """The facts in place of a board."""
    facts = _facts(state)
    line = min(40.0, _BOARD / max(1, len(facts)))
    for number, fact in enumerate(facts):
        size = min(0.4 * line, _BOARD / max(1, len(fact.en)))
        yield Text(id=f"fact-{number}", x=_EDGE, y=_EDGE + (number + 1) * line, size=size, content=fact)


def _status(headline: Label, detail: Label) -> Iterator[Shape]:
    yield Text(id="headline", x=_EDGE, y=_STATUS_Y, size=20, content=headline)
    if detail.en:
        yield Text(id="detail", classes="quiet", x=_EDGE, y=_STATUS_Y + 32, size=15, content=detail)
