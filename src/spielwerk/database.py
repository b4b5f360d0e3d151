"""Databases by file or URL, set so that what was committed survives a crash."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError


def url_of(place: str) -> str:
    """A URL as it is; a plain path is a SQLite file."""
    return place if "://" in place else f"sqlite:///{Path(place).expanduser()}"


def open_engine(url: str) -> Engine:
    """The engine for a database URL; SQLite is set to lose nothing that was committed."""
    path = url.removeprefix("sqlite:///")
    if path != url and path not in ("", ":memory:"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    try:
        engine = create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise ValueError(f"the database '{url[:80]}' cannot be used: {error}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _make_sqlite_durable)
    return engine


def _make_sqlite_durable(connection: sqlite3.Connection, _: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")
