"""What is kept and for how long: how large the database is, and which tables have outlived their time."""

from __future__ import annotations

import time

from sqlalchemy import ColumnElement, Connection, exists, func, select

from spielwerk.server import schema
from spielwerk.server.settings import Settings

_DAY_MS = 86_400_000
_EXPIRED_AT_ONCE = 500


def stored_bytes(connection: Connection) -> int:
    """How large the database is, without the room that deleting left."""
    if connection.dialect.name == "sqlite":
        pages, free, size = (
            connection.exec_driver_sql(f"pragma {name}").scalar() or 0
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size
    if connection.dialect.name == "postgresql":
        return connection.exec_driver_sql("select pg_database_size(current_database())").scalar() or 0
    return 0


def table_count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(schema.tables)).scalar() or 0


def expired(connection: Connection, settings: Settings, now_ms: int | None = None) -> list[str]:
    """Tables nobody ever played at, games nobody went on with, and what else the operator does not keep for ever."""
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    table, event = schema.tables.c, schema.events.c
    played = exists().where(event.table_id == table.id, event.kind == "play")
    last = select(func.max(event.at_ms)).where(event.table_id == table.id).scalar_subquery()
    touched = func.coalesce(last, table.created_ms)
    on_the_clock = (table.status == "running") & table.clock.is_not(None)  # which ends it in time
    running = (table.status != "over") & ~on_the_clock
    found: list[str] = []
    for days, wanted, since in (
        (settings.unplayed_days, running & ~played, table.created_ms),
        (settings.abandoned_days, running & played, touched),
        (settings.finished_days, table.status == "over", touched),
    ):
        if days > 0:
            found += _older(connection, wanted, since, now - days * _DAY_MS)
    return found


def _older(connection: Connection, wanted: ColumnElement[bool], since: ColumnElement[int], moment: float) -> list[str]:
    table = schema.tables.c
    query = select(table.id).where(table.created_ms < moment, wanted, since < moment)
    return list(connection.execute(query.order_by(table.created_ms).limit(_EXPIRED_AT_ONCE)).scalars())
