"""Clients that do not keep to the protocol: they are told so, and nobody else notices."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from spielwerk.server.protocol import ERROR_CODES
from spielwerk.server.settings import Rate
from tests.server import client
from tests.server.client import Running, agent, human, running

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
types = st.sampled_from(["hello", "play", "takeback", "answer", "resign", "rematch", "advice", "ping", "unheard-of"])
names = st.sampled_from(["id", "seq", "action", "offer", "accept", "seat", "tokens", "protocol", "static", "extra"])
actions = st.sampled_from(["b6", "@d4", "pass", "-", "b6@d4", "", "a" * 300, "\u0000", "é", "b6 b6", "x9"])
messages = st.one_of(
    st.text(max_size=100),
    values.map(json.dumps),
    st.builds(lambda kind, more: json.dumps({"type": kind} | more), types, st.dictionaries(names, values | actions)),
    st.builds(
        lambda seq, action: json.dumps({"type": "play", "id": 1, "seq": seq, "action": action}),
        st.integers(-1, 3),
        actions,
    ),
)


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Running]:
    """A server with tight limits."""
    tight = replace(
        client.settings(tmp_path),
        messages=Rate(burst=20, per_second=5),
        refusals_before_closing=10,
        sockets_per_client=4,
        openings=Rate(burst=5, per_second=0.01),
        hints=Rate(burst=2, per_second=0.01),
        unsent_messages=16,
        unsent_bytes=200_000,
        hello_seconds=2.0,
        agent_processes=1,
        origins=("https://play.example.org",),
    )
    with running(tight) as started:
        yield started


def test_no_message_harms_a_table(server: Running) -> None:
    """As a watcher nothing may change at all; every answer is one of the protocol's."""
    opened = server.open("pferdeaepfel/classic", human(), human(), hotseat=True)
    before = server.get(f"/api/tables/{opened['id']}")

    @FUZZ
    @given(st.lists(messages, min_size=1, max_size=4))
    def fuzz(texts: list[str]) -> None:
        with server.player(opened["id"]) as watcher:
            for text in texts:
                watcher.socket.send(text)
            watcher.send(type="ping", id="end")
            while (message := watcher.receive())["type"] != "pong" or message.get("id") != "end":
                assert message["type"] in ("error", "presence", "pong"), message
                assert message["type"] != "error" or message["code"] in ERROR_CODES

    fuzz()
    after = server.get(f"/api/tables/{opened['id']}")
    assert after == before


def test_no_message_breaks_the_rules(server: Running) -> None:
    """As a player whatever comes, the log stays a game."""
    opened = server.open("pferdeaepfel/classic", human(), human(), hotseat=True)
    with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:

        @FUZZ
        @given(messages)
        def fuzz(text: str) -> None:
            player.socket.send(text)
            player.send(type="ping", id="end")
            while (message := player.receive())["type"] != "pong" or message.get("id") != "end":
                assert message["type"] in ("error", "presence", "pong", "ack", "event"), message

        fuzz()
    record = server.get(f"/api/tables/{opened['id']}/record")
    import spielwerk as sw

    sw.Record.from_json(record).replay()


@FUZZ
@given(body=st.dictionaries(st.sampled_from(["game", "rules", "seats", "seed", "start", "public", "x"]), values))
def test_no_body_opens_a_broken_table(server: Running, body: dict[str, Any]) -> None:
    answer = server.http.post("/api/tables", content=json.dumps(body))
    assert answer.status_code in (400, 201) and (answer.status_code == 201 or answer.json()["error"]["message"]["en"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "malformed"),
        ("[]", "malformed"),
        ('{"type": "dance", "id": 1}', "unknown"),
        ('{"type": "play", "id": 1, "seq": 0}', "malformed"),
        ('{"type": "play", "id": 1, "seq": "0", "action": "b6"}', "malformed"),
        ('{"type": "play", "id": 1, "seq": 99, "action": "b6"}', "malformed"),
        ('{"type": "play", "id": 1, "seq": 0, "action": "b6", "spec": "greedy"}', "malformed"),
        (json.dumps({"type": "play", "id": 1, "seq": 0, "action": "b" * 5000}), "too_large"),
        (json.dumps({"type": "hello", "protocol": 1}), "malformed"),
        (b"\x00\x01", "malformed"),
    ],
)
def test_each_fault_has_its_code(server: Running, text: str | bytes, code: str) -> None:
    with server.hotseat() as player:
        player.socket.send(text)
        assert player.until("error")["code"] == code
        player.play("b6")


