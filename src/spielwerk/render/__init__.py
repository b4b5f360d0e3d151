"""Pictures of positions: one scene per game, painted as SVG, as pixels, or by the web page.

A game's scene lives in its description, `games.<game>.GAME`; a game without one is drawn plainly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spielwerk.render.description import description_of
from spielwerk.render.scene import GameLike, Label, Lang, Scene, StateLike
from spielwerk.render.svg import paint
from spielwerk.render.theme import colour

if TYPE_CHECKING:
    from spielwerk.render.raster import Pixels

__all__ = ["Scene", "rgb_of", "scene_of", "seat_labels", "svg_of"]


def scene_of(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The scene of the position; `actions` (texts played so far) mark the last move."""
    return description_of(state.game.name).scene(state, actions=actions, legal=legal)


def svg_of(
    state: StateLike,
    *,
    actions: Sequence[str] | None = None,
    legal: bool = True,
    theme: str = "light",
    size: int | None = 480,
    lang: Lang = "en",
) -> str:
    """The position as a standalone SVG text, its longer side `size` pixels."""
    return paint(scene_of(state, actions=actions, legal=legal), theme=theme, size=size, lang=lang)


def rgb_of(
    state: StateLike,
    *,
    actions: Sequence[str] | None = None,
    legal: bool = False,
    theme: str = "light",
    size: int = 600,
    lang: Lang = "en",
) -> Pixels:
    """The position as uint8 [height, width, 3], its longer side `size` pixels."""
    from spielwerk.render.raster import rgb

    svg = svg_of(state, actions=actions, legal=legal, theme=theme, size=size, lang=lang)
    return rgb(svg, background=colour("paper", theme))


def seat_labels(game: GameLike) -> tuple[Label, ...]:
    """What a game calls its seats, by seat."""
    return description_of(game.name).seats(game)
