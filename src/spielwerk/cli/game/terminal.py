"""Questions and answers at a terminal, or through pipes."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field

from rich.console import Console, RenderableType
from rich.segment import Segments

from spielwerk.cli.output import console


@dataclass
class Terminal:
    """Prints to stdout and reads lines from stdin; `live` when a person sits at both."""

    console: Console = field(default_factory=console)

    def __post_init__(self) -> None:
        """Finds out who is there."""
        self.live = sys.stdin.isatty() and self.console.is_terminal
        if self.live and importlib.util.find_spec("readline"):
            importlib.import_module("readline")  # gives input() its arrow keys and history

    def say(self, *lines: RenderableType, style: str = "") -> None:
        """Prints each of these on its own."""
        for line in lines:
            self.console.print(line, style=style)

    def ask(self, prompt: str) -> str | None:
        """The next line without blanks around it; None at the end of the input."""
        try:
            answer = input(prompt)
        except EOFError:
            self.console.print()
            return None
        if not sys.stdin.isatty():
            self.console.print(answer, soft_wrap=True)  # so that the transcript reads like a conversation
        return answer.strip()

    def clear(self) -> None:
        """A fresh screen for the next position; through pipes an empty line."""
        if self.live:
            self.console.clear()
        else:
            self.console.print()

    def page(self, content: RenderableType, more: str) -> None:
        """Prints something long, a screen at a time when a person is reading."""
        lines = self.console.render_lines(content, pad=False, new_lines=True)
        height = max(4, self.console.height - 2) if self.live else max(1, len(lines))
        for start in range(0, len(lines), height):
            for line in lines[start : start + height]:
                self.console.print(Segments(line), end="")
            if start + height < len(lines) and self.ask(more + " ") not in ("", " "):
                return