def test_a_huge_message_ends_the_connection(server: Running) -> None:
    with server.hotseat() as player:
        player.socket.send("x" * 200_000)
        with pytest.raises(ConnectionClosed) as closed:
            player.until("never")
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009


def test_who_floods_is_told_then_cut_off(strict: Running) -> None:
    with strict.hotseat() as player:

        def flood() -> None:
            for number in range(200):
                player.send(type="ping", id=number)
            while True:
                message = player.receive()
                assert message["type"] in ("pong", "error", "presence")
                assert message["type"] != "error" or message["code"] == "too_many"

        with pytest.raises(ConnectionClosed) as closed:
            flood()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


def test_who_says_nothing_is_cut_off(strict: Running) -> None:
    opened = strict.open("pferdeaepfel/trail", human(), human(), hotseat=True)
    with connect(f"ws://127.0.0.1:{strict.port}/api/tables/{opened['id']}/socket") as silent:
        assert json.loads(silent.recv(timeout=5))["code"] == "malformed"
        with pytest.raises(ConnectionClosed):
            silent.recv(timeout=5)


def test_who_does_not_read_is_cut_off_and_the_others_play_on(tmp_path: Path) -> None:
    with running(replace(client.settings(tmp_path), unsent_messages=16, agent_processes=1)) as server:
        opened = server.open("pferdeaepfel/classic", human(), human(), hotseat=True)
        table = server.app.tables._live[opened["id"]]
        with _reads_nothing(server, opened["id"]), server.player(opened["id"], *opened["tokens"].values()) as player:
            _wait_for(lambda: len(table.clients) == 2)
            slowest, moves = 0.0, 0
            while len(table.clients) == 2 and moves < 500:
                began = time.monotonic()
                player.play("b6")
                slowest = max(slowest, time.monotonic() - began)
                assert player.ask("takeback")["type"] == "ack"
                moves += 1
            assert len(table.clients) == 1, "the slow one is gone"
            assert slowest < 2
            player.play("c7")


def test_a_page_from_elsewhere_is_refused(strict: Running) -> None:
    opened = strict.open("pferdeaepfel/trail", human(), human(), hotseat=True)
    address = f"ws://127.0.0.1:{strict.port}/api/tables/{opened['id']}/socket"
    body = {"game": "pferdeaepfel/trail", "seats": [human(), human()], "hotseat": True}
    for origin in ("http://evil.example", "null", f"http://evil.example:{strict.port}", "http://[bad"):
        with pytest.raises(InvalidStatus) as refused, connect(address, origin=Origin(origin)):
            pass
        assert refused.value.response.status_code == 403
        answer = strict.http.post("/api/tables", json=body, headers={"Origin": origin})
        assert answer.status_code == 403 and answer.json()["error"]["code"] == "forbidden"
    # A name that was made to point here: origin and host agree, and still nobody said it is ours.
    rebound = {"Origin": "http://evil.example", "Host": "evil.example"}
    assert strict.http.post("/api/tables", json=body, headers=rebound).status_code == 403
    for origin in (f"http://127.0.0.1:{strict.port}", "https://play.example.org"):
        with connect(address, origin=Origin(origin)):
            pass


@pytest.mark.parametrize(("trusted", "codes"), [("127.0.0.1", [200, 200, 429]), ("", [200, 429, 429])])
def test_limits_count_the_clients_a_trusted_proxy_names(tmp_path: Path, trusted: str, codes: list[int]) -> None:
    tight = replace(
        client.settings(tmp_path),
        requests=Rate(burst=1, per_second=0.001),
        agent_processes=1,
        trusted_proxies=trusted,
    )
    with running(tight) as server:
        named = [{"X-Forwarded-For": name} for name in ("192.0.2.1", "192.0.2.2", "192.0.2.1")]
        assert [server.http.get("/api/info", headers=each).status_code for each in named] == codes


