"""How the cost of DiavoloPP grows with the side of the board.

    python benchmarks/diavolo_sides.py

Per CPU-second of one thread: actions of random play inside the core, and steps of a batch that writes
observations and masks; then the time of one `legal_actions` on the empty board, called from Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import spielwerk as sw
from spielwerk import _core

SIDES = (3, 5, 8, 10, 15, 20, 30)
SECONDS = 1.0
ROUNDS = 3  # the best counts: other programs only ever slow one down
BATCH = 256

HEAD = """\
| side | fields | actions a game | random play, M actions/s | cost of an action against side 3 | fields against side 3 \
| batch, k steps/s | `legal_actions`, empty board, µs |
|---|---|---|---|---|---|---|---|"""


def per_second(work: Callable[[], int]) -> float:
    """The best rate of a few rounds; `work` does a little and tells how much."""
    best = 0.0
    for _ in range(ROUNDS):
        done, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS / ROUNDS:
            done += work()
        best = max(best, done / spent)
    return best


def random_play(game: sw.Game) -> tuple[float, float]:
    """Actions a second, and actions a game."""
    games, plies = _core.random_playouts(game, 200, seed=1)
    few = max(1, 20_000 // (plies // games))
    seeds = iter(range(10**9))
    return per_second(lambda: _core.random_playouts(game, few, seed=next(seeds))[1]), plies / games


def batch_steps(side: int) -> float:
    batch = sw.vector("diavolo/standard", num_envs=BATCH, threads=1, side=side)
    batch.reset(seed=0)
    seeds = iter(range(10**9))

    def step() -> int:
        batch.step(batch.random_actions(next(seeds)))
        return BATCH

    return per_second(step)


def legal_actions(game: sw.Game) -> float:
    state = game.start()

    def call() -> int:
        for _ in range(100):
            state.legal_actions  # noqa: B018 (the property is what is measured)
        return 100

    return per_second(call)


def rows() -> Iterator[str]:
    first_rate = 0.0
    for side in SIDES:
        game = sw.make("diavolo/standard", side=side)
        rate, length = random_play(game)
        first_rate = first_rate or rate
        cells = (
            side,
            side**2,
            f"{length:.0f}",
            f"{rate / 1e6:.2f}",
            f"{first_rate / rate:.1f}×",
            f"{side**2 / SIDES[0] ** 2:.1f}×",
            f"{batch_steps(side) / 1e3:.0f}",
            f"{1e6 / legal_actions(game):.1f}",
        )
        yield "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    print(HEAD)
    for row in rows():
        print(row, flush=True)
