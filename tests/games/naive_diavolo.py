"""DiavoloPP by the book: a slow, plain rule follower to check the fast core against.

It was written from the rules and shares nothing with the core: a point is a pair of numbers, a field the set
of its three corners, an edge the set of its two ends, the board two dicts. Nothing is remembered from one
action to the next but the stones; groups, blocked fields and pairs are found again each time they matter.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

WHITE, RED = "white", "red"
COLOURS = (WHITE, RED)
GLYPHS = {WHITE: "+", RED: "*"}

Point = tuple[int, int]
Field = frozenset[Point]
Edge = frozenset[Point]
Group = frozenset[Field]


# --- The board ------------------------------------------------------------------------------------


@cache
def all_points(side: int) -> tuple[Point, ...]:
    return tuple((c, r) for c in range(1, side + 2) for r in range(1, side + 2) if c + r <= side + 2)


def is_step(a: Point, b: Point) -> bool:
    """Whether two points are the ends of one edge: the board has three directions."""
    return (b[0] - a[0], b[1] - a[1]) in {(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}


@cache
def all_edges(side: int) -> tuple[Edge, ...]:
    return tuple(frozenset(pair) for pair in combinations(all_points(side), 2) if is_step(*pair))


@cache
def all_fields(side: int) -> tuple[Field, ...]:
    """Three points, each a step from the others."""
    fields = set()
    for edge in all_edges(side):
        a, b = edge
        for c in all_points(side):
            if is_step(a, c) and is_step(b, c):
                fields.add(frozenset({a, b, c}))
    return tuple(sorted(fields, key=sorted))


@cache
def neighbours(field: Field, side: int) -> tuple[Field, ...]:
    """The fields with a common edge."""
    return tuple(other for other in all_fields(side) if len(field & other) == 2)


@cache
def fields_beside(edge: Edge, side: int) -> tuple[Field, ...]:
    return tuple(field for field in all_fields(side) if edge <= field)


def joined_name(points: Field | Edge, separator: str) -> str:
    return separator.join(f"{column},{row}" for column, row in sorted(points))


@cache
def land_name(field: Field) -> str:
    return joined_name(field, "+")


@cache
def bridge_name(edge: Edge) -> str:
    return joined_name(edge, "-")


@cache
def lands_by_name(side: int) -> dict[str, Field]:
    return {land_name(field): field for field in all_fields(side)}


@cache
def bridges_by_name(side: int) -> dict[str, Edge]:
    return {bridge_name(edge): edge for edge in all_edges(side)}


# --- Groups ---------------------------------------------------------------------------------------


def groups(lands: set[Field], side: int) -> list[Group]:
    """The edge-connected heaps among the lands of one colour."""
    found, left = [], set(lands)
    while left:
        heap, edge_of_heap = set(), [left.pop()]
        while edge_of_heap:
            land = edge_of_heap.pop()
            heap.add(land)
            for other in neighbours(land, side):
                if other in left:
                    left.remove(other)
                    edge_of_heap.append(other)
        found.append(frozenset(heap))
    return found


def corners(group: Group) -> frozenset[Point]:
    return frozenset().union(*group)


def group_rules_hold(lands: set[Field], side: int) -> bool:
    heaps = groups(lands, side)
    if any(len(heap) > 4 for heap in heaps):
        return False
    for island in heaps:
        if len(island) == 4:
            for other in heaps:
                if other is not island and corners(island) & corners(other):
                    return False
    return True


# --- The game -------------------------------------------------------------------------------------


class NaiveDiavolo:
    """One running game. Stones are laid as the rules say; `legal()` lists the texts of what may be done."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.lands: dict[Field, str] = {}
        self.bridges: dict[Edge, str] = {}
        self.colour = WHITE
        self.seat_of = {WHITE: 0, RED: 1}
        self.turn = 1
        self.first_land_laid = False
        self.white_has_passed = False
        self.over = False

    # -- what a colour has

    def lands_of(self, colour: str) -> set[Field]:
        return {land for land, owner in self.lands.items() if owner == colour}

    def bridges_of(self, colour: str) -> set[Edge]:
        return {bridge for bridge, owner in self.bridges.items() if owner == colour}

    def blocked(self) -> set[Field]:
        return {field for bridge in self.bridges for field in fields_beside(bridge, self.side)}

    def bridge_ends(self) -> set[Point]:
        return {end for bridge in self.bridges for end in bridge}

    # -- what may be done

    def lands_that_fit(self) -> list[Field]:
        """Fields on which one land alone may be laid by the colour to move."""
        own, blocked = self.lands_of(self.colour), self.blocked()
        free = [field for field in all_fields(self.side) if field not in self.lands and field not in blocked]
        return [field for field in free if group_rules_hold(own | {field}, self.side)]

    def first_lands(self) -> list[Field]:
        """Fields on which the first of two lands may be laid: a second one must fit afterwards."""
        own, fitting = self.lands_of(self.colour), self.lands_that_fit()
        return [
            first
            for first in fitting
            if any(group_rules_hold(own | {first, second}, self.side) for second in fitting if second != first)
        ]

    def possible_bridges(self) -> list[Edge]:
        own_corners = {corner for land in self.lands_of(self.colour) for corner in land}
        taken = self.bridge_ends()
        return [
            edge
            for edge in all_edges(self.side)
            if edge <= own_corners
            and not edge & taken
            and not any(field in self.lands for field in fields_beside(edge, self.side))
        ]

    def legal(self) -> list[str]:
        if self.over:
            return []
        if self.first_land_laid:
            return [land_name(field) for field in self.lands_that_fit()]
        lands = [land_name(field) for field in self.first_lands()]
        texts = lands + [bridge_name(edge) for edge in self.possible_bridges()]
        if not lands:
            texts.append("pass")
        if self.turn == 2:
            texts.append("swap")
        return texts

    # -- doing it

    @property
    def player(self) -> int | None:
        return None if self.over else self.seat_of[self.colour]

    def play(self, text: str) -> None:
        if text == "swap":
            self.seat_of = {WHITE: self.seat_of[RED], RED: self.seat_of[WHITE]}
            self.turn += 1  # Red is to move again, now from the other seat
        elif text == "pass":
            self.pass_turn()
        elif text in lands_by_name(self.side):
            self.lands[lands_by_name(self.side)[text]] = self.colour
            if self.first_land_laid:
                self.end_turn()
            else:
                self.first_land_laid = True
        else:
            self.bridges[bridges_by_name(self.side)[text]] = self.colour
            self.end_turn()

    def pass_turn(self) -> None:
        if self.colour == RED:
            self.over = True
        else:
            self.white_has_passed = True
            self.colour = RED
            self.turn += 1

    def end_turn(self) -> None:
        self.first_land_laid = False
        self.turn += 1
        if self.colour == RED and self.white_has_passed:
            self.over = True
        self.colour = RED if self.colour == WHITE or self.over else WHITE

    # -- the result

    def islands(self, colour: str) -> list[Group]:
        return [heap for heap in groups(self.lands_of(colour), self.side) if len(heap) == 4]

    def components(self, colour: str) -> list[set[Group]]:
        """Groups thrown together bridge by bridge: all that have a corner at either end."""
        heaps = [{heap} for heap in groups(self.lands_of(colour), self.side)]
        for bridge in self.bridges_of(colour):
            at_its_ends = [heap for heap in heaps if any(corners(group) & bridge for group in heap)]
            heaps = [heap for heap in heaps if heap not in at_its_ends]
            heaps.append(set().union(*at_its_ends))
        return heaps

    def score(self, colour: str) -> int:
        total = 0
        for component in self.components(colour):
            number_of_islands = sum(len(group) == 4 for group in component)
            total += sum(range(1, number_of_islands + 1))
        return total

    @property
    def winner(self) -> tuple[int, ...]:
        if not self.over:
            return ()
        white, red = (
            (self.score(colour), len(self.islands(colour)), len(self.bridges_of(colour))) for colour in COLOURS
        )
        if white == red:
            return ()
        return (self.seat_of[WHITE if white > red else RED],)

    @property
    def points(self) -> tuple[int, int]:
        by_seat = {self.seat_of[colour]: self.score(colour) if self.over else 0 for colour in COLOURS}
        return by_seat[0], by_seat[1]

    # -- the picture

    def picture(self) -> str:
        return paint(self.side, self.lands, self.bridges)