def test_too_many_connections_tables_and_hints_are_refused(strict: Running) -> None:
    opened = strict.open("pferdeaepfel/trail", human(), agent())
    hint = {"level": "random"}
    codes = [strict.http.post(f"/api/tables/{opened['id']}/hint", json=hint).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    body = {"game": "pferdeaepfel/trail", "seats": [human(), agent()]}
    codes = [strict.http.post("/api/tables", json=body).status_code for _ in range(6)]
    assert codes[-1] == 429
    address = f"ws://127.0.0.1:{strict.port}/api/tables/{opened['id']}/socket"
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(connect(address))
        with pytest.raises(InvalidStatus), connect(address):
            pass


def test_bodies_are_capped_with_and_without_their_length(server: Running) -> None:
    answer = server.http.post("/api/tables", content=b"x" * 70_000)
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"

    def pieces() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 10_000

    try:
        answer = server.http.post("/api/tables", content=pieces())
        assert answer.status_code == 413
    except httpx.WriteError:
        pass  # closed while we were still sending
    assert server.http.post("/api/records", content=b" " * 1_000_001).status_code == 413


@pytest.mark.parametrize(
    "seat",
    [
        {"kind": "agent", "level": "greedy:seed=3"},
        {"kind": "agent", "level": "network:/etc/passwd"},
        {"kind": "agent", "level": "engine:sh"},
        {"kind": "agent", "level": "../../random"},
        {"kind": "agent", "spec": "random"},
        {"kind": "agent", "level": "alphabeta:ms=1000000"},
        {"kind": "agent"},
        {"kind": "human", "level": "greedy"},
        {"kind": "program", "level": "sh"},
    ],
)
def test_only_levels_on_the_list_are_accepted(server: Running, seat: dict[str, str]) -> None:
    answer = server.http.post("/api/tables", json={"game": "pferdeaepfel/trail", "seats": [human(), seat]})
    assert answer.status_code == 400
    hint = {"level": seat.get("level", "sh")}
    opened = server.open("pferdeaepfel/trail", human(), agent())
    if hint["level"] not in ("greedy",):
        assert server.http.post(f"/api/tables/{opened['id']}/hint", json=hint).status_code == 400


def test_no_field_of_the_protocol_starts_a_program(server: Running, tmp_path: Path) -> None:
    """An engine's spec is a command, so wherever a client may write a text, one is tried."""
    witness = tmp_path / "witness"
    spec = f"engine:touch {witness}"
    trail = {"game": "pferdeaepfel/trail", "seats": [human(), agent()]}
    opened = server.open("pferdeaepfel/trail", human(), agent())
    record = server.get(f"/api/tables/{opened['id']}/record") | {"seats": [spec, spec]}
    for path, body in (
        ("/api/tables", trail | {"seats": [human(), agent(spec)]}),
        ("/api/tables", trail | {"seats": [human(), agent() | {"name": spec}]}),
        ("/api/tables", trail | {"seats": [human(), agent() | {"spec": spec}]}),
        ("/api/tables", trail | {"game": spec}),
        ("/api/tables", trail | {"start": spec}),
        ("/api/tables", trail | {"rules": {"white_start": spec}}),
        (f"/api/tables/{opened['id']}/hint", {"level": spec}),
        (f"/api/tables/{opened['id']}/continue", {"ply": 0, "seats": [human(), agent(spec)]}),
        ("/api/records", record),
    ):
        server.http.post(path, json=body)
    with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:
        player.send(type="play", id=1, seq=player.snapshot["seq"], action=spec)
        player.until("error")
        player.play("b6")
        player.until("event", kind="play", seat=1)
    assert not witness.exists()


def test_texts_are_capped_before_they_are_parsed(server: Running) -> None:
    seats = [human(), agent()]
    for body in (
        {"game": "x" * 100, "seats": seats},
        {"game": "pferdeaepfel/trail", "seats": seats, "start": "8/" * 5000},
        {"game": "pferdeaepfel/trail", "seats": seats, "rules": {"white_start": "a" * 100}},
        {"game": "pferdeaepfel/trail", "seats": [human("x" * 41), agent()]},
        {"game": "pferdeaepfel/trail", "seats": seats, "rules": {"size": 10**30}},
    ):
        answer = server.http.post("/api/tables", json=body)
        assert answer.status_code == 400, body
        assert len(answer.text) < 1000


def test_names_lose_what_cannot_be_seen(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human("A\u202ed\u0000a \n x"), agent())
    assert server.get(f"/api/tables/{opened['id']}")["seats"][0]["name"] == "A d a x"


@contextmanager
def _reads_nothing(server: Running, table: str) -> Iterator[None]:
    """A connection that says hello and then never reads; its window is small so that this shows soon."""
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(_handshake(table, server.port))
        assert b" 101 " in slow.recv(1024)
        slow.sendall(_masked(json.dumps({"type": "hello", "protocol": 1})))
        yield


def _handshake(table: str, port: int) -> bytes:
    return (
        f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def _masked(text: str) -> bytes:
    data = text.encode()
    assert len(data) < 126
    return bytes((0x81, 0x80 | len(data), 0, 0, 0, 0)) + data


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
