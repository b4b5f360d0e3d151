"""What an honest player notices of one rude address: the time until a move is acknowledged, under each attack.

    python benchmarks/server_attacks.py [--seconds 15] [--attack NAME]… [--python PATH] [--json]

The server runs as an operator starts it, with its usual limits and with the usual 1024 open files. The honest player
connects from 127.0.0.1, the rude client from 127.0.0.2, each in a process of its own; all of it stays on this machine
and ends after the given time. `--python` names an interpreter with another version of the package, to compare with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

HONEST, RUDE = "127.0.0.1", "127.0.0.2"
GAME = "pferdeaepfel/classic"
SHORT_TURNS = "pferdeaepfel/trail"
MOVES_A_SECOND = 20
USUAL_FILES = 1024
SILENT = 1100
FAILED = 10.0  # counted for a move that was not acknowledged within this time

Json = dict[str, Any]


class Client:
    """HTTP and sockets from one address."""

    def __init__(self, port: int, address: str) -> None:
        self.port = port
        self.address = address
        transport = httpx.AsyncHTTPTransport(local_address=address)
        self.http = httpx.AsyncClient(base_url=f"http://{HONEST}:{port}", transport=transport, timeout=FAILED)

    async def open(self, game: str, *seats: Json, **more: Any) -> Json | None:
        """A new table, or None where that is refused."""
        answer = await self.http.post("/api/tables", json={"game": game, "seats": list(seats), **more})
        opened: Json | None = answer.json() if answer.status_code == 201 else None
        return opened

    async def sit_down(self, opened: Json) -> Seated:
        """A connection that holds all of the table's own seats."""
        address = f"ws://{HONEST}:{self.port}/api/tables/{opened['id']}/socket"
        socket = await connect(address, max_size=None, compression=None, local_addr=(self.address, 0))
        seated = Seated(socket)
        tokens = list(opened.get("tokens", {}).values())
        await socket.send(json.dumps({"type": "hello", "protocol": 1, "tokens": tokens, "scenes": False}))
        await seated.until("snapshot")
        return seated


class Seated:
    """Someone at a table."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.legal: list[str] = []
        self.seq = 0
        self.over = False
        self.player: int | None = None

    async def until(self, *kinds: str, seat: int | None = None) -> Json:
        """The next message of these kinds."""
        while True:
            message: Json = json.loads(await self.socket.recv())
            if "legal" in message:
                self.legal, self.seq, self.over = message["legal"], message["seq"], message["status"] == "over"
                self.player = message["player"]
            if message["type"] in kinds and seat in (None, message.get("seat")):
                return message

    async def send(self, kind: str, **fields: Any) -> None:
        """A command."""
        await self.socket.send(json.dumps({"type": kind, "id": 1, "seq": self.seq, **fields}))

    async def move(self) -> float:
        """A random move; seconds until it is acknowledged."""
        began = time.perf_counter()
        await self.send("play", action=random.choice(self.legal))
        await self.until("ack", "error")
        return time.perf_counter() - began


# The honest player


async def play_honestly(port: int, seconds: float) -> Json:
    """Moves at a steady pace, and a few games against opponents."""
    client = Client(port, HONEST)
    times: list[float] = []
    waits: dict[str, list[float]] = {"greedy": [], "master": []}
    end = time.perf_counter() + seconds
    await asyncio.gather(
        _play_on(client, end, times), *(_ask_opponent(client, level, end, waits[level]) for level in waits)
    )
    times.sort()
    return {
        "moves": len(times),
        "p50_ms": round(1000 * statistics.median(times), 1),
        "p99_ms": round(1000 * times[min(len(times) - 1, int(0.99 * len(times)))], 1),
        "worst_ms": round(1000 * times[-1], 1),
        **{f"{level}_answers_s": round(statistics.median(found), 2) for level, found in waits.items() if found},
    }


async def _play_on(client: Client, end: float, times: list[float]) -> None:
    due = time.perf_counter()
    seated: Seated | None = None
    while time.perf_counter() < end:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(FAILED):
                if seated is None or seated.over or not seated.legal:
                    seated = await _hotseat(client)
                times.append(await seated.move())
        except (OSError, TimeoutError, httpx.HTTPError, WebSocketException):
            seated = None
            times.append(max(FAILED, time.perf_counter() - began))
        due = max(due + 1 / MOVES_A_SECOND, time.perf_counter())
        await asyncio.sleep(max(0.0, due - time.perf_counter()))


async def _hotseat(client: Client) -> Seated:
    human = {"kind": "human"}
    while (opened := await client.open(GAME, human, human, hotseat=True)) is None:
        await asyncio.sleep(0.1)
    return await client.sit_down(opened)


async def _ask_opponent(client: Client, level: str, end: float, waits: list[float]) -> None:
    """How long the first answer of a level takes in game after game."""
    while (began := time.perf_counter()) < end:
        try:
            async with asyncio.timeout(max(1.0, end - began)):
                opened = await client.open(SHORT_TURNS, {"kind": "human"}, {"kind": "agent", "level": level})
                if opened is None:
                    await asyncio.sleep(0.5)
                    continue
                seated = await client.sit_down(opened)
                began = time.perf_counter()
                while seated.player == 0:
                    await seated.move()
                await seated.until("event", seat=1)
                waits.append(time.perf_counter() - began)
                await seated.socket.close()
        except TimeoutError:
            waits.append(time.perf_counter() - began)  # it took at least that long
        except (OSError, httpx.HTTPError, WebSocketException):
            await asyncio.sleep(0.2)
        await asyncio.sleep(0.5)


# The rude client


async def nobody(port: int, end: float) -> Json:
    """No attack, to compare with."""
    return {}


async def silence(port: int, end: float) -> Json:
    """Over a thousand connections that say nothing, or half of a request's head; those that are closed come again."""
    opened = 0

    async def connection(number: int) -> None:
        nonlocal opened
        while time.perf_counter() < end:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(HONEST, port, local_addr=(RUDE, 0))
                opened += 1
                if number % 2:
                    writer.write(b"GET /api/info HTTP/1.1\r\nHost: x\r\nX-Slow: ")
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1), max(0.0, end - time.perf_counter()))
                writer.close()
            await asyncio.sleep(1)

    await asyncio.gather(*(connection(number) for number in range(SILENT)))
    return {"connections": opened}


