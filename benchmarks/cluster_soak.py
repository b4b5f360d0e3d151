"""Kills workers, nodes and the driver of a tournament on a cluster of this machine, and compares it with a serial one.

    python benchmarks/cluster_soak.py --kills 100

Every so many games somebody is killed with SIGKILL, in turn: a worker process, a worker process, a node with all that
runs on it, and every tenth time the driver, which is then started again against the same store. In the end each game
of the schedule must be there once, with the record that the same game has when it is played here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spielwerk.arena.cluster import LOOPBACK, LOOPBACK_ONLY, QUIET
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import Tournament, tournament_of
from spielwerk.arena.workers import Processes
from spielwerk.games import make

GAME = make("pferdeaepfel/trail")
PLAYERS = ("mcts:sims=800", "greedy")
_SMALL = {"object_store_memory": 80 * 2**20, "node_ip_address": LOOPBACK}
_HELPERS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--games-between", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600.0, help="no more kills after this time")
    arguments = parser.parse_args()
    os.environ |= QUIET | LOOPBACK_ONLY
    with TemporaryDirectory() as folder:
        print(json.dumps(Soak(arguments, Path(folder) / "games.db").run(), indent=2))


class Soak:
    def __init__(self, arguments: argparse.Namespace, store: Path) -> None:
        from ray.cluster_utils import Cluster

        self.arguments = arguments
        self.store = store
        self.games = arguments.games_between * (arguments.kills + 1) * 3 // 2  # some are played while a node starts
        self.source = random.Random(arguments.seed)
        self.cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **_SMALL}
        )
        self.nodes = [self._node() for _ in range(arguments.nodes)]
        self.kills: Counter[str] = Counter()

    def run(self) -> dict[str, Any]:
        begin = time.monotonic()
        driver = self._driver()
        while self.kills.total() < self.arguments.kills and time.monotonic() - begin < self.arguments.seconds:
            self._wait_for((self.kills.total() + 1) * self.arguments.games_between, driver)
            if driver.poll() is not None:
                break
            driver = self._kill(driver)
            print(f"{self.kills.total()} kills, {self._stored()} games", file=sys.stderr)
        if code := driver.wait():
            sys.exit(f"the driver ended with {code} after {self.kills.total()} kills")
        spent = time.monotonic() - begin
        self.cluster.shutdown()
        return {
            "kills": dict(self.kills),
            "killed": self.kills.total(),
            "seconds": round(spent, 1),
            **self._compared(),
        }

    def _kill(self, driver: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        number = self.kills.total() + 1
        kind = "driver" if number % 10 == 0 else "node" if number % 3 == 0 else "worker"
        if kind == "driver":
            driver.kill()
            driver.wait()
            driver = self._driver()
        elif kind == "node":
            self.cluster.remove_node(self.nodes.pop(self.source.randrange(len(self.nodes))), allow_graceful=False)
            self.nodes.append(self._node())
        elif workers := self._workers():
            os.kill(self.source.choice(workers), 9)
        else:
            return driver
        self.kills[kind] += 1
        return driver

    def _node(self) -> Any:
        """A new node; on a busy machine Ray gives up too early."""
        for _ in range(4):
            with suppress(Exception):
                return self.cluster.add_node(num_cpus=1, **_SMALL)
        return self.cluster.add_node(num_cpus=1, **_SMALL)

    def _driver(self) -> subprocess.Popen[bytes]:
        words = ["arena", *PLAYERS, "--game", GAME.name, "--games", str(self.games), "--store", str(self.store)]
        command = [sys.executable, "-m", "spielwerk", *words, "--ray", self.cluster.address]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def _workers(self) -> list[int]:
        """Processes of Ray's that may be playing, by their raylets."""
        raylets = {node.all_processes["raylet"][0].process.pid for node in self.nodes}
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                name = (entry / "cmdline").read_text()
            except OSError:
                continue
            if parent in raylets and name.startswith("ray::") and not name.startswith(_HELPERS):
                found.append(int(entry.name))
        return found

    def _wait_for(self, games: int, driver: subprocess.Popen[bytes]) -> None:
        while self._stored() < games and driver.poll() is None:
            time.sleep(0.05)

    def _stored(self) -> int:
        if not self.store.exists():
            return 0
        with GameStore(str(self.store)) as store:
            return sum(len(results) for _, results in store.all_results())

    def _compared(self) -> dict[str, int]:
        """With the same tournament on this machine: games that are not there, not in it, or went another way."""
        with GameStore(str(self.store)) as store, GameStore() as other:
            serial = self._tournament(other)
            workers = Processes(2)
            serial.run(workers)
            workers.close()
            here, there = _games(serial), _games(self._tournament(store))
            stored = self._stored()
        return {
            "games": len(here),
            "lost": len(here.keys() - there.keys()),
            "doubled": stored - len(there),
            "different": sum(here[key] != there[key] for key in here.keys() & there.keys()),
        }

    def _tournament(self, store: GameStore) -> Tournament:
        return tournament_of(GAME, PLAYERS, store, games=self.games)


def _games(played: Tournament) -> dict[tuple[str, tuple[str, ...]], tuple[Any, ...]]:
    return {
        (result.pairing, result.players): (result.line, result.scores, result.plies, result.forfeit)
        for result in played.results
    }


if __name__ == "__main__":
    main()
