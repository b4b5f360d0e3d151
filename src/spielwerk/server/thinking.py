"""Agents think in a bounded number of processes, so that neither the server nor another game waits for them.

A weighted fair queue, first among clients, then among the games of each: whoever has fewest questions being
answered goes first, then whoever used least time so far, and whoever has not asked for long starts level with the
one that was served last. Questions that may take long never occupy all processes, so that a quick one finds a free
process soon, and those of one client occupy at most half of the rest. A process that dies or exceeds its time is
replaced, and what it was asked is asked once more of another.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass
from itertools import count
from typing import Any

from spielwerk.games import State
from spielwerk.server.levels import QUICK_SECONDS
from spielwerk.server.protocol import Fallback, Refused
from spielwerk.server.thinker import STOP

_STARTING_SECONDS = 60.0
_LONGEST_ANSWER = 1_000_000
_GAMES_REMEMBERED = 5000
_ATTEMPTS = 2


class NoAnswer(Exception):
    """The agent did not answer; `why` says in one word what happened."""

    def __init__(self, why: Fallback, message: str) -> None:
        super().__init__(message)
        self.why: Fallback = why


@dataclass(frozen=True)
class Question:
    """What to think about. The time is charged to `client`, and among its games to `key`."""

    key: str
    client: str
    spec: str
    seconds: float
    ask: str
    game: str
    rules: dict[str, Any]
    position: str
    milliseconds: float = 0.0
    """How long to study a position; other questions know that by themselves."""
    actions: tuple[str, ...] = ()
    plies: tuple[int, int] = (0, 0)
    """What was played from the position on, and which plies of it to review: from the first to before the second."""

    @classmethod
    def about(
        cls,
        state: State,
        *,
        key: str,
        spec: str,
        seconds: float,
        ask: str = "act",
        client: str = "",
        milliseconds: float = 0.0,
    ) -> Question:
        game = state.game
        return cls(key, client, spec, seconds, ask, game.name, game.rules, state.to_text(), milliseconds)

    @property
    def slow(self) -> bool:
        """Whether it may take long."""
        return self.seconds > QUICK_SECONDS

    def line(self) -> bytes:
        question: dict[str, Any] = {
            "spec": self.spec,
            "ask": self.ask,
            "game": self.game,
            "rules": self.rules,
            "position": self.position,
            "milliseconds": self.milliseconds,
        }
        if self.ask == "review":
            question |= {"actions": self.actions, "plies": self.plies}
        return json.dumps(question).encode() + b"\n"


@dataclass(eq=False)
class _Queued:
    number: int
    question: Question
    answer: asyncio.Future[dict[str, Any]]


class _Shares:
    """Who used how much; newcomers start level with whoever was served last."""

    def __init__(self) -> None:
        self._used: OrderedDict[str, float] = OrderedDict()
        self._clock = 0.0

    def __getitem__(self, key: str) -> float:
        return max(self._used.get(key, 0.0), self._clock)

    def begin(self, key: str) -> None:
        self._clock = self[key]

    def charge(self, key: str, seconds: float) -> None:
        self._used[key] = self[key] + seconds
        self._used.move_to_end(key)
        if len(self._used) > _GAMES_REMEMBERED:
            self._used.popitem(last=False)


class ThinkingPool:
    """The processes and who waits for them."""

    def __init__(self, processes: int, waiting: int, waiting_per_client: int | None = None) -> None:
        self._idle: list[_Process] = [_Process() for _ in range(processes)]
        self._most_slow = max(1, processes - 1)
        self._most_slow_per_client = max(1, self._most_slow // 2)
        self._slow_busy: Counter[str] = Counter()
        self._busy: Counter[str] = Counter()
        self._most_waiting = waiting
        self._most_waiting_per_client = waiting_per_client or waiting
        self._queue: list[_Queued] = []
        self._clients = _Shares()
        self._games = _Shares()
        self._numbers = count()
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False
        self.replaced = 0
        self.retried = 0
        self.seconds = 0.0

    @property
    def waiting(self) -> int:
        """How many questions nobody thinks about yet."""
        return len(self._queue)

    @property
    def thinking(self) -> int:
        """How many questions are being thought about."""
        return self._busy.total()

    async def start(self) -> None:
        """Gets the first process ready, so that the first opponent answers at once."""
        await self._idle[-1].start()

    async def ask(self, question: Question) -> dict[str, Any]:
        """What the agent says; NoAnswer when it fails, or when it dies or takes too long twice.

        A hint or a study that takes too long is not worth waiting for again. Whoever stops waiting stops the thinking.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._ask_once(question)
            except NoAnswer as failure:
                hopeless = failure.why == "failure" or (failure.why == "overtime" and question.ask != "act")
                if hopeless or attempt == _ATTEMPTS:
                    raise
                self.retried += 1
        raise AssertionError("the last attempt returns or raises")

    async def _ask_once(self, question: Question) -> dict[str, Any]:
        waiting = sum(item.question.client == question.client for item in self._queue)
        full = len(self._queue) >= self._most_waiting or waiting >= self._most_waiting_per_client
        if self._closed or full:
            raise Refused("too_many", "too many agents are waiting to think; try again later")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        item = _Queued(next(self._numbers), question, answer)
        self._queue.append(item)
        self._hand_out()
        try:
            return await answer
        finally:
            answer.cancel()
            if item in self._queue:  # nobody waits for it any more
                self._queue.remove(item)

    async def close(self) -> None:
        self._closed = True
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for process in self._idle:
            await process.stop()

    def _hand_out(self) -> None:
        while self._idle and (item := self._next()) is not None:
            self._queue.remove(item)
            process = max(self._idle, key=lambda process: process.started)
            self._idle.remove(process)
            self._clients.begin(item.question.client)
            self._games.begin(item.question.key)
            self._busy[item.question.client] += 1
            self._slow_busy[item.question.client] += item.question.slow
            task = asyncio.create_task(self._serve(process, item))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def _next(self) -> _Queued | None:
        """Whose turn it is among those that may go now."""
        able = [item for item in self._queue if not item.answer.done() and self._may_go(item.question)]
        return min(able, key=self._place, default=None)

    def _may_go(self, question: Question) -> bool:
        if not question.slow:
            return True
        mine = self._slow_busy[question.client]
        return mine < self._most_slow_per_client and self._slow_busy.total() < self._most_slow

    def _place(self, item: _Queued) -> tuple[float, ...]:
        question = item.question
        client = question.client
        return self._busy[client], self._clients[client], self._games[question.key], item.number

    async def _serve(self, process: _Process, item: _Queued) -> None:
        began = time.monotonic()
        item.answer.add_done_callback(lambda answer: process.stop_thinking() if answer.cancelled() else None)
        try:
            said = await process.ask(item.question)
            if not item.answer.done():
                item.answer.set_result(said)
        except NoAnswer as failure:
            self.replaced += failure.why != "failure"
            if not item.answer.done():
                item.answer.set_exception(failure)
        finally:
            self._settle(item.question, time.monotonic() - began)
            self._idle.append(process)
            if not self._closed:
                self._hand_out()

    def _settle(self, question: Question, seconds: float) -> None:
        self.seconds += seconds
        self._clients.charge(question.client, seconds)
        self._games.charge(question.key, seconds)
        self._busy[question.client] -= 1
        self._slow_busy[question.client] -= question.slow
        for counter in (self._busy, self._slow_busy):
            if counter[question.client] <= 0:
                del counter[question.client]


class _Process:
    """One thinking process, started when first needed."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    @property
    def started(self) -> bool:
        """Whether it answers at once."""
        return self._process is not None

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

    def stop_thinking(self) -> None:
        """Asks for the answer at once."""
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(STOP)

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
