"""Opponents' moves thought out by a browser: one client is asked one question, and the server waits a bounded time.

Whoever fails is asked no more on this connection; the server then thinks itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from spielwerk.server import protocol
from spielwerk.server.protocol import Refused


class ThinkingClient(Protocol):
    """One connection; `thinks` while it can be asked."""

    thinks: bool

    def send(self, message: str) -> None:
        """Queues a message."""


@dataclass(eq=False)
class _Asked:
    client: ThinkingClient
    seq: int
    answer: asyncio.Future[str | None]


class Borrowing:
    """The question of one table that is open, if any."""

    def __init__(self) -> None:
        self._asked: _Asked | None = None

    async def ask(self, client: ThinkingClient, question: protocol.Consult, seconds: float) -> str | None:
        """The action that the client says, which was found legal; None where it says none in time."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._asked = _Asked(client, question.seq, answer)
        client.send(question.model_dump_json())
        try:
            async with asyncio.timeout(seconds):
                action = await answer
        except TimeoutError:
            action = None
        finally:
            self._asked = None
        client.thinks = action is not None
        return action

    def awaited(self, client: ThinkingClient, seq: int) -> asyncio.Future[str | None]:
        """What to answer to; Refused where nobody waits for an answer of this client to this question."""
        asked = self._asked
        if asked is None or asked.client is not client or asked.seq != seq or asked.answer.done():
            raise Refused("stale", "nobody waits for this advice")
        return asked.answer

    def leave(self, client: ThinkingClient) -> None:
        """A client goes, and with it the answer that it owes."""
        asked = self._asked
        if asked is not None and asked.client is client and not asked.answer.done():
            asked.answer.set_result(None)
