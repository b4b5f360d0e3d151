"""Horses and apples, each in a 100 by 100 box. What colour tells apart, shape tells apart too."""

from __future__ import annotations

import re

from spielwerk.render.scene import Circle, Path, Shape, Symbol

_TOKENS = re.compile(r"[A-Z]|-?\d+\.?\d*")


def _mirrored(d: str) -> str:
    """The outline seen from the other side: x becomes 100 - x in absolute path data."""
    out: list[str] = []
    horizontal = True
    for token in _TOKENS.findall(d):
        if token.isalpha():
            out.append(token)
            continue
        out.append(f"{100 - float(token):g}" if horizontal else token)
        horizontal = not horizontal
    return " ".join(out)


# Both horses share face and base and look towards each other: White to the right, Black to the left.
_FACE = (
    "C44 15 44 9 46 4 C51 7 54 11 56 16 C64 18 69 23 72 31 C74 37 81 45 86 53 C89 58 89 63 85 66 "
    "C82 68 78 68 75 65 C74 64 72 63 70 63 C65 64 60 62 56 57 C55 68 76 68 77 84 Z"
)
_BASE = "M20 84 L80 84 C83 84 85 86 85 89 L85 93 L15 93 L15 89 C15 86 17 84 20 84 Z"
_SMOOTH_NECK = "M23 84 C18 60 22 35 43 20 "
_RUFFLED_NECK = (
    "M23 84 C18 80 14 75 15 67 C17 69 19 70 21 69 C16 63 15 56 18 49 C20 51 22 52 24 51 "
    "C22 44 25 37 30 32 C31 34 33 35 35 34 C35 29 38 24 43 20 "
)
_NOSTRIL = "M81 56 C83 57 84 59 83 61"
_COMBED_MANE = "M45 26 C33 37 28 54 30 75 M51 34 C42 44 37 57 38 75 M46 4 C48 9 49 13 49 18"
_BRIDLE = "M57 17 C51 28 50 43 56 57 M52 42 C61 48 70 47 78 41 M70 63 C71 55 74 47 78 41"

HORSE_WHITE = Symbol(
    "horse-white",
    (
        Path(classes="white-body", d=_SMOOTH_NECK + _FACE),
        Path(classes="white-body", d=_BASE),
        Path(classes="white-line", d=f"{_COMBED_MANE} {_NOSTRIL} M75 65 C77 63 78 62 80 62"),
        Path(classes="white-eye", d="M59 33 C62 29 66 30 68 34 C65 36 62 36 59 33 Z"),
    ),
)

HORSE_BLACK = Symbol(
    "horse-black",
    (
        Path(classes="black-body", d=_mirrored(_RUFFLED_NECK + _FACE)),
        Path(classes="black-body", d=_mirrored(_BASE)),
        Path(classes="black-line", d=_mirrored(f"{_BRIDLE} {_NOSTRIL}")),
        Path(classes="black-eye", d=_mirrored("M61 32 C64 28 67 29 69 33 C66 35 63 35 61 32 Z")),
    ),
)

APPLE_BROWN = Symbol(
    "apple-brown",
    (
        Path(
            classes="brown-body",
            d="M50 31 C42 22 20 23 17 46 C15 66 30 86 41 86 C45 86 47 84 50 84 "
            "C53 84 55 86 59 86 C70 86 85 66 83 46 C80 23 58 22 50 31 Z",
        ),
        Path(classes="brown-stem", d="M50 33 C50 25 52 18 57 13"),
        Path(classes="brown-shine", d="M26 47 C27 39 31 35 36 34"),
    ),
)

_GOLDEN_FRUIT: tuple[Shape, ...] = (
    Path(
        classes="golden-body",
        d="M50 37 C44 30 26 31 24 49 C22 65 34 80 43 80 C46 80 48 79 50 79 "
        "C52 79 54 80 57 80 C66 80 78 65 76 49 C74 31 56 30 50 37 Z",
    ),
    Path(classes="golden-stem", d="M50 39 C50 33 49 28 46 23"),
    Path(classes="golden-body", d="M50 31 C53 22 61 18 70 20 C68 28 60 33 50 31 Z"),
    Path(classes="golden-shine", d="M31 50 C32 44 35 41 39 40"),
)

APPLE_GOLDEN = Symbol("apple-golden", (Circle(classes="golden-ring", x=50, y=50, radius=45), *_GOLDEN_FRUIT))
