"""Thinking for the analysis page: one WebSocket per page, on which a visitor asks and hears ever better answers.

Each question is thought about in slices, twice as long every time, so that the processes are shared fairly with
everyone else's games. Seconds of thinking are counted for each client. When a connection ends or another position is
asked about, the thinking stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from starlette.websockets import WebSocket

from spielwerk.games import CHANCE, State
from spielwerk.server import protocol
from spielwerk.server.lab_protocol import (
    ANALYSIS_REQUEST,
    MAX_ANALYSIS_MESSAGE,
    Slot,
    StopThinking,
    Think,
    Thought,
)
from spielwerk.server.laboratory import position_of
from spielwerk.server.levels import Level, level_named
from spielwerk.server.limits import Bucket, Budgets
from spielwerk.server.protocol import Refused
from spielwerk.server.settings import Settings
from spielwerk.server.socket import FLOODING, Connection, read_message, receive_text, refuse
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool

SLICES_MS = (100, 200, 400, 800, 1600, 3200)
PROOF_SLICES_MS = (300, 3000)
PROOF = "solver"
_SLOTS: tuple[Slot, Slot] = ("first", "second")
_SPARE_SECONDS = 3.0


def can_prove(state: State) -> bool:
    """Whether the solver may know this game."""
    return state.game.num_players == 2 and not state.game.has_chance


class Analyst:
    """Answers those who analyse."""

    def __init__(self, settings: Settings, pool: ThinkingPool, levels: Sequence[Level], budgets: Budgets) -> None:
        self._settings = settings
        self._pool = pool
        self._levels = levels
        self._budgets = budgets

    async def attend(self, socket: WebSocket, connection: Connection) -> None:
        """Until the connection ends; then nobody thinks for it any more."""
        thinking: list[asyncio.Task[None]] = []
        bucket, refusals = Bucket(self._settings.messages), 0
        try:
            while connection.closed_with is None:
                message_id = None
                try:
                    text = await receive_text(socket)
                    if not (bucket.take() and self._budgets.messages.take(connection.client)):
                        raise Refused("too_many", "too many messages; slow down")
                    message = read_message(text, ANALYSIS_REQUEST, MAX_ANALYSIS_MESSAGE)
                    message_id = getattr(message, "id", None)
                    await self._obey(message, connection, thinking)
                    refusals = 0
                except Refused as refused:
                    refuse(connection, refused, message_id)
                    refusals += 1
                    if refusals >= self._settings.refusals_before_closing:
                        connection.cut(FLOODING)
                    elif refused.code == "too_many":
                        await self._budgets.keep_waiting()
        finally:
            await _end(thinking)

    async def _obey(
        self, message: Think | StopThinking | protocol.Ping, connection: Connection, thinking: list[asyncio.Task[None]]
    ) -> None:
        if isinstance(message, protocol.Ping):
            connection.send(protocol.Pong(id=message.id).model_dump_json())
            return
        await _end(thinking)
        if isinstance(message, Think):
            thinking += self._begin(message, connection)

    def _begin(self, message: Think, connection: Connection) -> list[asyncio.Task[None]]:
        self._budgets.check_thinking(connection.client)
        state = position_of(message.game, message.rules, message.position)
        if state.player is None or state.player == CHANCE:
            raise Refused("not_now", "nobody is to act there")
        asked: list[tuple[Slot, str, Sequence[int]]] = [
            (slot, self._spec(level, state), SLICES_MS) for slot, level in zip(_SLOTS, message.levels, strict=False)
        ]
        if message.proof and can_prove(state):
            asked.append(("proof", PROOF, PROOF_SLICES_MS))
        return [
            asyncio.create_task(self._think(connection, message.id, slot, spec, slices, state))
            for slot, spec, slices in asked
        ]

    def _spec(self, level: str, state: State) -> str:
        choice = level_named(level, state.game, self._levels).choice(state.game)
        assert choice is not None
        return choice.spec

    async def _think(
        self, connection: Connection, id: int | str, slot: Slot, spec: str, slices: Sequence[int], state: State
    ) -> None:
        try:
            for milliseconds in slices:
                self._budgets.check_thinking(connection.client)
                said = await self._studied(connection.client, spec, milliseconds, state)
                done = said.pop("final") or milliseconds == slices[-1]
                connection.send(Thought(id=id, slot=slot, done=done, **said).model_dump_json())
                if done:
                    return
        except Refused as refused:
            refuse(connection, refused, id)
        except NoAnswer as failure:
            refuse(connection, Refused("internal", f"no answer came ({failure.why})"), id)

    async def _studied(self, client: str, spec: str, milliseconds: int, state: State) -> dict[str, Any]:
        seconds = _SPARE_SECONDS + 2 * milliseconds / 1000
        question = Question.about(
            state,
            key=f"analysis {client}",
            spec=spec,
            seconds=seconds,
            ask="study",
            client=client,
            milliseconds=milliseconds,
        )
        self._budgets.thinking.charge(client, milliseconds / 1000)
        return await self._pool.ask(question)


async def _end(thinking: list[asyncio.Task[None]]) -> None:
    for task in thinking:
        task.cancel()
    await asyncio.gather(*thinking, return_exceptions=True)
    thinking.clear()
