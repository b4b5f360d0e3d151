"""Actions that belong to no place on the board, drawn in the margin as buttons, alike in every game."""

from __future__ import annotations

from collections.abc import Iterator

from spielwerk.render.glyphs import text_width
from spielwerk.render.scene import Label, Rect, Shape, Text

_HEIGHT = 42
_CAPITALS = 15


def button_width(label: Label) -> float:
    """Wide enough for both languages, so that nothing moves when the language changes."""
    return max(text_width(label.en, _CAPITALS), text_width(label.de, _CAPITALS)) + 36


def button(action: str, label: Label, left: float, middle: float) -> Iterator[Shape]:
    """The button that plays `action`, from its left edge and the height of its middle."""
    width = button_width(label)
    yield Rect(
        id=f"button-{action}",
        classes="button",
        label=label,
        x=left,
        y=middle - _HEIGHT // 2,
        width=width,
        height=_HEIGHT,
        radius=6,
    )
    yield Text(
        id=f"button-text-{action}",
        classes="accent",
        x=left + width / 2,
        y=middle + 7,
        size=_CAPITALS,
        content=label,
        anchor="middle",
    )
