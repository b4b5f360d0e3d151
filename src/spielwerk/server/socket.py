"""One WebSocket per client and table."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from spielwerk.server import protocol
from spielwerk.server.limits import Bucket, Budgets, Origins, client_of
from spielwerk.server.protocol import Refused
from spielwerk.server.settings import Settings
from spielwerk.server.table import NO_TABLE, RESTARTING, Table
from spielwerk.server.tables import Tables

M = TypeVar("M")

FLOODING, TOO_SLOW = 1008, 1013
_GOODBYE_SECONDS = 2.0
SNAPSHOT_BYTES_PER_UNIT = 20_000  # before compression


@dataclass(eq=False)
class Connection:
    """What is to be sent to a client, within bounds."""

    settings: Settings
    client: str = ""
    tokens: dict[int, str] = field(default_factory=dict)
    scenes: bool = True
    thinks: bool = False
    closed_with: int | None = None
    _unsent: deque[str] = field(default_factory=deque)
    _unsent_size: int = 0
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    too_slow: asyncio.Event = field(default_factory=asyncio.Event)

    def send(self, message: str) -> None:
        """Queues a message; a client that does not read is cut off, so that it costs no more memory."""
        full = len(self._unsent) >= self.settings.unsent_messages
        if full or (self._unsent and self._unsent_size + len(message) > self.settings.unsent_bytes):
            self.cut(TOO_SLOW)
        if self.closed_with is None:
            self._unsent.append(message)
            self._unsent_size += len(message)
            self._wake.set()

    def cut(self, code: int) -> None:
        """Ends the connection; what was queued before is still sent, except to a client that is too slow."""
        if self.closed_with is None:
            self.closed_with = code
            if code == TOO_SLOW:
                self._unsent.clear()
                self.too_slow.set()
            self._wake.set()

    async def next_message(self) -> str | None:
        """The next message to send; None when the connection ends."""
        while not self._unsent:
            if self.closed_with is not None:
                return None
            self._wake.clear()
            await self._wake.wait()
        message = self._unsent.popleft()
        self._unsent_size -= len(message)
        return message


# What is done with a connection until it ends.
Attend = Callable[[WebSocket, Connection], Awaitable[None]]


class Sockets:
    def __init__(self, settings: Settings, tables: Tables, origins: Origins, budgets: Budgets) -> None:
        self._settings = settings
        self._budgets = budgets
        self._tables = tables
        self._origins = origins
        self._open: set[Connection] = set()
        self._by_client: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def announce_closing(self) -> None:
        """Tells everyone that the server restarts, and when to come back."""
        text = protocol.Closing(retry_ms=self._settings.retry_ms).model_dump_json()
        for connection in list(self._open):
            connection.send(text)

    def close(self) -> None:
        """Ends all connections once what is queued for them has been sent."""
        for connection in list(self._open):
            connection.cut(RESTARTING)

    async def serve_table(self, socket: WebSocket, table_id: str) -> None:
        """One connection to a table."""
        await self.serve(socket, partial(self._attend, table_id=table_id))

    async def serve(self, socket: WebSocket, attend: Attend) -> None:
        """One connection from its first message to its last."""
        client = client_of(socket.scope)
        if not self._admits(socket, client):
            await socket.close(FLOODING)
            return
        connection = Connection(self._settings, client)
        self._open.add(connection)
        self._by_client[client] += 1
        try:
            await socket.accept()
            await self._converse(socket, connection, attend)
        finally:
            self._open.discard(connection)
            self._by_client[client] -= 1
            if self._by_client[client] <= 0:
                del self._by_client[client]

    def _admits(self, socket: WebSocket, client: str) -> bool:
        return (
            self._origins.allow(socket.headers)
            and not self._tables.closing
            and len(self._open) < self._settings.sockets
            and self._by_client[client] < self._settings.sockets_per_client
        )

    async def _converse(self, socket: WebSocket, connection: Connection, attend: Attend) -> None:
        """Reading and writing go on side by side until one of them ends, or the client is found too slow."""
        sending = asyncio.create_task(_send_all(socket, connection))
        reading = asyncio.create_task(_read_all(socket, connection, attend))
        waiting = asyncio.create_task(connection.too_slow.wait())
        tasks = (sending, reading, waiting)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and connection.closed_with is not None:  # what was said last is still on its way
                await asyncio.wait((sending, waiting), timeout=_GOODBYE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await _close(socket, connection.closed_with or 1000)

    async def _attend(self, socket: WebSocket, connection: Connection, table_id: str) -> None:
        async with asyncio.timeout(self._settings.hello_seconds):
            hello = await self._hello(socket, connection)
        if hello is None:
            return
        try:
            table = await self._tables.get(table_id)
        except Refused as refused:
            refuse(connection, refused)
            connection.cut(NO_TABLE)
            return
        if len(table.clients) >= self._settings.sockets_per_table:
            refuse(connection, Refused("too_many", "too many watch this table already"))
            connection.cut(TOO_SLOW)
            return
        self._budgets.charge_plies(connection.client, len(table.log.actions))
        connection.tokens = table.seats_of(hello.tokens)
        connection.scenes = hello.scenes
        connection.thinks = hello.thinks
        table.client = table.client or connection.client
        size = table.attach(connection, hello.static)
        self._budgets.work.charge(connection.client, size / SNAPSHOT_BYTES_PER_UNIT)
        try:
            await obey_each(socket, connection, self._budgets, _read, partial(self._carry_out, connection, table))
        finally:
            table.detach(connection)

    async def _hello(self, socket: WebSocket, connection: Connection) -> protocol.Hello | None:
        try:
            message = _read(await _receive_text(socket))
            if not isinstance(message, protocol.Hello):
                raise Refused("malformed", "the first message says hello")
            if message.protocol != protocol.PROTOCOL:
                raise Refused("malformed", f"this server speaks protocol {protocol.PROTOCOL}, not {message.protocol}")
        except Refused as refused:
            refuse(connection, refused)
            connection.cut(FLOODING)
            return None
        return message

    async def _carry_out(self, connection: Connection, table: Table, message: protocol.AnyMessage) -> None:
        if isinstance(message, protocol.Ping):
            connection.send(protocol.Pong(id=message.id).model_dump_json())
            return
        if isinstance(message, protocol.Hello):
            raise Refused("malformed", "hello was said already")
        if self._tables.closing:
            raise Refused("closing", "the server is about to restart; nothing has changed")
        if isinstance(message, protocol.Advice):
            seq = table.hear_advice(connection, message)
        else:
            seq = await self._obey(connection, table, message)
        connection.send(f'{{"type":"ack","id":{protocol.as_json(message.id)},"seq":{seq}}}')

    async def _obey(self, connection: Connection, table: Table, message: protocol.Command) -> int:
        self._budgets.check_storing(connection.client)
        if isinstance(message, protocol.Takeback | protocol.Answer):  # a take-back plays the game through
            self._budgets.charge_plies(connection.client, len(table.log.actions))
        return await _command(message, table, sorted(connection.tokens))


async def _command(message: protocol.Command, table: Table, mine: list[int]) -> int:
    match message:
        case protocol.Play():
            return await table.play(mine, message)
        case protocol.Takeback():
            return await table.take_back(mine, message)
        case protocol.Answer():
            return await table.answer(mine, message)
        case protocol.Resign():
            return await table.resign(mine, message)
        case protocol.Rematch():
            return await table.rematch(mine, message)


async def _read_all(socket: WebSocket, connection: Connection, attend: Attend) -> None:
    try:
        await attend(socket, connection)
    except WebSocketDisconnect:
        return
    except TimeoutError:
        refuse(connection, Refused("malformed", "the first message says hello"))
        connection.cut(FLOODING)


async def obey_each(
    socket: WebSocket,
    connection: Connection,
    budgets: Budgets,
    read: Callable[[str], M],
    obey: Callable[[M], Awaitable[None]],
) -> None:
    """Does what a client asks for until the connection ends; who asks too often, or only for nonsense, is refused."""
    bucket = Bucket(connection.settings.messages)
    refusals = 0
    while connection.closed_with is None:
        message_id: int | str | None = None
        try:
            text = await _receive_text(socket)
            if not (bucket.take() and budgets.messages.take(connection.client)):
                raise Refused("too_many", "too many messages; slow down")
            message = read(text)
            message_id = getattr(message, "id", None)
            await obey(message)
            refusals = 0
        except Refused as refused:
            refuse(connection, refused, message_id)
            refusals += 1
            if refusals >= connection.settings.refusals_before_closing:
                connection.cut(FLOODING)
            elif refused.code == "too_many":
                await budgets.keep_waiting()
        await asyncio.sleep(0)  # answers go out between questions, also when many have piled up


async def _receive_text(socket: WebSocket) -> str:
    """The next message; WebSocketDisconnect when there will be none."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None:
        raise Refused("malformed", "messages are JSON texts")
    return str(text)


