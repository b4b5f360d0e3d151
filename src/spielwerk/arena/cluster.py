"""Work on a Ray cluster. Nothing else in spielwerk knows Ray.

A piece of work is a task of Ray's; short ones travel together. Tasks of a worker or node that died are begun again
elsewhere, so that only what was in flight is done twice and nobody hears of it. Every worker process first shows that
it has the same release, rules and core as the driver; one that differs is refused with its node's name.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.metadata
import logging
import os
import pickle
import re
import shutil
import socket
import tempfile
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from spielwerk.arena.workers import TRIES, Needs, Shared, UnfitError, WorkersError, needs_of
from spielwerk.border import quoted
from spielwerk.extras import need
from spielwerk.games import games, make
from spielwerk.signature import core_digest

A = TypeVar("A")
R = TypeVar("R")

OWN = ""  # the address of a cluster that begins and ends with this process
LOOPBACK = "127.0.0.1"
_OBJECT_STORE_BYTES = 512 * 2**20  # of a cluster of our own
_SECONDS_TO_REACH = 5.0
_SECONDS_TO_LEAVE = 0.6
_SECONDS_TO_ANSWER = 30.0  # for all nodes that are asked what they have
_SECONDS_BETWEEN_LOOKS = 2.0  # at which nodes there are
_BATCH_SECONDS = 0.05  # works that are shorter travel together until they take so long
_LARGEST_BATCH = 64
_LINGER_SECONDS = 0.005  # that a work waits for company
# Ray reads these when it is loaded: it is not to count users, to write between our lines, or to warn of its own future.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
LOOPBACK_ONLY = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


# -- what a node must have -------------------------------------------------------------------------


@dataclass(frozen=True)
class Release:
    """What must be equal wherever games of one tournament are played."""

    version: str
    rules: dict[str, int]  # versions, by ruleset
    core: str  # what its rules and searches compute
    models: str  # those that are shipped

    def difference(self, other: Release) -> str:
        """Where another one differs, in words; empty if it does not."""
        if other.version != self.version:
            return f"has spielwerk {other.version}, not {self.version}"
        for name in sorted(self.rules.keys() | other.rules.keys()):
            if other.rules.get(name) != self.rules.get(name):
                return f"has version {other.rules.get(name)} of the rules of {name}, not {self.rules.get(name)}"
        if other.core != self.core:
            return f"has a core with the signature {other.core}, not {self.core}"
        return f"has other shipped models ({other.models}, not {self.models})" if other.models != self.models else ""


@cache
def release_here() -> Release:
    from spielwerk.agents.network import SHIPPED

    networks = sorted(path for path in SHIPPED.rglob("*") if path.suffix in (".onnx", ".safetensors"))
    models = hashlib.sha256(b"".join(path.read_bytes() for path in networks))
    return Release(
        importlib.metadata.version("spielwerk"),
        {name: make(name).rules_version for name in games()},
        core_digest(),
        models.hexdigest()[:16],
    )


# -- in a worker -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Order:
    """What all works of a driver share."""

    release: Release
    folder: str  # that relative paths start from


@dataclass(frozen=True)
class _Answer:
    """What became of one work."""

    seconds: float
    value: Any = None
    error: Exception | None = None
    trace: str = ""  # where the error is not one that people understand by itself


@dataclass(frozen=True)
class _Answers:
    node: str
    answers: list[_Answer]
    unfit: str = ""  # why the node may not work at all


def _serve(order: _Order, work: Callable[[Any], Any], items: Sequence[Any]) -> _Answers:
    node = need("ray").get_runtime_context().get_node_id()
    if difference := order.release.difference(release_here()):
        return _Answers(node, [], difference)
    with contextlib.suppress(OSError):
        os.chdir(order.folder)
    return _Answers(node, [_answer(work, item) for item in items])


def _answer(work: Callable[[Any], Any], item: Any) -> _Answer:
    began = time.perf_counter()
    try:
        value = work(item)
    except (ValueError, OSError) as error:
        if _travels(error):
            return _Answer(time.perf_counter() - began, error=error)
        return _Answer(time.perf_counter() - began, error=ValueError(str(error)))
    except Exception as error:
        words = f"{type(error).__name__}: {error}".rstrip(": ")
        return _Answer(time.perf_counter() - began, error=ValueError(words), trace=traceback.format_exc())
    return _Answer(time.perf_counter() - began, value)


def _travels(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def _look(folder: str, programs: Sequence[str]) -> tuple[Release, list[str]]:
    """What a node has: its release, and which of the programs."""
    with contextlib.suppress(OSError):
        os.chdir(folder)
    return release_here(), [program for program in programs if shutil.which(program)]


@dataclass(frozen=True)
class _Stored:
    """Lies in Ray's object store; a node that needs it fetches it once."""

    reference: Any

    @property
    def value(self) -> Any:
        return need("ray").get(self.reference)


