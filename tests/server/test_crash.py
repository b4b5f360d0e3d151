"""What was acknowledged is still there, whatever happens to the server."""

import random
import signal
import threading
import time
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

import spielwerk as sw
from tests.server.client import Json, ServerProcess, human, play_at

TABLES = 6


class Diehard(threading.Thread):
    """Plays both seats of a table through every crash and writes down what was acknowledged, and under which number."""

    def __init__(self, server: ServerProcess, opened: Json, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._opened = opened
        self._stop_playing = stop
        self._source = random.Random(opened["id"])
        self.acknowledged: dict[int, str] = {}
        self.seen: dict[int, str] = {}
        self.snapshots = 0
        self.over = False

    def run(self) -> None:
        while not self._stop_playing.is_set() and not self.over:
            try:
                self._play()
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError):
                time.sleep(0.05)

    def _play(self) -> None:
        with play_at(self._server.port, self._opened["id"], *self._opened["tokens"].values(), scenes=False) as player:
            self.snapshots += 1
            self._check(player.snapshot)
            legal = player.snapshot["legal"]
            while legal and not self._stop_playing.is_set():
                action = self._source.choice(legal)
                answer = player.ask("play", action=action)
                assert answer["type"] == "ack", answer
                self.seen |= {event["seq"]: event["text"] for event in player.events if event["kind"] == "play"}
                self.acknowledged[max(self.seen)] = action
                legal = player.events[-1]["legal"]
                time.sleep(0.01)
            self.over = not legal

    def _check(self, snapshot: Json) -> None:
        """Every action here is one event, so that event and ply have the same number until the game is over."""
        texts = [action["text"] for action in snapshot["actions"]]
        for number, text in self.acknowledged.items():
            if number <= len(texts):
                assert texts[number - 1] == text
        assert len(texts) >= len(self.acknowledged)


def open_tables(server: ServerProcess, count: int, game: str = "pferdeaepfel/free") -> list[Json]:
    body = {"game": game, "seats": [human(), human()], "hotseat": True}
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as http:
        return [http.post("/api/tables", json=body).json() for _ in range(count)]


def test_no_acknowledged_move_is_lost_by_kill_9(database: str) -> None:
    server = ServerProcess(database)
    server.start()
    stop = threading.Event()
    players = [Diehard(server, opened, stop) for opened in open_tables(server, TABLES)]
    for player in players:
        player.start()
    for _ in range(2):
        time.sleep(random.uniform(0.3, 0.8))
        server.stop(signal.SIGKILL)
        server.start()
    time.sleep(0.5)
    stop.set()
    for player in players:
        player.join(20)
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as http:
        for player in players:
            record = http.get(f"/api/tables/{player._opened['id']}/record").json()
            for number, action in (player.acknowledged | player.seen).items():
                assert record["actions"][number - 1] == action
            sw.Record.from_json(record).replay()
    server.stop(signal.SIGKILL)
    assert sum(len(player.acknowledged) for player in players) > TABLES
    assert sum(player.snapshots for player in players) > TABLES, "clients came back"


def test_a_planned_restart_drains_and_says_so(database: str) -> None:
    server = ServerProcess(database)
    server.start()
    opened = open_tables(server, 1, "pferdeaepfel/trail")[0]
    tokens = opened["tokens"].values()
    with play_at(server.port, opened["id"], *tokens) as player:
        player.play("b6")
        ended = threading.Thread(target=lambda: codes.append(server.stop(signal.SIGTERM)))
        codes: list[int] = []
        ended.start()
        assert player.until("closing")["retry_ms"] > 0
        with pytest.raises(ConnectionClosed) as closed:
            player.until("never")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    ended.join(20)
    assert codes[0] in (0, -signal.SIGTERM)
    server.start()
    with play_at(server.port, opened["id"], *tokens) as player:
        assert [action["text"] for action in player.snapshot["actions"]] == ["b6"]
        player.play("g3")
    server.stop(signal.SIGKILL)


def test_moves_on_their_way_are_answered_before_a_planned_restart(database: str) -> None:
    server = ServerProcess(database)
    server.start()
    tables = open_tables(server, 3)
    heard: dict[str, list[Any]] = {}

    def play(opened: Json) -> None:
        answers: list[Any] = heard.setdefault(opened["id"], [])
        source = random.Random(1)
        try:
            with play_at(server.port, opened["id"], *opened["tokens"].values(), scenes=False) as player:
                legal = player.snapshot["legal"]
                while legal:
                    answers.append("asked")
                    answers[-1] = player.ask("play", action=source.choice(legal))
                    legal = player.events[-1]["legal"]
        except ConnectionClosed:
            return

    threads = [threading.Thread(target=play, args=(opened,)) for opened in tables]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    server.stop(signal.SIGTERM)
    for thread in threads:
        thread.join(20)
    server.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as http:
        for opened in tables:
            stored = http.get(f"/api/tables/{opened['id']}").json()
            acks = [answer for answer in heard[opened["id"]] if isinstance(answer, dict) and answer["type"] == "ack"]
            assert acks and stored["seq"] >= acks[-1]["seq"]
    server.stop(signal.SIGKILL)
