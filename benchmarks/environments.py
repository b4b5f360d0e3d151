"""How fast the doors for learners are: decisions of the learner per CPU-second, random legal play.

python benchmarks/environments.py --markdown docs/speed-environments.md
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import spielwerk.envs  # noqa: F401 (makes the names known)
from spielwerk import machine
from spielwerk.envs.single_seat import SingleSeat
from spielwerk.envs.vector_seat import VectorSeat

ROUNDS = 5
SECONDS = 0.4
GAMES = 4096
GAMES_AGAINST_NETWORK = 256
RULESETS = ("pferdeaepfel/trail", "pferdeaepfel/classic", "ludo/ffa", "diavolo/standard")

Play = Callable[[int], int]  # so many steps; how many decisions those were


def single_seat(ruleset: str, opponent: str) -> Play:
    env = SingleSeat(ruleset, opponent=opponent)
    source = np.random.default_rng(0)
    info = env.reset(seed=0)[1]

    def play(steps: int) -> int:
        nonlocal info
        for _ in range(steps):
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, truncated, info = env.step(int(legal[source.integers(len(legal))]))
            if terminated or truncated:
                info = env.reset()[1]
        return steps

    return play


def vector_seat(ruleset: str, opponent: str, games: int = GAMES, **arguments: Any) -> Play:
    env = VectorSeat(ruleset, games, opponent=opponent, **arguments)
    env.reset(seed=0)

    def play(steps: int) -> int:
        for step in range(steps):
            env.step(env.random_actions(seed=step))
        return steps * games

    return play


def sync_vector(ruleset: str, opponent: str) -> Play:
    name = f"spielwerk/{ruleset.replace('/', '-')}-v0"
    env = gymnasium.make_vec(name, num_envs=16, vectorization_mode="sync", opponent=opponent)
    source = np.random.default_rng(0)
    info = env.reset(seed=0)[1]

    def play(steps: int) -> int:
        nonlocal info
        for _ in range(steps):
            chosen = [source.choice(np.flatnonzero(mask)) for mask in info["action_mask"]]
            info = env.step(np.array(chosen))[4]
        return steps * 16

    return play


DOORS: dict[str, Callable[[str], Play]] = {
    "`SingleSeat`, random opponent": lambda ruleset: single_seat(ruleset, "random"),
    "`SingleSeat`, greedy opponent": lambda ruleset: single_seat(ruleset, "greedy"),
    "`make_vec(…, vectorization_mode='sync')` of 16, random opponent": lambda ruleset: sync_vector(ruleset, "random"),
    f"`make_vec` of {GAMES}, random opponent": lambda ruleset: vector_seat(ruleset, "random"),
    f"`make_vec` of {GAMES}, greedy opponent": lambda ruleset: vector_seat(ruleset, "greedy"),
    f"`make_vec` of {GAMES_AGAINST_NETWORK}, shipped network as opponent": lambda ruleset: vector_seat(
        ruleset, f"network:{ruleset}", GAMES_AGAINST_NETWORK
    ),
    f"`make_vec` of {GAMES}, `opponent='self'`": lambda ruleset: vector_seat(ruleset, "self"),
    f"`make_vec` of {GAMES}, random opponent, `copy=False`": lambda ruleset: vector_seat(ruleset, "random", copy=False),
    f"`make_vec` of {GAMES}, random opponent, `observation='flat'`": lambda ruleset: vector_seat(
        ruleset, "random", observation="flat"
    ),
}


def rate(play: Play) -> float:
    """The median over the rounds."""
    play(2)
    rates = []
    for _ in range(ROUNDS):
        decisions, start = 0, time.process_time()
        while (taken := time.process_time() - start) < SECONDS:
            decisions += play(4)
        rates.append(decisions / taken)
    return statistics.median(rates)


def short(figure: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if figure >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure:.0f}"


def table() -> str:
    lines = ["| decisions per CPU-second | " + " | ".join(f"`{name}`" for name in RULESETS) + " |"]
    lines.append("| --- |" + " ---: |" * len(RULESETS))
    for door, made in DOORS.items():
        figures = [short(rate(made(ruleset))) for ruleset in RULESETS]
        lines.append(f"| {door} | " + " | ".join(figures) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def page() -> str:
    facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in machine.describe().items())
    return f"""# Speed of the environments

Written by `python benchmarks/environments.py --markdown docs/speed-environments.md`.

- Machine: {facts}; gymnasium {gymnasium.__version__}, numpy {np.__version__}
- Each figure: the median of {ROUNDS} rounds of {SECONDS} s, per CPU-second, one thread. A decision is one of the
  learner's; what the opponents do in between is part of its time. The core draws the random legal actions of
  `make_vec`, NumPy those of the others. New arrays of a megabyte per step cost more than the games in them, until the
  C library keeps such memory (a guess, not tested; rows depend on their order); `copy=False` needs none.

{table()}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page here")
    arguments = parser.parse_args()
    text = page()
    if arguments.markdown:
        arguments.markdown.write_text(text)


if __name__ == "__main__":
    main()
