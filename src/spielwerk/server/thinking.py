"""Agents think in a bounded number of processes, so that neither the server nor another game waits for them.

Games queue by how long their agents have thought already: the game that used least goes first, and whoever has
not asked for long starts level with the one that was served last. Questions that may take long never occupy all
processes, so that a quick one finds a free process soon. A process that dies or exceeds its time is replaced.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import sys
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from spielwerk.games import State
from spielwerk.server.levels import QUICK_SECONDS
from spielwerk.server.protocol import Fallback, Refused

_STARTING_SECONDS = 60.0
_LONGEST_ANSWER = 1_000_000
_GAMES_REMEMBERED = 5000


class NoAnswer(Exception):
    """The agent did not answer; `why` says in one word what happened."""

    def __init__(self, why: Fallback, message: str) -> None:
        super().__init__(message)
        self.why: Fallback = why


@dataclass(frozen=True)
class Question:
    """What to think about. `key` names whom the time is charged to."""

    key: str
    spec: str
    seconds: float
    ask: str
    game: str
    rules: dict[str, Any]
    position: str

    @classmethod
    def about(cls, state: State, *, key: str, spec: str, seconds: float, ask: str = "act") -> Question:
        """A question about a position."""
        return cls(key, spec, seconds, ask, state.game.name, state.game.rules, state.to_text())

    @property
    def slow(self) -> bool:
        """Whether it may take long."""
        return self.seconds > QUICK_SECONDS

    def line(self) -> bytes:
        """As a process reads it."""
        question = {
            "spec": self.spec,
            "ask": self.ask,
            "game": self.game,
            "rules": self.rules,
            "position": self.position,
        }
        return json.dumps(question).encode() + b"\n"


@dataclass(order=True)
class _Queued:
    charged: float
    number: int
    question: Question = field(compare=False)
    answer: asyncio.Future[dict[str, Any]] = field(compare=False)


class ThinkingPool:
    """The processes and who waits for them."""

    def __init__(self, processes: int, waiting: int) -> None:
        self._idle: list[_Process] = [_Process() for _ in range(processes)]
        self._most_slow = max(1, processes - 1)
        self._slow_busy = 0
        self._most_waiting = waiting
        self._queue: list[_Queued] = []
        self._used: OrderedDict[str, float] = OrderedDict()
        self._clock = 0.0
        self._numbers = count()
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Gets the first process ready, so that the first opponent answers at once."""
        await self._idle[-1].start()

    async def ask(self, question: Question) -> dict[str, Any]:
        """What the agent says; NoAnswer when it fails, dies or takes too long."""
        if self._closed or len(self._queue) >= self._most_waiting:
            raise Refused("too_many", "too many agents are waiting to think; try again later")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        charged = max(self._used.get(question.key, 0.0), self._clock)
        heapq.heappush(self._queue, _Queued(charged, next(self._numbers), question, answer))
        self._hand_out()
        try:
            return await answer
        finally:
            answer.cancel()

    async def close(self) -> None:
        """Ends all processes."""
        self._closed = True
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for process in self._idle:
            await process.stop()

    def _hand_out(self) -> None:
        while self._idle and (item := self._next()) is not None:
            process = self._idle.pop()
            self._clock = max(self._clock, item.charged)
            self._slow_busy += item.question.slow
            task = asyncio.create_task(self._serve(process, item))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def _next(self) -> _Queued | None:
        """The first in the queue that may go now; those nobody waits for any more are dropped."""
        passed_over: list[_Queued] = []
        found = None
        while self._queue and found is None:
            item = heapq.heappop(self._queue)
            if item.answer.done():
                continue
            if item.question.slow and self._slow_busy >= self._most_slow:
                passed_over.append(item)
            else:
                found = item
        for item in passed_over:
            heapq.heappush(self._queue, item)
        return found

    async def _serve(self, process: _Process, item: _Queued) -> None:
        began = time.monotonic()
        try:
            said = await process.ask(item.question)
            if not item.answer.done():
                item.answer.set_result(said)
        except NoAnswer as failure:
            if not item.answer.done():
                item.answer.set_exception(failure)
        finally:
            self._charge(item, time.monotonic() - began)
            self._slow_busy -= item.question.slow
            self._idle.append(process)
            if not self._closed:
                self._hand_out()

    def _charge(self, item: _Queued, seconds: float) -> None:
        self._used[item.question.key] = item.charged + seconds
        self._used.move_to_end(item.question.key)
        if len(self._used) > _GAMES_REMEMBERED:
            self._used.popitem(last=False)


class _Process:
    """One thinking process, started when first needed."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Returns when the process is ready to think."""
        if self._process is not None:
            return
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "spielwerk.server.thinker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_ANSWER,
            start_new_session=True,  # an interrupt at the terminal is for the server, which then ends this
        )
        await self._guarded(self._read(), _STARTING_SECONDS, "the thinking process")

    async def ask(self, question: Question) -> dict[str, Any]:
        """What the agent says; NoAnswer when it does not."""
        await self.start()
        said = await self._guarded(self._exchange(question.line()), question.seconds, question.spec)
        if "failure" in said:
            raise NoAnswer("failure", f"{question.spec}: {said['failure']}")
        return said

    async def stop(self) -> None:
        """Ends the process whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def _guarded(self, talk: Coroutine[Any, Any, dict[str, Any]], seconds: float, who: str) -> dict[str, Any]:
        """Whatever goes wrong ends the process: the next question gets a new one."""
        try:
            return await asyncio.wait_for(talk, seconds)
        except TimeoutError:
            await self.stop()
            raise NoAnswer("overtime", f"{who} took more than {seconds:g} s") from None
        except (OSError, ValueError, asyncio.IncompleteReadError):
            await self.stop()
            raise NoAnswer("crash", f"{who} died") from None
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def _exchange(self, line: bytes) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        await self._process.stdin.drain()
        return await self._read()

    async def _read(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        said = json.loads(await self._process.stdout.readuntil(b"\n"))
        if not isinstance(said, dict):
            raise ValueError("an answer is an object")
        return said
