"""Drawings that games share, each in a 100 by 100 box."""

from __future__ import annotations

from spielwerk.render.scene import Circle, Rect, Symbol

_LOW, _MIDDLE, _HIGH = 27, 50, 73
_PIPS = {
    1: ((_MIDDLE, _MIDDLE),),
    2: ((_LOW, _LOW), (_HIGH, _HIGH)),
    3: ((_LOW, _LOW), (_MIDDLE, _MIDDLE), (_HIGH, _HIGH)),
    4: ((_LOW, _LOW), (_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _HIGH)),
    5: ((_LOW, _LOW), (_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _HIGH), (_MIDDLE, _MIDDLE)),
    6: ((_LOW, _LOW), (_LOW, _MIDDLE), (_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _MIDDLE), (_HIGH, _HIGH)),
}


def _die(face: int) -> Symbol:
    pips = (Circle(classes="die-pip", x=x, y=y, radius=9) for x, y in _PIPS[face])
    body = Rect(classes="die-body", x=5, y=5, width=90, height=90, radius=18)
    return Symbol(f"die-{face}", (body, *pips))


# The faces of a die, from one to six.
DICE = tuple(_die(face) for face in _PIPS)
# A die in the hand: no face counts yet.
DIE_TO_FALL = Symbol(
    "die-to-fall",
    (
        Rect(classes="die-body", x=5, y=5, width=90, height=90, radius=18),
        *(Circle(classes="die-pip", x=x, y=y, radius=4) for x, y in _PIPS[5]),
    ),
)
