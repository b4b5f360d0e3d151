"""What must be seen stands out by 3 to 1 (WCAG 2.2, 1.4.11), computed from the theme: no browser check looks at it."""

from __future__ import annotations

import re

import pytest

from spielwerk.render.theme import THEMES, Theme, colour, styles

_PLAYERS = ("green", "yellow", "blue", "red")
_CELLS = (".cell", ".cell.dark")
_FIELDS = (".field", ".field.down")
_LUDO = (".square", *(f".square.home.{name}" for name in _PLAYERS), *(f".yard-spot.{name}" for name in _PLAYERS))

# What a mark is painted with, and what it may lie on: one of its colours has to stand out there.
MARKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pieces that may move in Ludo": ((".choice", ".halo"), _LUDO),
    "where they may go": ((".legal",), _LUDO),
    "whom they may capture": ((".legal.capture", ".halo"), _LUDO),
    "the last move in Ludo": ((".last-move.ringed", ".halo"), _LUDO),
    "the last move on squares": ((".last-move",), _CELLS),
    "where a horse may jump": ((".legal",), _CELLS),
    "what a horse may capture": ((".legal.capture",), _CELLS),
    "where an apple may be laid": ((".legal.place",), _CELLS),
    "brown apples": ((".brown-body",), _CELLS),
    "golden apples": ((".golden-ring",), _CELLS),
    "horses": ((".white-body",), _CELLS),
    "black horses": ((".black-body",), _CELLS),
    "where a land may be laid": ((".legal.land",), _FIELDS),
    "where a bridge may be built": ((".legal.span",), (*_FIELDS, ".land.white", ".land.red")),
    "what was built last": ((".last-land",), _FIELDS),
    "blocked fields": ((".hatch",), _FIELDS),
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("mark", MARKS)
def test_marks_stand_out_from_what_they_lie_on(mark: str, theme: Theme) -> None:
    selectors, grounds = MARKS[mark]
    for ground in grounds:
        below = _paints(ground, theme)["fill"]
        best = max(_contrast(paint, below) for selector in selectors for paint in _paints(selector, theme).values())
        assert best >= 3, f"{mark}: {best:.2f} on {ground}"


@pytest.mark.parametrize("theme", THEMES)
def test_two_rings_stand_out_from_each_other(theme: Theme) -> None:
    for ring in (".choice", ".last-move.ringed"):
        assert _contrast(_paints(ring, theme)["stroke"], _paints(".halo", theme)["stroke"]) >= 3


def _paints(selector: str, theme: Theme) -> dict[str, str]:
    """The opaque colours a selector paints with; a tint adds nothing that could be relied on."""
    declared: dict[str, str] = {}
    names = selector.removeprefix(".").split(".")
    for rule, body in styles().items():
        if set(rule.removeprefix(".").split(".")) <= set(names):
            declared |= dict(part.split(":") for part in body.split(";") if part)
    paints = {}
    for kind in ("fill", "stroke"):
        variable = re.fullmatch(r"var\(--([a-z-]+)\)", declared.get(kind, "none"))
        if variable and float(declared.get(f"{kind}-opacity", 1)) == 1:
            paints[kind] = colour(variable[1], theme)
    return paints


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(code: str) -> float:
    parts = [int(code[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
