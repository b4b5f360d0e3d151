"""Paints a scene as a standalone SVG text: no fonts, no scripts, nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from spielwerk.render.glyphs import CAP_HEIGHT, STROKE, text_path
from spielwerk.render.scene import (
    Circle,
    Lang,
    Layer,
    Line,
    Path,
    Polygon,
    Rect,
    Scene,
    Shape,
    Symbol,
    Text,
    Use,
    plain,
)
from spielwerk.render.theme import Theme, check_theme, standalone_css

Attributes = Mapping[str, str | float]


def paint(scene: Scene, *, theme: str = "light", size: int | None = None, lang: Lang = "en") -> str:
    """The scene as SVG; `size` is the longer side in pixels, without it the picture fills its place."""
    return _Painter(check_theme(theme), _check_lang(lang)).picture(scene, size)


def _pixel_size(scene: Scene, longer_side: int) -> tuple[int, int]:
    """Width and height in pixels of a picture of the scene with this longer side."""
    if longer_side < 1:
        raise ValueError(f"size must be at least 1 pixel, not {longer_side}")
    _, _, width, height = scene.static.view
    scale = longer_side / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _check_lang(lang: Lang) -> Lang:
    if lang not in ("en", "de"):
        raise ValueError(f"unknown language {lang!r}; languages are en, de")
    return lang


class _Painter:
    def __init__(self, theme: Theme, lang: Lang) -> None:
        self.theme = theme
        self.lang = lang

    def picture(self, scene: Scene, size: int | None) -> str:
        static = scene.static
        root: dict[str, str | float] = {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": " ".join(f"{plain(float(number))}" for number in static.view),
        }
        if size is not None:
            root["width"], root["height"] = _pixel_size(scene, size)
        root |= {"class": f"scene scene-{self.theme}", "lang": self.lang, "role": "group"}
        title, summary = scene.title.in_language(self.lang), scene.summary.in_language(self.lang)
        lines = [
            f"<svg{_written(root)} aria-label={quoteattr(title)}>",
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(summary)}</desc>",
            f"<style>{standalone_css(self.theme, static.game)}</style>",
            "<defs>",
            *(self._symbol(symbol) for symbol in static.symbols),
            "</defs>",
            *self._layers(static.layers),
            *self._layers(scene.layers),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _layers(self, layers: Iterable[Layer]) -> Iterable[str]:
        for layer in layers:
            if layer.shapes:
                yield f'<g class="layer-{layer.name}">'
                yield from (self._shape(shape) for shape in layer.shapes)
                yield "</g>"

    def _symbol(self, symbol: Symbol) -> str:
        shapes = "".join(self._shape(shape) for shape in symbol.shapes)
        # In browsers what is used elsewhere forgets its ancestors: the theme's rules need one of their own here.
        content = f'<g class="scene-{self.theme}">{shapes}</g>'
        return f'<symbol id="{self._symbol_id(symbol.name)}" viewBox="0 0 100 100">{content}</symbol>'

    def _symbol_id(self, name: str) -> str:
        # Several pictures may share one page: equal ids then mean equal drawings in equal colours.
        return f"scene-{self.theme}-{name}"

    def _shape(self, shape: Shape) -> str:
        element, geometry = self._geometry(shape)
        attributes: dict[str, str | float] = {}
        if shape.id:
            attributes["data-id"] = shape.id
        if classes := f"text {shape.classes}".strip() if isinstance(shape, Text) else shape.classes:
            attributes["class"] = classes
        label = shape.content if isinstance(shape, Text) else shape.label
        if label is not None:
            attributes |= {"role": "img", "aria-label": label.in_language(self.lang)}
        return f"<{element}{_written(attributes)}{_written(geometry)}/>"

    def _geometry(self, shape: Shape) -> tuple[str, Attributes]:
        match shape:
            case Rect():
                box = {"x": shape.x, "y": shape.y, "width": shape.width, "height": shape.height}
                return "rect", box | ({"rx": shape.radius} if shape.radius else {})
            case Circle():
                return "circle", {"cx": shape.x, "cy": shape.y, "r": shape.radius}
            case Line():
                return "line", {"x1": shape.x1, "y1": shape.y1, "x2": shape.x2, "y2": shape.y2}
            case Polygon():
                return "polygon", {"points": " ".join(f"{plain(x)},{plain(y)}" for x, y in shape.points)}
            case Path():
                return "path", {"d": shape.d}
            case Text():
                content = shape.content.in_language(self.lang)
                d = text_path(content, shape.x, shape.y, shape.size, shape.anchor)
                return "path", {"d": d.strip(), "stroke-width": STROKE / CAP_HEIGHT * shape.size}
            case Use():
                corner = {"x": shape.x - shape.size / 2, "y": shape.y - shape.size / 2}
                side = {"width": shape.size, "height": shape.size}
                return "use", {"href": f"#{self._symbol_id(shape.symbol)}"} | corner | side
        raise TypeError(f"no way to paint a {type(shape).__name__}")


def _written(attributes: Attributes) -> str:
    return "".join(f" {name}={quoteattr(f'{plain(value)}')}" for name, value in attributes.items())
