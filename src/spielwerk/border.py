"""The border for texts from outside: what they may hold, and how an error message quotes them.

Records, servers, engines, files and the command line can name things in any bytes they like. A text that passes is
one line of valid Unicode: no control characters (terminal escape sequences, NUL), no direction overrides (U+202E, as
in "Trojan Source"), no lone surrogates, and not longer than its place allows.
"""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

MOST_QUOTED = 80

# Control, format (direction marks and overrides, zero-width), surrogate; line and paragraph separators.
_BARRED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Format characters, but parts of words in Persian or Hindi and of many emoji.
_JOINERS = "\u200c\u200d"
_CUT = "…"


def plain_line(text: str, what: str, most: int = 1000) -> str:
    """The text as it is; ValueError, which begins with `what`, when it may not pass."""
    if len(text) > most:
        raise ValueError(f"{what} has {len(text)} characters; {most} is the most")
    barred = next((letter for letter in text if not _may_pass(letter)), None)
    if barred is not None:
        raise ValueError(f"{what} must be one line of plain text, without the character U+{ord(barred):04X}")
    return text


def ascii_line(text: str, what: str, most: int = 100_000) -> str:
    """The same for what is never written with anything but ASCII: positions and actions."""
    if not text.isascii():
        raise ValueError(f"{what} must be written in ASCII, not '{quoted(text)}'")
    return plain_line(text, what, most)


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """The text as a message may show it: one line, cut short, `?` for what may not pass."""
    words = " ".join(text[: 4 * most].split())
    shown = "".join(letter if _may_pass(letter) else "?" for letter in words[:most])
    return shown if len(text) <= 4 * most and len(words) <= most else shown[: most - 1] + _CUT


def readable(text: str) -> str:
    """The text as a name may show it: what may not pass is a blank, and blanks are single."""
    kept = "".join(letter if _may_pass(letter) else " " for letter in text)
    return " ".join(unicodedata.normalize("NFC", kept).split())


def printable(text: str) -> str:
    """The text as a terminal may show it: lines stay lines, `?` for what may not pass."""
    return _without_barred(text, lambda letter: "?")


def printable_json(text: str) -> str:
    """JSON as a terminal may show it; what may not pass is written as JSON writes it in ASCII."""
    return _without_barred(text, lambda letter: json.dumps(letter)[1:-1])


def lines_in(path: Path, most_bytes: int) -> list[str]:
    """The lines of a file that may be anybody's."""
    if path.stat().st_size > most_bytes:
        raise ValueError(f"{path} is larger than {most_bytes} bytes")
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def _without_barred(text: str, instead: Callable[[str], str]) -> str:
    if text.isprintable():  # nearly always, and quickly known
        return text
    return "".join(letter if letter == "\n" or _may_pass(letter) else instead(letter) for letter in text)


def _may_pass(letter: str) -> bool:
    return unicodedata.category(letter) not in _BARRED or letter in _JOINERS