def _read(text: str) -> protocol.AnyMessage:
    message: protocol.AnyMessage = read_message(text, protocol.CLIENT_MESSAGE, protocol.MAX_MESSAGE_BYTES)
    return message


def read_message(text: str, messages: TypeAdapter[Any], most: int) -> Any:
    """A message of one of these kinds; Refused for anything else."""
    if len(text) > most or len(text.encode()) > most:
        raise Refused("too_large", f"a message has at most {most} bytes")
    try:
        return messages.validate_json(text)
    except ValidationError as error:
        raise _as_refusal(error) from None


def _as_refusal(error: ValidationError) -> Refused:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    code: protocol.ErrorCode = "unknown" if first["type"] == "union_tag_invalid" else "malformed"
    return Refused(code, f"{place}: {first['msg']}"[:300] if place else first["msg"][:300])


def refuse(connection: Connection, refused: Refused, message_id: int | str | None = None) -> None:
    error = protocol.Error(id=message_id, code=refused.code, message=refused.words, reason_code=refused.reason_code)
    connection.send(error.model_dump_json(exclude_none=True))


async def _send_all(socket: WebSocket, connection: Connection) -> None:
    while (message := await connection.next_message()) is not None:
        await socket.send_text(message)


async def _close(socket: WebSocket, code: int) -> None:
    if WebSocketState.DISCONNECTED in (socket.client_state, socket.application_state):
        return
    with suppress(RuntimeError, TimeoutError, WebSocketDisconnect):
        await asyncio.wait_for(socket.close(code), _GOODBYE_SECONDS)
