"""Pictures of positions: one scene per game, painted as SVG, as pixels, or by the web page.

A game's scene lives in the module of `games` that has the game's name (the first part of
`state.game.name`, with _ for -), as a function `scene(state, *, actions=None, legal=True)`; beside it,
`seats(game)` tells what the seats are called. Adding that module is all it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from spielwerk.render.scene import GameLike, Label, Lang, Scene, StateLike
from spielwerk.render.svg import paint
from spielwerk.render.theme import colour

if TYPE_CHECKING:
    from spielwerk.render.raster import Pixels

__all__ = ["Scene", "rgb_of", "scene_of", "seat_labels", "svg_of"]


def scene_of(state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene:
    """The scene of the position; `actions` (texts played so far) mark the last move."""
    scene: Scene = _painter(state.game.name).scene(state, actions=actions, legal=legal)
    return scene


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
    labels: tuple[Label, ...] = _painter(game.name).seats(game)
    return labels


def _painter(name: str) -> ModuleType:
    module = f"{__name__}.games.{name.partition('/')[0].replace('-', '_')}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise NotImplementedError(f"{name} has no scene; add {module} with functions scene and seats") from None
