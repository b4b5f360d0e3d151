"""A server to test against, and clients that talk to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from spielwerk.server.app import App
from spielwerk.server.run import Server, listening_socket
from spielwerk.server.settings import Rate, Settings

PATIENT = 20.0
GENEROUS = Rate(burst=100_000, per_second=100_000)

Json = dict[str, Any]


def settings(database: Path | str, **changes: Any) -> Settings:
    """Without rates, which tests of their own are about. A folder stands for a SQLite file in it."""
    configured = Settings(
        database=str(database / "games.db" if isinstance(database, Path) else database),
        port=0,
        agent_processes=2,
        requests=GENEROUS,
        refusal_seconds=0.02,
        openings=GENEROUS,
        hints=GENEROUS,
        thinking=GENEROUS,
        messages=GENEROUS,
        messages_per_client=GENEROUS,
        stored_bytes_per_client=Rate(burst=1e12, per_second=1e12),
    )
    return replace(configured, **changes)


@dataclass
class Running:
    """A server in a thread of this process."""

    app: App
    port: int
    http: httpx.Client

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open(self, game: str = "pferdeaepfel/trail", *seats: Json, **more: Any) -> Json:
        answer = self.http.post("/api/tables", json={"game": game, "seats": list(seats), **more})
        assert answer.status_code == 201, answer.text
        opened: Json = answer.json()
        return opened

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @contextmanager
    def player(self, table: str, *tokens: str, **hello: Any) -> Iterator[Player]:
        with play_at(self.port, table, *tokens, **hello) as player:
            yield player

    @contextmanager
    def hotseat(self, game: str = "pferdeaepfel/trail", **more: Any) -> Iterator[Player]:
        opened = self.open(game, human(), human(), hotseat=True, **more)
        with self.player(opened["id"], *opened["tokens"].values()) as player:
            yield player


def human(name: str | None = None) -> Json:
    return {"kind": "human"} | ({"name": name} if name else {})


def agent(level: str = "random") -> Json:
    return {"kind": "agent", "level": level}


def a_free_seat() -> Json:
    return {"kind": "open"}


@contextmanager
def running(configured: Settings) -> Iterator[Running]:
    listener = listening_socket(configured)
    port = listener.getsockname()[1]
    ready = threading.Event()
    app = App(configured)
    server = Server(app, ready.set)
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    assert ready.wait(PATIENT)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENT) as http:
            yield Running(app, port, http)
    finally:
        server.should_exit = True
        thread.join(PATIENT)
        listener.close()
        assert not thread.is_alive()


@dataclass
class Player:
    """A connection that remembers what it received."""

    socket: ClientConnection
    table: str
    snapshot: Json = field(default_factory=dict)
    events: list[Json] = field(default_factory=list)
    questions: list[Json] = field(default_factory=list)
    sent: int = 0

    @property
    def seq(self) -> int:
        return int(self.events[-1]["seq"] if self.events else self.snapshot["seq"])

    @property
    def actions(self) -> list[str]:
        texts = [action["text"] for action in self.snapshot["actions"]]
        for event in self.events:
            if event["kind"] in ("play", "dice"):
                texts.append(event["text"])
            elif event["kind"] == "takeback":
                texts = texts[: event["ply"]]
        return texts

    def receive(self, timeout: float = PATIENT) -> Json:
        message: Json = json.loads(self.socket.recv(timeout=timeout))
        if message["type"] == "event":
            self.events.append(message)
        elif message["type"] == "consult":
            self.questions.append(message)
        return message

    def until(self, type: str, **fields: Any) -> Json:
        while True:
            message = self.receive()
            if message["type"] == type and all(message.get(name) == value for name, value in fields.items()):
                return message

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def ask(self, type: str, **fields: Any) -> Json:
        """Sends a command and returns its ack or error; events before it are remembered."""
        self.sent += 1
        self.send(**({"type": type, "id": self.sent, "seq": self.seq} | fields))
        while True:
            message = self.receive()
            if message["type"] in ("ack", "error") and message.get("id") == self.sent:
                return message

    def play(self, action: str, **fields: Any) -> Json:
        answer = self.ask("play", action=action, **fields)
        assert answer["type"] == "ack", answer
        return answer

    def refused(self, type: str, **fields: Any) -> str:
        answer = self.ask(type, **fields)
        assert answer["type"] == "error", answer
        return str(answer["code"])


@contextmanager
def play_at(port: int, table: str, *tokens: str, **hello: Any) -> Iterator[Player]:
    address = f"ws://127.0.0.1:{port}/api/tables/{table}/socket"
    with connect(address, max_size=None, max_queue=None, compression=None) as socket:
        player = Player(socket, table)
        player.send(**({"type": "hello", "protocol": 1, "tokens": list(tokens)} | hello))
        player.snapshot = player.until("snapshot")
        yield player


class ServerProcess:
    """A server in a process of its own, to be killed."""

    def __init__(self, database: str) -> None:
        self._database = database
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.server.serve_for_tests", str(self.port), self._database]
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert "ready" in self.process.stdout.readline()

    def stop(self, number: int = signal.SIGKILL) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        os.kill(self.process.pid, number)
        code = self.process.wait(PATIENT)
        self.process.stdout.close()
        self.process = None
        return code
