"""Figures for the operator, in the text format that Prometheus reads."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spielwerk.server.app import App

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(app: App) -> str:
    """What can be counted without asking the database."""
    lines: list[str] = []

    def tell(name: str, kind: str, help: str, value: float) -> None:
        lines.extend(
            (f"# HELP spielwerk_{name} {help}", f"# TYPE spielwerk_{name} {kind}", f"spielwerk_{name} {value:g}")
        )

    tell("up_seconds", "gauge", "Seconds since the server started.", round(time.monotonic() - app.started, 1))
    tell("connections", "gauge", "Open connections.", app.connections.open)
    tell("connections_refused_total", "counter", "Connections refused at once.", app.connections.refused)
    tell("sockets", "gauge", "Open WebSockets.", len(app.sockets))
    tell("requests_refused_total", "counter", "Requests beyond a client's limits.", app.budgets.refused)
    tell("tables_in_memory", "gauge", "Tables in memory.", len(app.tables.live))
    tell("table_bytes_in_memory", "gauge", "Memory of these tables, estimated.", app.tables.bytes)
    tell("writes_total", "counter", "Writes stored.", app.store.writes)
    tell("commits_total", "counter", "Commits of the database.", app.store.commits)
    tell("writes_failed_total", "counter", "Writes the database refused.", app.store.failures)
    tell("stored_bytes", "gauge", "Size of the database when it was last looked at.", app.stored_bytes)
    tell("storage_full", "gauge", "1 while no new tables are taken for lack of storage.", app.tables.storage_full)
    tell("tables_expired_total", "counter", "Tables deleted because of their age.", app.expired)
    tell("thinking_waiting", "gauge", "Questions that wait for a thinking process.", app.pool.waiting)
    tell("thinking", "gauge", "Questions that are being thought about.", app.pool.thinking)
    tell("thinking_seconds_total", "counter", "Seconds that agents thought.", round(app.pool.seconds, 3))
    tell("thinking_replaced_total", "counter", "Thinking processes that died or hung.", app.pool.replaced)
    tell("thinking_retried_total", "counter", "Questions asked again of another process.", app.pool.retried)
    return "\n".join(lines) + "\n"