# -- in the driver ---------------------------------------------------------------------------------


@dataclass
class _Item:
    """A work that was asked for."""

    about: Any
    future: Future[Any]
    deaths: int = 0


@dataclass(frozen=True)
class _Kind:
    """Works that may travel together."""

    work: Callable[[Any], Any]
    needs: Needs


@dataclass(frozen=True)
class _Flight:
    """A task that Ray has."""

    kind: _Kind
    items: list[_Item]
    nodes: Sequence[str]  # that it is bound to; none: any


@dataclass
class _Pace:
    """How long works of a kind take, and so how many of them travel together."""

    seconds: float = 0.0
    batch: int = 1

    def note(self, seconds: float) -> None:
        self.seconds = seconds if self.seconds == 0 else 0.9 * self.seconds + 0.1 * seconds
        self.batch = max(1, min(_LARGEST_BATCH, int(_BATCH_SECONDS / max(self.seconds, 1e-6))))


@dataclass
class _Node:
    name: str
    cpus: float
    alive: bool = True
    programs: dict[str, bool] = field(default_factory=dict)  # that were asked about


class RayWorkers:
    """Works on the nodes of a Ray cluster: at an address, or one on this machine that ends with this process."""

    repeats = True

    def __init__(self, address: str = OWN, count: int = 1) -> None:
        self._ray = _ray_joined(address, count)
        self._address = address
        self._order = _Order(release_here(), str(Path.cwd()))
        self._lock = threading.RLock()
        self._waiting: dict[_Kind, deque[_Item]] = {}
        self._paces: dict[Callable[[Any], Any], _Pace] = {}
        self._latest = _Pace()
        self._flying: dict[Any, _Flight] = {}
        self._arrived: SimpleQueue[Any] = SimpleQueue()
        self._nodes: dict[str, _Node] = {}
        self._tasks: dict[Needs, Any] = {}
        self._log: Path | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="ray-answers", daemon=True)
        self.deaths: Counter[str] = Counter()  # of tasks, by what died
        try:
            self._look_at_nodes()
            self._require_same_release()
        except BaseException:
            self.close()
            raise
        self._shared_order = self._ray.put(self._order)
        self._thread.start()

    @property
    def slots(self) -> int:
        """Twice what is worked on at a time, so that nobody is idle between two works."""
        cpus = sum(node.cpus for node in self._nodes.values() if node.alive)
        return 2 * max(1, int(cpus)) * self._latest.batch

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        kind = _Kind(work, needs_of(work, about))
        item = _Item(about, Future())
        with self._lock:
            self._latest = self._paces.setdefault(work, _Pace())
            waiting = self._waiting.setdefault(kind, deque())
            waiting.append(item)
            if len(waiting) >= self._latest.batch:
                self._send(kind)
            else:
                self._arrived.put(None)  # so that it does not wait for long
        return item.future

    def share(self, value: A) -> Shared[A]:
        return _Stored(self._ray.put(value))

    def renew(self) -> None:
        """Ray does."""

    def close(self) -> None:
        """Leaves the cluster, which ends all that works for this process there."""
        self._closing.set()
        self._arrived.put(None)
        if self._thread.is_alive():
            self._thread.join(1)  # Ray ends the process when somebody asks for something while it shuts down
        _leave(self._ray)

    # Sending

    def _send(self, kind: _Kind, alone: Sequence[_Item] = ()) -> None:
        """Makes a task of what is waiting, or of these."""
        waiting = self._waiting.setdefault(kind, deque())
        batch = self._paces[kind.work].batch
        items = list(alone) or [waiting.popleft() for _ in range(min(batch, len(waiting)))]
        if not items:
            return
        try:
            nodes = self._nodes_with(kind.needs.programs) if kind.needs.programs else []
            task = self._task(kind.needs, nodes)
            reference = task.remote(self._shared_order, kind.work, [item.about for item in items])
        except Exception as error:
            _fail(items, error)
            return
        self._flying[reference] = _Flight(kind, items, nodes)
        reference.future().add_done_callback(lambda _: self._arrived.put(reference))

    def _task(self, needs: Needs, nodes: Sequence[str]) -> Any:
        """Ray's task for these needs, bound to some nodes or to none."""
        if needs not in self._tasks:
            self._tasks[needs] = self._ray.remote(max_retries=0, num_cpus=needs.cpus, num_gpus=needs.gpus)(_serve)
        task = self._tasks[needs]
        return task.options(label_selector={"ray.io/node-id": f"in({','.join(nodes)})"}) if nodes else task

    def _nodes_with(self, programs: frozenset[str]) -> list[str]:
        self._ask_for(programs)
        alive = [(key, node) for key, node in self._nodes.items() if node.alive]
        found = [key for key, node in alive if all(node.programs.get(program) for program in programs)]
        if not found:
            raise UnfitError(f"no node of the cluster has the program {', '.join(sorted(programs))}")
        return found

    # Nodes

    def _look_at_nodes(self) -> None:
        found = dict(self._nodes)  # others may be reading the old one
        for about in self._ray.nodes():
            key, cpus = about["NodeID"], about.get("Resources", {}).get("CPU", 0.0)
            found.setdefault(key, _Node(_node_name(about), cpus)).alive = about["Alive"]
        self._nodes = found

    def _recall_from_dead_nodes(self) -> None:
        """What only nodes that are gone may do would wait for ever."""
        for reference, flight in list(self._flying.items()):
            if flight.nodes and not any(self._nodes[key].alive for key in flight.nodes):
                self._ray.cancel(reference, force=True)

    def _require_same_release(self) -> None:
        """Asks every node that may work, before anything is played."""
        for key, (release, _) in self._looks(list(self._working()), []):
            if difference := self._order.release.difference(release):
                raise UnfitError(self._refusal(key, difference))

    def _ask_for(self, programs: frozenset[str]) -> None:
        unasked = [key for key, node in self._working().items() if not programs <= node.programs.keys()]
        found = {key: there for key, (_, there) in self._looks(unasked, sorted(programs))}
        for key in unasked:
            self._nodes[key].programs |= {program: program in found.get(key, []) for program in programs}

    def _working(self) -> dict[str, _Node]:
        return {key: node for key, node in self._nodes.items() if node.alive and node.cpus > 0}

    def _looks(self, keys: Sequence[str], programs: list[str]) -> Iterator[tuple[str, tuple[Release, list[str]]]]:
        """What these nodes have, except those that die or are too busy to say: workers look again before they work."""
        strategy = need("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        look = self._ray.remote(num_cpus=0)(_look)
        asked = {
            key: look.options(scheduling_strategy=strategy(key, soft=False)).remote(self._order.folder, programs)
            for key in keys
        }
        ends = time.monotonic() + _SECONDS_TO_ANSWER
        for key, reference in asked.items():
            try:
                yield key, self._ray.get(reference, timeout=max(0.0, ends - time.monotonic()))
            except self._ray.exceptions.RayTaskError as error:
                raise UnfitError(self._refusal(key, f"cannot work: {_last_line(error)}")) from None
            except self._ray.exceptions.RayError:
                continue

    def _refusal(self, key: str, why: str) -> str:
        return f"node {self._name(key)} {why}"

    def _name(self, key: str) -> str:
        if key not in self._nodes:
            self._look_at_nodes()
        return self._nodes[key].name if key in self._nodes else key

    # Answers

    def _listen(self) -> None:
        looked = time.monotonic()
        while not self._closing.is_set():
            try:
                reference = self._arrived.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                reference = None
            if self._closing.is_set():
                return
            if reference is not None:
                self._take(reference)
            elif self._waiting_short():
                time.sleep(_LINGER_SECONDS)
            self._send_rest()
            if time.monotonic() - looked > _SECONDS_BETWEEN_LOOKS:
                with contextlib.suppress(Exception):  # a head that is away for a moment
                    self._look_at_nodes()
                    self._recall_from_dead_nodes()
                looked = time.monotonic()

    def _waiting_short(self) -> bool:
        return self._arrived.empty() and any(self._waiting.values())

    def _send_rest(self) -> None:
        """What has waited for company is sent as it is, once nothing else is to be done."""
        if not self._arrived.empty():
            return
        with self._lock:
            for kind, waiting in list(self._waiting.items()):
                while waiting:
                    self._send(kind)

    def _take(self, reference: Any) -> None:
        with self._lock:
            flight = self._flying.pop(reference)
        try:
            answers: _Answers = self._ray.get(reference)
        except Exception as error:
            self._begin_again(flight, error)
            return
        if answers.unfit:
            _fail(flight.items, UnfitError(self._refusal(answers.node, answers.unfit)))
            return
        for item, answer in zip(flight.items, answers.answers, strict=True):
            self._paces[flight.kind.work].note(answer.seconds)
            if answer.error is None:
                item.future.set_result(answer.value)
            else:
                item.future.set_exception(self._explained(answer, answers.node))

    def _begin_again(self, flight: _Flight, error: Exception) -> None:
        """Each work alone, so that one that kills its worker is found out.

        A node's death is nobody's fault, and in company nobody knows whose it was.
        """
        exceptions = self._ray.exceptions
        gone = exceptions.NodeDiedError | exceptions.TaskCancelledError | exceptions.TaskUnschedulableError
        node_died = isinstance(error, gone)
        if node_died and flight.nodes:
            self._look_at_nodes()
        if not node_died and not isinstance(error, exceptions.WorkerCrashedError | exceptions.OutOfMemoryError):
            _fail(flight.items, error)
            return
        self.deaths["node" if node_died else "worker"] += 1
        guilty = not node_died and len(flight.items) == 1
        for item in flight.items:
            item.deaths += guilty
            if item.deaths >= TRIES:
                item.future.set_exception(BrokenExecutor(f"processes died {TRIES} times"))
            else:
                with self._lock:
                    self._send(flight.kind, [item])

    def _explained(self, answer: _Answer, key: str) -> Exception:
        """The error as people see it: what nobody foresaw with the node's name and a file that says more."""
        assert answer.error is not None
        if isinstance(answer.error, UnfitError):
            return UnfitError(f"node {self._name(key)}: {answer.error}")
        if not answer.trace:
            return answer.error
        where = self._logged(f"node {self._name(key)}\n{answer.trace}\n")
        return WorkersError(f"node {self._name(key)}: {quoted(str(answer.error), 300)} (see {where})")

    def _logged(self, text: str) -> Path:
        if self._log is None:
            handle, name = tempfile.mkstemp(prefix="spielwerk-workers-", suffix=".log")
            os.close(handle)
            self._log = Path(name)
        with self._log.open("a", encoding="utf-8") as file:
            file.write(text)
        return self._log


def _node_name(about: dict[str, Any]) -> str:
    """As whoever started the node called it, or its host."""
    name, address = about.get("NodeName", ""), about["NodeManagerAddress"]
    return str(name) if name and name != address else f"{about['NodeManagerHostname']} ({address})"


def _fail(items: Sequence[_Item], error: Exception) -> None:
    known = error if isinstance(error, ValueError) else None
    for item in items:
        lost = f"the cluster failed: {type(error).__name__}: {_last_line(error)}"
        item.future.set_exception(known or WorkersError(lost))


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return quoted(lines[-1] if lines else type(error).__name__, 300)


# -- joining ---------------------------------------------------------------------------------------


def _ray_joined(address: str, count: int) -> Any:
    """Ray, connected; ValueError that says why it is not."""
    while _leaving:
        _leaving.pop().join()
    if address not in (OWN, "auto"):
        _require_reachable(address)
    for name, value in (QUIET if address else QUIET | LOOPBACK_ONLY).items():
        os.environ.setdefault(name, value)
    ray = need("ray")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "include_dashboard": False}
    own = {"num_cpus": count, "object_store_memory": _OBJECT_STORE_BYTES, "_node_ip_address": LOOPBACK}
    try:
        if address == OWN:
            ray.init(address="local", **quiet, **own)
        else:
            del quiet["include_dashboard"]
            ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, TimeoutError, ValueError) as error:
        raise ValueError(f"--ray {address}: {_last_line(error)}".replace("  ", " ")) from None
    return ray


_leaving: list[threading.Thread] = []


def _leave(ray: Any) -> None:
    """Returns once Ray has heard of it: a Ray of our own takes a second more to go, for which nobody should wait."""
    atexit.unregister(ray.shutdown)
    leaving = threading.Thread(target=ray.shutdown, name="ray-leaving", daemon=True)
    leaving.start()
    leaving.join(_SECONDS_TO_LEAVE)
    _leaving.append(leaving)


def _require_reachable(address: str) -> None:
    """Ray itself tries for minutes."""
    place = re.fullmatch(r"(?P<host>[\w.-]+|\[[\da-fA-F:.]+\]):(?P<port>\d{1,5})", address)
    if place is None or not 0 < int(place["port"]) < 65_536:
        raise ValueError(f"--ray takes HOST:PORT or auto, or nothing for a Ray of its own, not '{quoted(address, 40)}'")
    try:
        socket.create_connection((place["host"].strip("[]"), int(place["port"])), _SECONDS_TO_REACH).close()
    except OSError as error:
        raise ValueError(f"--ray {address}: there is no cluster: {error.strerror or error}") from None
