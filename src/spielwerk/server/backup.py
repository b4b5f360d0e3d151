"""Copies of every game: as records that any release reads, or as the whole database with its seats."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from spielwerk.durable import write_durably
from spielwerk.server.settings import Settings
from spielwerk.server.store import all_ids, load_log, reading

DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")


def back_up(settings: Settings, target: Path) -> int:
    """Writes every game, also while the server runs, and returns how many; the file is on the disk then."""
    source = settings.sqlite_file
    if source is not None and not source.is_file():
        raise ValueError(f"there is no database {source}; --database names another one")
    if target.suffix in DATABASE_SUFFIXES:
        if source is None:
            raise ValueError(f"only a SQLite database is copied to {target.suffix}; use a name ending in .jsonl")
        _copy_database(source, target)
    try:
        with reading(settings.database_url) as connection:
            ids = all_ids(connection)
            if target.suffix in DATABASE_SUFFIXES:
                return len(ids)
            lines = []
            for table_id in ids:
                log = load_log(connection, table_id)
                if log is not None:
                    lines.append(json.dumps(log.record().to_json(), ensure_ascii=False))
    except SQLAlchemyError as error:
        raise ValueError(f"the database cannot be read: {str(error).partition(chr(10))[0]}") from None
    write_durably(target, "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def _copy_database(source: Path, target: Path) -> None:
    """Through SQLite's own copying, which sees one moment of a database in use."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(temporary)) as new:
            old.backup(new)
        write_durably(target, Path(temporary).read_bytes())
    finally:
        Path(temporary).unlink(missing_ok=True)
