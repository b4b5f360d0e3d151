"""What a cluster costs and where it ends: overhead per game, games a second by workers, driver, store, learner.

    python benchmarks/cluster.py overhead     # games of about 100 ms and short ones, Ray beside local processes
    python benchmarks/cluster.py scaling      # games a second with 1, 2, 4, 8 workers
    python benchmarks/cluster.py driver       # games a second that one driver hands out and stores
    python benchmarks/cluster.py store        # games a second that a store takes, by how many at once
    python benchmarks/cluster.py learner      # what a self-play worker brings, what a learner takes, bytes between

Everything happens on this machine. --database measures `driver` and `store` with another database than SQLite.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spielwerk.arena.cluster import RayWorkers
from spielwerk.arena.match import Played, play
from spielwerk.arena.schedule import Fixture, Schedule
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import tournament_of
from spielwerk.arena.workers import InProcess, Processes, Workers
from spielwerk.games import make

GAME = make("pferdeaepfel/classic")
LONG = ("mcts:sims=6000", "mcts:sims=5000")
SHORT = ("greedy", "random")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["overhead", "scaling", "driver", "store", "learner"])
    parser.add_argument(
        "--games", type=int, default=60, help="long games in a measurement; 20 times as many short ones"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", help="a URL, instead of an SQLite file")
    arguments = parser.parse_args()
    measured: dict[str, Callable[[argparse.Namespace], Any]] = {
        "overhead": overhead, "scaling": scaling, "driver": driver, "store": store, "learner": learner,
    }  # fmt: skip
    load = os.getloadavg()[0]
    print(json.dumps({"load before": load, **measured[arguments.what](arguments)}, indent=2))


# -- games -----------------------------------------------------------------------------------------


def fixtures(players: tuple[str, ...], count: int, start: int = 0) -> list[Fixture]:
    schedule = Schedule(GAME, players)
    return [schedule.pairing(start + number)[0] for number in range(count)]


def spent(workers: Workers, games: list[Fixture]) -> float:
    """Seconds for these games, handed out as a tournament does."""
    begin = time.perf_counter()
    coming, busy = iter(games), 0
    futures: list[Future[Played]] = []
    for fixture in coming:
        while busy - sum(future.done() for future in futures[-busy:]) >= workers.slots:
            time.sleep(0.005)
        futures.append(workers.submit(play, fixture))
        busy = min(len(futures), 2 * workers.slots)
    for future in futures:
        future.result()
    return time.perf_counter() - begin


def warmed(workers: Workers) -> Workers:
    spent(workers, fixtures(SHORT, 200))
    return workers


def overhead(arguments: argparse.Namespace) -> dict[str, Any]:
    """By the clock, in turns, and by processor time of all processes involved: that is the same on a busy machine."""
    here = warmed(Processes(1))
    pool = descendants()
    there = warmed(RayWorkers("", 1))
    involved = {"processes": pool, "ray": descendants() - pool}
    found: dict[str, Any] = {}
    for kind, players, count in (("long", LONG, arguments.games), ("short", SHORT, 20 * arguments.games)):
        clock: dict[str, list[float]] = {"processes": [], "ray": []}
        processor: dict[str, list[float]] = {"processes": [], "ray": []}
        for number in range(arguments.rounds):
            games = fixtures(players, count, number * count)
            for name, workers in (("processes", here), ("ray", there)):
                before = processor_seconds(involved[name])
                clock[name].append(1000 * spent(workers, games) / count)
                processor[name].append(1000 * (processor_seconds(involved[name]) - before) / count)
        found[f"{kind} games"] = {
            "ms by the clock": {name: statistics.median(values) for name, values in clock.items()},
            "ms of processors": {name: statistics.median(values) for name, values in processor.items()},
            "overhead in processor time, %": 100
            * (statistics.median(processor["ray"]) / statistics.median(processor["processes"]) - 1),
            "of each round, %": [
                round(100 * (two / one - 1), 1)
                for one, two in zip(processor["processes"], processor["ray"], strict=True)
            ],
        }
    here.close()
    there.close()
    return found


def descendants() -> set[int]:
    """Processes that this one started, and theirs."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    found: set[int] = set()
    while more := {pid for pid, parent in parents.items() if parent in found | {os.getpid()}} - found:
        found |= more
    return found


