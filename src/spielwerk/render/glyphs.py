"""A small stroke font, because rasterisers without fonts drop text.

Each glyph is its width and its strokes on a grid where capitals reach from y = 0 down to the
baseline at y = 7, small letters start at 2.4 and descenders end at 9.2. Strokes use absolute
M, L and C only, so a text becomes one path by scaling and shifting number pairs.
"""

from __future__ import annotations

import re
from typing import Literal

CAP_HEIGHT = 7.0
STROKE = 0.82  # width of the pen in the same units
_SPACING = 1.7
_NUMBERS_AND_LETTERS = re.compile(r"[A-Z]|-?\d*\.?\d+")


def _oval(x: float, y: float, rx: float, ry: float) -> str:
    """A closed ellipse around (x, y) from four cubic curves."""
    kx, ky = 0.5523 * rx, 0.5523 * ry
    return (
        f"M{x:g} {y - ry:g} C{x + kx:g} {y - ry:g} {x + rx:g} {y - ky:g} {x + rx:g} {y:g} "
        f"C{x + rx:g} {y + ky:g} {x + kx:g} {y + ry:g} {x:g} {y + ry:g} "
        f"C{x - kx:g} {y + ry:g} {x - rx:g} {y + ky:g} {x - rx:g} {y:g} "
        f"C{x - rx:g} {y - ky:g} {x - kx:g} {y - ry:g} {x:g} {y - ry:g} "
    )


def _dot(x: float, y: float) -> str:
    return f"M{x:g} {y:g} L{x:g} {y + 0.06:g} "


_BOWL = _oval(2.3, 4.7, 2.3, 2.3)
_ARCH = "M0 4.5 C0 3.1 .9 2.4 2 2.4 C3.2 2.4 4 3.1 4 4.5 L4 7 "
_CUP = "M0 2.4 L0 5 C0 6.3 .8 7 2 7 C3.1 7 4 6.3 4 5 M4 2.4 L4 7 "
_ARC_C = "M5.5 1.5 C5 .6 4.2 0 3.1 0 C1.3 0 0 1.5 0 3.5 C0 5.5 1.3 7 3.1 7 "
_LOOP_P = "M0 7 L0 0 L2.4 0 C3.8 0 4.6 .8 4.6 2 C4.6 3.2 3.8 4 2.4 4 L0 4 "
_CAP_A = "M0 7 L2.7 0 L5.4 7 M1 4.6 L4.4 4.6 "
_CAP_O = _oval(3.1, 3.5, 3.1, 3.5)
_CAP_U = "M0 0 L0 4.5 C0 6.1 .9 7 2.4 7 C3.9 7 4.8 6.1 4.8 4.5 L4.8 0 "

