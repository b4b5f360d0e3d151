"""Paints the page's icons from web/public/icon.svg, and the picture of shared links from boards of every game."""

from __future__ import annotations

import re
from pathlib import Path

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.render import scene_of
from spielwerk.render.raster import png
from spielwerk.render.svg import paint
from spielwerk.render.theme import colour

PUBLIC = Path(__file__).parents[1] / "web" / "public"
# A launcher may cut a maskable icon to a circle of four fifths of its width: the drawing stays inside it.
_SIZES = {"icon-180.png": (180, True), "icon-192.png": (192, False), "icon-512.png": (512, False)}
_MASKABLE = ("icon-maskable-512.png", 512)
_GAMES = ("pferdeaepfel/trail", "ludo/ffa", "diavolo/standard")
_WIDTH, _HEIGHT, _BOARD = 1200, 630, 360
_STEPS = 24


def pictures() -> dict[str, bytes]:
    """File name to PNG."""
    icons = {name: png(_icon(size, fills=full)) for name, (size, full) in _SIZES.items()}
    return icons | {_MASKABLE[0]: png(_icon(_MASKABLE[1], fills=True, scale=0.8)), "share.png": png(_share())}


def _icon(size: int, *, fills: bool, scale: float = 1.0) -> str:
    """The icon; one that `fills` its square leaves rounding the corners to the launcher."""
    drawing = (PUBLIC / "icon.svg").read_text(encoding="utf-8")
    ground = re.search(r'<rect[^>]*fill="(#\w+)"/>', drawing)
    inside = re.search(r"<svg[^>]*>(.*)</svg>", drawing, re.DOTALL)
    assert ground is not None, "the icon has a ground"
    assert inside is not None
    shift = 16 * (1 - scale)
    square = f'<rect width="32" height="32" fill="{ground[1]}"/>' if fills else ""
    drawn = f'<g transform="translate({shift} {shift}) scale({scale})">{inside[1]}</g>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="{size}" height="{size}">'
    return f"{head}{square}{drawn}</svg>"


def _share() -> str:
    """Three boards side by side."""
    gap = (_WIDTH - len(_GAMES) * _BOARD) // (len(_GAMES) + 1)
    boards = "".join(_board(name, gap + place * (_BOARD + gap)) for place, name in enumerate(_GAMES))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}">'
    return f'{head}<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{colour("ground", "light")}"/>{boards}</svg>'


def _board(name: str, x: int) -> str:
    recorder, agent = Recorder(sw.make(name), seed=4), sw.agent("greedy:seed=4")
    while len(recorder.record.actions) < _STEPS:
        recorder.play(agent.act(recorder.state))
    scene = scene_of(recorder.state, legal=False)
    _, _, width, height = scene.static.focus
    svg = re.sub("scene-light", name.partition("/")[0], paint(scene))  # styles of several pictures in one file
    svg = re.sub('viewBox="[^"]*"', f'viewBox="{" ".join(map(str, scene.static.focus))}"', svg, count=1)
    scale = _BOARD / max(width, height)
    place = f'x="{x}" y="{(_HEIGHT - height * scale) / 2}" width="{width * scale}" height="{height * scale}"'
    return svg.replace("<svg ", f"<svg {place} ", 1)


if __name__ == "__main__":
    for name, content in pictures().items():
        (PUBLIC / name).write_bytes(content)
        print(f"wrote {name}")
