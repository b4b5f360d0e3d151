"""Databases of both kinds, games without modules, and the command line run inside this process."""

import io
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import create_engine, make_url

from spielwerk.cli import main
from spielwerk.render import description, theme
from spielwerk.render.description import GameDescription

POSTGRESQL = "SPIELWERK_TEST_POSTGRESQL"


@pytest.fixture
def postgresql() -> Iterator[str]:
    """The URL of a new database at the PostgreSQL server that the environment names."""
    at = os.environ.get(POSTGRESQL)
    if not at:
        pytest.skip(
            f"POSTGRESQL IS NOT TESTED: {POSTGRESQL} may name a server, postgresql+psycopg://user@host/postgres"
        )
    name = f"spielwerk_{uuid.uuid4().hex}"
    server = create_engine(at, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"create database {name}")
    yield make_url(at).set(database=name).render_as_string(hide_password=False)
    with server.connect() as connection:
        connection.exec_driver_sql(f"drop database {name} with (force)")
    server.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database, once of each kind."""
    url: str = request.getfixturevalue("postgresql") if request.param == "postgresql" else str(tmp_path / "games.db")
    return url


@pytest.fixture
def without_modules() -> Iterator[None]:
    """Every game is as if nobody had described it to Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(description, "_description", lambda game: GameDescription())
        _forget_colours()
        yield
    _forget_colours()


def _forget_colours() -> None:
    theme.colours.cache_clear()
    theme.standalone_css.cache_clear()


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs `spielwerk WORDS…` with `typed` lines on stdin, 80 columns wide and in English by default."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, typed: str = "", width: int = 80, lang: str = "C.UTF-8") -> Outcome:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("LANG", lang)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(words)
        return Outcome(code, *capsys.readouterr())

    return run
