"""One look for all painters: which colour each class of shape has, in three themes.

The web page takes `web_css()` (CSS variables, chosen by the person's preferences or by
`data-theme`); standalone pictures take `standalone_css(theme)`, the same rules with the values
filled in, because rasterisers know no variables. A new game adds rows to `COLOURS` and `RULES`.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

Theme = Literal["light", "dark", "contrast"]
THEMES: tuple[Theme, ...] = get_args(Theme)

# name: light, dark, contrast
COLOURS: dict[str, tuple[str, str, str]] = {
    "paper": ("#fcfbf8", "#191816", "#ffffff"),
    "ink": ("#26231f", "#efebe3", "#000000"),
    "muted": ("#756e63", "#a39b8d", "#000000"),
    "hairline": ("#b5ad9f", "#5c564d", "#000000"),
    "cell-light": ("#f6f2ea", "#504a42", "#ffffff"),
    "cell-dark": ("#e2dacb", "#3b372f", "#d9d9d9"),
    "accent": ("#0f7285", "#57c3d4", "#0000d0"),
    "white-body": ("#ffffff", "#f6f3ec", "#ffffff"),
    "white-line": ("#26231f", "#141311", "#000000"),
    "black-body": ("#26231f", "#141311", "#000000"),
    "black-line": ("#fbf9f4", "#f0ece4", "#ffffff"),
    "brown-body": ("#8c5c36", "#c98f5e", "#7a3d0c"),
    "brown-line": ("#5a3719", "#24150a", "#000000"),
    "brown-shine": ("#c59c73", "#f0d9bf", "#ffffff"),
    "golden-body": ("#f4ba28", "#f6c445", "#ffd000"),
    "golden-line": ("#8a5f00", "#8f6508", "#000000"),
    "golden-shine": ("#fff3c9", "#fff3c9", "#ffffff"),
    "golden-ring": ("#8f6406", "#f6c445", "#000000"),
    "golden-halo": ("#fdf4d7", "#2a251b", "#ffffff"),
    "green-body": ("#3f8f57", "#58b173", "#00701c"),
    "green-tint": ("#d9eadb", "#24402d", "#d4f5d9"),
    "green-line": ("#1f5a31", "#0c1f12", "#000000"),
    "green-text": ("#ffffff", "#0c1f12", "#ffffff"),
    "yellow-body": ("#eebf35", "#edc14a", "#ffd000"),
    "yellow-tint": ("#fbf0cd", "#4a3f1d", "#fff7cc"),
    "yellow-line": ("#7d5d00", "#2b2103", "#000000"),
    "yellow-text": ("#3a2c00", "#2b2103", "#000000"),
    "blue-body": ("#3b78b8", "#5f9fdd", "#0038c8"),
    "blue-tint": ("#d9e6f3", "#22384f", "#d8e2ff"),
    "blue-line": ("#1a4674", "#0b1928", "#000000"),
    "blue-text": ("#ffffff", "#0b1928", "#ffffff"),
    "red-body": ("#c64a40", "#e0726a", "#c80000"),
    "red-tint": ("#f6dedb", "#4b2724", "#ffdcd8"),
    "red-line": ("#7c211b", "#2a0b09", "#000000"),
    "red-text": ("#ffffff", "#2a0b09", "#ffffff"),
}

RULES: dict[str, str] = {
    ".paper": "fill:var(--paper)",
    ".text": "color:var(--ink)",
    ".text.quiet": "color:var(--muted)",
    ".text.accent": "color:var(--accent)",
    ".cell": "fill:var(--cell-light)",
    ".cell.dark": "fill:var(--cell-dark)",
    ".frame": "fill:none;stroke:var(--hairline);stroke-width:2",
    ".rule": "stroke:var(--hairline);stroke-width:2",
    ".last-move": "fill:var(--accent);fill-opacity:.13;stroke:var(--accent);stroke-width:4",
    ".last-move.ringed": "stroke:var(--ink)",
    ".halo": "fill:none;stroke:var(--paper);stroke-width:10",
    ".last-move.to": "fill-opacity:.24",
    ".legal": "fill:var(--accent);stroke:var(--paper);stroke-width:3",
    ".legal.place": "fill:none;stroke:var(--muted);stroke-width:2.5",
    ".legal.capture": "fill:none;stroke:var(--accent);stroke-width:6",
    ".button": "fill:var(--paper);stroke:var(--accent);stroke-width:2",
    ".turn": "fill:var(--accent)",
    ".captured": "opacity:.75",
    ".white-body": "fill:var(--white-body);stroke:var(--white-line);stroke-width:3;"
    "stroke-linejoin:round;stroke-linecap:round",
    ".white-line": "fill:none;stroke:var(--white-line);stroke-width:2.2;stroke-linecap:round",
    ".white-eye": "fill:var(--white-line)",
    ".black-body": "fill:var(--black-body);stroke:var(--black-line);stroke-width:2;"
    "stroke-linejoin:round;stroke-linecap:round",
    ".black-line": "fill:none;stroke:var(--black-line);stroke-width:2.2;stroke-linecap:round",
    ".black-eye": "fill:var(--black-line)",
    ".brown-body": "fill:var(--brown-body);stroke:var(--brown-line);stroke-width:3;stroke-linejoin:round",
    ".brown-stem": "fill:none;stroke:var(--brown-line);stroke-width:4.5;stroke-linecap:round",
    ".brown-shine": "fill:none;stroke:var(--brown-shine);stroke-width:3.4;stroke-linecap:round",
    ".golden-body": "fill:var(--golden-body);stroke:var(--golden-line);stroke-width:3;stroke-linejoin:round",
    ".golden-stem": "fill:none;stroke:var(--golden-line);stroke-width:4;stroke-linecap:round",
    ".golden-shine": "fill:none;stroke:var(--golden-shine);stroke-width:3;stroke-linecap:round",
    ".field": "fill:var(--cell-light)",
    ".field.down": "fill:var(--cell-dark)",
    ".hatch": "fill:none;stroke:var(--muted);stroke-width:1.6",
    ".land.white": "fill:var(--white-body)",
    ".shore.white": "fill:var(--white-body)",
    ".land.red": "fill:var(--red-body)",
    ".shore.red": "fill:var(--red-body)",
    ".coast.white": "fill:var(--white-line)",
    ".bridge.white": "fill:var(--white-line)",
    ".coast.red": "fill:var(--red-line)",
    ".bridge.red": "fill:var(--red-line)",
    ".deck.white": "fill:var(--white-body)",
    ".deck.red": "fill:var(--red-body)",
    ".last-land": "fill:var(--accent)",
    ".legal.land": "fill:var(--muted);stroke:none",
    ".legal.span": "fill:var(--accent);stroke:var(--paper);stroke-width:2",
    ".badge": "fill:var(--paper);stroke:var(--ink);stroke-width:1.2",
    ".golden-ring": "fill:var(--golden-halo);stroke:var(--golden-ring);stroke-width:4",
    ".square": "fill:var(--cell-light);stroke:var(--hairline);stroke-width:1.5",
    ".safe-star": "color:var(--muted)",
    ".star": "fill:none;stroke:currentColor;stroke-width:5;stroke-linejoin:round",
    ".yard": "fill:var(--cell-dark);stroke:none",
    ".yard-floor": "fill:var(--paper);stroke:none",
    ".yard-spot": "fill:var(--cell-light);stroke:var(--hairline);stroke-width:2",
    ".text.yard-name": "color:var(--muted)",
    ".goal": "fill:var(--cell-dark);stroke:var(--paper);stroke-width:3;stroke-linejoin:round",
    ".gate": "fill:none;stroke:var(--hairline);stroke-width:4;stroke-linecap:round;stroke-linejoin:round",
    ".block": "fill:none;stroke:var(--ink);stroke-width:4",
    ".count": "fill:var(--ink);stroke:var(--paper);stroke-width:2",
    ".text.count-text": "color:var(--paper)",
    ".choice": "fill:none;stroke:var(--ink);stroke-width:5",
    ".token-halo": "fill:var(--paper)",
    ".token-ring": "fill:none;stroke:var(--paper);stroke-width:2.5;stroke-opacity:.7",
    ".die-body": "fill:var(--white-body);stroke:var(--white-line);stroke-width:4",
    ".die-pip": "fill:var(--white-line)",
} | {
    selector.replace("COLOUR", colour): body.replace("COLOUR", colour)
    for colour in ("green", "yellow", "blue", "red")
    for selector, body in {
        ".yard.COLOUR": "fill:var(--COLOUR-body)",
        ".yard-spot.COLOUR": "fill:var(--COLOUR-tint);stroke:var(--COLOUR-line)",
        ".text.yard-name.COLOUR": "color:var(--COLOUR-text)",
        ".square.start.COLOUR": "fill:var(--COLOUR-body)",
        ".safe-star.COLOUR": "color:var(--COLOUR-text)",
        ".square.home.COLOUR": "fill:var(--COLOUR-body)",
        ".goal.COLOUR": "fill:var(--COLOUR-body)",
        ".gate.COLOUR": "stroke:var(--COLOUR-body)",
        ".token.COLOUR": "fill:var(--COLOUR-body);stroke:var(--COLOUR-line);stroke-width:5",
        ".text.token-name.COLOUR": "color:var(--COLOUR-text)",
        ".capture-marker.COLOUR": "fill:var(--COLOUR-body);stroke:var(--COLOUR-line);stroke-width:3",
    }.items()
}

# Standalone pictures draw their texts with a pen, the web page sets them in a font.
_PEN = "fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round"
_FONT = "fill:currentColor"

_VARIABLE = re.compile(r"var\(--([a-z-]+)\)")


def check_theme(theme: str) -> Theme:
    for known in THEMES:
        if theme == known:
            return known
    raise ValueError(f"unknown theme {theme!r}; themes are {', '.join(THEMES)}")


def colour(name: str, theme: str) -> str:
    return COLOURS[name][THEMES.index(check_theme(theme))]


def standalone_css(theme: Theme) -> str:
    """The rules with this theme's values, bound to `.scene-<theme>`: pictures on one page keep apart."""
    values = _values(theme)
    rules = "".join(f".scene-{theme} {selector}{{{body}}}" for selector, body in RULES.items())
    return _VARIABLE.sub(lambda match: values[match[1]], rules) + f".scene-{theme} .text{{{_PEN}}}"


def web_css() -> str:
    """The rules and the variables of all themes, bound to `.scene`; `data-theme` overrules preferences."""
    chosen = "".join(f"[data-theme={theme}]{{{_variables(theme)}}}\n" for theme in THEMES)
    rules = "".join(f".scene {selector}{{{body}}}\n" for selector, body in RULES.items())
    return preferred_colours() + chosen + rules + f".scene .text{{{_FONT}}}\n"


def preferred_colours() -> str:
    """The variables of the theme that the person's preferences choose."""
    return (
        f":root{{{_variables('light')}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{_variables('dark')}}}}}\n"
        f"@media (prefers-contrast:more){{:root{{{_variables('contrast')}}}}}\n"
    )


def _values(theme: Theme) -> dict[str, str]:
    return {name: colour(name, theme) for name in COLOURS}


def _variables(theme: Theme) -> str:
    return ";".join(f"--{name}:{value}" for name, value in _values(theme).items())