_GLYPHS: dict[str, tuple[float, str]] = {
    "0": (4.4, _oval(2.2, 3.5, 2.2, 3.5)),
    "1": (4.4, "M.9 1.6 L2.7 0 L2.7 7"),
    "2": (4.4, "M.2 1.9 C.3 .7 1.1 0 2.2 0 C3.4 0 4.2 .8 4.2 1.9 C4.2 3.3 2.9 4.3 .1 7 L4.4 7"),
    "3": (
        4.4,
        "M.3 1.2 C.7 .4 1.4 0 2.2 0 C3.3 0 4.1 .7 4.1 1.7 C4.1 2.7 3.3 3.3 1.7 3.3 "
        + "C3.4 3.3 4.4 4 4.4 5.1 C4.4 6.3 3.4 7 2.2 7 C1.2 7 .4 6.6 0 5.7",
    ),
    "4": (4.4, "M3.3 7 L3.3 0 L0 4.9 L4.6 4.9"),
    "5": (
        4.4,
        "M3.9 0 L.8 0 L.5 3.2 C1 2.8 1.6 2.6 2.2 2.6 C3.5 2.6 4.4 3.5 4.4 4.8 "
        + "C4.4 6.1 3.5 7 2.2 7 C1.2 7 .5 6.6 .1 5.8",
    ),
    "6": (4.4, "M3.4 0 C1.4 1.2 0 2.8 0 4.8 " + _oval(2.2, 4.8, 2.2, 2.2)),
    "7": (4.4, "M.1 0 L4.4 0 L1.5 7"),
    "8": (4.4, _oval(2.2, 1.7, 1.8, 1.7) + _oval(2.2, 5.2, 2.2, 1.8)),
    "9": (4.4, "M1 7 C3 5.8 4.4 4.2 4.4 2.2 " + _oval(2.2, 2.2, 2.2, 2.2)),
    "a": (4.6, _BOWL + "M4.6 2.4 L4.6 7"),
    "b": (4.6, _BOWL + "M0 0 L0 7"),
    "c": (4.2, "M4.2 3.4 C3.8 2.8 3.1 2.4 2.3 2.4 C1 2.4 0 3.4 0 4.7 C0 6 1 7 2.3 7 C3.1 7 3.8 6.6 4.2 6"),
    "d": (4.6, _BOWL + "M4.6 0 L4.6 7"),
    "e": (
        4.6,
        "M0 4.7 L4.6 4.7 C4.6 3.4 3.6 2.4 2.3 2.4 C1 2.4 0 3.4 0 4.7 C0 6 1 7 2.4 7 C3.2 7 3.9 6.7 4.3 6.1",
    ),
    "f": (2.6, "M2.9 .1 C1.7 -.1 1 .5 1 1.8 L1 7 M0 2.4 L2.6 2.4"),
    "g": (4.6, _BOWL + "M4.6 2.4 L4.6 7.2 C4.6 8.5 3.7 9.2 2.3 9.2 C1.5 9.2 .8 9 .4 8.5"),
    "h": (4, "M0 0 L0 7 " + _ARCH),
    "i": (0, "M0 2.4 L0 7 " + _dot(0, 0.5)),
    "j": (0.9, "M.9 2.4 L.9 7.6 C.9 8.7 .4 9.2 -.4 9.1 " + _dot(0.9, 0.5)),
    "k": (3.7, "M0 0 L0 7 M3.5 2.4 L0 5.3 M1.3 4.3 L3.8 7"),
    "l": (0, "M0 0 L0 7"),
    "m": (
        6.4,
        "M0 2.4 L0 7 M0 4.3 C0 3 .7 2.4 1.6 2.4 C2.6 2.4 3.2 3 3.2 4.3 L3.2 7 "
        + "M3.2 4.3 C3.2 3 3.9 2.4 4.8 2.4 C5.8 2.4 6.4 3 6.4 4.3 L6.4 7",
    ),
    "n": (4, "M0 2.4 L0 7 " + _ARCH),
    "o": (4.6, _BOWL),
    "p": (4.6, _BOWL + "M0 2.4 L0 9.2"),
    "q": (4.6, _BOWL + "M4.6 2.4 L4.6 9.2"),
    "r": (2.2, "M0 2.4 L0 7 M0 4.5 C0 3.1 .9 2.3 2.3 2.5"),
    "s": (
        3.5,
        "M3.3 3.2 C2.9 2.6 2.4 2.4 1.8 2.4 C.9 2.4 .3 2.9 .3 3.6 C.3 5.1 3.5 4.3 3.5 5.8 "
        + "C3.5 6.5 2.8 7 1.9 7 C1.1 7 .4 6.7 0 6.1",
    ),
    "t": (2.6, "M1 .8 L1 5.6 C1 6.7 1.6 7.1 2.7 6.9 M0 2.4 L2.6 2.4"),
    "u": (4, _CUP),
    "v": (4, "M0 2.4 L2 7 L4 2.4"),
    "w": (6.4, "M0 2.4 L1.6 7 L3.2 2.4 L4.8 7 L6.4 2.4"),
    "x": (3.8, "M0 2.4 L3.8 7 M3.8 2.4 L0 7"),
    "y": (4.2, "M0 2.4 L2.1 7 M4.2 2.4 L2.1 7 C1.6 8.5 1.1 9.2 .1 9.2"),
    "z": (3.6, "M0 2.4 L3.6 2.4 L0 7 L3.7 7"),
    "A": (5.4, _CAP_A),
    "B": (
        4.6,
        "M0 3.4 L0 7 L2.5 7 C3.8 7 4.6 6.3 4.6 5.2 C4.6 4 3.8 3.4 2.5 3.4 L0 3.4 "
        + "L0 0 L2.3 0 C3.5 0 4.2 .6 4.2 1.7 C4.2 2.8 3.5 3.4 2.3 3.4",
    ),
    "C": (5.4, _ARC_C + "C4.2 7 5 6.4 5.5 5.5"),
    "D": (5.3, "M0 0 L0 7 L2.1 7 C4 7 5.3 5.6 5.3 3.5 C5.3 1.4 4 0 2.1 0 L0 0"),
    "E": (4, "M4 0 L0 0 L0 7 L4.1 7 M0 3.4 L3.6 3.4"),
    "F": (3.8, "M4 0 L0 0 L0 7 M0 3.5 L3.5 3.5"),
    "G": (5.6, _ARC_C + "C4.6 7 5.6 5.9 5.6 3.8 L3.3 3.8"),
    "H": (5, "M0 0 L0 7 M5 0 L5 7 M0 3.4 L5 3.4"),
    "I": (0, "M0 0 L0 7"),
    "J": (3, "M3 0 L3 4.9 C3 6.3 2.4 7 1.4 7 C.8 7 .3 6.7 0 6.2"),
    "K": (4.6, "M0 0 L0 7 M4.4 0 L0 4.3 M1.6 2.8 L4.7 7"),
    "L": (3.8, "M0 0 L0 7 L3.8 7"),
    "M": (6, "M0 7 L0 0 L3 4.7 L6 0 L6 7"),
    "N": (5, "M0 7 L0 0 L5 7 L5 0"),
    "O": (6.2, _CAP_O),
    "P": (4.6, _LOOP_P),
    "Q": (6.2, _CAP_O + "M3.9 5.1 L6.1 7.4"),
    "R": (4.7, _LOOP_P + "M2.4 4 L4.7 7"),
    "S": (
        4.5,
        "M4.3 1.2 C3.9 .4 3.2 0 2.3 0 C1.1 0 .2 .7 .2 1.8 C.2 4.2 4.5 2.8 4.5 5.2 "
        + "C4.5 6.3 3.6 7 2.3 7 C1.2 7 .4 6.5 0 5.7",
    ),
    "T": (5, "M0 0 L5 0 M2.5 0 L2.5 7"),
    "U": (4.8, _CAP_U),
    "V": (5.2, "M0 0 L2.6 7 L5.2 0"),
    "W": (7.6, "M0 0 L1.9 7 L3.8 .6 L5.7 7 L7.6 0"),
    "X": (4.8, "M0 0 L4.8 7 M4.8 0 L0 7"),
    "Y": (5, "M0 0 L2.5 3.6 L5 0 M2.5 3.6 L2.5 7"),
    "Z": (4.6, "M0 0 L4.6 0 L0 7 L4.7 7"),
    "Ä": (5.4, _CAP_A + _dot(1.3, -1.2) + _dot(4.1, -1.2)),
    "Ö": (6.2, _CAP_O + _dot(2, -1.6) + _dot(4.2, -1.6)),
    "Ü": (4.8, _CAP_U + _dot(1.4, -1.4) + _dot(3.4, -1.4)),
    "ä": (4.6, _BOWL + "M4.6 2.4 L4.6 7 " + _dot(1.4, 0.5) + _dot(3.4, 0.5)),
    "ö": (4.6, _BOWL + _dot(1.3, 0.5) + _dot(3.3, 0.5)),
    "ü": (4, _CUP + _dot(1, 0.5) + _dot(3, 0.5)),
    "ß": (
        4.2,
        "M0 7 L0 1.9 C0 .7 .8 0 2 0 C3.1 0 3.8 .6 3.8 1.5 C3.8 2.9 2.1 2.8 2.1 3.7 "
        + "C2.1 4.6 4.3 4.6 4.3 5.6 C4.3 6.5 3.6 7 2.7 7 C2.2 7 1.8 6.9 1.5 6.6",
    ),
    " ": (1.5, ""),
    ",": (0.4, "M.4 6.8 L0 8.2"),
    ".": (0, _dot(0, 6.9)),
    ":": (0, _dot(0, 3.2) + _dot(0, 6.9)),
    "+": (4, "M0 4.1 L4 4.1 M2 2.1 L2 6.1"),
    "-": (2.6, "M0 4.2 L2.6 4.2"),
    "×": (3.4, "M0 2.6 L3.4 6 M3.4 2.6 L0 6"),
    "@": (
        6.8,
        _oval(3.5, 4, 1.4, 1.5) + "M4.9 2.5 L4.9 4.6 C4.9 6 6.8 5.8 6.8 3.8 C6.8 1.6 5.3 .2 3.4 .2 "
        "C1.5 .2 0 1.8 0 4 C0 6.3 1.5 7.8 3.5 7.8 C4.3 7.8 5 7.6 5.6 7.2",
    ),
}
# A box where a letter is missing: visible, and better than no picture.
_MISSING = (4.4, "M0 0 L4.4 0 L4.4 7 L0 7 L0 0")


def text_width(text: str, size: float) -> float:
    """The width of the text's ink when capitals are `size` high."""
    advances = [_GLYPHS.get(character, _MISSING)[0] + _SPACING for character in text]
    return (sum(advances) - _SPACING) * size / CAP_HEIGHT if advances else 0.0


def text_path(text: str, x: float, y: float, size: float, anchor: Literal["start", "middle", "end"] = "start") -> str:
    """The text as SVG path data, to be stroked with a round pen `STROKE / CAP_HEIGHT * size` wide."""
    scale = size / CAP_HEIGHT
    left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * text_width(text, size)
    pieces = []
    for character in text:
        width, strokes = _GLYPHS.get(character, _MISSING)
        pieces.append(_placed(strokes, left, y - size, scale))
        left += (width + _SPACING) * scale
    return "".join(pieces)


def _placed(strokes: str, x: float, y: float, scale: float) -> str:
    out: list[str] = []
    horizontal = True
    for token in _NUMBERS_AND_LETTERS.findall(strokes):
        if token.isalpha():
            out.append(token)
            continue
        out.append(f"{(x if horizontal else y) + float(token) * scale:.1f} ")
        horizontal = not horizontal
    return "".join(out)
