"""One look for all painters: which colour each class of shape has, in three themes.

The web page takes `web_css()` (CSS variables, chosen by the person's preferences or by
`data-theme`); standalone pictures take `standalone_css(theme, game)`, the same rules with the values
filled in, because rasterisers know no variables. What only one game needs is in that game's description.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

from spielwerk.render.description import Colour, description_of, descriptions

Theme = Literal["light", "dark", "contrast"]
THEMES: tuple[Theme, ...] = get_args(Theme)

# What any game may use. name: light, dark, contrast
SHARED_COLOURS: dict[str, Colour] = {
    "paper": ("#fefcf7", "#1e1b18", "#ffffff"),
    "ground": ("#f3ecdf", "#131110", "#ffffff"),
    "ink": ("#26211b", "#f1ebe0", "#000000"),
    "muted": ("#665e53", "#aba191", "#000000"),
    "hairline": ("#b7ab98", "#5f574c", "#000000"),
    "cell-light": ("#f8efdd", "#51483d", "#ffffff"),
    "cell-dark": ("#e2cda9", "#3b332a", "#d9d9d9"),
    "accent": ("#0b6a7c", "#57c3d4", "#0000d0"),
    "white-body": ("#ffffff", "#f6f3ec", "#ffffff"),
    "white-line": ("#26231f", "#141311", "#000000"),
    "black-body": ("#26231f", "#141311", "#000000"),
    "black-line": ("#fbf9f4", "#f0ece4", "#ffffff"),
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

SHARED_STYLE: dict[str, str] = {
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
    ".die-body": "fill:var(--white-body);stroke:var(--white-line);stroke-width:4",
    ".die-pip": "fill:var(--white-line)",
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


@cache
def colours() -> dict[str, Colour]:
    return SHARED_COLOURS | {name: colour for game in descriptions().values() for name, colour in game.colours.items()}


def styles() -> dict[str, str]:
    """The look of all games' classes, by selector."""
    return SHARED_STYLE | {selector: body for game in descriptions().values() for selector, body in game.style.items()}


def colour(name: str, theme: str) -> str:
    return colours()[name][THEMES.index(check_theme(theme))]


@cache
def standalone_css(theme: Theme, game: str) -> str:
    """The rules of a game with this theme's values, bound to `.scene-<theme>`: pictures on one page keep apart."""
    values = _values(theme)
    style = SHARED_STYLE | dict(description_of(game).style)
    rules = "".join(f".scene-{theme} {selector}{{{body}}}" for selector, body in style.items())
    return _VARIABLE.sub(lambda match: values[match[1]], rules) + f".scene-{theme} .text{{{_PEN}}}"


def web_css() -> str:
    """The rules and the variables of all themes, bound to `.scene`; `data-theme` overrules preferences."""
    chosen = "".join(f"[data-theme={theme}]{{{_variables(theme)}}}\n" for theme in THEMES)
    rules = "".join(f".scene {selector}{{{body}}}\n" for selector, body in styles().items())
    return preferred_colours() + chosen + rules + f".scene .text{{{_FONT}}}\n"


def preferred_colours() -> str:
    """The variables of the theme that the person's preferences choose."""
    return (
        f":root{{{_variables('light')}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{_variables('dark')}}}}}\n"
        f"@media (prefers-contrast:more){{:root{{{_variables('contrast')}}}}}\n"
    )


def _values(theme: Theme) -> dict[str, str]:
    return {name: colour(name, theme) for name in colours()}


def _variables(theme: Theme) -> str:
    return ";".join(f"--{name}:{value}" for name, value in _values(theme).items())
