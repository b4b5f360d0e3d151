"""DiavoloPP: lands, islands and bridges on a triangle.

A swap may exchange the colours of the seats, so they are not named after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielwerk.render.description import GameDescription
from spielwerk.render.games.diavolo import look, words
from spielwerk.render.games.diavolo.editor import EDITOR, VIOLATIONS
from spielwerk.render.games.diavolo.scene import scene

if TYPE_CHECKING:
    from rich.text import Text

    from spielwerk.render.scene import Scene


def _terminal(painted: Scene) -> Text:
    from spielwerk.render.games.diavolo.terminal import paint_triangles  # loads rich

    return paint_triangles(painted)


GAME = GameDescription(
    scene=scene,
    style=look.STYLE,
    terminal=_terminal,
    title=words.TITLE,
    rulesets=words.RULESETS,
    parameters=words.PARAMETERS,
    refusals=words.REFUSALS,
    violations=VIOLATIONS,
    editor=EDITOR,
    recommended="standard",
)
