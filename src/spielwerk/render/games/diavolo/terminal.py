"""DiavoloPP's board painted with characters: two lines a row, four columns an edge.

A line with the points of a row, their bridges' ends and what runs level, then a line with the fields and what
slants between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.style import Style
from rich.text import Text as Line

from spielwerk.render.scene import Scene, shapes_of
from spielwerk.render.theme import colour

_THEME = "light"
_MARGIN = 3

_UP, _DOWN = {"white": "△", "red": "▲"}, {"white": "▽", "red": "▼"}
_ENDS = {"white": "○", "red": "●"}
_LEVEL = {"white": "─", "red": "━"}
_INKS = {"white": "ink", "red": "red-body"}

Grid = tuple[int, int]


def paint_triangles(scene: Scene) -> Line:
    fields = (shape.id for shape in shapes_of(scene.static.layers) if shape.id.startswith("field-"))
    points = {point for field in fields for point in _points(field)}
    canvas = _Canvas(max(row for _, row in points))
    for point in points:
        canvas.put_point(point)
    for shape in shapes_of(scene.layers):
        kind, _, name = shape.id.partition("-")
        owner = next((name for name in _INKS if name in shape.classes.split()), "")
        if kind == "land" and owner:
            canvas.put_land(_points(name), owner)
        elif kind == "bridge" and owner:
            canvas.put_bridge(_points(name), owner)
        elif kind == "blocked":
            canvas.put_field(_points(name), "×", "muted")
        elif kind == "legal" and "+" in name:
            canvas.put_field(_points(name), "·", "accent")
        elif kind == "legal":
            canvas.put_possible_bridge(_points(name))
        elif kind == "last":
            canvas.mark(_points(name))
    return canvas.text()


def _points(name: str) -> list[Grid]:
    """The points of a field or an edge, sorted by column and row."""
    corners = name.removeprefix("field-").replace("-", "+").split("+")
    return sorted((int(column), int(row)) for column, row in (corner.split(",") for corner in corners))


@dataclass
class _Canvas:
    """Characters with inks, by line and column."""

    rows: int  # of points
    glyphs: dict[Grid, tuple[str, str]] = field(default_factory=dict)
    marked: set[Grid] = field(default_factory=set)

    def place(self, point: Grid) -> Grid:
        column, row = point
        return 2 * (self.rows - row), _MARGIN + 4 * (column - 1) + 2 * (row - 1)

    def between(self, points: list[Grid]) -> Grid:
        """The middle of a field or a slanting edge: on the line between two rows of points."""
        places = [self.place(point) for point in points]
        lines, columns = [line for line, _ in places], [column for _, column in places]
        return (min(lines) + max(lines)) // 2, (min(columns) + max(columns)) // 2

    def put_point(self, point: Grid) -> None:
        self.glyphs[self.place(point)] = (".", "hairline")

    def put_field(self, points: list[Grid], glyph: str, ink: str) -> None:
        self.glyphs[self.between(points)] = (glyph, ink)

    def put_land(self, points: list[Grid], owner: str) -> None:
        rows = sorted(row for _, row in points)
        self.put_field(points, (_UP if rows[0] == rows[1] else _DOWN)[owner], _INKS[owner])

    def put_bridge(self, ends: list[Grid], owner: str) -> None:
        (start, end), ink = ends, _INKS[owner]
        if start[1] == end[1]:
            line, left = self.place(start)
            for step in range(1, 4):
                self.glyphs[line, left + step] = (_LEVEL[owner], ink)
        else:
            self.put_field(ends, "╱" if start[0] == end[0] else "╲", ink)
        for point in ends:
            self.glyphs[self.place(point)] = (_ENDS[owner], ink)

    def put_possible_bridge(self, ends: list[Grid]) -> None:
        start, end = ends
        self.put_field(ends, "-" if start[1] == end[1] else "/" if start[0] == end[0] else "\\", "accent")

    def mark(self, points: list[Grid]) -> None:
        level = len({row for _, row in points}) == 1
        line, column = self.between(points)
        self.marked |= {(line, column + step) for step in ((-1, 0, 1) if level else (0,))}

    def text(self) -> Line:
        board, middle = Line(no_wrap=True), _MARGIN + 2 * (self.rows - 1)
        for line in range(2 * self.rows - 1):
            left, right = middle - line - 1, middle + line + 1
            board.append(("" if line % 2 else str(self.rows - line // 2)).rjust(left), "dim")
            for column in range(left, right + 1):
                board.append(*self.character((line, column)))
            board.append("\n")
        names = "".join(str(column).ljust(4) for column in range(1, self.rows + 1))
        return board.append(" " * _MARGIN + names.rstrip(), "dim")

    def character(self, place: Grid) -> tuple[str, Style]:
        glyph, ink = self.glyphs.get(place, (" ", "ink"))
        bold = ink in _INKS.values()
        if place in self.marked:
            return glyph, Style(color=colour("paper", _THEME), bgcolor=colour("accent", _THEME), bold=bold)
        return glyph, Style(color=colour(ink, _THEME), bgcolor=colour("cell-light", _THEME), bold=bold)
