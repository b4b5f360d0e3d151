"""Thinking for the analysis page: one WebSocket per page, on which a visitor asks and hears ever better answers.

Each question is thought about in slices, twice as long every time, so that the processes are shared fairly with
everyone else's games. Seconds of thinking are counted for each client. When a connection ends or another position is
asked about, the thinking stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from starlette.websockets import WebSocket

from spielwerk.games import CHANCE, State
from spielwerk.positions import can_prove
from spielwerk.review import PlyReview, accuracies, shares_of_dice
from spielwerk.server import protocol
from spielwerk.server.lab_protocol import (
    ANALYSIS_REQUEST,
    MAX_ANALYSIS_MESSAGE,
    PlyReviewView,
    Reviewed,
    ReviewGame,
    Slot,
    StopThinking,
    Think,
    Thought,
)
from spielwerk.server.laboratory import first_state, played, position_of
from spielwerk.server.levels import Level, level_named
from spielwerk.server.limits import Budgets
from spielwerk.server.protocol import Refused
from spielwerk.server.socket import Connection, obey_each, read_message, refuse
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool

SLICES_MS = (100, 200, 400, 800, 1600, 3200)
PROOF_SLICES_MS = (300, 3000)
PROOF = "solver"
REVIEW_MS, REVIEW_MS_WITH_DICE = 100, 10  # for one ply
REVIEWED_AT_ONCE, REVIEWED_AT_ONCE_WITH_DICE = 8, 60
_SLOTS: tuple[Slot, Slot] = ("first", "second")
_SPARE_SECONDS = 3.0


Asked = Think | ReviewGame | StopThinking | protocol.Ping


def _read(text: str) -> Asked:
    message: Asked = read_message(text, ANALYSIS_REQUEST, MAX_ANALYSIS_MESSAGE)
    return message


class Analyst:
    """Answers those who analyse."""

    def __init__(self, pool: ThinkingPool, levels: Sequence[Level], budgets: Budgets) -> None:
        self._pool = pool
        self._levels = levels
        self._budgets = budgets

    async def attend(self, socket: WebSocket, connection: Connection) -> None:
        """Until the connection ends; then nobody thinks for it any more."""
        thinking: list[asyncio.Task[None]] = []
        try:
            await obey_each(socket, connection, self._budgets, _read, partial(self._obey, connection, thinking))
        finally:
            await _end(thinking)

    async def _obey(
        self,
        connection: Connection,
        thinking: list[asyncio.Task[None]],
        message: Asked,
    ) -> None:
        if isinstance(message, protocol.Ping):
            connection.send(protocol.Pong(id=message.id).model_dump_json())
            return
        await _end(thinking)
        if isinstance(message, Think):
            thinking += self._begin(message, connection)
        elif isinstance(message, ReviewGame):
            thinking.append(self._begin_review(message, connection))

    def _begin(self, message: Think, connection: Connection) -> list[asyncio.Task[None]]:
        self._budgets.check_thinking(connection.client)
        state = position_of(message.game, message.rules, message.position)
        if state.player is None or state.player == CHANCE:
            raise Refused("not_now", "nobody is to act there")
        asked: list[tuple[Slot, str, Sequence[int]]] = [
            (slot, self._spec(level, state), SLICES_MS) for slot, level in zip(_SLOTS, message.levels, strict=False)
        ]
        if message.proof and can_prove(state.game):
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

    def _begin_review(self, message: ReviewGame, connection: Connection) -> asyncio.Task[None]:
        self._budgets.check_thinking(connection.client)
        self._budgets.charge_plies(connection.client, len(message.actions))
        state = first_state(message.game, message.rules, message.start)
        start = state.to_text()
        moves = played(state, message.actions)
        if not moves:
            raise Refused("not_now", "nothing was played there")
        spec = self._spec(message.level, state)
        question = Question.about(
            position_of(message.game, message.rules, start),
            key=f"analysis {connection.client}",
            spec=spec,
            seconds=_SPARE_SECONDS + 4 * REVIEWED_AT_ONCE * REVIEW_MS / 1000,
            ask="review",
            client=connection.client,
            milliseconds=REVIEW_MS_WITH_DICE if state.game.has_chance else REVIEW_MS,
        )
        question = replace(question, actions=tuple(move.text for move in moves))
        return asyncio.create_task(self._review(connection, message.id, question, state))

    async def _review(self, connection: Connection, id: int | str, question: Question, last: State) -> None:
        """Some plies at a time, from the end, where proofs are easy."""
        game, count = last.game, len(question.actions)
        step = REVIEWED_AT_ONCE_WITH_DICE if game.has_chance else REVIEWED_AT_ONCE
        found: list[PlyReview] = []
        try:
            for end in range(count + 1, 1, -step):
                begin = max(1, end - step)
                self._budgets.check_thinking(connection.client)
                self._budgets.thinking.charge(connection.client, 1.0)
                said = await self._pool.ask(replace(question, plies=(begin, end)))
                fresh = [PlyReview(**one) for one in said["plies"]]
                found += fresh
                connection.send(_reviewed(id, last, fresh, found, done=begin == 1))
        except Refused as refused:
            refuse(connection, refused, id)
        except NoAnswer as failure:
            refuse(connection, Refused("internal", f"no answer came ({failure.why})"), id)


def _reviewed(id: int | str, last: State, fresh: list[PlyReview], found: list[PlyReview], *, done: bool) -> str:
    luck, choice = shares_of_dice(last.game, found) if last.game.has_chance else ([], [])
    accuracy = [None if one is None else round(one, 1) for one in accuracies(last.game, found)]
    plies = [PlyReviewView(**asdict(one), mark=one.mark) for one in fresh]
    rounded = ([round(one, 3) for one in shares] for shares in (luck, choice))
    message = Reviewed(id=id, plies=plies, accuracy=accuracy, luck=next(rounded), choice=next(rounded), done=done)
    return message.model_dump_json()


async def _end(thinking: list[asyncio.Task[None]]) -> None:
    for task in thinking:
        task.cancel()
    await asyncio.gather(*thinking, return_exceptions=True)
    thinking.clear()
