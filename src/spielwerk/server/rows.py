"""The rows of one table and the game they tell, without understanding its rules.

So a table that this release cannot play is still saved, restored and handed out as a record.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Connection, Table, select

from spielwerk.records import Record
from spielwerk.server import schema
from spielwerk.server.log import stand_in_comment

Row = dict[str, Any]
SAVED = (schema.tables, schema.seats, schema.events)


def rows_of(connection: Connection, table_id: str) -> dict[str, list[Row]]:
    """Everything stored about a table."""
    return {
        table.name: [
            dict(row._mapping)
            for row in connection.execute(select(table).where(key_of(table) == table_id).order_by(*table.primary_key))
        ]
        for table in SAVED
    }


def key_of(table: Table) -> Column[Any]:
    return table.c.id if table is schema.tables else table.c.table_id


def record_of(rows: dict[str, list[Row]]) -> Row:
    """The record of a game, from its rows alone."""
    [table] = rows["tables"]
    played: list[Row] = []
    for event in rows["events"]:
        if event["kind"] in ("play", "dice"):
            played.append(event["data"])
        elif event["kind"] == "takeback":
            del played[event["data"]["ply"] :]
    result = table["result"]
    record = Record(
        game=table["game"],
        rules=table["rules"],
        rules_version=table["rules_version"],
        seats=[seat["name"] or seat["level"] or "" for seat in rows["seats"]],
        start=table["start"],
        actions=[data["text"] for data in played],
        comments={
            ply: stand_in_comment(data["fallback"]) for ply, data in enumerate(played, start=1) if "fallback" in data
        },
        result=None if result is None or result.get("reason") == "cancelled" else result,
    )
    return record.to_json()


def stored_record(connection: Connection, table_id: str) -> Row | None:
    """A table's game as its rows tell it, also where this release cannot play it; None where there is no such table."""
    rows = rows_of(connection, table_id)
    return record_of(rows) if rows["tables"] else None