def processor_seconds(processes: set[int]) -> float:
    """Of these and of this one."""
    ticks = 0
    for pid in processes | {os.getpid()}:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def scaling(arguments: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for count in (1, 2, 4, 8):
        for name, begin in (("processes", Processes), ("ray", lambda count: RayWorkers("", count))):
            workers = warmed(begin(count))
            for kind, players, games in (("long", LONG, arguments.games), ("short", SHORT, 20 * arguments.games)):
                rates = [games / spent(workers, fixtures(players, games, n * games)) for n in range(arguments.rounds)]
                found.setdefault(f"{kind} games/s, {name}", {})[count] = statistics.median(rates)
            workers.close()
    return found


# -- the driver and the store ----------------------------------------------------------------------


class Ready(InProcess):
    """Workers that have played before they are asked."""

    slots = 1000

    def __init__(self, games: list[Played]) -> None:
        self._games = {game.fixture.id: game for game in games}

    def submit(self, work: Callable[[Any], Any], about: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(self._games[about.id])
        return done


def driver(arguments: argparse.Namespace) -> dict[str, Any]:
    count = 20 * arguments.games
    schedule = Schedule(GAME, SHORT)
    games = [play(fixture) for number in range(count // 2) for fixture in schedule.pairing(number)]
    with TemporaryDirectory() as folder, GameStore(arguments.database or f"{folder}/games.db") as opened:
        tournament = tournament_of(GAME, SHORT, opened, games=count)
        begin = time.perf_counter()
        tournament.run(Ready(games))
        seconds = time.perf_counter() - begin
    return {"games": count, "games/s": count / seconds, "bytes of a game": len(pickle.dumps(games[0]))}


def store(arguments: argparse.Namespace) -> dict[str, Any]:
    played = [play(fixture) for fixture in fixtures(SHORT, 20 * arguments.games)]
    found = {}
    for at_once in (1, 16, 256):
        part = played[: 100 if at_once == 1 else None]
        marked = [
            replace(game, fixture=replace(game.fixture, id=f"{game.fixture.id}-{at_once}-{time.time_ns()}"[:40]))
            for game in part
        ]
        with TemporaryDirectory() as folder, GameStore(arguments.database or f"{folder}/games.db") as opened:
            begin = time.perf_counter()
            for first in range(0, len(marked), at_once):
                opened.add(marked[first : first + at_once])
            found[f"games/s, {at_once} at once"] = len(marked) / (time.perf_counter() - begin)
    return found


# -- learning --------------------------------------------------------------------------------------


def learner(arguments: argparse.Namespace) -> dict[str, Any]:
    """The usual settings of a processor: one worker with 64 games, and how fast the learner learns from rows."""
    import torch

    from spielwerk.training.alphazero import AlphaZero, FarGroup, GroupOrder, played_group
    from spielwerk.training.config import AlphaZeroConfig
    from spielwerk.training.snapshot import fingerprint

    torch.set_num_threads(1)
    config = AlphaZeroConfig(n_envs=64)
    run = AlphaZero(make("pferdeaepfel/trail"), config)
    group = FarGroup(0, 64, run.groups[0].facts())
    shared = InProcess().share(run.network)
    order = GroupOrder(run.game.name, run.game.rules, config, group, shared, fingerprint(run.network), 0)
    played, decisions, seconds = [], 0, 0.0
    for _ in range(arguments.rounds + 2):
        begin = time.perf_counter()
        played.append(played_group(order))
        seconds += time.perf_counter() - begin
        decisions += played[-1].decisions
        group.restore(played[-1].games)
    updates = iter(run.updates())
    for _ in range(6):  # until there are rows to learn from
        next(updates)
    begin, steps = time.perf_counter(), 20
    for _ in range(steps):
        run._gradient_step(run.replay.draw(config.minibatch))
    step = (time.perf_counter() - begin) / steps
    rows = sum(len(harvest.rows["place"]) for harvest in played)
    return {
        "decisions/s of a worker": decisions / seconds,
        "rows/s of a worker": rows / seconds,
        "seconds of a group's update": seconds / len(played),
        "bytes of a group's answer": len(pickle.dumps(played[-1])),
        "bytes of its order": len(pickle.dumps(replace(order, playing=None))),  # type: ignore[arg-type]
        "bytes of the network": len(pickle.dumps(run.network)),
        "ms of a gradient step": 1000 * step,
        "rows/s of the learner": config.minibatch / config.reuse / step,
    }


if __name__ == "__main__":
    main()
