"""What is known about Pferdeäpfel without playing it: for every size, by an argument that fits in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielwerk.render.description import Fact

if TYPE_CHECKING:
    from spielwerk.games import Game

WHITE, BLACK = 0, 1

# The rulesets in which either horse may take the other; in the rest White never may, or nobody.
_BOTH_CAPTURE = {"free", "free-place-first", "trail"}
_BLACK_CAPTURES = {"classic", "classic-24", "original"}


def known_facts(game: Game) -> list[Fact]:
    """What is certain about a game under these very rules."""
    ruleset = game.name.partition("/")[2]
    if ruleset not in _BOTH_CAPTURE | _BLACK_CAPTURES:
        return []
    white, black = (_square(str(game.rules[name])) for name in ("white_start", "black_start"))
    one_colour = sum(white) % 2 == sum(black) % 2
    facts = [_who_captures(one_colour, ruleset)]
    if ruleset == "trail" and _mirrors(white, black, int(game.rules["size"])):
        facts.append(
            Fact(
                "Proved: with best play Black wins. Black answers every jump by its mirror image. No square is a"
                " knight's jump away from its image, so White never captures; the image of a square that was free for"
                " White is free for Black, or it is where White stands, and Black captures.",
                winner=BLACK,
            )
        )
    return facts


def _who_captures(one_colour: bool, ruleset: str) -> Fact:
    colours = (
        "Both horses start on squares of one colour and every turn is one jump, so that they stand on equal colours"
        " whenever White is to jump, and on different ones whenever Black is"
        if one_colour
        else "The horses start on different colours and every turn is one jump, so that they stand on equal colours"
        " whenever Black is to jump"
    )
    if one_colour:
        return Fact(f"White can never capture. {colours}; a jump always changes the colour.")
    only = ", who alone would be allowed to" if ruleset in _BLACK_CAPTURES else ""
    return Fact(f"Black{only}, can never capture. {colours}; a jump always changes the colour.")


def _mirrors(white: tuple[int, int], black: tuple[int, int], size: int) -> bool:
    """Whether some reflection of the board, or its half turn, exchanges the two squares."""
    file, rank = white
    last = size - 1
    images = [
        (last - file, last - rank),
        (rank, file),
        (last - rank, last - file),
        (last - file, rank),
        (file, last - rank),
    ]
    return black in images


def _square(name: str) -> tuple[int, int]:
    return ord(name[0]) - ord("a"), int(name[1:]) - 1
