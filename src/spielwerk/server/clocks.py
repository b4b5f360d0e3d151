"""Clocks of all tables: whose flag falls next, whether anybody is connected there or not.

The events of a table tell what is left of its time. Here is only when to look again, and the sign of life from which
the next server learns how long none was there: for that time clocks stand still, except those that count days.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial

from spielwerk.play import TimeControl
from spielwerk.server.log import Log
from spielwerk.server.protocol import Refused
from spielwerk.server.store import Store, StoreError, Write, clocked_tables, load_log, pauses

HEARTBEAT_SECONDS = 1.0
_AFTER_FAILURE_MS = 30_000

_LOG = logging.getLogger("spielwerk.server")


def now_ms() -> int:
    """The server's time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Alarms:
    """The next deadline of each table, and one task that waits for the earliest."""

    def __init__(self, store: Store, look: Callable[[str], Awaitable[None]]) -> None:
        self._store = store
        self._look = look
        self._deadlines: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []
        self._counting: set[str] = set()  # tables whose clock stands still while no server lives
        self._earlier = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Goes on where the last server stopped."""
        now = now_ms()
        tables = await self._store.read(clocked_tables)
        stopped = [table_id for table_id, clock in tables if not TimeControl.from_text(clock).counts_days]
        if stopped:
            await self._store.write(await self._store.read(partial(pauses, table_ids=stopped, now_ms=now)))
        for work in (self._find([table_id for table_id, _ in tables]), self._wait(), self._live()):
            self._begin(work)

    async def stop(self) -> None:
        """Looks no more; where clocks run, the moment is noted."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._beat()

    def set(self, log: Log) -> None:
        """When to look at this table again, which has just changed or come into memory."""
        if log.clock is None:
            return
        table_id, deadline = log.setup.id, log.clock.deadline_ms
        self.drop(table_id)
        if deadline is None:
            return
        if not log.clock.control.counts_days:
            self._counting.add(table_id)
        self._look_again(table_id, deadline)

    def drop(self, table_id: str) -> None:
        """The table is gone, or its clock stands."""
        self._deadlines.pop(table_id, None)
        self._counting.discard(table_id)

    def _look_again(self, table_id: str, at_ms: int) -> None:
        self._deadlines[table_id] = at_ms
        heapq.heappush(self._heap, (at_ms, table_id))
        self._earlier.set()

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _find(self, table_ids: list[str]) -> None:
        """Reads the deadlines of running games; one that cannot be read is left as it is."""
        for table_id in table_ids:
            try:
                log = await self._store.read(partial(load_log, table_id=table_id))
            except ValueError as unreadable:
                _LOG.warning("%s", unreadable)
                continue
            if log is not None and table_id not in self._deadlines:
                self.set(log)

    async def _wait(self) -> None:
        while True:
            self._earlier.clear()
            await self._until_next()
            while self._heap and self._heap[0][0] <= now_ms():
                deadline, table_id = heapq.heappop(self._heap)
                if self._deadlines.get(table_id) == deadline:
                    self.drop(table_id)
                    self._begin(self._look_at(table_id))

    async def _until_next(self) -> None:
        seconds = max(0.0, (self._heap[0][0] - now_ms()) / 1000) if self._heap else None
        try:
            async with asyncio.timeout(seconds):
                await self._earlier.wait()
        except TimeoutError:
            return

    async def _look_at(self, table_id: str) -> None:
        try:
            await self._look(table_id)
        except Exception as error:  # one table must not stop the clocks of the others
            if isinstance(error, Refused) and error.code == "not_found":  # an operator deleted it
                return
            _LOG.warning("table %s: its clock could not be looked at: %s", table_id, error)
            self._look_again(table_id, now_ms() + _AFTER_FAILURE_MS)

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            await self._beat()

    async def _beat(self) -> None:
        if not self._counting:
            return
        try:
            await self._store.write(Write(alive_ms=now_ms()))
        except StoreError as error:
            _LOG.warning("no sign of life could be stored: %s", error)
