"""Pferdeäpfel by the book: a slow, plain rule follower to check the fast core against.

It was written from the rules and shares nothing with the core, not even the board's numbering: squares are
names, the board is a dict, the supply is a heap of apples from which the top one is taken. Nothing in here is
clever; where a shortcut and the rulebook's wording differed, the wording won.
"""

from __future__ import annotations

from functools import cache

WHITE, BLACK = 0, 1
BROWN, GOLDEN = "brown", "golden"

CLASSIC_FAMILY = ("classic", "classic-24", "original")
RULESETS = ("free", "free-place-first", "trail", *CLASSIC_FAMILY, "carry")

BOTH_MAY_CAPTURE = ("free", "free-place-first", "trail")
START_SQUARES_ARE_MARKED = ("free-place-first", "classic-24", "original")
DEFAULT_SUPPLY = {"classic": (28, 12), "classic-24": (28, 12), "original": (28, 12), "carry": (20, 20)}


@cache
def board_squares(size: int) -> tuple[str, ...]:
    """Every square's name, row by row from the top-left corner."""
    return tuple(f"{file}{rank}" for rank in range(size, 0, -1) for file in "abcdefgh"[:size])


@cache
def knight_targets(square: str, size: int) -> tuple[str, ...]:
    """The squares a knight reaches from here on an empty board."""
    targets = []
    for target in board_squares(size):
        files_apart = abs(ord(square[0]) - ord(target[0]))
        ranks_apart = abs(int(square[1]) - int(target[1]))
        if {files_apart, ranks_apart} == {1, 2}:
            targets.append(target)
    return tuple(targets)


def board_text(size: int, glyphs: dict[str, str]) -> str:
    """The board part of the text form: ranks from the top, runs of empty squares as digits."""
    text = ""
    for square in board_squares(size):
        text += glyphs.get(square, "1")
        if square[0] == "abcdefgh"[size - 1]:
            text += "/"
    for run in range(size, 1, -1):
        text = text.replace("1" * run, str(run))
    return text.removesuffix("/")


def opponent(seat: int) -> int:
    return BLACK if seat == WHITE else WHITE


