"""A client that plays: any agent takes a seat over the same protocol as people do.

It comes back by itself when the connection is lost, and plays until the game is over.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from spielwerk.agents import Agent
from spielwerk.border import quoted
from spielwerk.games import State, make
from spielwerk.server.protocol import PROTOCOL

_LONGEST_WAIT = 10.0
_SILENCE_SECONDS = 60.0
_MOST_SHOWN = 500


@dataclass(frozen=True)
class Address:
    """Where a table is: the server, its id, and the invitation if the link has one."""

    server: str
    table: str
    invite: str | None = None

    @classmethod
    def from_link(cls, link: str) -> Address:
        """A link as the page shows it, like http://127.0.0.1:8765/t/ID?invite=… or …#invite=…"""
        parts = urlsplit(link)
        steps = [step for step in parts.path.split("/") if step]
        if parts.scheme not in ("http", "https") or not parts.netloc or len(steps) < 2:
            raise ValueError(f"'{quoted(link, 80)}' is no link to a table; it looks like http://127.0.0.1:8765/t/ID")
        words = parse_qs(parts.query) | parse_qs(parts.fragment)
        return cls(f"{parts.scheme}://{parts.netloc}", steps[1], words.get("invite", [None])[0])

    @property
    def socket(self) -> str:
        """The address of the table's socket."""
        return f"ws{self.server.removeprefix('http')}/api/tables/{self.table}/socket"


def call(server: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A POST; a refusal becomes a ValueError with the server's own words."""
    request = urllib.request.Request(
        f"{server}/api/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
            return answer
    except urllib.error.HTTPError as error:
        with error:
            raise ValueError(_refusal(error)) from None
    except urllib.error.URLError as error:
        raise ValueError(f"{server} does not answer: {error.reason}") from None


def _refusal(error: urllib.error.HTTPError) -> str:
    """The server's own words, where it has found any."""
    try:
        return english(json.load(error)["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return f"the server refuses with status {error.code}"


def english(words: Any) -> str:
    """What a server says, safe to print."""
    return quoted(str(words["en"] if isinstance(words, dict) else words), _MOST_SHOWN)


def take_seat(address: Address, name: str, seat: int | None = None) -> str:
    """Sits down and returns the token."""
    fields = {"name": name, "invite": address.invite, "seat": seat}
    body = {key: value for key, value in fields.items() if value is not None}
    return str(call(address.server, f"tables/{address.table}/seats", body)["token"])


@dataclass
class Bot:
    address: Address
    token: str
    agent: Agent
    tell: Callable[[str], None] = lambda text: None
    result: dict[str, Any] | None = field(default=None, init=False)
    _you: list[int] = field(default_factory=list, init=False)
    _state: State | None = field(default=None, init=False)
    _base: tuple[Any, ...] = field(default=(), init=False)
    _actions: list[str] = field(default_factory=list, init=False)
    _asked: int = field(default=-1, init=False)

    def run(self) -> dict[str, Any] | None:
        """Plays until the game is over; its result."""
        failures = 0
        while self.result is None:
            try:
                with connect(self.address.socket, max_size=None, compression=None) as socket:
                    self._play(socket)
                    failures = 0
            except ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code == 4404:
                    raise ValueError(f"there is no table {self.address.table}") from None
            except (OSError, InvalidHandshake, TimeoutError):
                failures += 1
            if self.result is None:
                time.sleep(min(_LONGEST_WAIT, 0.2 * 2 ** min(failures, 6)))
        return self.result

    def _play(self, socket: ClientConnection) -> None:
        hello = {"type": "hello", "protocol": PROTOCOL, "tokens": [self.token], "scenes": False}
        socket.send(json.dumps(hello))
        while self.result is None:
            received = socket.recv(timeout=_SILENCE_SECONDS)
            try:
                asked = self._hear(json.loads(received))
            except (ValueError, LookupError, TypeError, AttributeError):
                raise ValueError(f"{self.address.server} does not keep to the protocol") from None
            if asked is not None:
                self._act(socket, asked)

    def _hear(self, message: dict[str, Any]) -> int | None:
        """Follows the game; the number of the message that asks for an action of ours, if it does."""
        if message["type"] == "error":
            self.tell(english(message["message"]))
        if message["type"] not in ("snapshot", "event"):
            return None
        self._follow(message)
        seq = int(message["seq"])
        return seq if message["player"] in self._you and self._asked != seq else None

    def _follow(self, message: dict[str, Any]) -> None:
        """Keeps a position of its own, from the actions alone."""
        if message["type"] == "snapshot":
            self._asked = -1
            self._you = message["you"]
            self._base = (message["game"], message["rules"], message["start"])
            self._set_up([action["text"] for action in message["actions"]])
        elif message["kind"] in ("play", "dice"):
            self._actions.append(message["text"])
            if self._state is not None:
                self._state.play(message["text"])
        elif message["kind"] == "takeback":
            self._set_up(self._actions[: message["ply"]])
        if message["status"] == "over":
            self.result = message.get("result") or self.result

    def _set_up(self, actions: list[str]) -> None:
        name, rules, start = self._base
        game = make(name, **rules)
        self._state = game.from_text(start, chance="explicit") if start else game.start(seed=0, chance="explicit")
        for action in actions:
            self._state.play(action)
        self._actions = actions

    def _act(self, socket: ClientConnection, seq: int) -> None:
        if self._state is None:
            return
        thought = self._state.game.from_text(self._state.to_text())
        text = self._state.text(self.agent.act(thought))
        self._asked = seq
        self.tell(text)
        socket.send(json.dumps({"type": "play", "id": seq, "seq": seq, "action": text}))
