"""Measure how fast spielwerk is here: playouts, batches, states, environments.

Random legal play on one thread, per CPU-second, the median over several rounds. `make bench`
compares with other libraries and goes into more detail.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from spielwerk.cli.options import DEFAULT_RULESET, add_json, add_seed, make_game

if TYPE_CHECKING:
    from spielwerk.games import Game
    from spielwerk.speed.measure import Pace, Stretch

EXAMPLES = """
spielwerk speed
spielwerk speed --quick --ruleset pferdeaepfel/classic --ruleset pferdeaepfel/carry
spielwerk speed --json
"""

BATCH = 4096


def configure(parser: argparse.ArgumentParser) -> None:
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
    from spielwerk import machine
    from spielwerk.cli.output import print_json
    from spielwerk.speed.measure import Pace

    games = [make_game(name, []) for name in arguments.ruleset or [DEFAULT_RULESET]]
    pace = Pace(rounds=3, seconds=0.04) if arguments.quick else Pace(rounds=7, seconds=0.25)
    figures = list(_with_progress(games, pace, arguments.seed or 0))
    if arguments.json:
        print_json({"machine": machine.describe(), "figures": [asdict(figure) for figure in figures]})
    else:
        _print(figures, machine.describe())
    return 0


@dataclass(frozen=True)
class Row:
    """Steps per CPU-second; None, with the reason, where something is not installed."""

    ruleset: str
    measure: str
    median: float | None
    lowest: float | None = None
    highest: float | None = None
    absent: str = ""


def _with_progress(games: list[Game], pace: Pace, seed: int) -> Iterator[Row]:
    from rich.progress import track

    from spielwerk.cli.output import console

    jobs = [(game, name, prepare) for game in games for name, prepare in _stretches(seed).items()]
    err = console(stderr=True)
    for game, name, prepare in track(jobs, "measuring", console=err, transient=True, disable=not err.is_terminal):
        yield _row(game, name, prepare, pace)


def _stretches(seed: int) -> dict[str, Callable[[Game], Stretch]]:
    from spielwerk.speed import stretches

    return {
        "playouts in the core": partial(stretches.playouts_in_core, seed=seed),
        f"batch of {BATCH}, observed": partial(stretches.batch_step_alone, num_envs=BATCH, seed=seed),
        "state from Python": partial(stretches.driven_from_python, seed=seed),
        "PettingZoo env()": stretches.pettingzoo_env,
        "PettingZoo raw_env()": stretches.pettingzoo_raw_env,
    }


def _row(game: Game, name: str, prepare: Callable[[Game], Stretch], pace: Pace) -> Row:
    from spielwerk.speed.measure import Figure, take_sample

    try:
        stretch = prepare(game)
    except ImportError as error:
        return Row(game.name, name, None, absent=f"{error.name or error} is not installed")
    except LookupError as error:
        return Row(game.name, name, None, absent=str(error.args[0]))
    take_sample(stretch, seconds=0.0)  # warm-up
    samples = [take_sample(stretch, pace.seconds) for _ in range(pace.rounds)]
    return Row(game.name, name, **asdict(Figure.per_cpu_second(samples)))


def _print(figures: list[Row], facts: dict[str, str]) -> None:
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
