"""The look of Ludo."""

from __future__ import annotations

from spielwerk.render.games.ludo.words import COLOURS

STYLE = {
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
} | {
    selector.replace("COLOUR", colour): body.replace("COLOUR", colour)
    for colour in COLOURS
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
