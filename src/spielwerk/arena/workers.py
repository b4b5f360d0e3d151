"""Where games are played: in this process, in several others, or on a cluster (`cluster.py`).

The seam is `submit`, which answers with a future: those who schedule know nothing else of the workers (see `Workers`).
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Generic, Protocol, TypeVar

A = TypeVar("A")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)

TRIES = 3  # work whose worker dies is done again, in case it was not its fault; but not for ever


class WorkersError(ValueError):
    """Work that failed for no reason of its own."""


class UnfitError(WorkersError):
    """This machine cannot do the work as the one that asks for it would."""


@dataclass(frozen=True)
class Needs:
    """What a piece of work takes of the machine that does it."""

    cpus: float = 1.0
    gpus: float = 0.0
    programs: frozenset[str] = frozenset()  # engines that must be there


_needs: dict[Callable[..., Any], Callable[[Any], Needs]] = {}


def needing(needs: Callable[[A], Needs]) -> Callable[[Callable[[A], R]], Callable[[A], R]]:
    """Declares what a kind of work needs; what declares nothing needs one processor core."""

    def declare(work: Callable[[A], R]) -> Callable[[A], R]:
        _needs[work] = needs
        return work

    return declare


def needs_of(work: Callable[[A], R], about: A) -> Needs:
    return _needs[work](about) if work in _needs else Needs()


class Shared(Protocol[T_co]):
    """Something that many works need, wherever they are done."""

    @property
    def value(self) -> T_co:
        raise NotImplementedError


@dataclass(frozen=True)
class Enclosed(Generic[T_co]):
    """Travels with every work that needs it."""

    value: T_co


class Workers(Protocol):
    """Those who do the work. A future that ends with BrokenExecutor says that its worker died, not its work."""

    @property
    def slots(self) -> int:
        """How much is worth handing out at a time."""
        raise NotImplementedError

    @property
    def repeats(self) -> bool:
        """Whether work whose worker died is begun again unasked; BrokenExecutor then says that this did not help."""
        raise NotImplementedError

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        """Starts the work, here or elsewhere."""

    def share(self, value: A) -> Shared[A]:
        """Makes something known to all workers, that many works need."""
        raise NotImplementedError

    def renew(self) -> None:
        """Replaces workers that died."""

    def close(self) -> None:
        """Ends all workers, whatever they are doing."""


class InProcess:
    """Works in this process, one thing after the other."""

    slots = 1
    repeats = False

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        done: Future[R] = Future()
        try:
            done.set_result(work(about))
        except Exception as error:
            done.set_exception(error)
        return done

    def share(self, value: A) -> Shared[A]:
        return Enclosed(value)

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


class Processes:
    """Works in processes of this machine. They end with this one, even if it is killed."""

    repeats = False

    def __init__(self, count: int) -> None:
        self._count = count
        self.slots = 2 * count  # one in work, one waiting, so that nobody is idle between two games
        self._start()

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        return self._pool.submit(work, about)

    def share(self, value: A) -> Shared[A]:
        return Enclosed(value)

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


def in_order(workers: Workers, work: Callable[[A], R], about: Iterable[A]) -> Iterator[R]:
    """Begins works side by side, as many as are worth it, and answers in their order."""
    waiting: deque[Future[R]] = deque()
    coming = iter(about)

    def begin() -> None:
        waiting.extend(
            workers.submit(work, one) for one in islice(coming, max(0, max(1, workers.slots) - len(waiting)))
        )

    def answers() -> Iterator[R]:
        while waiting:
            try:
                yield waiting.popleft().result()
            except BrokenExecutor:
                raise WorkersError(f"processes died {TRIES} times over the same work") from None
            begin()

    begin()
    return answers()


def usual_count() -> int:
    """One worker for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers_for(count: int, ray: str | None = None) -> Workers:
    """One works here, more work in processes of their own; `ray` is a cluster's address, empty for one of our own."""
    if ray is not None:
        from spielwerk.arena.cluster import RayWorkers

        return RayWorkers(ray, count)
    return InProcess() if count == 1 else Processes(count)
