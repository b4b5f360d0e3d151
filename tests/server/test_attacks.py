"""One rude address, in short: whoever else plays does not notice. benchmarks/server_attacks.py measures it."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from spielwerk.server.limits import Bucket, Buckets
from spielwerk.server.run import listening_socket
from spielwerk.server.settings import Rate
from tests.server.client import Running, agent, human, running, settings

RUDE = "127.0.0.2"
LONG_RECORD = {
    "spielwerk": 1,
    "game": "ludo/ffa",
    "rules": {"max_plies": 100_000},
    "actions": ["d1", "pass"] * 1000,
}


@contextmanager
def rude_connection(server: Running) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10, source_address=(RUDE, 0)) as connection:
        yield connection


@contextmanager
def rude_client(server: Running) -> Iterator[httpx.Client]:
    transport = httpx.HTTPTransport(local_address=RUDE)
    with httpx.Client(base_url=server.url, transport=transport, timeout=20) as client:
        yield client


def rude_socket(server: Running, table: str) -> ClientConnection:
    address = f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket"
    return connect(address, source_address=(RUDE, 0), compression=None, max_size=None)


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET /api/info HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    ],
)
def test_a_request_that_does_not_arrive_ends_its_connection(tmp_path: Path, beginning: bytes) -> None:
    with (
        running(settings(tmp_path, head_seconds=0.2, body_seconds=0.2, agent_processes=1)) as server,
        rude_connection(server) as connection,
    ):
        connection.sendall(beginning)
        assert is_closed(connection)


def test_drops_of_a_head_do_not_extend_its_time(tmp_path: Path) -> None:
    with (
        running(settings(tmp_path, head_seconds=0.5, agent_processes=1)) as server,
        rude_connection(server) as connection,
    ):
        connection.sendall(b"GET /api/info HTTP/1.1\r\n")
        began = time.monotonic()
        with suppress(OSError):  # a broken pipe or a reset, as it happens
            while time.monotonic() < began + 15:
                connection.sendall(b"X-More: 1\r\n")
                time.sleep(0.05)
        assert time.monotonic() < began + 15


def test_a_kept_alive_connection_has_the_same_time_for_its_next_head(tmp_path: Path) -> None:
    with (
        running(settings(tmp_path, head_seconds=0.3, agent_processes=1)) as server,
        rude_connection(server) as connection,
    ):
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200" in connection.recv(4096)
        connection.sendall(b"GET /healthz")
        connection.settimeout(5)
        rest = b""
        while part := connection.recv(4096):
            rest += part
        assert b"HTTP" not in rest


def test_one_address_has_only_so_many_connections_and_others_still_come(tmp_path: Path) -> None:
    with running(settings(tmp_path, connections_per_client=10, agent_processes=1)) as server, ExitStack() as stack:
        silent = [stack.enter_context(rude_connection(server)) for _ in range(25)]
        assert sum(map(is_closed, silent[10:])) == 15
        assert server.http.get("/api/info").status_code == 200
        for connection in silent:
            connection.close()
        _until(lambda: server.app.connections.open <= 1)
        with rude_client(server) as client:
            assert client.get("/api/info").status_code == 200, "their places are free again"


def test_connections_that_became_sockets_are_counted_until_they_end(tmp_path: Path) -> None:
    with running(settings(tmp_path, connections_per_client=3, agent_processes=1)) as server:
        table = server.open("pferdeaepfel/trail", human(), agent())["id"]
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(rude_socket(server, table))
            with rude_connection(server) as fourth:
                assert is_closed(fourth)
        _until(lambda: server.app.connections.open <= 1)
        with rude_socket(server, table):
            pass


def test_all_connections_together_stay_below_the_limit_of_open_files(tmp_path: Path) -> None:
    with running(settings(tmp_path, connections=5, agent_processes=1)) as server, ExitStack() as stack:
        assert server.http.get("/api/info").status_code == 200
        silent = [stack.enter_context(rude_connection(server)) for _ in range(8)]
        assert sum(map(is_closed, silent[4:])) == 4
        assert server.http.get("/api/info").status_code == 200, "kept alive"


def test_a_trusted_proxy_is_not_a_client(tmp_path: Path) -> None:
    configured = settings(tmp_path, connections_per_client=2, trusted_proxies=RUDE, agent_processes=1)
    with running(configured) as server, ExitStack() as stack:
        for _ in range(6):
            connection = stack.enter_context(rude_connection(server))
            connection.sendall(b"GET /api/info HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200 OK" in connection.recv(4096)


def test_a_denied_address_gets_nothing(tmp_path: Path) -> None:
    configured = settings(tmp_path, denied=("127.0.0.2/31",), trusted_proxies="127.0.0.1", agent_processes=1)
    with running(configured) as server:
        with rude_connection(server) as connection:
            assert is_closed(connection)
        assert server.http.get("/api/info").status_code == 200
        behind_the_proxy = server.http.get("/api/info", headers={"X-Forwarded-For": "127.0.0.3"})
        assert behind_the_proxy.status_code == 403


def test_answers_are_not_held_back_for_more_to_come(tmp_path: Path) -> None:
    """Nagle's algorithm off: on a kept-alive connection it waits 40 ms for the client's acknowledgement."""

    async def accepted_without_delay() -> bool:
        made: asyncio.Future[asyncio.BaseTransport] = asyncio.get_running_loop().create_future()

        class Accepted(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                made.set_result(transport)

        with listening_socket(settings(tmp_path)) as listener:
            async with await asyncio.get_running_loop().create_server(Accepted, sock=listener):
                _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
                transport = await made
                own = transport.get_extra_info("socket")
                delayed = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0
                writer.close()
                transport.close()
                await asyncio.sleep(0)
        return not delayed

    assert asyncio.run(accepted_without_delay())


# Work


def test_a_bucket_takes_debts_and_pays_them_off() -> None:
    now = 0.0
    bucket = Bucket(Rate(burst=10, per_second=2), lambda: now)
    bucket.charge(15)
    assert bucket.empty and not bucket.take()
    now = 2.0
    assert not bucket.take(), "five of debt, four paid"
    now = 3.5
    assert bucket.take() and not bucket.take(2)
    bucket.charge(1e9)
    now = 3.5 + 5 + 0.5
    assert bucket.take(), "debts are bounded"


def test_clients_are_forgotten_in_the_order_they_were_last_seen() -> None:
    buckets = Buckets(Rate(burst=1, per_second=0), remembered=2)
    assert buckets.take("a") and buckets.take("b") and not buckets.take("a")
    assert buckets.take("c"), "b is forgotten, a was seen later"
    assert not buckets.take("a")


def test_who_is_beyond_the_limits_waits_for_being_told(tmp_path: Path) -> None:
    """So a client that ignores refusals gets few of them."""
    tight = settings(tmp_path, requests=Rate(3, 0.01), messages=Rate(3, 0.01), refusal_seconds=0.4, agent_processes=1)
    with running(tight) as server:
        table = server.open("pferdeaepfel/trail", human(), agent())["id"]
        with server.player(table) as player:
            began = time.monotonic()
            for number in range(10):
                player.send(type="ping", id=number)
            kinds = [player.receive()["type"] for _ in range(6)]
            assert kinds.count("error") >= 2 and time.monotonic() - began > 0.4
        with rude_client(server) as client:
            began = time.monotonic()
            codes = [client.get("/api/info").status_code for _ in range(5)]
            assert codes == [200, 200, 429, 429, 429] and time.monotonic() - began >= 0.8


def test_socket_openings_are_work(tmp_path: Path) -> None:
    with running(settings(tmp_path, requests=Rate(20, 0.01), agent_processes=1)) as server:
        table = server.open("pferdeaepfel/trail", human(), agent())["id"]
        refused = 0
        for _ in range(30):
            try:
                with rude_socket(server, table):
                    pass
            except InvalidStatus:
                refused += 1
        assert 10 <= refused < 30
        with server.player(table):
            pass


def test_long_games_cost_what_they_are_worth(tmp_path: Path) -> None:
    with running(settings(tmp_path, requests=Rate(200, 0.01), agent_processes=1)) as server:
        with rude_client(server) as client:
            answer = client.post("/api/records", json=LONG_RECORD)
            assert answer.status_code == 201
            table = answer.json()["id"]
            codes = [client.get(f"/api/tables/{table}/plies/2000").status_code for _ in range(12)]
            assert codes[0] == 200 and codes[-1] == 429
            body = {"ply": 2000, "seats": [human()] * 4, "hotseat": True}
            assert client.post(f"/api/tables/{table}/continue", json=body).status_code == 429
        assert server.http.get(f"/api/tables/{table}/plies/2000").status_code == 200, "another client has its own"


def test_a_long_table_is_continued_beside_the_event_loop(server: Running) -> None:
    table = server.http.post("/api/records", json=LONG_RECORD).json()["id"]
    body = {"ply": 1999, "seats": [human()] * 4, "hotseat": True}
    opened = server.http.post(f"/api/tables/{table}/continue", json=body)
    assert opened.status_code == 201
    seen = server.get(f"/api/tables/{opened.json()['id']}")
    assert seen["ply"] >= 1999 and seen["actions"][1998]["text"] == "d1"


def test_records_have_a_sane_bound(server: Running) -> None:
    too_long = LONG_RECORD | {"actions": ["d1", "pass"] * 2001}
    answer = server.http.post("/api/records", json=too_long)
    assert answer.status_code == 400 and "at most 4000 actions" in answer.json()["error"]["message"]["en"]
    assert server.http.post("/api/records", content=b" " * 200_001).status_code == 413


def test_memory_for_tables_is_bounded_in_bytes(tmp_path: Path) -> None:
    with running(settings(tmp_path, table_bytes_in_memory=2_000_000, agent_processes=1)) as server:
        for _ in range(6):
            table = server.http.post("/api/records", json=LONG_RECORD).json()["id"]
            assert server.get(f"/api/tables/{table}")["ply"] == 2000
            assert server.app.tables.bytes <= 2_000_000
        assert 1 <= len(server.app.tables.live) <= 2


def test_messages_are_counted_over_all_sockets_of_a_client(tmp_path: Path) -> None:
    tight = settings(tmp_path, messages_per_client=Rate(20, 0.01), agent_processes=1)
    with running(tight) as server, ExitStack() as stack:
        table = server.open("pferdeaepfel/trail", human(), agent())["id"]
        sockets = [stack.enter_context(rude_socket(server, table)) for _ in range(5)]
        answers = []
        for each in sockets:
            each.send(json.dumps({"type": "hello", "protocol": 1}))
            answers += [_ping(each, number) for number in range(8)]
        assert answers.count("pong") == 20 and answers.count("error") == 20
        with server.player(table) as honest:
            honest.send(type="ping", id=1)
            honest.until("pong")


def _ping(connection: ClientConnection, number: int) -> str:
    connection.send(json.dumps({"type": "ping", "id": number}))
    while (message := json.loads(connection.recv(timeout=10)))["type"] not in ("pong", "error"):
        pass
    return str(message["type"])


# Storage


def test_what_one_client_stores_is_bounded(tmp_path: Path) -> None:
    tight = settings(tmp_path, stored_bytes_per_client=Rate(5000, 0.01), agent_processes=1)
    body = {"game": "pferdeaepfel/trail", "seats": [human(), human()], "hotseat": True}
    with running(tight) as server:
        with rude_client(server) as client:
            opened = [client.post("/api/tables", json=body) for _ in range(8)]
            codes = [answer.status_code for answer in opened]
            assert codes[0] == 201 and codes[-1] == 429
            table = opened[0].json()
        with rude_socket(server, table["id"]) as player:
            player.send(json.dumps({"type": "hello", "protocol": 1, "tokens": list(table["tokens"].values())}))
            player.send(json.dumps({"type": "play", "id": 1, "seq": 0, "action": "b6"}))
            messages = [json.loads(player.recv(timeout=10)) for _ in range(3)]
            assert [message["code"] for message in messages if message["type"] == "error"] == ["too_many"]
        with server.hotseat() as honest:
            honest.play("b6")


def test_taking_back_for_ever_fills_one_table_and_no_more(tmp_path: Path) -> None:
    with (
        running(settings(tmp_path, events_per_table=10, agent_processes=1)) as server,
        server.hotseat() as player,
    ):
        for _ in range(5):
            player.play("b6")
            assert player.ask("takeback")["type"] == "ack"
        player.play("b6")
        answer = player.ask("takeback")
        assert answer["code"] == "not_now" and "full" in answer["message"]["en"]
        player.play("g3")


def test_a_full_storage_takes_no_new_tables_and_games_go_on(tmp_path: Path) -> None:
    with running(settings(tmp_path, storage_bytes=1, agent_processes=1)) as server:
        _until(lambda: server.app.tables.storage_full)
        body = {"game": "pferdeaepfel/trail", "seats": [human(), human()], "hotseat": True}
        for path, content in (("/api/tables", body), ("/api/records", LONG_RECORD)):
            answer = server.http.post(path, json=content)
            assert answer.status_code == 429 and "full" in answer.json()["error"]["message"]["en"]


# All at once


def test_an_honest_player_plays_on_through_all_of_it(tmp_path: Path) -> None:
    """With the limits as they come, for a second or two; how fast is measured elsewhere."""
    usual = settings(
        tmp_path,
        requests=Rate(200, 50),
        openings=Rate(30, 0.5),
        hints=Rate(10, 1),
        messages=Rate(60, 20),
        messages_per_client=Rate(200, 40),
        connections_per_client=40,
        agent_processes=1,
    )
    with running(usual) as server, ExitStack() as stack, server.hotseat("pferdeaepfel/classic") as honest:
        silent: list[Any] = [stack.enter_context(rude_connection(server)) for _ in range(20)]
        with rude_client(server) as client:
            table = client.post("/api/records", json=LONG_RECORD).json()["id"]
            for action in ("b6", "@d4", "g3", "@e5"):
                honest.play(action)
                for _ in range(10):
                    client.get(f"/api/tables/{table}/plies/2000")
                    client.post("/api/tables", json={"game": "ludo/ffa", "seats": [agent("expert")] * 4})
                    client.post(f"/api/tables/{table}/hint", json={"level": "expert", "ply": 1999})
        assert len(silent) == 20 and honest.ask("takeback")["type"] == "ack"


def _until(condition: Any) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
