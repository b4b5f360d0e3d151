"""Where games are played: in this process, or in several others.

The seam is `submit`, which answers with a future: an executor of another kind, a cluster's for instance, needs nothing
else (see `Workers`).
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Protocol, TypeVar

A = TypeVar("A")
R = TypeVar("R")


class Workers(Protocol):
    """Those who do the work. A future that ends with BrokenExecutor says that its worker died, not its work."""

    slots: int  # how much is worth handing out at a time

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        """Starts the work, here or elsewhere."""

    def renew(self) -> None:
        """Replaces workers that died."""

    def close(self) -> None:
        """Ends all workers, whatever they are doing."""


class InProcess:
    """Works in this process, one thing after the other."""

    slots = 1

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        done: Future[R] = Future()
        try:
            done.set_result(work(about))
        except Exception as error:
            done.set_exception(error)
        return done

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


class Processes:
    """Works in processes of this machine. They end with this one, even if it is killed."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.slots = 2 * count  # one in work, one waiting, so that nobody is idle between two games
        self._start()

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        return self._pool.submit(work, about)

    def renew(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        # Asking them nicely would take until a search lets go, or until a new one has loaded everything.
        for process in self._context.started:
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> None:
        self._context = _KnownProcesses()
        self._pool = ProcessPoolExecutor(self._count, self._context, _begin_to_work)


class _KnownProcesses(SpawnContext):
    """Starts processes for a pool, which keeps them to itself. A fork would copy locks that other threads hold."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*args, **options)
        self.started.append(process)
        return process


def _begin_to_work() -> None:
    """In a new process: interrupts at the terminal are the parent's business, its end ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_the_parent, daemon=True).start()


def _leave_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)


def workers_for(count: int) -> Workers:
    """One works here, more work in processes of their own."""
    return InProcess() if count == 1 else Processes(count)
