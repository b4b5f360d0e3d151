"""Steps a second of batches on a GPU, beside the same batches on the processor's threads.

    python benchmarks/gpu.py                      # every ruleset, 2^20 games
    python benchmarks/gpu.py --games 4096 --graph # what a small batch does inside a CUDA graph
    python benchmarks/gpu.py --peers              # and Pgx after it, in batches of 4096 and 2^17 games

Random legal play; a step writes observation, mask, rewards and seats. Both draw their actions; "steps alone" leaves out
the time of drawing them, which is measured apart. Pgx has games of its own and has to be installed beside JAX;
peers/pgx_gpu.py says what is measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

import spielwerk as sw

SECONDS = 1.0
PEER_GAMES = (4096, 1 << 17)
PEER_SECONDS = 400.0  # most of it compiles; a peer that takes longer is stopped, and what it has said is kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1 << 20)
    parser.add_argument("--threads", type=int, default=16, help="of the processor, for comparison; 0 leaves it out")
    parser.add_argument("--rulesets", nargs="*", default=sw.games())
    parser.add_argument("--graph", action="store_true", help="capture sixteen steps in a CUDA graph")
    parser.add_argument("--peers", nargs="*", type=int, metavar="GAMES", help="also Pgx, in batches of so many games")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for row in rows(arguments):
        print(json.dumps(row) if arguments.json else as_line(row), flush=True)


def rows(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in arguments.rulesets:
        yield measured(name, arguments)
    if arguments.peers is not None:
        torch.cuda.empty_cache()
        yield from peer_rows(arguments.peers or PEER_GAMES)


def measured(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    env: Any = sw.vector(name, arguments.games, device="cuda")
    size = env.observation[0].numel() + env.mask[0].numel()
    rate, alone = device_rates(env, arguments.graph)
    row = {"ruleset": name, "games": arguments.games, "steps_per_second": rate, "alone": alone, "bytes_per_step": size}
    if arguments.threads:
        row["processor"] = processor_rate(name, arguments.games, arguments.threads)
    return row


def peer_rows(games: Sequence[int]) -> Iterator[dict[str, Any]]:
    """From a process of its own, as JAX keeps the memory it has taken; a last row says why it ended early."""
    path = [str(Path(__file__).resolve().parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            [sys.executable, "-m", "peers.pgx_gpu", "--games", *map(str, games)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        watchdog = threading.Timer(PEER_SECONDS, process.kill)
        watchdog.start()
        try:
            yield from map(json.loads, process.stdout)
        finally:
            watchdog.cancel()
        if process.wait() != 0:
            complaints.seek(0)
            said = [line for line in complaints.read().split("\n") if line]
            yield {"ruleset": "Pgx", "error": said[-1] if said and process.returncode > 0 else "stopped"}


def as_line(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['ruleset']:30} {row.get('games', '')!s:>8} absent: {row['error']}"
    line = (
        f"{row['ruleset']:30} {row['games']:8} games {row['steps_per_second'] / 1e9:8.3f} G steps/s"
        f" {row['steps_per_second'] * row['bytes_per_step'] / 1e12:6.2f} TB/s written, {row['alone'] / 1e9:.3f} G alone"
    )
    if "processor" in row:
        line += f"   processor {row['processor'] / 1e9:.4f} G, {row['steps_per_second'] / row['processor']:.0f} ×"
    return line


def device_rates(env: Any, graph: bool) -> tuple[float, float]:
    """Steps a second with the drawing of random actions, and without it."""
    env.reset(seed=0)
    for seed in range(40):
        env.step(env.random_actions(seed=seed))

    def draws() -> None:
        for seed in range(16):
            env.random_actions(seed=seed)

    def steps() -> None:
        for seed in range(16):
            env.step(env.random_actions(seed=seed))

    seconds = [1 / rate_of(captured(work) if graph else work, torch.cuda.synchronize) for work in (draws, steps)]
    env.check()
    played = 16 * int(env.num_envs)
    return played / seconds[1], played / (seconds[1] - seconds[0])


def captured(steps: Callable[[], None]) -> Callable[[], None]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        steps()
    return graph.replay


def rate_of(run: Callable[[], None], wait: Callable[[], None]) -> float:
    run()
    wait()
    calls, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        run()
        calls += 1
        if calls % 4 == 0:
            wait()
    wait()
    return calls / (time.perf_counter() - began)


def processor_rate(name: str, games: int, threads: int) -> float:
    env = sw.vector(name, min(games, 1 << 17), threads)
    env.reset(seed=0)
    seeds = iter(range(1 << 30))

    def step() -> None:
        env.step(env.random_actions(seed=next(seeds)))

    return rate_of(step, lambda: None) * env.num_envs


if __name__ == "__main__":
    main()
