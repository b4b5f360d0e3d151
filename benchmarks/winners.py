"""How fast the winner is known in positions that are met: trail on the full board, from ply 4 on.

    python benchmarks/winners.py

Prints Markdown: for each pairing of agents the CPU time per position, one solver per game as an agent would have it.
"""

from __future__ import annotations

import time
from itertools import count

import spielwerk as sw
from spielwerk.solver import Solver

PAIRINGS = [("random", "random"), ("greedy", "greedy"), ("random", "solver"), ("greedy", "solver")]
GAMES, FIRST_PLY, RANDOM_PLIES, LIMIT_MS = 4, 4, 2, 5000


def agent(kind: str, seed: int) -> sw.Agent:
    """Of this kind; the solver plays its winning lines within a short limit."""
    return sw.agent("solver:ms=200" if kind == "solver" else f"{kind}:seed={seed}")


def times(kinds: tuple[str, str], seed: int) -> list[tuple[float, bool]]:
    """Of one game: the seconds for each position, and whether the winner was found in time."""
    game = sw.make("pferdeaepfel/trail")
    solver, opening = Solver(game), sw.agent(f"random:seed={seed}")
    agents, state = [agent(kind, seed) for kind in kinds], game.start()
    found: list[tuple[float, bool]] = []
    for ply in count():
        if state.player is None:
            break
        if ply >= FIRST_PLY:
            began = time.process_time()
            solved = solver.solve(state, distance=False, milliseconds=LIMIT_MS).solved
            found.append((time.process_time() - began, solved))
        state.play((opening if ply < RANDOM_PLIES else agents[state.player]).act(state))
    return found


def main() -> None:
    """Plays the games and prints the table."""
    print(
        "| White | Black | positions | median, ms | 90 % below, ms | unknown after 5 s |\n|---|---|---:|---:|---:|---:|"
    )
    for kinds in PAIRINGS:
        all_times = [entry for seed in range(GAMES) for entry in times(kinds, seed)]
        seconds = sorted(entry[0] for entry in all_times)
        unknown = sum(not solved for _, solved in all_times)
        quantiles = (f"{1000 * seconds[len(seconds) * share // 10]:.2f}" for share in (5, 9))
        print(f"| {kinds[0]} | {kinds[1]} | {len(seconds)} | {' | '.join(quantiles)} | {unknown} |", flush=True)


if __name__ == "__main__":
    main()
