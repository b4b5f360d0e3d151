"""How commands print: rich for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console, RenderableType
from rich.table import Table

from spielwerk.border import printable, printable_json
from spielwerk.console import SafeConsole


def console(*, stderr: bool = False, file: IO[str] | None = None, width: int | None = None) -> Console:
    """Nothing in a text is read as markup, emoji or numbers to colour, and no character of it steers the terminal."""
    return SafeConsole(stderr=stderr, file=file, width=width, markup=False, emoji=False, highlight=False)


def print_line(text: str, file: IO[str] | None = None) -> None:
    """As it is, however long: for other programs to read, or to be copied."""
    print(printable(text), file=file)


def print_json(data: Any) -> None:
    print(printable_json(json.dumps(data, indent=2, ensure_ascii=False)))


def can_show(characters: str) -> bool:
    """Whether stdout's encoding has these characters."""
    try:
        characters.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def columns(*rows: tuple[RenderableType, ...], gap: int = 2) -> Table:
    """Rows in aligned columns without lines; only the last column breaks its lines."""
    table = Table.grid(padding=(0, gap, 0, 0))
    width = max(map(len, rows), default=0)
    for column in range(width):
        table.add_column(no_wrap=column < width - 1, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr while it is a terminal; call what it gives with how many more are done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.advance(task, more)
