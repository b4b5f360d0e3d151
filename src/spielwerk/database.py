"""Databases by file or URL, set so that what was committed survives a crash."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError

from spielwerk.border import quoted


def url_of(place: str) -> str:
    """A URL as it is; a plain path is a SQLite file."""
    return place if "://" in place else f"sqlite:///{Path(place).expanduser()}"


def open_engine(url: str) -> Engine:
    """The engine for a database URL, set to lose nothing that was committed."""
    path = url.removeprefix("sqlite:///")
    if path != url and path not in ("", ":memory:"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    try:
        engine = create_engine(url, pool_pre_ping=path == url)
    except (SQLAlchemyError, ImportError) as error:
        raise unusable(url, error) from None
    if engine.dialect.name in _MAKE_DURABLE:
        event.listen(engine, "connect", _MAKE_DURABLE[engine.dialect.name])
    return engine


def unusable(url: str, error: Exception) -> ValueError:
    """One line for whatever a database answers instead of opening: no database, no rights, no room on the disk."""
    reason = quoted(str(error.__cause__ or error).partition("\n")[0], 200)
    return ValueError(f"the database '{without_password(url)}' cannot be used: {reason}")


def make_private(file: Path) -> None:
    """Creates a file that only its owner can read, as SQLite's journals beside it will be; others lose their rights."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        mode = file.stat().st_mode
        if mode & 0o007:
            file.chmod(mode & 0o770)
    except OSError as error:
        raise ValueError(f"the database {file} cannot be used: {error.strerror}") from None


def without_password(url: str) -> str:
    """A database URL as it may be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)[:120]
    except SQLAlchemyError:
        return url.partition(":")[0][:40]


def _make_sqlite_durable(connection: sqlite3.Connection, _: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _make_postgresql_durable(connection: DBAPIConnection, _: object) -> None:
    """Other settings than off are stronger promises, which are the operator's to choose."""
    cursor = connection.cursor()
    cursor.execute(
        "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'"
    )
    cursor.close()
    connection.commit()


_MAKE_DURABLE: dict[str, Callable[[Any, object], None]] = {
    "sqlite": _make_sqlite_durable,
    "postgresql": _make_postgresql_durable,
}
