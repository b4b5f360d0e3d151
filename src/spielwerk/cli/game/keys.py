"""Single keys from a terminal."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_NAMES = {
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\r": "enter",
    "\n": "enter",
    " ": "space",
    "": "end of input",
}
_ENDED = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]")


def available() -> bool:
    """Whether there are keys to read: a terminal, on a system that gives them singly."""
    return sys.platform != "win32" and sys.stdin.isatty()


@contextmanager
def key_reader() -> Iterator[Callable[[], str]]:
    """A function that waits for a key and names it: 'right', 'space', 'q' …"""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield lambda: _key(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _key(descriptor: int) -> str:
    text = os.read(descriptor, 1)
    # An arrow key is several bytes, ESC first and a letter or ~ last, that arrive together.
    while text.startswith(b"\x1b") and not _ENDED.match(text) and _more_waiting(descriptor):
        text += os.read(descriptor, 1)
    name = text.decode(errors="replace").replace("\x1bO", "\x1b[")
    return _NAMES.get(name, name)


def _more_waiting(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0.05)[0])