def paint(side: int, lands: dict[Field, str], bridges: dict[Edge, str]) -> str:
    """Every edge as a line from end to end, then the two rows of every land."""
    canvas = [[" "] * (12 * side + 2) for _ in range(6 * side)]
    for edge in all_edges(side):
        lower, upper = sorted(edge, key=lambda point: (point[1], point[0]))
        glyph = GLYPHS.get(bridges.get(edge, ""), "")
        x, y = 12 * lower[0] + 6 * lower[1] - 16, 6 * (side + 1 - lower[1]) - 1  # where its '/' would begin
        if lower[1] == upper[1]:
            for i in range(1, 11):
                canvas[y][x + i] = glyph or "_"
        elif upper[0] == lower[0]:
            for i in range(6):
                canvas[y - i][x + i] = glyph or "/"
        else:
            for i in range(6):
                canvas[y - i][x - 1 - i] = glyph or "\\"
    for land, colour in lands.items():
        paint_land(canvas, side, land, GLYPHS[colour])
    return "\n".join("".join(row).rstrip() for row in canvas)


def paint_land(canvas: list[list[str]], side: int, land: Field, glyph: str) -> None:
    rows = sorted(row for _, row in land)
    points_up = rows[0] == rows[1]
    leftmost_of_base = min(point for point in land if point[1] == (rows[0] if points_up else rows[2]))
    x = 12 * leftmost_of_base[0] + 6 * leftmost_of_base[1] - 16
    y = 6 * (side + 1 - leftmost_of_base[1]) - 1
    wide, narrow = (y - 1, y - 2) if points_up else (y + 2, y + 3)
    for row, width in ((wide, 4), (narrow, 2)):
        for column in range(width):
            canvas[row][x + 6 - width // 2 + column] = glyph


def perft(game: NaiveDiavolo, depth: int) -> int:
    """The number of sequences of exactly `depth` actions."""
    if depth == 1:
        return len(game.legal())
    total = 0
    for text in game.legal():
        following = copy_of(game)
        following.play(text)
        total += perft(following, depth - 1)
    return total


def set_up(side: int, text: str) -> NaiveDiavolo:
    """A position from its text, after the game's second turn."""
    naive = NaiveDiavolo(side)
    naive.turn = 3
    for clause in text.split("; "):
        first, *names = clause.split()
        if first in COLOURS and names[:1] != ["to"]:
            for name in names:
                if "+" in name:
                    naive.lands[lands_by_name(side)[name]] = first
                else:
                    naive.bridges[bridges_by_name(side)[name]] = first
        elif first in COLOURS:
            naive.colour = first
    naive.first_land_laid = "second land due" in text
    naive.white_has_passed = "last turn" in text
    if "seats exchanged" in text:
        naive.seat_of = {WHITE: 1, RED: 0}
    return naive


def copy_of(game: NaiveDiavolo) -> NaiveDiavolo:
    twin = NaiveDiavolo(game.side)
    twin.__dict__.update(game.__dict__)
    twin.lands, twin.bridges, twin.seat_of = dict(game.lands), dict(game.bridges), dict(game.seat_of)
    return twin
