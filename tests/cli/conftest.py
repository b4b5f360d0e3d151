"""The command line, run inside this process: words and typed lines in, exit code and texts out."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from spielwerk.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs `spielwerk WORDS…` with `typed` lines on stdin, 80 columns wide and in English unless told."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, typed: str = "", width: int = 80, lang: str = "C.UTF-8") -> Outcome:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("LANG", lang)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(words)
        return Outcome(code, *capsys.readouterr())

    return run
