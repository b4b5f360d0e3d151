"""Ludo by the book: a slow, plain rule follower to check the fast core against.

It was written from the rules and shares nothing with the core: colours are names, a piece is described by words,
blocks are found by counting the pieces on a square, and a move walks square by square. Nothing in here is
clever; where a shortcut and the rulebook's wording differed, the wording won.
"""

from __future__ import annotations

from dataclasses import dataclass

ORDER = ("green", "yellow", "blue", "red")
START = {"green": 0, "yellow": 13, "blue": 26, "red": 39}
SAFE = {0, 8, 13, 21, 26, 34, 39, 47}
TRACK = 52
LAST_MAIN_DISTANCE = 50
LAST_HOME = 5
FACES = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Place:
    """Where a piece is: in the 'yard', on the 'track' or in the 'home' column at a number, or 'finished'."""

    kind: str
    number: int = 0

    def text(self) -> str:
        return {"yard": "y", "finished": "f", "track": f"{self.number}", "home": f"h{self.number}"}[self.kind]


YARD = Place("yard")
FINISHED = Place("finished")


class NaiveLudo:
    """One running game. `player` is the seat that moves, 'die' while the die is to fall, None when over."""

    def __init__(
        self,
        ruleset: str = "ffa",
        *,
        players: int = 4,
        colours: tuple[str, ...] = (),
        again_on_six: bool = True,
        again_on_capture: bool = True,
        exact_finish: bool = False,
        ranking: bool = False,
        max_plies: int = 10_000,
    ) -> None:
        self.teams = ruleset == "teams"
        self.colours = colours or ORDER[:players]
        self.again_on_six = again_on_six
        self.again_on_capture = again_on_capture
        self.exact_finish = exact_finish
        self.ranking = ranking
        self.max_plies = max_plies
        self.pieces = {colour: [YARD] * 4 for colour in self.colours}
        self.has_captured = dict.fromkeys(self.colours, False)
        self.sixes_in_a_row = dict.fromkeys(self.colours, 0)
        self.finished_in_order: list[str] = []
        self.turn = self.colours[0]
        self.die: int | None = None
        self.plies = 0
        self.over = False
        self.truncated = False

    def copy(self) -> NaiveLudo:
        twin = object.__new__(NaiveLudo)
        twin.__dict__.update(self.__dict__)
        twin.pieces = {colour: pieces.copy() for colour, pieces in self.pieces.items()}
        twin.has_captured = self.has_captured.copy()
        twin.sixes_in_a_row = self.sixes_in_a_row.copy()
        twin.finished_in_order = self.finished_in_order.copy()
        return twin

    # --- Who is who -------------------------------------------------------------------------------------------

    def side(self, colour: str) -> list[str]:
        """The colours that play together with this one, itself included."""
        if not self.teams:
            return [colour]
        return ["green", "blue"] if colour in ("green", "blue") else ["yellow", "red"]

    def partner(self, colour: str) -> str:
        return next(other for other in self.side(colour) if other != colour)

    def has_finished(self, colour: str) -> bool:
        return all(piece == FINISHED for piece in self.pieces[colour])

    def colour_moved(self) -> str:
        """Whose pieces the die moves: the partner's once all of one's own have finished."""
        if self.teams and self.has_finished(self.turn):
            return self.partner(self.turn)
        return self.turn

    # --- What stands where ------------------------------------------------------------------------------------

    def standing_on(self, square: int) -> list[str]:
        """The colour of every piece on a square of the track."""
        here = Place("track", square)
        return [colour for colour in self.colours for piece in self.pieces[colour] if piece == here]

    def is_blocked(self, square: int) -> bool:
        if square in SAFE:
            return False
        standing = self.standing_on(square)
        return any(sum(other in self.side(colour) for other in standing) >= 2 for colour in self.colours)

    # --- How one piece moves ----------------------------------------------------------------------------------

    def destination(self, colour: str, piece: Place, die: int) -> Place | None:
        """Where a piece would go, or None when it cannot move."""
        if piece == FINISHED:
            return None
        if piece == YARD:
            return Place("track", START[colour]) if die == 6 else None
        if piece.kind == "home":
            return self.home_place(piece.number + die)
        return self.walk(colour, piece.number, die)

    def walk(self, colour: str, square: int, die: int) -> Place | None:
        distance = (square - START[colour]) % TRACK
        for step in range(1, die + 1):
            if self.has_captured[colour] and distance + step > LAST_MAIN_DISTANCE:
                return self.home_place(distance + die - LAST_MAIN_DISTANCE - 1)
            if self.is_blocked((square + step) % TRACK):
                return None
        return Place("track", (square + die) % TRACK)

    def home_place(self, number: int) -> Place | None:
        if number > LAST_HOME and self.exact_finish:
            return None
        return FINISHED if number >= LAST_HOME else Place("home", number)

    # --- What may be done -------------------------------------------------------------------------------------

    @property
    def player(self) -> int | str | None:
        if self.over:
            return None
        return "die" if self.die is None else self.colours.index(self.turn)

    def legal(self) -> list[str]:
        if self.over:
            return []
        if self.die is None:
            return [f"d{face}" for face in FACES]
        colour, die = self.colour_moved(), self.die
        movable = [
            str(number)
            for number, piece in enumerate(self.pieces[colour])
            if self.destination(colour, piece, die) is not None
        ]
        return movable or ["pass"]

    def play(self, text: str) -> None:
        if text not in self.legal():
            raise ValueError(f"{text!r} is not legal here; legal: {' '.join(self.legal()) or 'nothing'}")
        if text.startswith("d"):
            self.let_the_die_fall(int(text[1]))
        else:
            self.decide(text)

    def let_the_die_fall(self, face: int) -> None:
        self.sixes_in_a_row[self.turn] = self.sixes_in_a_row[self.turn] + 1 if face == 6 else 0
        if self.sixes_in_a_row[self.turn] == 3:
            self.sixes_in_a_row[self.turn] = 0
            self.next_player()
        else:
            self.die = face

    def decide(self, text: str) -> None:
        die, colour, mover = self.die, self.colour_moved(), self.turn
        self.plies += 1
        self.die = None
        if text == "pass":
            another_turn = False
        else:
            assert die is not None
            captured = self.move(colour, int(text), die)
            another_turn = (die == 6 and self.again_on_six) or (captured and self.again_on_capture)
            if self.has_finished(colour):
                self.finished_in_order.append(colour)
        self.over = self.somebody_has_won()
        if not self.over and self.plies == self.max_plies:
            self.over = self.truncated = True
        if not self.over and (not another_turn or (not self.teams and self.has_finished(mover))):
            self.next_player()

    def move(self, colour: str, number: int, die: int) -> bool:
        """Moves a piece; tells whether it captured."""
        target = self.destination(colour, self.pieces[colour][number], die)
        assert target is not None
        captured = target.kind == "track" and self.capture_on(target.number, colour)
        self.pieces[colour][number] = target
        return captured

    def capture_on(self, square: int, captor: str) -> bool:
        enemies = [colour for colour in self.standing_on(square) if colour not in self.side(captor)]
        if square in SAFE or len(enemies) != 1:
            return False
        victim = enemies[0]
        self.pieces[victim][self.pieces[victim].index(Place("track", square))] = YARD
        self.has_captured[captor] = True
        return True

    def next_player(self) -> None:
        seat = self.colours.index(self.turn)
        self.turn = self.colours[(seat + 1) % len(self.colours)]
        if self.ranking and self.has_finished(self.turn):
            self.next_player()

    # --- How it ends ------------------------------------------------------------------------------------------

    def somebody_has_won(self) -> bool:
        if self.teams:
            return any(all(self.has_finished(c) for c in self.side(colour)) for colour in self.colours)
        needed = len(self.colours) - 1 if self.ranking else 1
        return len(self.finished_in_order) >= needed

    def returns(self) -> tuple[float, ...]:
        if not self.over or self.truncated:
            return tuple(0.0 for _ in self.colours)
        return tuple(self.return_of(colour) for colour in self.colours)

    def return_of(self, colour: str) -> float:
        if self.teams:
            return 1.0 if all(self.has_finished(c) for c in self.side(colour)) else -1.0
        if not self.ranking:
            return 1.0 if self.has_finished(colour) else -1.0
        last = [c for c in self.colours if c not in self.finished_in_order]
        place = [*self.finished_in_order, *last].index(colour) + 1
        return 1 - 2 * (place - 1) / (len(self.colours) - 1)

    # --- The position in the text form every door of the project reads and writes --------------------------------

    def text(self) -> str:
        fields = []
        for colour in self.colours:
            mark = "!" if self.has_captured[colour] else ""
            places = ",".join(piece.text() for piece in self.pieces[colour])
            fields.append(f"{colour[0].upper()}{mark}={places}")
        fields.append(f"turn={self.turn[0].upper()}")
        fields.append(f"die={self.die or '-'}")
        fields.append("sixes=" + "".join(str(self.sixes_in_a_row[colour]) for colour in self.colours))
        fields.append(f"plies={self.plies}")
        if self.ranking:
            order = "".join(colour[0].upper() for colour in self.finished_in_order)
            fields.append(f"order={order or '-'}")
        return " ".join(fields)


def perft(game: NaiveLudo, depth: int) -> int:
    """How many sequences of dice and decisions of exactly this length exist."""
    if depth == 0:
        return 1
    total = 0
    for text in game.legal():
        after = game.copy()
        after.play(text)
        total += perft(after, depth - 1)
    return total
