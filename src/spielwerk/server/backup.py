"""Copies of every game, and the way back.

A line of a backup is a record that any release reads; under `table` it also holds the rows of the database as they
are, so that `restore` brings back the table with its seats, tokens and events. Rows are copied without being
understood: a table that this release cannot play is still saved and restored.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.exc import SQLAlchemyError

from spielwerk.durable import write_durably
from spielwerk.records import MAX_RECORD_BYTES
from spielwerk.server.administration import existing
from spielwerk.server.rows import SAVED, Row, record_of, rows_of
from spielwerk.server.settings import Settings
from spielwerk.server.store import Store, Write, all_ids, load_log, reading
from spielwerk.server.tables import finished_table

DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")


@dataclass
class Report:
    """How many games, and what was wrong with those that are named."""

    games: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)


# Saving


def back_up(settings: Settings, target: Path, *, records_only: bool = False) -> Report:
    """Writes every game, also while the server runs; the file is on the disk then."""
    source = existing(settings).sqlite_file
    if target.suffix in DATABASE_SUFFIXES:
        if source is None:
            raise ValueError(f"only a SQLite database is copied to {target.suffix}; use a name ending in .jsonl")
        _copy_database(source, target)
    with _looking(settings) as connection:
        if target.suffix in DATABASE_SUFFIXES:
            return Report(games=len(all_ids(connection)))
        report, lines = Report(), []
        for table_id in all_ids(connection):
            report.problems += _problems(connection, table_id)
            line = record_of(rows := rows_of(connection, table_id))
            lines.append(json.dumps(line if records_only else line | {"table": rows}, ensure_ascii=False))
    _write_private(target, "".join(f"{line}\n" for line in lines).encode())
    report.games = len(lines)
    return report


@contextmanager
def _looking(settings: Settings) -> Iterator[Connection]:
    try:
        with reading(settings.database_url) as connection:
            yield connection
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise ValueError(f"the database cannot be read: {str(error).partition(chr(10))[0]}") from None


def _problems(connection: Connection, table_id: str) -> list[str]:
    try:
        load_log(connection, table_id)
    except ValueError as unreadable:
        return [str(unreadable)]
    return []


def _write_private(target: Path, data: bytes) -> None:
    """Backups hold what the database holds: seeds, and hashes of tokens."""
    write_durably(target, data)
    target.chmod(0o600)


def _copy_database(source: Path, target: Path) -> None:
    """Through SQLite's own copying, which sees one moment of a database in use."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(temporary)) as new:
            old.backup(new)
        _write_private(target, Path(temporary).read_bytes())
    except sqlite3.Error as error:
        raise ValueError(f"the database {source} cannot be read: {error}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


# Restoring


def restore(settings: Settings, source: Path) -> Report:
    """Adds the games of a backup to a database that no server uses; those that are there already stay as they are."""
    if not source.is_file():
        raise ValueError(f"there is no file {source}")
    store = Store(settings)
    report = Report()
    try:
        with store.engine.connect() as connection:
            known = set(all_ids(connection))
            connection.commit()
            for place, content in _saved(source, report):
                _restore_one(connection, place, content, known, report)
    finally:
        store.close()
    return report


def _saved(source: Path, report: Report) -> Iterator[tuple[str, Any]]:
    """What a backup of either kind holds, each with the place it is found at."""
    if source.suffix in DATABASE_SUFFIXES:
        with _brought_up_to_date(source) as copy, _looking(Settings(database=str(copy))) as connection:
            for table_id in all_ids(connection):
                yield f"table {table_id}", {"table": rows_of(connection, table_id)}
        return
    with source.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_RECORD_BYTES + 1), b""), start=1):
            if not line.strip():
                continue
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError):
                report.problems.append(f"line {number} is not JSON")


@contextmanager
def _brought_up_to_date(source: Path) -> Iterator[Path]:
    """A copy that has the present schema, whatever release wrote the original."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        _copy_database(source, copy)
        Store(Settings(database=str(copy))).close()
        yield copy


def _restore_one(connection: Connection, place: str, content: Any, known: set[str], report: Report) -> None:
    try:
        rows = _checked_rows(content["table"]) if isinstance(content, dict) and "table" in content else None
        rows = rows or _rows_to_write(finished_table(content))
        table_id = rows["tables"][0]["id"]
        if table_id in known:
            report.skipped += 1
            return
        with connection.begin():
            for table in SAVED:
                if rows[table.name]:
                    connection.execute(insert(table), rows[table.name])
    except (ValueError, TypeError, KeyError, SQLAlchemyError, sqlite3.Error) as error:
        connection.rollback()
        report.problems.append(f"{place}: {str(error).partition(chr(10))[0][:200] or type(error).__name__}")
        return
    known.add(table_id)
    report.games += 1


def _rows_to_write(write: Write) -> dict[str, list[Row]]:
    return {"tables": write.tables, "seats": write.seats, "events": write.events}


def _checked_rows(rows: Any) -> dict[str, list[Row]]:
    """The rows of one table, with the columns that this release has and nothing else."""
    checked = {table.name: _known_columns(table, rows[table.name]) for table in SAVED}
    if len(checked["tables"]) != 1:
        raise ValueError("one table is expected")
    table_id = checked["tables"][0]["id"]
    if any(row["table_id"] != table_id for name in ("seats", "events") for row in checked[name]):
        raise ValueError("seats and events belong to another table")
    return checked


def _known_columns(table: Table, rows: Iterable[Any]) -> list[Row]:
    names = {column.name for column in table.columns}
    unknown = {name for row in rows for name in row} - names
    if unknown:
        raise ValueError(f"unknown columns {', '.join(sorted(map(str, unknown)))}")
    return [{name: row.get(name) for name in names} for row in rows]