class NaiveGame:
    """One running game. `player` is the seat to act, or None once the game is over."""

    def __init__(
        self,
        ruleset: str,
        *,
        size: int = 8,
        brown: int | None = None,
        golden: int | None = None,
        white_start: str | None = None,
        black_start: str | None = None,
        starter: str = "white",
    ) -> None:
        squares = board_squares(size)
        default_brown, default_golden = DEFAULT_SUPPLY.get(ruleset, (0, 0))
        self.ruleset = ruleset
        self.size = size
        self.golden_total = default_golden if golden is None else golden
        brown_total = default_brown if brown is None else brown
        # Brown apples lie on top of the golden ones: a golden apple is taken only when no brown one is left.
        self.pool = [BROWN] * brown_total + [GOLDEN] * self.golden_total
        self.horses = {WHITE: white_start or squares[0], BLACK: black_start or squares[-1]}
        self.apples: dict[str, str] = {}
        self.held: dict[int, str | None] = {WHITE: None, BLACK: None}
        self.player: int | None = BLACK if starter == "black" else WHITE
        self.step = "jump"
        self.winner: tuple[int, ...] = ()
        self.points = {WHITE: 0, BLACK: 0}

        if ruleset in START_SQUARES_ARE_MARKED:
            for square in self.horses.values():
                self.apples[square] = self.take_apple()
        if ruleset == "carry":
            for seat in (WHITE, BLACK):
                self.held[seat] = self.take_apple()
        self.begin_turn()

    def copy(self) -> NaiveGame:
        twin = object.__new__(NaiveGame)
        twin.__dict__.update(self.__dict__)
        twin.pool = self.pool.copy()
        twin.horses = self.horses.copy()
        twin.apples = self.apples.copy()
        twin.held = self.held.copy()
        twin.points = self.points.copy()
        return twin

    # --- What can be seen on the table ------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.player is None

    def apples_are_unlimited(self) -> bool:
        return self.ruleset not in DEFAULT_SUPPLY

    def empty_squares(self) -> list[str]:
        taken = {*self.apples, *self.horses.values()}
        return [square for square in board_squares(self.size) if square not in taken]

    def golden_apples_on_board(self) -> int:
        return list(self.apples.values()).count(GOLDEN)

    def brown_apples_left(self) -> int:
        return self.pool.count(BROWN)

    def may_capture(self, seat: int) -> bool:
        if self.ruleset in CLASSIC_FAMILY:
            return seat == BLACK
        return self.ruleset in BOTH_MAY_CAPTURE

    def jumps(self, seat: int) -> list[str]:
        """Where this seat's horse could jump to now, were it its turn."""
        allowed = []
        for target in knight_targets(self.horses[seat], self.size):
            if target == self.horses[opponent(seat)]:
                if self.may_capture(seat):
                    allowed.append(target)
            elif target not in self.apples:
                allowed.append(target)
        return allowed

    def squares_to_place_on(self) -> list[str]:
        squares = self.empty_squares()
        if self.ruleset in ("free", "free-place-first"):
            return squares
        escapes = self.jumps(WHITE)
        if len(escapes) == 1:
            return [square for square in squares if square != escapes[0]]
        return squares

    def text(self) -> str:
        """The position in the text form every door of the project reads and writes."""
        glyphs = {square: "o" if apple == BROWN else "g" for square, apple in self.apples.items()}
        for seat, glyph in ((WHITE, "w"), (BLACK, "b")):
            square = self.horses[seat]
            glyphs[square] = glyph if square in self.apples else glyph.upper()
        parts = [board_text(self.size, glyphs), "w" if self.mover() == WHITE else "b"]
        if self.ruleset != "trail":
            parts.append(self.step)
        if self.ruleset == "carry":
            parts.append("".join((self.held[seat] or "nothing")[0] for seat in (WHITE, BLACK)))
        if self.ruleset == "original":
            parts.append("".join(self.apples[self.horses[seat]][0] for seat in (WHITE, BLACK)))
        return " ".join(parts)

    # --- What the player may do -------------------------------------------------------------------

    def legal(self) -> list[str]:
        """The legal actions of the player to act, as notation texts."""
        if self.player is None:
            return []
        if self.step == "place":
            places = [f"@{square}" for square in self.squares_to_place_on()]
            return places if self.apples_are_unlimited() else [*places, "-"]
        return self.jumps(self.player) or ["pass"]  # only carry lets a stuck player (Black) live on

    def play(self, text: str) -> None:
        if text not in self.legal():
            raise ValueError(f"{text!r} is not legal here; legal: {' '.join(self.legal()) or 'nothing'}")
        if text in ("-", "pass"):
            self.end_turn()
        elif text.startswith("@"):
            self.place(text[1:])
        else:
            self.jump(text)

    def jump(self, target: str) -> None:
        seat = self.mover()
        left = self.horses[seat]
        self.leave_apple_behind(seat, left)
        self.horses[seat] = target
        if target == self.horses[opponent(seat)]:
            self.finish_by_capture(seat)  # in original too nothing more falls
            return
        if self.ruleset == "original":
            self.apples[target] = self.take_apple()  # through the hollow horse
        if self.a_placement_follows_the_jump():
            self.step = "place"
        else:
            self.end_turn()

    def leave_apple_behind(self, seat: int, left: str) -> None:
        if self.ruleset == "trail":
            self.apples[left] = BROWN
        elif self.ruleset in ("classic", "classic-24"):
            if left not in self.apples:  # a marked start square has its apple already
                self.apples[left] = self.take_apple()
        elif self.ruleset == "carry":
            held = self.held[seat]
            if held is not None:
                self.apples[left] = held
            self.held[seat] = self.take_apple() if self.pool else None

    def a_placement_follows_the_jump(self) -> bool:
        if self.ruleset == "free":
            return True
        if self.ruleset in CLASSIC_FAMILY or self.ruleset == "carry":
            return bool(self.pool) and bool(self.squares_to_place_on())
        return False

    def place(self, square: str) -> None:
        self.apples[square] = self.take_apple()
        if self.ruleset != "free-place-first":
            self.end_turn()
        elif self.jumps(self.mover()):
            self.step = "jump"
        else:
            self.finish(opponent(self.mover()))  # the player blocked the last jump of the own horse

    def take_apple(self) -> str:
        return BROWN if self.apples_are_unlimited() else self.pool.pop(0)

    def mover(self) -> int:
        assert self.player is not None
        return self.player

    # --- How a turn ends and the next one begins --------------------------------------------------

    def end_turn(self) -> None:
        if self.ruleset in CLASSIC_FAMILY and not self.pool:
            white_got_away = bool(self.jumps(WHITE))
            self.finish(WHITE, 2 * self.golden_total if white_got_away else self.golden_total)
            return
        self.player = opponent(self.mover())
        self.begin_turn()

    def begin_turn(self) -> None:
        seat = self.mover()
        place_first = self.ruleset == "free-place-first" and bool(self.empty_squares())
        self.step = "place" if place_first else "jump"
        stuck = not self.jumps(seat)
        if self.ruleset == "carry":
            self.begin_carry_turn(seat, stuck)
        elif stuck and self.ruleset in CLASSIC_FAMILY:
            self.finish_classic_stuck(seat)
        elif stuck:
            self.finish(opponent(seat))

    def begin_carry_turn(self, seat: int, stuck: bool) -> None:
        if seat == BLACK:
            return  # a stuck Black passes
        if stuck:
            self.finish(WHITE if self.golden_apples_on_board() else BLACK)
        elif not self.pool and self.held[WHITE] is None:
            self.finish(WHITE)  # White has outlasted the apples

    # --- Who has won ------------------------------------------------------------------------------

    def finish(self, winner: int | None, points: int = 0) -> None:
        self.player = None
        if winner is not None:
            self.winner = (winner,)
            self.points[winner] = points

    def finish_by_capture(self, captor: int) -> None:
        if self.ruleset in CLASSIC_FAMILY:
            self.finish_white_is_caught()
        else:
            self.finish(captor)

    def finish_classic_stuck(self, seat: int) -> None:
        if seat == WHITE:
            self.finish_white_is_caught()
        elif self.ruleset == "original":
            self.finish(WHITE, 2 * self.golden_total)
        elif not self.golden_apples_on_board():
            self.finish(WHITE, self.golden_total)
        elif self.ruleset == "classic-24":
            self.finish(WHITE, 2 * self.golden_total)
        else:
            self.finish(WHITE, self.golden_apples_on_board())

    def finish_white_is_caught(self) -> None:
        """White was captured or cannot move: what lies on the board decides whose game it is."""
        if self.golden_apples_on_board():
            self.finish(WHITE, self.golden_apples_on_board())
        elif self.brown_apples_left():
            self.finish(BLACK, self.brown_apples_left())
        else:
            self.finish(None)


def perft(game: NaiveGame, depth: int) -> int:
    """How many action sequences of exactly this length exist; games that end earlier count nothing."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(game.legal())
    total = 0
    for text in game.legal():
        after = game.copy()
        after.play(text)
        total += perft(after, depth - 1)
    return total
