"""The store: group commits, refusals, migrations."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

import spielwerk as sw
from spielwerk.database import open_engine
from spielwerk.server import schema
from spielwerk.server.log import Event, Log, Seat, Setup
from spielwerk.server.store import Store, StoreError, Write, load_log
from tests.server.client import Running, running, settings


@pytest.fixture
def store(database: str) -> Any:
    opened = Store(settings(database))
    yield opened
    opened.close()


def new_table(number: int) -> tuple[Log, Write]:
    setup = Setup(id=f"t{number}", created_ms=number, game=sw.make("pferdeaepfel/trail"), start=None, seed=1)
    log, write = Log(setup, [Seat("human"), Seat("human")]), Write()
    write.add_table(log)
    return log, write


def move(table: str, seq: int, text: str) -> Write:
    write = Write()
    write.add_events(table, [Event(seq, "play", 0, {"text": text})])
    return write


def test_concurrent_writes_share_commits(store: Store) -> None:
    async def write_many() -> None:
        await asyncio.gather(*(store.write(new_table(number)[1]) for number in range(300)))
        await asyncio.gather(*(store.write(move(f"t{number}", 1, "b6")) for number in range(300)))

    asyncio.run(write_many())
    assert store.writes == 600 and store.commits < 60
    with store.engine.connect() as connection:
        log = load_log(connection, "t7")
    assert log is not None and log.texts == ["b6"]


def test_a_refused_write_is_refused_alone(store: Store) -> None:
    async def write_many() -> list[Any]:
        await store.write(new_table(0)[1])
        writes = [move("t0", seq, text) for seq, text in ((1, "b6"), (1, "c7"), (2, "g3"))]
        return await asyncio.gather(*map(store.write, writes), return_exceptions=True)

    assert [type(answer) for answer in asyncio.run(write_many())] == [type(None), StoreError, type(None)]
    with store.engine.connect() as connection:
        log = load_log(connection, "t0")
    assert log is not None and log.texts == ["b6", "g3"]


def test_commits_reach_the_disk(tmp_path: Path) -> None:
    engine = open_engine(settings(tmp_path).database_url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("pragma journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("pragma synchronous").scalar() == 2
    engine.dispose()


def test_commits_reach_the_disk_of_postgresql(postgresql: str) -> None:
    """Also where the operator's default is to answer before that."""
    admin = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f'alter database "{admin.url.database}" set synchronous_commit to off')
    admin.dispose()
    engine = open_engine(postgresql)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("show synchronous_commit").scalar() == "on"
    engine.dispose()


def test_the_store_survives_a_restart_of_postgresql(postgresql: str) -> None:
    store = Store(settings(postgresql))
    admin = create_engine(postgresql, isolation_level="AUTOCOMMIT")

    async def script() -> None:
        await store.write(new_table(0)[1])
        with admin.connect() as connection:
            connection.exec_driver_sql(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        with pytest.raises(StoreError):
            await store.write(move("t0", 1, "b6"))
        await store.write(move("t0", 1, "c7"))
        log = await store.read(partial(load_log, table_id="t0"))
        assert log is not None and log.texts == ["c7"]

    asyncio.run(script())
    admin.dispose()
    store.close()


def test_a_database_that_is_not_there_is_one_line_without_its_password() -> None:
    pytest.importorskip("psycopg", reason="the PostgreSQL driver is not installed")
    with pytest.raises(ValueError, match="cannot be used") as refusal:
        Store(settings("postgresql+psycopg://me:secret@127.0.0.1:1/games"))
    assert "secret" not in str(refusal.value) and "\n" not in str(refusal.value)


def test_migrations_lead_to_the_schema(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert context.get_current_revision() == "0004"
        assert compare_metadata(context, schema.metadata) == []


def test_the_schema_is_one_for_postgresql_too() -> None:
    for table in schema.metadata.sorted_tables:
        dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
        assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=dialect))


def test_two_servers_do_not_share_a_database(store: Store, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spielwerk.server.possession._WAIT_FOR_DATABASE", 0.0)
    with pytest.raises(ValueError, match="in use by another server"):
        Store(settings(database))


def test_a_move_that_cannot_be_stored_is_refused_and_the_table_read_again(tmp_path: Path) -> None:
    with running(settings(tmp_path, agent_processes=1)) as server:
        with server.hotseat() as player:
            player.play("b6")
            _block(server, True)
            answer = player.ask("play", action="g3")
            assert answer["code"] == "internal" and "nothing has changed" in answer["message"]["en"]
            _block(server, False)
        assert server.get(f"/api/tables/{player.table}")["ply"] == 1


def _block(server: Running, blocked: bool) -> None:
    """A full disk, as seen by the database."""
    statement = (
        "create trigger full before insert on events begin select raise(abort, 'disk full'); end"
        if blocked
        else "drop trigger full"
    )
    with sqlite3.connect(str(server.app.settings.sqlite_file)) as connection:
        connection.execute(statement)
    connection.close()


def test_tables_leave_memory_and_come_back(tmp_path: Path) -> None:
    with running(settings(tmp_path, tables_in_memory=5, agent_processes=1)) as server:
        tables = []
        for _ in range(12):
            with server.hotseat() as player:
                player.play("b6")
                tables.append(player.table)
        assert len(server.app.tables.live) <= 5
        assert all(server.get(f"/api/tables/{table}")["ply"] == 1 for table in tables)
