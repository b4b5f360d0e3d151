"""The store: whatever is awaited here is on the disk when the wait is over.

One thread writes. While it waits for the disk, further writes gather, and the next commit takes all of them:
a group commit. A write that the database refuses is refused alone; the others of its group go through.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from alembic.util import CommandError
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from spielwerk.database import make_private, open_engine, unusable
from spielwerk.games import Game, make
from spielwerk.play import Outcome, TimeControl
from spielwerk.play.rounds import Rounds
from spielwerk.server import schema
from spielwerk.server.log import Event, Log, Seat, Setup
from spielwerk.server.migrations import upgrade
from spielwerk.server.possession import InUse, lock_of
from spielwerk.server.settings import Settings

LARGEST_GROUP = 1000
_DELETED_AT_ONCE = 500
_READERS = 2

Row = dict[str, Any]
T = TypeVar("T")


class StoreError(Exception):
    """The database did not take a write; nothing of it is stored."""


class Unreadable(ValueError):
    """A table that this release cannot read: other rules, or not what it wrote."""


@dataclass
class Write:
    """Rows that are stored together or not at all."""

    tables: list[Row] = field(default_factory=list)
    seats: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    endings: list[Row] = field(default_factory=list)
    seatings: list[Row] = field(default_factory=list)
    alive_ms: int | None = None  # the server's sign of life
    deletions: list[str] = field(default_factory=list)

    def add_table(self, log: Log) -> None:
        """A new table with its seats and the events it starts with."""
        setup = log.setup
        self.tables.append(
            {
                "id": setup.id,
                "created_ms": setup.created_ms,
                "game": setup.game.name,
                "rules": setup.game.rules,
                "rules_version": setup.game.rules_version,
                "start": setup.start,
                "seed": setup.seed,
                "dice_key": setup.dice_key,
                "public": setup.public,
                "hotseat": setup.hotseat,
                "uploaded": setup.uploaded,
                "pace_ms": setup.pace_ms,
                "origin_table": setup.origin[0] if setup.origin else None,
                "origin_ply": setup.origin[1] if setup.origin else None,
                "owner_hash": setup.owner_hash,
                "clock": str(setup.control) if setup.control else None,
                "rounds": rounds_to_json(setup.rounds),
                "status": log.status,
                "result": log.result,
            }
        )
        self.seats += [_seat_row(setup.id, number, seat) for number, seat in enumerate(log.seats)]

    def add_events(self, table_id: str, new: Iterable[Event]) -> None:
        """Events of a table, and what the lobby should know of them."""
        for item in new:
            self.events.append(
                {
                    "table_id": table_id,
                    "seq": item.seq,
                    "at_ms": item.at_ms,
                    "kind": item.kind,
                    "seat": item.seat,
                    "data": item.data,
                }
            )
            if item.kind == "over":
                self.endings.append({"at": table_id, "new_result": item.data["result"]})

    def add_seating(self, table_id: str, number: int, seat: Seat, status: str) -> None:
        row = _seat_row(table_id, number, seat)
        self.seatings.append({f"new_{name}": value for name, value in row.items()} | {"status": status})


def _seat_row(table_id: str, number: int, seat: Seat) -> Row:
    return {
        "table_id": table_id,
        "seat": number,
        "kind": seat.kind,
        "name": seat.name,
        "level": seat.level,
        "holder": seat.holder,
        "token_hash": seat.token_hash,
        "invite_hash": seat.invite_hash,
    }


_INSERT_TABLE = insert(schema.tables)
_INSERT_SEAT = insert(schema.seats)
_INSERT_EVENT = insert(schema.events)
_END_TABLE = (
    update(schema.tables)
    .where(schema.tables.c.id == bindparam("at"))
    .values(status="over", result=bindparam("new_result"))
)
_START_TABLE = update(schema.tables).where(schema.tables.c.id == bindparam("at")).values(status=bindparam("new_status"))
_SEAT_SOMEONE = (
    update(schema.seats)
    .where(schema.seats.c.table_id == bindparam("new_table_id"), schema.seats.c.seat == bindparam("new_seat"))
    .values(
        kind=bindparam("new_kind"),
        name=bindparam("new_name"),
        level=bindparam("new_level"),
        holder=bindparam("new_holder"),
        token_hash=bindparam("new_token_hash"),
        invite_hash=bindparam("new_invite_hash"),
    )
)


def execute(connection: Connection, writes: Sequence[Write]) -> None:
    """All rows of these writes, in the transaction of the connection."""
    for statement, name in (
        (_INSERT_TABLE, "tables"),
        (_INSERT_SEAT, "seats"),
        (_INSERT_EVENT, "events"),
        (_END_TABLE, "endings"),
    ):
        rows = [row for write in writes for row in getattr(write, name)]
        if rows:
            connection.execute(statement, rows)
    seatings = [row for write in writes for row in write.seatings]
    if seatings:
        people = [{key: value for key, value in row.items() if key != "status"} for row in seatings]
        connection.execute(_SEAT_SOMEONE, people)
        starts = [{"at": row["new_table_id"], "new_status": row["status"]} for row in seatings]
        connection.execute(_START_TABLE, starts)
    if alive := [write.alive_ms for write in writes if write.alive_ms is not None]:
        connection.execute(update(schema.heartbeat).values(alive_ms=max(alive)))
    deletions = [table_id for write in writes for table_id in write.deletions]
    for start in range(0, len(deletions), _DELETED_AT_ONCE):
        _delete(connection, deletions[start : start + _DELETED_AT_ONCE])


def _delete(connection: Connection, table_ids: list[str]) -> None:
    for table, column in (
        (schema.events, schema.events.c.table_id),
        (schema.seats, schema.seats.c.table_id),
        (schema.tables, schema.tables.c.id),
    ):
        connection.execute(delete(table).where(column.in_(table_ids)))


@dataclass(frozen=True)
class _Waiting:
    write: Write
    done: Callable[[Exception | None], None]


class Store:
    def __init__(self, settings: Settings) -> None:
        self._lock = lock_of(settings)
        if settings.sqlite_file is not None:
            make_private(settings.sqlite_file)
        self.engine = open_engine(settings.database_url)
        try:
            self._connection = self._connected()
        except BaseException:
            self.engine.dispose()
            self._lock.release()
            raise
        self._readers = ThreadPoolExecutor(_READERS, "store-reader")
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_groups, name="store-writer", daemon=True)
        self._writer.start()
        self.commits = 0
        self.writes = 0
        self.failures = 0

    async def write(self, write: Write) -> None:
        """Returns once the rows are durable; StoreError when they are not."""
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()

        def done(error: Exception | None) -> None:
            loop.call_soon_threadsafe(_resolve, stored, error)

        self._queue.put(_Waiting(write, done))
        # The write happens whether or not the one who asked still waits; shield lets the waiter go alone.
        await asyncio.shield(stored)

    async def read(self, question: Callable[[Connection], T]) -> T:
        """Asks the database in a thread, so that nobody else waits for the answer."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._ask, question)

    def close(self) -> None:
        """Writes what is waiting, then lets go of the database."""
        self._queue.put(None)
        self._writer.join()
        self._readers.shutdown()
        self.engine.dispose()
        self._lock.release()

    def _connected(self) -> Connection:
        """The connection that writes, with the present schema behind it."""
        try:
            connection = self.engine.connect()
            try:
                with connection.begin():
                    self._lock.hold(connection)
                    upgrade(connection)
            except BaseException:
                connection.close()
                raise
        except (SQLAlchemyError, CommandError, sqlite3.Error) as error:
            raise unusable(str(self.engine.url), error) from None
        return connection

    def _ask(self, question: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            return question(connection)

    def _write_groups(self) -> None:
        with self._connection as connection:
            while (first := self._queue.get()) is not None:
                group, closing = self._gather(first)
                self._write_group(connection, group)
                if closing:
                    return

    def _gather(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        group = [first]
        while len(group) < LARGEST_GROUP:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if item is None:
                return group, True
            group.append(item)
        return group, False

    def _write_group(self, connection: Connection, group: list[_Waiting]) -> None:
        error = self._commit(connection, [item.write for item in group])
        self.failures += error is not None
        if error is not None and len(group) > 1:
            for item in group:
                item.done(self._commit(connection, [item.write]))
            return
        for item in group:
            item.done(error)

    def _commit(self, connection: Connection, writes: list[Write]) -> Exception | None:
        try:
            with connection.begin():
                self._lock.hold(connection)
                execute(connection, writes)
        except InUse as error:
            return StoreError(str(error))
        except (SQLAlchemyError, sqlite3.Error) as error:
            return StoreError(_first_line(error))
        self.commits += 1
        self.writes += len(writes)
        return None


def _first_line(error: Exception) -> str:
    return str(error.__cause__ or error).strip().partition("\n")[0]


def _resolve(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


# Reading


@dataclass(frozen=True)
class Listed:
    """A table in a list, without its events."""

    id: str
    created_ms: int
    game: str
    rules: dict[str, bool | int | str]
    status: str
    result: dict[str, Any] | None
    public: bool
    clock: str | None
    seats: list[Seat]
    ply: int


def load_log(connection: Connection, table_id: str) -> Log | None:
    """A table from its events; None when there is none of this name."""
    row = connection.execute(select(schema.tables).where(schema.tables.c.id == table_id)).one_or_none()
    if row is None:
        return None
    seats = _seats_of(connection, [table_id])[table_id]
    stored = connection.execute(
        select(
            schema.events.c.seq, schema.events.c.kind, schema.events.c.seat, schema.events.c.data, schema.events.c.at_ms
        )
        .where(schema.events.c.table_id == table_id)
        .order_by(schema.events.c.seq)
    ).all()
    try:
        log = Log(_setup_of(row), _before_anyone_joined(seats, {item.seat for item in stored if item.kind == "join"}))
        for item in stored:
            log.apply(Event(*item))
        if row.rules_version != log.game.rules_version and log.outcome != Outcome.by_rules(log.state):
            raise ValueError(f"{_other_version(row, log.game)}, where it would have ended otherwise")
    except Exception as error:  # whatever is wrong with one table is wrong with that one alone
        raise Unreadable(f"table {table_id} cannot be read by this release: {error}"[:300]) from None
    return log


def list_tables(
    connection: Connection,
    *,
    status: str | None = None,
    game: str | None = None,
    limit: int,
    before_ms: int | None = None,
    ids: Sequence[str] | None = None,
) -> list[Listed]:
    """Public tables or those of these ids, newest first."""
    table = schema.tables.c
    wanted = table.public if ids is None else table.id.in_(ids)
    query = select(schema.tables).where(wanted).order_by(table.created_ms.desc()).limit(limit)
    if status is not None:
        query = query.where(table.status == status)
    if game is not None:
        query = query.where(table.game == game)
    if before_ms is not None:
        query = query.where(table.created_ms < before_ms)
    rows = connection.execute(query).all()
    ids = [row.id for row in rows]
    seats = _seats_of(connection, ids)
    plies = _plies_of(connection, ids)
    return [
        Listed(
            id=row.id,
            created_ms=row.created_ms,
            game=row.game,
            rules=row.rules,
            status=row.status,
            result=row.result,
            public=row.public,
            clock=row.clock,
            seats=seats[row.id],
            ply=plies.get(row.id, 0),
        )
        for row in rows
    ]


def all_ids(connection: Connection) -> list[str]:
    return list(connection.execute(select(schema.tables.c.id).order_by(schema.tables.c.created_ms)).scalars())


def newest_ms(connection: Connection) -> int:
    """When the newest table was opened."""
    return connection.execute(select(func.max(schema.tables.c.created_ms))).scalar() or 0


@contextmanager
def reading(url: str) -> Iterator[Connection]:
    """One consistent look at a database, also while a server writes to it."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")  # noqa: PLW2901
            yield connection
    finally:
        engine.dispose()


def _setup_of(row: Any) -> Setup:
    """A game of earlier rules may be looked at if it has ended; one in progress cannot go on from a position that
    today's rules may have made differently."""
    game = make(row.game, **row.rules)
    if row.rules_version > game.rules_version or (row.rules_version < game.rules_version and row.status != "over"):
        raise ValueError(_other_version(row, game))
    return Setup(
        id=row.id,
        created_ms=row.created_ms,
        game=game,
        start=row.start,
        seed=row.seed,
        dice_key=row.dice_key,
        public=row.public,
        hotseat=row.hotseat,
        uploaded=row.uploaded,
        pace_ms=row.pace_ms,
        origin=(row.origin_table, row.origin_ply) if row.origin_table is not None else None,
        owner_hash=row.owner_hash,
        control=TimeControl.from_text(row.clock) if row.clock else None,
        rounds=rounds_from_json(row.rounds),
    )


def _before_anyone_joined(seats: list[Seat], taken: set[int]) -> list[Seat]:
    """The rows of seats say who sits there now; the events tell how that came about, and when the clock began."""
    return [Seat("open") if number in taken else seat for number, seat in enumerate(seats)]


def clocked_tables(connection: Connection) -> list[tuple[str, str]]:
    """Running games with a clock: their ids and what was agreed."""
    table = schema.tables.c
    query = select(table.id, table.clock).where(table.status == "running", table.clock.is_not(None))
    return [(row.id, row.clock) for row in connection.execute(query)]


def pauses(connection: Connection, table_ids: Sequence[str], now_ms: int) -> Write:
    """What stops the clocks of these tables for the time in which no server lived."""
    alive = connection.execute(select(schema.heartbeat.c.alive_ms)).scalar() or 0
    event, write = schema.events.c, Write()
    for table_id in table_ids:
        last = connection.execute(select(func.max(event.seq)).where(event.table_id == table_id)).scalar() or 0
        write.add_events(table_id, [Event(last + 1, "pause", None, {"from": alive}, now_ms)])
    return write


def rounds_to_json(rounds: Rounds | None) -> Row | None:
    """The match so far, as plain data."""
    return None if rounds is None else {"total": rounds.total, "played": rounds.played, "sums": list(rounds.sums)}


def rounds_from_json(data: Row | None) -> Rounds | None:
    """The match again."""
    if data is None:
        return None
    one, two = data["sums"]
    return Rounds(data["total"], data["played"], (one, two))


def _other_version(row: Any, game: Game) -> str:
    return (
        f"it was played by version {row.rules_version} of the rules of {row.game},"
        f" and this release plays version {game.rules_version}"
    )


def _seats_of(connection: Connection, table_ids: Sequence[str]) -> dict[str, list[Seat]]:
    columns = schema.seats.c
    rows = connection.execute(
        select(schema.seats).where(columns.table_id.in_(table_ids)).order_by(columns.table_id, columns.seat)
    )
    found: dict[str, list[Seat]] = {table_id: [] for table_id in table_ids}
    for row in rows:
        found[row.table_id].append(Seat(row.kind, row.name, row.level, row.holder, row.token_hash, row.invite_hash))
    return found


def _plies_of(connection: Connection, table_ids: Sequence[str]) -> dict[str, int]:
    """Actions played so far; what was taken back is counted until the table is opened."""
    columns = schema.events.c
    rows = connection.execute(
        select(columns.table_id, func.count())
        .where(columns.table_id.in_(table_ids), columns.kind.in_(("play", "dice")))
        .group_by(columns.table_id)
    )
    return {row[0]: row[1] for row in rows}
