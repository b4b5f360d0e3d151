"""The colours of Pferdeäpfel, and its pieces as characters."""

from __future__ import annotations

from spielwerk.render.description import Glyph

# name: light, dark, contrast
COLOURS = {
    "brown-body": ("#8c5c36", "#c98f5e", "#7a3d0c"),
    "brown-line": ("#5a3719", "#24150a", "#000000"),
    "brown-shine": ("#c59c73", "#f0d9bf", "#ffffff"),
    "golden-body": ("#f4ba28", "#f6c445", "#ffd000"),
    "golden-line": ("#8a5f00", "#8f6508", "#000000"),
    "golden-shine": ("#fff3c9", "#fff3c9", "#ffffff"),
    "golden-ring": ("#8f6406", "#f6c445", "#000000"),
    "golden-halo": ("#fdf4d7", "#2a251b", "#ffffff"),
}

STYLE = {
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
    ".golden-ring": "fill:var(--golden-halo);stroke:var(--golden-ring);stroke-width:4",
}

# Each kind of piece has a character of its own: without colours everything can still be told apart.
GLYPHS = {
    frozenset({"horse", "seat-0"}): Glyph("♘", "white-line"),
    frozenset({"horse", "seat-1"}): Glyph("♞", "black-body"),
    frozenset({"apple", "apple-brown"}): Glyph("●", "brown-body"),
    frozenset({"apple", "apple-golden"}): Glyph("◉", "golden-ring"),
}