async def heavy_records(port: int, end: float) -> Json:
    """Long records uploaded, watched by connections that come and go, looked at, and continued."""
    client = Client(port, RUDE)
    done = {"uploads": 0, "snapshots": 0, "continued": 0, "looked": 0, "refused": 0}
    tables: list[Json] = []

    async def upload() -> None:
        for turns in (10_000, 2000):
            answer = await client.http.post("/api/records", json=_long_record(turns))
            if answer.status_code == 201:
                tables.append(answer.json() | {"plies": 2 * turns})
                done["uploads"] += 1
                return
        done["refused"] += 1

    async def reconnect() -> None:
        seated = await client.sit_down(random.choice(tables))
        done["snapshots"] += 1
        await seated.socket.close()

    async def go_on() -> None:
        table = random.choice(tables)
        body = {"ply": table["plies"], "seats": [{"kind": "human"}] * 4, "hotseat": True}
        answer = await client.http.post(f"/api/tables/{table['id']}/continue", json=body)
        done["continued" if answer.status_code == 201 else "refused"] += 1

    async def look() -> None:
        table = random.choice(tables)
        answer = await client.http.get(f"/api/tables/{table['id']}/plies/{table['plies']}")
        done["looked" if answer.status_code == 200 else "refused"] += 1

    await upload()
    if tables:
        await _repeat([upload] + [reconnect] * 4 + [go_on] * 2 + [look] * 2, end, done)
    return done


def _long_record(turns: int) -> Json:
    """Ludo with a die that only shows ones: nobody ever moves."""
    return {
        "spielwerk": 1,
        "game": "ludo/ffa",
        "rules": {"max_plies": 100_000},
        "rules_version": 1,
        "actions": ["d1", "pass"] * turns,
    }


async def thinking(port: int, end: float) -> Json:
    """Thirty games against the slowest opponent at once, each answered the moment it has moved."""
    client = Client(port, RUDE)
    done = {"answers": 0, "refused": 0}

    async def game() -> None:
        opened = await client.open(SHORT_TURNS, {"kind": "agent", "level": "master"}, {"kind": "human"})
        if opened is None:
            done["refused"] += 1
            return
        seated = await client.sit_down(opened)
        while not seated.over:
            while seated.player == 0:
                await seated.until("event")
            done["answers"] += 1
            while seated.player == 1:
                await seated.move()

    await _repeat([game] * 30, end, done)
    return done


