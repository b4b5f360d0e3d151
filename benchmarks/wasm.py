"""Speed of the core for browsers beside the native one: nodes of alpha-beta per CPU-second, on one thread.

    python -m benchmarks.wasm [--nodes 3000000]

Needs `make wasm`, and Node to run the file in. Both search the first position of each ruleset of two seats without
dice, from an empty transposition table, and look at the same positions.
"""

from __future__ import annotations

import argparse
import time

import spielwerk as sw
from spielwerk import _core
from spielwerk.games import Game
from spielwerk.machine import processor
from tests.wasm.bridge import WasmCore

WARM_UP = 200_000  # nodes, until the browser's engine has compiled the hot parts for good


def native_seconds(game: Game, nodes: int) -> tuple[int, float]:
    """The nodes that were looked at and what they took."""
    search, began = _core.alphabeta(game), time.process_time()
    report = search.search(game.start(seed=1), nodes=nodes, seed=1)
    return report.nodes, time.process_time() - began


def wasm_seconds(core: WasmCore, game: Game, nodes: int) -> tuple[int, float]:
    """The same under Node; another size of the table is another search, so what was warmed up is not known to it."""
    core.take(game.name, game.rules)
    core("start", 1, "automatic")
    core("search", "alphabeta", 1, f"nodes={WARM_UP}", "memory=15")
    report = core("search", "alphabeta", 1, f"nodes={nodes}")
    return report["nodes"], core.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3_000_000, help="of each search")
    nodes = parser.parse_args().nodes
    core = WasmCore()
    print(f"{processor()}, core {_core.build}\n")
    print("| ruleset | native, nodes/s | WebAssembly, nodes/s | share |\n|---|---:|---:|---:|")
    for game in map(sw.make, sw.games()):
        if game.num_players != 2 or game.has_chance:
            continue
        (looked_at, native), (same, ours) = native_seconds(game, nodes), wasm_seconds(core, game, nodes)
        assert looked_at == same, "both look at the same positions"
        print(f"| `{game.name}` | {looked_at / native:,.0f} | {same / ours:,.0f} | {native / ours:.0%} |")
    core.close()


if __name__ == "__main__":
    main()
