"""A game as a moving picture: a GIF with a position per action."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spielwerk.extras import need
from spielwerk.render import svg_of
from spielwerk.render.raster import png
from spielwerk.render.scene import Lang
from spielwerk.render.theme import colour

if TYPE_CHECKING:
    from spielwerk.records import Record

MOST_FRAMES = 80
USUAL_SIZE = 480
_STEP_MS, _END_MS = 600, 3000
_COLOURS = 64


def gif(record: Record, *, theme: str = "light", size: int = USUAL_SIZE, lang: Lang = "en") -> bytes:
    """The record as a GIF, its longer side `size` pixels; of a long game some positions are left out."""
    shown = frames_of(len(record.actions))
    pictures = [
        svg_of(state, actions=record.actions[:ply], legal=False, theme=theme, size=size, lang=lang)
        for ply, state in enumerate(record.positions())
        if ply in shown
    ]
    # One palette for all frames, so that nothing flickers: a game's colours are all there by its end.
    palette = _pixels(pictures[-1], theme).quantize(_COLOURS)
    frames = [_pixels(picture, theme).quantize(palette=palette, dither=0) for picture in pictures]
    return _written(frames)


def frames_of(actions: int) -> list[int]:
    """After how many actions each frame is: all of them, or the first, the last and evenly many between."""
    if actions < MOST_FRAMES:
        return list(range(actions + 1))
    return sorted({round(actions * frame / (MOST_FRAMES - 1)) for frame in range(MOST_FRAMES)})


def _pixels(svg: str, theme: str) -> Any:
    return need("PIL.Image").open(io.BytesIO(png(svg, colour("paper", theme)))).convert("RGB")


def _written(frames: list[Any]) -> bytes:
    file = io.BytesIO()
    durations = list(_durations(len(frames)))
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    return file.getvalue()


def _durations(count: int) -> Iterator[int]:
    yield from [_STEP_MS] * (count - 1)
    yield _END_MS
