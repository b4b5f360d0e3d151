"""One server per database: two would not see each other's moves, so the second one is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sqlalchemy import Connection

from spielwerk.server.settings import Settings

_WAIT_FOR_DATABASE = 5.0
_OUR_LOCK = 7_735_937_113  # any number that other programs are unlikely to lock in the same database


class InUse(ValueError):
    """Another server has the database."""


class Lock:
    """Nothing to lock; the primary key of the events still keeps tables whole."""

    def hold(self, connection: Connection) -> None:
        """Called in every transaction that writes, before anything else; InUse when the database is another's."""

    def release(self) -> None:
        """After the last connection is closed."""


class _PostgresqlLock(Lock):
    """An advisory lock of the session that writes: when PostgreSQL restarts, lock and session go together.

    So nothing is ever written by a session without it; that of a server that was killed goes within moments.
    """

    def __init__(self) -> None:
        self._locked: object = None

    def hold(self, connection: Connection) -> None:
        session = connection.connection.dbapi_connection
        if session is self._locked:
            return
        deadline = time.monotonic() + _WAIT_FOR_DATABASE
        while not connection.exec_driver_sql(f"select pg_try_advisory_lock({_OUR_LOCK})").scalar():
            if time.monotonic() > deadline:
                raise InUse(f"the database {connection.engine.url.database} is in use by another server")
            time.sleep(0.1)
        self._locked = session


class _FileLock(Lock):
    """A lock beside the file itself, wherever links lead to it."""

    def __init__(self, database: Path) -> None:
        import fcntl

        file = database.resolve()
        if file.exists() and file.stat().st_nlink > 1:
            raise ValueError(
                f"{file} has several names (hard links): SQLite would keep a journal for each and lose moves"
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise InUse(f"{database} is in use by another server") from None

    def release(self) -> None:
        os.close(self._handle)


def lock_of(settings: Settings) -> Lock:
    """The lock for a database; that of a file is held from here on."""
    if settings.database_url.startswith("postgresql"):
        return _PostgresqlLock()
    if settings.sqlite_file is None:
        return Lock()
    try:
        return _FileLock(settings.sqlite_file)
    except ImportError:  # no such locks on this system
        return Lock()