async def storage(port: int, end: float) -> Json:
    """Tables opened as fast as it goes, moves played and taken back on fifty connections."""
    client = Client(port, RUDE)
    done = {"tables": 0, "events": 0, "refused": 0}

    async def open_tables() -> None:
        opened = await client.open(GAME, {"kind": "human"}, {"kind": "open"})
        done["tables" if opened else "refused"] += 1

    async def back_and_forth() -> None:
        seated = await _hotseat(client)
        while time.perf_counter() < end:
            action, moved = {"action": random.choice(seated.legal)}, "play"
            for kind, fields in ((moved, action), ("takeback", {})):
                await seated.send(kind, **fields)
                answer = await seated.until("ack", "error")
                done["events" if answer["type"] == "ack" else "refused"] += 1

    await _repeat([open_tables] * 4 + [back_and_forth] * 50, end, done)
    return done


async def _repeat(actions: Sequence[Callable[[], Awaitable[None]]], end: float, done: dict[str, int]) -> None:
    async def one(action: Callable[[], Awaitable[None]]) -> None:
        while (now := time.perf_counter()) < end:
            try:
                async with asyncio.timeout(end - now):
                    await action()
            except (OSError, TimeoutError, httpx.HTTPError, WebSocketException):
                done["refused"] += 1
                await asyncio.sleep(0.05)
            await asyncio.sleep(0)

    await asyncio.gather(*map(one, actions))


ATTACKS: dict[str, Callable[[int, float], Awaitable[Json]]] = {
    "none": nobody,
    "silence": silence,
    "records": heavy_records,
    "thinking": thinking,
    "storage": storage,
}


# Putting them together


def measure(attack: str, seconds: float, python: str) -> Json:
    """The honest player's figures while an attack goes on, and what the attack got through."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            server = _start([python, "-m", "spielwerk", "serve", "--port", "0", "--no-open"], folder, errors)
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline().rsplit(":", 1)[1].partition("/")[0])
                used, began = _processor_seconds(server.pid), time.perf_counter()
                honest, rude = _run_both(attack, port, seconds)
                share = (_processor_seconds(server.pid) - used) / (time.perf_counter() - began)
                memory = _peak_megabytes(server.pid)
            finally:
                server.terminate()
                server.wait(30)
                if server.stdout is not None:
                    server.stdout.close()
        stored = sum(file.stat().st_size for file in Path(folder).glob("games.db*"))
        return {
            "attack": attack,
            **honest,
            "server_share_of_a_core": round(share, 2),
            "memory_mb": memory,
            "log_kb": log.stat().st_size // 1000,
            "stored_kb": stored // 1000,
            "attacker": rude,
        }


def _start(command: list[str], folder: str, errors: Any) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.Popen(
        ["sh", "-c", f'ulimit -Sn {USUAL_FILES}; exec "$@"', "sh", *command, "--database", f"{folder}/games.db"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )


def _run_both(attack: str, port: int, seconds: float) -> tuple[Json, Json]:
    """The attack begins first and lasts longer."""
    role = [sys.executable, __file__, "--port", str(port)]
    rude = subprocess.Popen([*role, "--role", attack, "--seconds", str(seconds + 4)], stdout=subprocess.PIPE, text=True)
    time.sleep(3 if attack != "none" else 0)
    honest = subprocess.run(
        [*role, "--role", "honest", "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=True
    )
    attacker, _ = rude.communicate(timeout=60)
    return json.loads(honest.stdout), json.loads(attacker or "{}")


def _play_role(role: str, port: int, seconds: float) -> Json:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if role == "honest":
        return asyncio.run(play_honestly(port, seconds))
    return dict(asyncio.run(_attack(role, port, time.perf_counter() + seconds)))


async def _attack(role: str, port: int, end: float) -> Json:
    return await ATTACKS[role](port, end)


def _peak_megabytes(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--attack", action="append", choices=ATTACKS, help="only this one; as often as needed")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="the interpreter that serves")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--role", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role:
        print(json.dumps(_play_role(arguments.role, arguments.port, arguments.seconds)))
        return
    for attack in arguments.attack or ATTACKS:
        figures = measure(attack, arguments.seconds, arguments.python)
        print(
            json.dumps(figures) if arguments.json else "  ".join(f"{name} {value}" for name, value in figures.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
