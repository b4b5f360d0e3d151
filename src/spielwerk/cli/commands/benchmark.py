"""Rank the trained models against random, greedy, search and each other, by colour.

Every two contestants meet on every ruleset in pairs of games with the seats exchanged. Models are those shipped with
spielwerk and those in --models, each an .onnx file with its .json card; without any, the other agents meet. Games,
table, CSV, JSON and a picture land in a folder; the same command again goes on where it stopped. Where proved positions
are shipped for a ruleset, the contestants' mistakes in them are counted too ('spielwerk mistakes').

Searching agents think for 20 ms. With one process, count about 4 minutes for --quick on all rulesets, and ten times as
much for the full benchmark of 100 games for every two.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json, add_ray, add_seed, make_game
from spielwerk.cli.standings import add_workers, positive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from spielwerk.arena.report import Report
    from spielwerk.arena.store import GameStore
    from spielwerk.cli.standings import Hire
    from spielwerk.games import Game
    from spielwerk.mistakes import Mistakes, PositionSet

EXAMPLES = """
spielwerk benchmark --quick
spielwerk benchmark pferdeaepfel/classic ludo/teams --quick --workers 2
spielwerk benchmark pferdeaepfel/trail --models runs/best --games 400 --out trail
spielwerk benchmark --quick --json
"""

TABLE, SCORES, DATA, PICTURE, GAMES = "table.txt", "scores.csv", "report.json", "scores.png", "games.db"
MISTAKES = "mistakes"  # a folder
QUICK_POSITIONS = 40


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rulesets", nargs="*", metavar="RULESET", help="otherwise all that there are")
    parser.add_argument("--quick", action="store_true", help="10 games for every two, instead of 100")
    parser.add_argument("--games", type=positive, metavar="N", help="so many games for every two")
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="further models, anywhere below it")
    parser.add_argument(
        "--out", type=Path, default=Path("benchmark"), metavar="FOLDER", help="for everything written (benchmark)"
    )
    add_workers(parser)
    add_ray(parser)
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    import spielwerk as sw
    from spielwerk.arena.benchmark import contestants
    from spielwerk.arena.store import GameStore
    from spielwerk.cli.standings import hiring

    games = [make_game(name, []) for name in arguments.rulesets or sw.games()]
    entries = [(game, contestants(game, arguments.models)) for game in games]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with GameStore(str(arguments.out / GAMES)) as store, hiring(arguments) as hire:
        reports = [_measured(game, specs, store, hire, arguments) for game, specs in entries]
    _tell(reports, [found for game, specs in entries if (found := _mistakes(game, specs, arguments))], arguments)
    return 0


def _mistakes(
    game: Game, specs: Sequence[str], arguments: argparse.Namespace
) -> tuple[PositionSet, list[Mistakes]] | None:
    from spielwerk.mistakes import PositionSet, shipped_set
    from spielwerk.mistakes.folder import MistakesFolder

    shipped = shipped_set(game)
    if shipped is None:
        return None
    asked = PositionSet(shipped.card, shipped.positions[: QUICK_POSITIONS if arguments.quick else None])
    folder = MistakesFolder(arguments.out / MISTAKES)
    return asked, [folder.measured(spec, asked, seed=arguments.seed or 0) for spec in specs]


def _measured(game: Game, specs: Sequence[str], store: GameStore, hire: Hire, arguments: argparse.Namespace) -> Report:
    from spielwerk.arena.benchmark import FULL_GAMES, QUICK_GAMES
    from spielwerk.arena.players import player_name
    from spielwerk.arena.report import report
    from spielwerk.arena.store import Ruleset
    from spielwerk.arena.tournament import tournament_of
    from spielwerk.cli.standings import run_with_progress

    count = arguments.games or (QUICK_GAMES if arguments.quick else FULL_GAMES)
    players = [player_name(spec, game) for spec in specs]
    tournament = tournament_of(game, players, store, games=count, seed=arguments.seed or 0)
    run_with_progress(tournament, hire, game.name)
    return report(Ruleset.of(game), tournament.results, players)


def _tell(
    reports: list[Report], mistakes: list[tuple[PositionSet, list[Mistakes]]], arguments: argparse.Namespace
) -> None:
    import io
    import json

    from spielwerk import machine
    from spielwerk.arena.report import csv_text
    from spielwerk.cli.output import console, print_json, print_line
    from spielwerk.cli.standings import write_picture
    from spielwerk.durable import write_durably

    data = {"machine": machine.describe(), "reports": [item.to_json() for item in reports]}
    data["mistakes"] = {asked.card.game: [item.to_json() for item in found] for asked, found in mistakes}
    table = io.StringIO()
    _print_all(console(file=table, width=100), reports, mistakes)
    write_durably(arguments.out / TABLE, table.getvalue().encode())
    write_durably(arguments.out / SCORES, csv_text(reports).encode())
    write_durably(arguments.out / DATA, json.dumps(data, indent=2, ensure_ascii=False).encode())
    painted = write_picture(arguments.out / PICTURE, reports)
    if arguments.json:
        print_json(data)
        return
    _print_all(console(), reports, mistakes)
    written = [TABLE, SCORES, DATA, *([PICTURE] if painted else []), GAMES]
    print_line(f"In {arguments.out}: {', '.join(written)}")


def _print_all(out: Console, reports: list[Report], mistakes: list[tuple[PositionSet, list[Mistakes]]]) -> None:
    from spielwerk.cli.commands.mistakes import print_mistakes
    from spielwerk.cli.standings import print_reports

    print_reports(out, reports)
    for asked, found in mistakes:
        print_mistakes(out, asked, found)
        out.print()
