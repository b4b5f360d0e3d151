"""Measure how fast spielwerk is here: playouts, batches, states, environments.

Random legal play on one thread, per CPU-second, the median over several rounds. `make bench`
compares with other libraries and goes into more detail.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import DEFAULT_RULESET, add_json, add_seed, make_game

if TYPE_CHECKING:
    from spielwerk.games import Game

EXAMPLES = """
spielwerk speed
spielwerk speed --quick --ruleset pferdeaepfel/classic --ruleset pferdeaepfel/carry
spielwerk speed --json
"""

BATCH = 4096

# A stretch plays for some milliseconds and tells how many steps that were.
Stretch = Callable[[], int]


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("--quick", action="store_true", help="rougher figures in a second or two")
    parser.add_argument(
        "--ruleset",
        metavar="RULESET",
        action="append",
        help=f"measure this one, as often as needed (otherwise {DEFAULT_RULESET})",
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measures and prints the figures."""
    from spielwerk import machine
    from spielwerk.cli.output import print_json

    games = [make_game(name, []) for name in arguments.ruleset or [DEFAULT_RULESET]]
    pace = _Pace(rounds=3, seconds=0.04) if arguments.quick else _Pace(rounds=7, seconds=0.25)
    figures = list(_with_progress(games, pace, arguments.seed or 0))
    if arguments.json:
        print_json({"machine": machine.describe(), "figures": [asdict(figure) for figure in figures]})
    else:
        _print(figures, machine.describe())
    return 0


@dataclass(frozen=True)
class _Pace:
    rounds: int
    seconds: float


@dataclass(frozen=True)
class Figure:
    """Steps per CPU-second; None, with the reason, where something is not installed."""

    ruleset: str
    measure: str
    median: float | None
    lowest: float | None = None
    highest: float | None = None
    absent: str = ""


def _with_progress(games: list[Game], pace: _Pace, seed: int) -> Iterator[Figure]:
    from rich.console import Console
    from rich.progress import track

    jobs = [(game, name) for game in games for name in _MEASURES]
    err = Console(stderr=True)
    for game, name in track(jobs, "measuring", console=err, transient=True, disable=not err.is_terminal):
        yield _figure(game, name, pace, seed)


def _figure(game: Game, name: str, pace: _Pace, seed: int) -> Figure:
    try:
        stretch = _MEASURES[name](game, seed)
    except ImportError as error:
        return Figure(game.name, name, None, absent=f"{error.name or error} is not installed")
    if stretch is None:
        return Figure(game.name, name, None, absent="not part of this release yet")
    stretch()  # warm-up
    rates = [_rate(stretch, pace.seconds) for _ in range(pace.rounds)]
    return Figure(game.name, name, median(rates), min(rates), max(rates))


def _rate(stretch: Stretch, seconds: float) -> float:
    steps, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds or steps == 0:
        steps += stretch()
    return steps / spent


def _playouts(game: Game, seed: int) -> Stretch:
    from spielwerk import _core

    seeds = count(seed)

    def stretch() -> int:
        _, plies = _core.random_playouts(game, 1000, next(seeds))
        return plies

    return stretch


def _batch(game: Game, seed: int) -> Stretch:
    """The actions are drawn beforehand; on the clock are the steps, and a reset for every 32 of them."""
    import spielwerk as sw

    batch = sw.vector(game, num_envs=BATCH)
    batch.reset(seed=seed)
    drawn = []
    for number in range(32):
        drawn.append(batch.random_actions(seed + number).copy())
        batch.step(drawn[-1])

    def stretch() -> int:
        batch.reset(seed=seed)
        for actions in drawn:
            batch.step(actions)
        return BATCH * len(drawn)

    return stretch


def _states(game: Game, seed: int) -> Stretch:
    uniform = random.Random(seed).random

    def stretch() -> int:
        steps = 0
        for _ in range(20):
            state = game.start(seed=seed)
            while not state.over:
                legal = state.legal_actions
                state.play(legal[int(uniform() * len(legal))])
                steps += 1
        return steps

    return stretch


def _environment(wrapped: bool) -> Callable[[Game, int], Stretch | None]:
    def prepare(game: Game, seed: int) -> Stretch | None:
        import numpy as np

        import spielwerk as sw

        family, _, ruleset = game.name.partition("/")
        module: Any = getattr(sw.envs, f"{family}_v0", None)
        if module is None:
            return None
        env = (module.env if wrapped else module.raw_env)(ruleset=ruleset)
        uniform = np.random.default_rng(seed).random

        def stretch() -> int:
            steps = 0
            for _ in range(4):
                env.reset(seed=seed)
                while env.agents:
                    observation, _, terminated, truncated, _ = env.last()
                    legal = observation["action_mask"].nonzero()[0]
                    done = terminated or truncated
                    env.step(None if done else int(legal[int(uniform() * legal.size)]))
                    steps += 1
            return steps

        return stretch

    return prepare


_MEASURES: dict[str, Callable[[Game, int], Stretch | None]] = {
    "playouts in the core": _playouts,
    f"batch of {BATCH}, observed": _batch,
    "state from Python": _states,
    "PettingZoo env()": _environment(wrapped=True),
    "PettingZoo raw_env()": _environment(wrapped=False),
}


def _print(figures: list[Figure], facts: dict[str, str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from spielwerk.cli.output import console

    out = console()
    for ruleset in dict.fromkeys(figure.ruleset for figure in figures):
        table = Table("measure", box=None, title=Text(ruleset, "bold"), title_justify="left", pad_edge=False)
        table.add_column("steps per CPU-second", justify="right")
        table.add_column("lowest – highest", justify="right", style="dim")
        for figure in figures:
            if figure.ruleset != ruleset:
                continue
            spread = f"{_short(figure.lowest)} – {_short(figure.highest)}" if figure.median else ""
            table.add_row(figure.measure, Text(_short(figure.median) or figure.absent), spread)
        out.print(table)
        out.print()
    out.print(f"{facts['processor']}, core {facts['core']}, {facts['python']}", style="dim")


def _short(rate: float | None) -> str:
    """Three digits are more than the noise allows."""
    if rate is None:
        return ""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if rate >= limit:
            return f"{rate / limit:.3g} {unit}"
    return f"{rate:.3g}"
