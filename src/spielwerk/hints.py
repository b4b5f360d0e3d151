"""What a misspelt word probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' to put after an error, or nothing when no known word is near."""
    close = closest(word, known)
    return f"; did you mean '{close}'?" if close else ""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to this one; the part after a slash may be given alone."""
    names = {name.lower(): name for name in known}
    short = {name.rpartition("/")[2]: full for name, full in names.items()}
    for spellings in (names, short):
        if matches := get_close_matches(word.lower(), spellings, n=1, cutoff=0.6):
            return spellings[matches[0]]
    return None
