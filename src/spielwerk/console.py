"""A terminal for texts of any origin: no name in a store, a run folder or a card can steer it."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from spielwerk.border import printable


class SafeConsole(Console):
    """Escape sequences come from styles alone: what is printed passes the border, whoever wrote it."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Every printed text comes through here as segments; those that steer the terminal are rich's own."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
