"""How many moves a second the server stores and acknowledges: 1000 open games, a steady rate, all on loopback.

    python benchmarks/server_load.py [--games 1000] [--rate 500] [--seconds 15] [--scenes] [--database URL]

The server runs in a process of its own without rate limits and without agents; this process plays both seats of
every game, one move of a game at a time, and measures from sending a move to its acknowledgement.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from spielwerk.server.bot import call

ROOT = Path(__file__).parents[1]
GAME = "pferdeaepfel/classic"


def measure(games: int, rate: float, seconds: float, *, scenes: bool, database: str = "") -> dict[str, Any]:
    """Percentiles of the acknowledgements in milliseconds, moves a second, and the server's memory."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.server.serve_for_tests", "0", database or f"{folder}/games.db"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().split()[1])
            tables = [Table(f"http://127.0.0.1:{port}", scenes) for _ in range(games)]
            times, took, used = asyncio.run(_play(tables, process.pid, rate, seconds))
            memory = _peak_megabytes(process.pid)
        finally:
            process.terminate()
            process.wait(20)
            if process.stdout is not None:
                process.stdout.close()
    times.sort()
    return {
        "games": games,
        "scenes": scenes,
        "moves": len(times),
        "moves_per_second": round(len(times) / took, 1),
        "p50_ms": round(1000 * times[len(times) // 2], 1),
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1),
        "worst_ms": round(1000 * times[-1], 1),
        "memory_mb": memory,
        "processor_share": round(used / took, 2),
    }


class Table:
    """One game, both seats played from here."""

    def __init__(self, server: str, scenes: bool) -> None:
        self._server = server
        self._scenes = scenes
        self._moves: list[str] = []
        self._seq = 0
        self._hits: dict[str, str] = {}
        self.socket: ClientConnection | None = None

    async def open(self) -> None:
        """A new game with a connection that holds both seats."""
        if self.socket is not None:
            await self.socket.close()
        body = {"game": GAME, "seats": [{"kind": "human"}, {"kind": "human"}], "hotseat": True}
        opened = await asyncio.to_thread(call, self._server, "tables", body)
        address = f"ws{self._server.removeprefix('http')}/api/tables/{opened['id']}/socket"
        compression = "deflate" if self._scenes else None  # as browsers and as bots
        self.socket = await connect(address, max_size=None, compression=compression)
        hello = {"type": "hello", "protocol": 1, "tokens": list(opened["tokens"].values()), "scenes": self._scenes}
        await self.socket.send(json.dumps(hello))
        await self._read_until("snapshot")

    async def move(self) -> float:
        """One random move; the seconds until it was acknowledged."""
        if not self._moves:
            await self.open()
        assert self.socket is not None
        message = {"type": "play", "id": 1, "seq": self._seq, "action": random.choice(self._moves)}
        began = time.perf_counter()
        await self.socket.send(json.dumps(message))
        await self._read_until("ack")
        return time.perf_counter() - began

    async def _read_until(self, kind: str) -> None:
        assert self.socket is not None
        while True:
            message = json.loads(await self.socket.recv())
            if message["type"] in ("snapshot", "event"):
                self._follow(message)
            if message["type"] == kind:
                return

    def _follow(self, message: dict[str, Any]) -> None:
        self._seq = message["seq"]
        if self._scenes:
            self._take_up(message.get("scene") or {})
            self._moves = list(self._hits.values())
        else:
            self._moves = message["legal"]

    def _take_up(self, scene: dict[str, Any]) -> None:
        """The hits of a scene, or what changed of them."""
        if "hits" in scene:
            self._hits = {}
        changes = scene.get("hit_changes", {"put": scene.get("hits", ())})
        for dropped in changes.get("drop", ()):
            del self._hits[dropped]
        self._hits.update({hit["id"]: hit["action"] for hit in changes.get("put", ())})


async def _play(tables: list[Table], process: int, rate: float, seconds: float) -> tuple[list[float], float, float]:
    for start in range(0, len(tables), 20):
        await asyncio.gather(*(table.open() for table in tables[start : start + 20]))
    times: list[float] = []
    gc.freeze()
    gc.disable()  # a pause of this process would be counted as the server's
    used, began = _processor_seconds(process), time.perf_counter()
    end, pause = began + seconds, len(tables) / rate
    starts = [(table, began + number / rate) for number, table in enumerate(tables)]
    await asyncio.gather(*(_play_one(table, due, pause, end, times) for table, due in starts))
    took, used = time.perf_counter() - began, _processor_seconds(process) - used
    gc.enable()
    await asyncio.gather(*(table.socket.close() for table in tables if table.socket is not None))
    return times, took, used


async def _play_one(table: Table, due: float, pause: float, end: float, times: list[float]) -> None:
    """A move at every due time; the games take turns."""
    while due < end:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        times.append(await table.move())
        due += pause


def _peak_megabytes(process: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(encoding="ascii"))
    return int(found.group(1)) // 1024 if found else 0


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=500, help="moves a second")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--scenes", action="store_true", help="connect as pages do, which get pictures, too")
    parser.add_argument("--database", default="", metavar="URL", help="an empty one, in place of a new SQLite file")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(
        arguments.games, arguments.rate, arguments.seconds, scenes=arguments.scenes, database=arguments.database
    )
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        print("  ".join(f"{name} {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
