"""The operator's day: backups, tables nobody can read, expiry, deletion, health, figures, logs."""

import asyncio
import json
import logging
import os
import random
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from spielwerk.cli import main
from spielwerk.records import read_records
from spielwerk.server.operator_log import Lines, Repeated
from spielwerk.server.settings import Settings
from spielwerk.server.storage import expired
from spielwerk.server.store import Store, load_log
from tests.server.client import Running, a_free_seat, agent, human, running, settings
from tests.server.test_attacks import LONG_RECORD, rude_client

DAY_MS = 86_400_000


def sql(database: Path, *statements: str) -> None:
    connection = sqlite3.connect(database)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A database with a public game that goes on, one that was resigned, and an uploaded one."""
    with running(settings(tmp_path, agent_processes=1)) as server:
        opened = server.open("pferdeaepfel/trail", human("Ada"), a_free_seat(), public=True)
        joined = server.http.post(f"/api/tables/{opened['id']}/seats", json={"name": "Bob"}).json()
        with server.player(opened["id"], opened["tokens"]["0"]) as player:
            player.play("b6")
        with server.hotseat(public=True) as other:
            other.play("b6")
            other.ask("takeback")
            other.ask("resign")
        server.http.post("/api/records", json=LONG_RECORD | {"actions": ["d1", "pass"] * 3})
    return tmp_path / "games.db", {"running": opened, "bob": joined["token"], "resigned": other.table}


# Tables that cannot be read


@pytest.mark.parametrize(
    "wrong", ["rules_version = 99", "game = 'chess/blitz'", "rules = '{\"size\": 99}'", "rules = '7'"]
)
def test_one_unreadable_table_is_left_out_and_named(
    played: tuple[Path, dict[str, Any]], wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    database, tables = played
    sql(database, f"update tables set {wrong} where id = '{tables['running']['id']}'")
    with running(settings(database.parent, agent_processes=1)) as server:
        listed = server.get("/api/tables")
        assert tables["resigned"] in [item["id"] for item in listed]
        answer = server.http.get(f"/api/tables/{tables['running']['id']}")
        assert answer.status_code == 409 and tables["running"]["id"] in answer.json()["error"]["message"]["en"]
    saved = database.parent / "all.jsonl"
    assert main(["backup", str(saved), "--database", str(database)]) == 0
    said = capsys.readouterr()
    assert "3 games" in said.out and tables["running"]["id"] in said.err
    assert len(saved.read_text().splitlines()) == 3, "it is saved as it is"


def test_a_table_of_another_rules_version_is_restored_for_the_release_that_knows_it(
    played: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    database, tables = played
    table = tables["running"]["id"]
    sql(database, f"update tables set rules_version = 99 where id = '{table}'")
    saved, second = tmp_path / "all.jsonl", tmp_path / "second.db"
    assert main(["backup", str(saved), "--database", str(database)]) == 0
    assert main(["restore", str(saved), "--database", str(second)]) == 0
    sql(second, f"update tables set rules_version = 1 where id = '{table}'")
    with running(settings(str(second), agent_processes=1)) as server:
        assert server.get(f"/api/tables/{table}")["ply"] == 1


def test_a_finished_game_of_earlier_rules_is_shown_where_it_ends_the_same(tmp_path: Path) -> None:
    source = random.Random(3)
    with running(settings(tmp_path, agent_processes=1)) as server:
        tables = []
        for _ in range(3):
            opened = server.open("pferdeaepfel/original", human(), human(), hotseat=True, rules={"size": 4})
            tables.append(opened["id"])
            with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:
                legal = player.snapshot["legal"]
                while legal:
                    player.play(source.choice(legal))
                    legal = next(event["legal"] for event in reversed(player.events) if "legal" in event)
                    if len(tables) == 3:
                        break
    database = tmp_path / "games.db"
    same, other, unfinished = tables
    points = "update events set data = json_set(data, '$.result.points[0]', 99) where kind = 'over'"
    sql(database, "update tables set rules_version = 1", f"{points} and table_id = '{other}'")
    with running(settings(tmp_path, agent_processes=1)) as server:
        assert server.get(f"/api/tables/{same}")["status"] == "over"
        for table in (other, unfinished):
            answer = server.http.get(f"/api/tables/{table}")
            assert answer.status_code == 409 and "version 1 of the rules" in answer.json()["error"]["message"]["en"]
            record = server.get(f"/api/tables/{table}/record")
            assert record["rules_version"] == 1 and record["actions"], "it can still be taken home"


# Backup and restore


@pytest.mark.parametrize("name", ["all.jsonl", "all.db"])
def test_a_backup_is_restored_with_seats_and_tokens(
    played: tuple[Path, dict[str, Any]], name: str, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source, tables = played
    saved = source.parent / name
    assert main(["backup", str(saved), "--database", str(source)]) == 0
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    target = database if "://" in database else str(source.parent / "second.db")
    for count in (3, 0):
        assert main(["restore", str(saved), "--database", target]) == 0
        assert f"{count} games restored, {3 - count} were there already" in capsys.readouterr().out
    again = source.parent / "again.jsonl"
    assert main(["backup", str(again), "--database", target]) == 0
    if name == "all.jsonl":
        assert sorted(_tables(again)) == sorted(_tables(saved))
    with running(settings(target, agent_processes=1)) as server:
        with server.player(tables["running"]["id"], tables["bob"]) as bob:
            assert bob.snapshot["you"] == [1] and bob.snapshot["actions"][0]["text"] == "b6"
            bob.play("g3")
        seen = server.get(f"/api/tables/{tables['resigned']}")
        assert seen["ply"] == 0 and seen["result"]["reason"] == "resigned"


def _tables(file: Path) -> list[str]:
    return [json.dumps(json.loads(line)["table"], sort_keys=True) for line in file.read_text().splitlines()]


def test_a_backup_to_share_holds_no_secrets_and_comes_back_as_finished_games(
    played: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "share.jsonl"
    assert main(["backup", str(saved), "--records", "--database", str(played[0])]) == 0
    assert "hash" not in saved.read_text() and "seed" not in saved.read_text()
    assert len(list(read_records(saved))) == 3
    assert main(["restore", str(saved), "--database", str(tmp_path / "second.db")]) == 0
    with running(settings(str(tmp_path / "second.db"), agent_processes=1)) as server:
        with server.app.store.engine.connect() as connection:
            kinds = connection.exec_driver_sql("select status, uploaded from tables").all()
        assert [tuple(row) for row in kinds] == [("over", 1)] * 3
    capsys.readouterr()


def test_what_cannot_be_restored_is_named_and_the_rest_comes_back(
    played: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "all.jsonl"
    assert main(["backup", str(saved), "--database", str(played[0])]) == 0
    first, *rest = saved.read_text().splitlines()
    broken = json.loads(first)
    broken["table"]["events"][0]["table_id"] = "another"
    nonsense = ["{", "7", '{"spielwerk": 1, "game": "chess", "actions": []}', json.dumps(broken), '{"table": {}}']
    saved.write_text("\n".join([*nonsense, *rest]) + "\n")
    assert main(["restore", str(saved), "--database", str(tmp_path / "second.db")]) == 2
    said = capsys.readouterr()
    assert "2 games restored" in said.out and said.err.count("left out: line") == 5


def test_a_database_of_the_first_release_is_restored(played: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    old = played[0]
    later = [f"alter table tables drop column {name}" for name in ("owner_hash", "clock", "rounds", "dice_key")]
    sql(old, *later, "drop table heartbeat", "update alembic_version set version_num = '0001'")
    assert main(["restore", str(old), "--database", str(tmp_path / "second.db")]) == 0
    with running(settings(str(tmp_path / "second.db"), agent_processes=1)) as server:
        assert len(server.get("/api/tables")) == 2


# Deleting and expiry


def test_who_opened_a_table_deletes_it_and_nobody_else_does(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat())
    path = f"/api/tables/{opened['id']}"
    for token in ("-", opened["tokens"]["0"], opened["invites"]["1"], "x" * 43):
        assert server.http.delete(path, headers={"Authorization": f"Bearer {token}"}).status_code == 403
    with server.player(opened["id"], opened["tokens"]["0"]) as player:
        answer = server.http.delete(path, headers={"Authorization": f"Bearer {opened['owner']}"})
        assert answer.status_code == 204
        with pytest.raises(ConnectionClosed) as closed:
            player.until("never")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4404
    assert server.http.get(path).status_code == 404
    with server.app.store.engine.connect() as connection:
        for table, column in (("tables", "id"), ("seats", "table_id"), ("events", "table_id")):
            query = f"select count(*) from {table} where {column} = '{opened['id']}'"
            assert connection.exec_driver_sql(query).scalar() == 0


def test_an_uploaded_record_is_deleted_by_who_uploaded_it(server: Running) -> None:
    uploaded = server.http.post("/api/records", json=LONG_RECORD).json()
    path = f"/api/tables/{uploaded['id']}"
    assert server.http.delete(path).status_code == 403
    assert server.http.delete(path, headers={"Authorization": f"Bearer {uploaded['owner']}"}).status_code == 204


def test_an_operator_lists_and_deletes_while_the_server_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tables", "--database", str(tmp_path / "games.db")]
    with running(settings(tmp_path, agent_processes=1)) as server, server.hotseat() as player:
        player.play("b6")
        assert main([*words, "--json"]) == 0
        [listed] = json.loads(capsys.readouterr().out)
        assert (listed["id"], listed["events"]) == (player.table, 1)
        assert main([*words, "--delete", "nosuch"]) == 2
        assert main([*words, "--delete", player.table]) == 0
        assert player.refused("play", action="g3") == "internal"
        assert server.http.get(f"/api/tables/{player.table}").status_code == 404
    assert main(["tables", "--database", str(tmp_path / "none.db")]) == 2
    assert not (tmp_path / "none.db").exists()


def test_unplayed_and_abandoned_tables_expire(tmp_path: Path) -> None:
    configured = settings(tmp_path, unplayed_days=7, abandoned_days=30, finished_days=0, agent_processes=1)
    with running(configured) as server:
        unplayed = server.open("pferdeaepfel/trail", human(), a_free_seat())["id"]
        dice_only = server.open("ludo/ffa", *[human()] * 4, hotseat=True)["id"]
        with server.hotseat() as going:
            going.play("b6")
        with server.hotseat() as finished:
            finished.ask("resign")

        def after(days: float) -> set[str]:
            with server.app.store.engine.connect() as connection:
                newest = connection.exec_driver_sql("select max(created_ms) from tables").scalar()
                assert newest is not None
                return set(expired(connection, configured, int(newest + days * DAY_MS)))

        assert after(6) == set()
        assert after(8) == {unplayed, dice_only}
        assert after(40) == {unplayed, dice_only, going.table}
        sql(tmp_path / "games.db", f"update tables set created_ms = 1 where id in ('{unplayed}', '{finished.table}')")
        with server.player(unplayed):
            _tidy(server)
            assert server.app.expired == 0, "someone is there"
        _until_idle(server, unplayed)
        _tidy(server)
        assert server.app.expired == 1
        assert server.http.get(f"/api/tables/{unplayed}").status_code == 404
        assert server.http.get(f"/api/tables/{finished.table}").status_code == 200


def _tidy(server: Running) -> None:
    assert server.app.housekeeping is not None
    asyncio.run_coroutine_threadsafe(server.app.tidy(), server.app.housekeeping.get_loop()).result(20)


def _until_idle(server: Running, table: str) -> None:
    deadline = time.monotonic() + 10
    while server.app.tables.in_use(table):
        assert time.monotonic() < deadline
        time.sleep(0.02)


# Seeds


def test_no_answer_holds_the_seed_of_the_dice(server: Running) -> None:
    opened = server.open("ludo/ffa", *[human()] * 4, hotseat=True)
    with server.app.store.engine.connect() as connection:
        [(seed, key)] = connection.exec_driver_sql(f"select seed, dice_key from tables where id = '{opened['id']}'")
    assert seed > 2**40, "drawn from 63 bits"
    assert len(bytes.fromhex(key)) == 32
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        action = player.snapshot["scene"]["hits"][0]["action"]
        player.play(action)
        seen = [opened, player.snapshot, *player.events]
    path = f"/api/tables/{opened['id']}"
    seen += [server.get(path), server.get(f"{path}/record"), server.get(f"{path}/plies/1")]
    assert str(seed) not in json.dumps(seen) and f"{seed:x}" not in json.dumps(seen) and key not in json.dumps(seen)


def test_every_table_has_its_own_dice_and_keeps_them_over_a_restart(tmp_path: Path) -> None:
    """Whoever knows the seed, the id and all dice so far still lacks the key."""
    with running(settings(tmp_path)) as server:
        ids = [server.open("ludo/ffa", *[human()] * 4, hotseat=True)["id"] for _ in range(3)]
        keys = [_dice_key(server, table_id) for table_id in ids]
    with running(settings(tmp_path)) as server:
        assert [_dice_key(server, table_id) for table_id in ids] == keys
    assert len(set(keys)) == 3 and None not in keys


def test_a_seed_that_a_client_chose_gives_the_same_dice_again(server: Running) -> None:
    records = []
    for _ in range(2):
        opened = server.open("ludo/ffa", *[human()] * 4, hotseat=True, seed=5)
        with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:
            for _ in range(12):
                player.play((player.events[-1] if player.events else player.snapshot)["legal"][0])
            records.append(player.actions)
    assert records[0] == records[1]


def test_games_in_progress_get_a_key_when_the_database_is_brought_up_to_date(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as server:
        table_id = server.open("ludo/ffa", *[human()] * 4, hotseat=True)["id"]
    older = "UPDATE alembic_version SET version_num = '0003'"
    sql(tmp_path / "games.db", "ALTER TABLE tables DROP COLUMN dice_key", older)
    with running(settings(tmp_path)) as server:
        assert _dice_key(server, table_id) is not None


def _dice_key(server: Running, table_id: str) -> str | None:
    with server.app.store.engine.connect() as connection:
        log = load_log(connection, table_id)
    assert log is not None
    return log.setup.dice_key


# Locks and files


def test_the_database_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    old.touch(0o666)
    old.chmod(0o664)
    for file in (tmp_path / "games.db", old):
        mask = os.umask(0)
        try:
            with running(settings(str(file), agent_processes=1)) as server, server.hotseat() as player:
                player.play("b6")
                for each in tmp_path.glob(f"{file.name}*"):
                    assert stat.S_IMODE(each.stat().st_mode) & 0o007 == 0, each
        finally:
            os.umask(mask)
    assert stat.S_IMODE((tmp_path / "games.db").stat().st_mode) == 0o600


def test_a_link_does_not_evade_the_lock(tmp_path: Path) -> None:
    real, folder = tmp_path / "games.db", tmp_path / "elsewhere"
    folder.mkdir()
    store = Store(settings(str(real)))
    try:
        (folder / "soft.db").symlink_to(real)
        with pytest.raises(ValueError, match="in use by another server"):
            Store(settings(str(folder / "soft.db")))
        (folder / "hard.db").hardlink_to(real)
        with pytest.raises(ValueError, match="several names"):
            Store(settings(str(folder / "hard.db")))
    finally:
        store.close()


def test_the_lock_of_postgresql_is_taken_again_after_its_restart(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy import create_engine

    from spielwerk.server.store import StoreError
    from tests.server.test_store import new_table

    monkeypatch.setattr("spielwerk.server.possession._WAIT_FOR_DATABASE", 0.0)
    first = Store(settings(postgresql))
    admin = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    admin.dispose()

    async def writes() -> None:
        with pytest.raises(StoreError):
            await first.write(new_table(0)[1])
        await first.write(new_table(0)[1])

    asyncio.run(writes())
    with pytest.raises(ValueError, match="in use by another server"):
        Store(settings(postgresql))
    first.close()
    second = Store(settings(postgresql))
    second.close()


def test_a_server_that_lost_the_lock_writes_no_more(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy import create_engine

    from spielwerk.server.store import StoreError
    from tests.server.test_store import new_table

    monkeypatch.setattr("spielwerk.server.possession._WAIT_FOR_DATABASE", 0.0)
    first = Store(settings(postgresql))
    admin = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    admin.dispose()
    second = Store(settings(postgresql))

    async def writes() -> None:
        with pytest.raises(StoreError):
            await first.write(new_table(0)[1])
        with pytest.raises(StoreError, match="in use by another server"):
            await first.write(new_table(0)[1])
        await second.write(new_table(0)[1])

    asyncio.run(writes())
    first.close()
    second.close()


@pytest.mark.parametrize("content", [b"this is no database, but long enough to be taken for one " * 100, b"short"])
def test_a_file_that_is_no_database_is_one_line(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.db"
    file.write_bytes(content)
    assert main(["serve", "--no-open", "--port", "0", "--database", str(file)]) == 2
    said = capsys.readouterr().err
    assert "games.db" in said and said.count("\n") == 1
    assert file.read_bytes() == content


# Watching the server


def test_health_tells_whether_the_database_answers(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.http.get("/healthz").text == "ok\n"

    async def broken(question: Any) -> Any:
        raise OSError("gone")

    monkeypatch.setattr(server.app.store, "read", broken)
    answer = server.http.get("/healthz")
    assert answer.status_code == 500 and "database" in answer.json()["error"]["message"]["en"]


def test_metrics_are_for_prometheus_and_for_whom_they_are_meant(tmp_path: Path) -> None:
    configured = settings(
        tmp_path, metrics_for=("192.0.2.0/24",), trusted_proxies="127.0.0.1,127.0.0.2", agent_processes=1
    )
    with running(configured) as server, server.hotseat() as player:
        player.play("b6")
        text = server.http.get("/metrics").text
        figures = dict(line.split(" ") for line in text.splitlines() if not line.startswith("#"))
        assert float(figures["spielwerk_writes_total"]) == 2 and float(figures["spielwerk_sockets"]) == 1
        assert text.count("# TYPE") == text.count("# HELP") == len(figures)
        for named, status in (("192.0.2.7", 200), ("198.51.100.1", 403), ("127.0.0.1", 403)):
            with httpx.Client(base_url=server.url, headers={"X-Forwarded-For": named}) as proxy:
                assert proxy.get("/metrics").status_code == status


def test_a_log_line_is_json_without_tokens() -> None:
    token = "A" * 20 + "_-" + "b" * 21
    record = logging.LogRecord("spielwerk.server", logging.WARNING, "", 0, "table %s: ?invite=%s", ("t1", token), None)
    entry = json.loads(Lines().format(record))
    assert entry["level"] == "warning" and "t1" in entry["message"] and token not in entry["message"]


def test_repeated_log_lines_are_counted_instead_of_written() -> None:
    now = 0.0
    filtered = Repeated(lambda: now)

    def line() -> logging.LogRecord:
        return logging.LogRecord("x", logging.WARNING, "", 0, "again from %s", ("somewhere",), None)

    assert sum(filtered.filter(line()) for _ in range(500)) == 10
    now = 61.0
    next_one = line()
    assert filtered.filter(next_one) and json.loads(Lines().format(next_one))["left_out"] == 490


def test_a_log_file_is_bounded(tmp_path: Path) -> None:
    from spielwerk.server.operator_log import set_up_logging

    names = ("spielwerk", "uvicorn", "uvicorn.error", "asyncio")
    before = {
        name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate, logging.getLogger(name).level)
        for name in names
    }
    try:
        set_up_logging(Settings(log_file=tmp_path / "log", log_bytes=50_000))
        for number in range(2000):
            logging.getLogger("spielwerk.server").warning(f"message {number} " + "x" * 100)
        size = sum(file.stat().st_size for file in tmp_path.glob("log*"))
        assert 20_000 < size <= 50_000
    finally:
        for handler in logging.getLogger("spielwerk").handlers:
            handler.close()
        for name, (handlers, propagate, level) in before.items():
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def test_listening_beyond_this_machine_without_tls_is_warned_of(tmp_path: Path) -> None:
    from spielwerk.server.run import _is_bare

    assert _is_bare(Settings(host="0.0.0.0"))
    assert not _is_bare(Settings(host="127.0.0.1"))
    assert not _is_bare(Settings(host="0.0.0.0", trusted_proxies="10.0.0.1"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--requests", "5"], "rate like 60+20"),
        (["--connections", "-1"], "whole number"),
        (["--unplayed-days", "nan"], "number"),
        (["--deny", "everyone"], "everyone"),
        (["--trust-proxy", "proxy.local"], "proxy.local"),
    ],
)
def test_bad_limits_are_one_line(
    words: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--no-open", "--port", "0", "--database", str(tmp_path / "x.db"), *words]) == 2
    said = capsys.readouterr().err
    assert part in said and said.count("\n") == 1


def test_moments_and_texts_no_database_knows_are_refused(server: Running) -> None:
    for moment in (
        "0001-01-01T00:00:00",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00%2B14:00",
        "1969-12-31T00:00:00Z",
    ):
        assert server.http.get(f"/api/tables?before={moment}").status_code == 400, moment
    assert server.http.get("/api/tables?before=9999-12-31T23:59:59-23:59").status_code == 200
    half = "\ud800"
    bodies = (
        ("/api/tables", {"game": half, "seats": [human(), agent()]}),
        ("/api/tables", {"game": "pferdeaepfel/trail", "seats": [human(), agent(half)]}),
        ("/api/tables", {"game": "pferdeaepfel/trail", "seats": [human(), agent()], "start": half}),
        ("/api/tables", {"game": "pferdeaepfel/trail", "seats": [human(), agent()], "rules": {half: half}}),
        ("/api/records", LONG_RECORD | {"game": half}),
        ("/api/records", LONG_RECORD | {"actions": [half]}),
        ("/api/records", LONG_RECORD | {"start": half}),
    )
    for path, body in bodies:
        answer = server.http.post(path, content=json.dumps(body))
        assert answer.status_code == 400 and answer.json()["error"]["code"] == "malformed", (path, body)
    with rude_client(server) as client:
        assert client.get("/api/tables/%ED%A0%80").status_code == 404
        assert client.get("/api/tables?game=%ED%A0%80").status_code in (200, 400)
