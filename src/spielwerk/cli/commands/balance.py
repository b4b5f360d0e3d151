"""Measure how fair rulesets are, and which of their parameters would make them fairer.

The same player sits on every seat, from random to a deep search: that shows the first seat's advantage with its
interval, draws, length, choices and what ends the games. Then the parameters are varied, all of them one at a time or
those of --vary in every combination; the fairest variants are played in full by the strongest player and ranked.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json, add_ray, add_rules, add_seed, make_game
from spielwerk.cli.standings import add_workers, check_folder, hiring, positive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.table import Table

    from spielwerk.arena.workers import Workers
    from spielwerk.balance.study import Cell, Plan, Study
    from spielwerk.games import Game

EXAMPLES = """
spielwerk balance pferdeaepfel/trail --out trail.html
spielwerk balance pferdeaepfel/classic --vary brown=20,24,28,32 --vary golden=8,12 --games 400
spielwerk balance pferdeaepfel/trail --rule size=6 --vary white_start=* --level greedy --level alphabeta:depth=6
spielwerk balance diavolo/standard ludo/ffa --no-vary --json
spielwerk balance pferdeaepfel/trail --vary size=* --seconds 3600 --ray head:6379
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rulesets", nargs="+", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="compare these values of a parameter (* for all), in every combination with further --vary",
    )
    parser.add_argument("--no-vary", action="store_true", help="only the rules as they stand")
    parser.add_argument(
        "--level",
        action="append",
        metavar="SPEC",
        help="who plays, the weakest first, as often as needed (otherwise from random to a deep search)",
    )
    parser.add_argument("--games", type=positive, default=200, metavar="N", help="by each player (200; random 10 ×)")
    parser.add_argument("--screening", type=positive, default=20, metavar="N", help="games for each variant (20)")
    parser.add_argument("--finalists", type=positive, default=6, metavar="N", help="variants played in full (6)")
    parser.add_argument(
        "--opening",
        type=int,
        choices=range(11),
        metavar="N",
        help="random turns at the start (2; 0 in games with dice)",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        default=110,
        metavar="N",
        help="begin no further games after that, per ruleset (110)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a report with plots, as HTML")
    add_workers(parser)
    add_ray(parser)
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Studies one ruleset after the other and reports."""
    from spielwerk.cli.output import console, print_json

    check_folder(arguments.out)
    if arguments.no_vary and arguments.vary:
        raise ValueError("--vary and --no-vary exclude each other")
    studies = [_prepared(name, arguments) for name in arguments.rulesets]
    with hiring(arguments) as hire:
        for study in studies:
            _run_with_progress(study, hire())
    if arguments.json:
        print_json([study.to_json() for study in studies])
    else:
        for study in studies:
            _print(console(), study)
    if arguments.out is not None:
        _write_page(arguments.out, studies)
    return 0


def _prepared(name: str, arguments: argparse.Namespace) -> Study:
    from spielwerk.balance.study import Study
    from spielwerk.balance.variants import combined, one_at_a_time

    game = make_game(name, arguments.rule)
    named = {text.partition("=")[0].strip() for text in arguments.rule}
    given = {parameter: game.rules[parameter] for parameter in named}
    if arguments.no_vary:
        variants = []
    elif arguments.vary:
        variants = combined(name, given, arguments.vary)
    else:
        variants = one_at_a_time(name, given)
    return Study(game, _plan(game, arguments), variants)


def _plan(game: Game, arguments: argparse.Namespace) -> Plan:
    from spielwerk.arena.players import check_player
    from spielwerk.balance.study import RANDOM, Plan, levels_for

    levels = tuple(arguments.level or levels_for(game))
    for level in levels:
        if level != RANDOM:
            check_player(level, game)
    return Plan(
        levels=levels,
        games=arguments.games,
        screening=arguments.screening,
        finalists=arguments.finalists,
        seed=arguments.seed or 0,
        opening=(0 if game.has_chance else 2) if arguments.opening is None else arguments.opening,
        seconds=arguments.seconds,
    )


def _run_with_progress(study: Study, workers: Workers) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from spielwerk.cli.output import console

    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(study.game.name, total=study.games)
        study.run(workers, lambda games: bar.advance(task, games))


def _write_page(file: Path, studies: Sequence[Study]) -> None:
    from importlib.metadata import version

    from spielwerk.balance.page import page
    from spielwerk.durable import write_durably

    words = shlex.join(["spielwerk", *sys.argv[1:]])
    write_durably(file, page(studies, words, version("spielwerk")).encode())


# -- the terminal -----------------------------------------------------------------------------------


def _print(out: Console, study: Study) -> None:
    from rich.text import Text

    from spielwerk.balance.findings import findings

    out.print(Text(study.game.name, "bold"))
    out.print()
    out.print(_table("player", study.levels, [cell.level for cell in study.levels]))
    out.print()
    if study.screened:
        out.print(_table("the fairest rules first", study.ranking, [cell.variant.label for cell in study.ranking]))
        out.print()
    for text in findings(study):
        out.print(text)
    out.print()


def _table(heading: str, cells: Sequence[Cell], labels: Sequence[str]) -> Table:
    from rich.table import Table

    from spielwerk.arena.report import side_names

    two_sides = all(len(cell.scores) == 2 for cell in cells)
    captured = any(reason == "capture" for cell in cells for reason, _ in cell.endings)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(heading, overflow="fold")
    score = f"{side_names(cells[0].variant.game)[0]} %" if two_sides else "score %"
    for name in (*([] if two_sides else ["side"]), score, "games", "draws", "length", "choices"):
        table.add_column(name, justify="right", no_wrap=True)
    if captured:
        table.add_column("captures", justify="right", no_wrap=True)
    for cell, label in zip(cells, labels, strict=True):
        for number, row in enumerate(_rows(cell, two_sides, captured)):
            table.add_row(label if number == 0 else "", *row)
    return table


def _rows(cell: Cell, two_sides: bool, captured: bool) -> Iterator[list[str]]:
    from spielwerk.arena.report import side_names

    names = side_names(cell.variant.game)
    figures = [f"{len(cell.samples)}", f"{100 * cell.drawn:.0f} %", f"{cell.length[0]:.1f}", f"{cell.choices:.1f}"]
    if captured:
        figures.append(" – ".join(str(cell.captures(side)) for side in range(len(names))))
    for side, score in enumerate(cell.scores[:1] if two_sides else cell.scores):
        row = f"{100 * score.rate:.1f} ({100 * score.low:.1f}–{100 * score.high:.1f})"
        yield [*([] if two_sides else [names[side]]), row, *(figures if side == 0 else [""] * len(figures))]
