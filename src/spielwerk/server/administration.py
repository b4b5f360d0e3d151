"""What an operator does to the database beside the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from spielwerk.database import open_engine
from spielwerk.server import schema
from spielwerk.server.settings import Settings
from spielwerk.server.store import Write, execute, reading
from spielwerk.server.views import iso_time


def newest_tables(settings: Settings, limit: int) -> list[dict[str, Any]]:
    """What is known about tables without reading their events, newest first."""
    table, event = schema.tables.c, schema.events.c
    events = select(func.count()).where(event.table_id == table.id).scalar_subquery()
    query = select(table.id, table.created_ms, table.game, table.status, table.public, events.label("events"))
    try:
        with reading(existing(settings).database_url) as connection:
            rows = connection.execute(query.order_by(table.created_ms.desc()).limit(limit)).all()
    except SQLAlchemyError as error:
        raise _unusable(error) from None
    return [
        {"id": row.id, "created": iso_time(row.created_ms)} | {name: getattr(row, name) for name in _SHOWN}
        for row in rows
    ]


_SHOWN = ("game", "status", "public", "events")


def delete_tables(settings: Settings, table_ids: Sequence[str]) -> None:
    """Deletes tables; ValueError names one that is not there, and nothing is deleted then."""
    engine = open_engine(existing(settings).database_url)
    try:
        with engine.begin() as connection:
            known = set(
                connection.execute(select(schema.tables.c.id).where(schema.tables.c.id.in_(table_ids))).scalars()
            )
            if missing := [table_id for table_id in table_ids if table_id not in known]:
                raise ValueError(f"there is no table {missing[0][:40]}")
            execute(connection, [Write(deletions=list(table_ids))])
    except SQLAlchemyError as error:
        raise _unusable(error) from None
    finally:
        engine.dispose()


def existing(settings: Settings) -> Settings:
    """Refuses a file that is not there, which SQLite would create."""
    file = settings.sqlite_file
    if file is not None and not file.is_file():
        raise ValueError(f"there is no database {file}; --database names another one")
    return settings


def _unusable(error: SQLAlchemyError) -> ValueError:
    return ValueError(f"the database cannot be used: {str(error.__cause__ or error).partition(chr(10))[0]}")
