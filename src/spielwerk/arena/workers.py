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
from multiprocessing.synchronize import Event
from typing import Protocol, TypeVar

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
        self._leave.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self._leave = context.Event()
        self._pool = ProcessPoolExecutor(self._count, context, _begin_to_work, (self._leave,))


def _begin_to_work(leave: Event) -> None:
    """In a new process: interrupts at the terminal are the parent's business, its end ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(leave,), daemon=True).start()


def _watch(leave: Event) -> None:
    parent = multiprocessing.parent_process()
    while not leave.wait(0.5) and (parent is None or parent.is_alive()):
        pass
    os._exit(0)


def workers_for(count: int) -> Workers:
    """One works here, more work in processes of their own."""
    return InProcess() if count == 1 else Processes(count)
