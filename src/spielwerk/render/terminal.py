"""A scene painted with characters: the board as coloured cells, what stands beside it as lines of text.

Any scene whose board is made of `cell` rectangles in rows and columns can be painted, if the game's description has
characters for its pieces; a game with another board may bring a painter of its own. The rest is left to `str(state)`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.style import Style
from rich.text import Text as Line

from spielwerk.render.description import Glyph, description_of
from spielwerk.render.scene import Circle, Rect, Scene, Shape, Text, Use, shapes_of
from spielwerk.render.theme import colour

_THEME = "light"  # dark pieces on a light board read well on terminals of either kind
_CELL_WIDTH = 3
_TINTS = {"from": 0.2, "to": 0.35, "place": 0.35}  # how much accent the last move's cells take on


def paint(scene: Scene, *, coloured: bool = True) -> Line | None:
    """The board in characters; None where it is of another kind or holds a piece without a character.

    Where there are no colours, dark cells are shaded.
    """
    game = description_of(scene.static.game)
    if game.terminal is not None:
        return game.terminal(scene)
    grid = _Grid.of(scene)
    if grid is None or not game.glyphs:
        return None
    cells = {place: _Cell(cell, game.glyphs) for place, cell in grid.cells.items()}
    for shape in shapes_of(scene.layers):
        place = grid.place(shape)
        if place in cells and not cells[place].add(shape):
            return None
    return _board(grid, cells, blank=" " if coloured else "░")


class _Place(NamedTuple):
    row: int
    column: int


@dataclass(frozen=True)
class _Grid:
    """The cells of a scene by row and column, and the names written beside them."""

    tops: list[float]
    lefts: list[float]
    side: float
    cells: dict[_Place, Rect]
    row_names: dict[int, str]
    column_names: dict[int, str]

    @staticmethod
    def of(scene: Scene) -> _Grid | None:
        fixed = list(shapes_of(scene.static.layers))
        cells = [shape for shape in fixed if isinstance(shape, Rect) and "cell" in shape.classes.split()]
        if not cells:
            return None
        tops, lefts = sorted({cell.y for cell in cells}), sorted({cell.x for cell in cells})
        side = cells[0].width
        if any(after - before != side for line in (tops, lefts) for before, after in pairwise(line)):
            return None
        grid = _Grid(tops, lefts, side, {}, {}, {})
        grid.cells.update((grid.place(cell), cell) for cell in cells)
        for shape in fixed:
            if isinstance(shape, Text):
                grid._take_name(shape)
        return grid

    def place(self, shape: Shape) -> _Place:
        x, y = _centre(shape)
        return _Place(_band(self.tops, self.side, y), _band(self.lefts, self.side, x))

    def _take_name(self, text: Text) -> None:
        row, column = self.place(text)
        if column < 0 <= row:
            self.row_names[row] = text.content.en
        elif row < 0 <= column:
            self.column_names[column] = text.content.en


def _band(edges: list[float], side: float, value: float) -> int:
    """Which row or column a coordinate falls into; -1 when it lies outside the board."""
    index = bisect_right(edges, value) - 1
    return index if index >= 0 and value < edges[-1] + side else -1


def _centre(shape: Shape) -> tuple[float, float]:
    match shape:
        case Rect():
            return shape.x + shape.width / 2, shape.y + shape.height / 2
        case Circle() | Use() | Text():
            return shape.x, shape.y
    return -1, -1


@dataclass
class _Cell:
    """What lies on one cell, in the order it was painted."""

    rect: Rect
    glyphs: Mapping[frozenset[str], Glyph]
    left: str = ""
    middle: str = ""
    right: str = ""
    ink: str = "ink"
    side_ink: str = "ink"
    tint: float = 0
    bold: bool = False

    def add(self, shape: Shape) -> bool:
        """Takes a shape in; False when there is no character for it."""
        classes = set(shape.classes.split())
        if "last-move" in classes:
            self._mark_last(classes)
        elif "legal" in classes:
            self._mark_legal(shape, classes)
        elif isinstance(shape, Use):
            return self._add_piece(shape, classes)
        return True

    def _mark_last(self, classes: set[str]) -> None:
        self.tint = max(tint for name, tint in _TINTS.items() if name in classes)
        if "from" not in classes:
            self.left, self.right = "‹", "›"

    def _mark_legal(self, shape: Shape, classes: set[str]) -> None:
        action = shape.id.removeprefix("legal-")
        self.ink, self.bold = "accent", True
        if "capture" in classes:
            self.left, self.right, self.side_ink = "[", "]", "accent"
        elif "place" in classes or len(action) >= _CELL_WIDTH:
            self.middle, self.ink, self.bold = "·", "muted", False
        else:
            self.middle = action  # its own name: what to type is what one sees

    def _add_piece(self, shape: Use, classes: set[str]) -> bool:
        glyph = next((glyph for key, glyph in self.glyphs.items() if key <= classes), None)
        if glyph is None:
            return False
        offset = (shape.x - _centre(self.rect)[0]) / self.rect.width
        if "held" in classes or offset > 0.1:
            self.right, self.side_ink = glyph.character, glyph.colour
        elif offset < -0.1:
            self.left, self.side_ink = glyph.character, glyph.colour
        else:
            self.middle, self.ink, self.bold = glyph.character, glyph.colour, True
        return True

    def paint(self, dark_blank: str) -> Line:
        dark = "dark" in self.rect.classes.split()
        blank = dark_blank if dark else " "
        paper = _mixed("cell-dark" if dark else "cell-light", self.tint)
        sides = Style(color=colour(self.side_ink, _THEME), bgcolor=paper)
        line = Line()
        if len(self.middle) > 1:
            return line.append(self.middle.center(_CELL_WIDTH, blank), self._style(paper))
        line.append(self.left or blank, sides)
        line.append(self.middle or blank, self._style(paper))
        return line.append(self.right or blank, sides)

    def _style(self, paper: str) -> Style:
        return Style(color=colour(self.ink, _THEME), bgcolor=paper, bold=self.bold)


def _mixed(paper: str, part: float) -> str:
    """The theme's colour with a part of accent over it."""
    below, above = (bytes.fromhex(colour(name, _THEME)[1:]) for name in (paper, "accent"))
    return "#" + bytes(round(b + (a - b) * part) for b, a in zip(below, above, strict=True)).hex()


def _board(grid: _Grid, cells: dict[_Place, _Cell], blank: str) -> Line:
    board = Line(no_wrap=True)
    margin = max((len(name) for name in grid.row_names.values()), default=0)
    for row in range(len(grid.tops)):
        board.append(f"{grid.row_names.get(row, ''):>{margin}} ", "dim")
        for column in range(len(grid.lefts)):
            cell = cells.get(_Place(row, column))
            board.append_text(cell.paint(blank) if cell else Line(" " * _CELL_WIDTH))
        board.append("\n")
    names = [grid.column_names.get(column, "").center(_CELL_WIDTH) for column in range(len(grid.lefts))]
    return board.append(" " * (margin + 1) + "".join(names).rstrip(), "dim")
