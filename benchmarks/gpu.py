"""Steps a second of batches on a GPU, beside the same batches on the processor's threads.

    python benchmarks/gpu.py                      # every ruleset, 2^20 games
    python benchmarks/gpu.py --games 4096 --graph # what a small batch does inside a CUDA graph

Random legal play; a step writes observation, mask, rewards and seats. Both draw their actions; "steps alone" leaves out
the time of drawing them, which is measured apart.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import torch

import spielwerk as sw

SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1 << 20)
    parser.add_argument("--threads", type=int, default=16, help="of the processor, for comparison; 0 leaves it out")
    parser.add_argument("--rulesets", nargs="*", default=sw.games())
    parser.add_argument("--graph", action="store_true", help="capture sixteen steps in a CUDA graph")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.rulesets:
        row = measured(name, arguments)
        print(json.dumps(row) if arguments.json else as_line(row), flush=True)


def measured(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    env: Any = sw.vector(name, arguments.games, device="cuda")
    size = env.observation[0].numel() + env.mask[0].numel()
    rate, alone = device_rates(env, arguments.graph)
    row = {"ruleset": name, "games": arguments.games, "steps_per_second": rate, "alone": alone, "bytes_per_step": size}
    if arguments.threads:
        row["processor"] = processor_rate(name, arguments.games, arguments.threads)
    return row


def as_line(row: dict[str, Any]) -> str:
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
