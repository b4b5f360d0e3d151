"""Measure how far agents are from perfect play, against the solver.

Positions come from random, greedy and self-play games; the solver proves what every action in them is worth. A position
is critical if some actions keep its result and others give it away, and a mistake is an action that does. Where this
release ships a set of positions for the rules, that one is used; otherwise positions are collected first. Everything
is kept in a folder, and the same command again goes on where it stopped. Only games of two seats without dice can be
solved. Agents are asked one position after the other and forget in between.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, whole_number

if TYPE_CHECKING:
    from spielwerk.games import Game
    from spielwerk.mistakes import Mistakes, PositionSet, ProvedPosition

EXAMPLES = """
spielwerk mistakes pferdeaepfel/trail --agent greedy --agent alphabeta:ms=100
spielwerk mistakes diavolo/standard --rule side=4 --agent mcts:sims=2000
spielwerk mistakes pferdeaepfel/classic --rule size=5 --count 500 --out classic5
spielwerk mistakes pferdeaepfel/trail --positions trail.jsonl --agent solver:ms=100 --json
"""

AGENTS = ("greedy", "mcts:sims=1000", "alphabeta:nodes=10000")
POSITIONS, ANSWERS = "positions.jsonl", "answers.jsonl"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument(
        "--agent",
        dest="agents",
        metavar="SPEC",
        action="append",
        help=f"who is asked, as often as needed (otherwise {', '.join(AGENTS)})",
    )
    parser.add_argument("--positions", type=Path, metavar="FILE", help="a set of positions, made by this command")
    parser.add_argument(
        "--count", type=whole_number, metavar="N", help="collect so many positions, none are shipped then"
    )
    parser.add_argument("--nodes", type=whole_number, metavar="N", help="the solver's limit for one question (200000)")
    parser.add_argument(
        "--out", type=Path, default=Path("mistakes"), metavar="FOLDER", help="for everything written (mistakes)"
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Collects or reads the positions, asks the agents, reports."""
    from spielwerk.cli.output import print_json
    from spielwerk.mistakes.measure import measure, seeded

    game = make_game(arguments.ruleset, arguments.rule)
    specs = arguments.agents or list(AGENTS)
    for spec in specs:
        if not seeded(spec, 0).plays(game):
            raise ValueError(f"{spec} cannot play {game.name}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    positions = _positions(game, arguments)
    results = []
    for spec in specs:
        with _asking(spec, positions, arguments) as (answers, heard):
            results.append(measure(spec, positions, seed=arguments.seed or 0, answers=answers, heard=heard))
    if arguments.json:
        print_json(_facts(positions, results))
    else:
        _print(positions, results)
    return 0


# -- positions ---------------------------------------------------------------------------------------


def _positions(game: Game, arguments: argparse.Namespace) -> PositionSet:
    from spielwerk.mistakes import PositionSet, shipped_set

    if arguments.positions is not None:
        given = PositionSet.read(arguments.positions)
        if given.card.made != game:
            raise ValueError(f"{arguments.positions} has positions of {given.card.made!r}, not of {game!r}")
        return given
    shipped = None if arguments.count or arguments.nodes else shipped_set(game)
    return shipped or _collected(game, arguments)


def _collected(game: Game, arguments: argparse.Namespace) -> PositionSet:
    from spielwerk.durable import append_durably, write_durably
    from spielwerk.mistakes import Collector, PositionSet
    from spielwerk.mistakes.collect import NODES, collecting
    from spielwerk.mistakes.positions import line_of

    path, wanted = arguments.out / POSITIONS, arguments.count or 200
    collector = Collector.of(game, seed=arguments.seed or 0, nodes=arguments.nodes or NODES)
    if path.exists():
        earlier = PositionSet.read(path)
        if earlier.card != collector.card:
            raise ValueError(f"{path} was made with other rules, seed or nodes; choose another --out")
        if len(earlier.positions) >= wanted:
            return PositionSet(earlier.card, earlier.positions[:wanted])
        collector.resume(earlier)
    write_durably(path, "".join(collector.found.lines()).encode())
    with _bar("positions", wanted, len(collector.found.positions)) as advance:
        for fresh in collecting(collector, wanted):
            append_durably(path, "".join(line_of(vars(position)) for position in fresh).encode())
            advance(len(fresh))
    if not collector.found.positions:
        raise ValueError(f"no position of {game!r} could be proved; allow more --nodes or choose a smaller board")
    return collector.found


# -- answers -----------------------------------------------------------------------------------------


@contextmanager
def _asking(
    spec: str, positions: PositionSet, arguments: argparse.Namespace
) -> Iterator[tuple[dict[str, str], Callable[[ProvedPosition, str], None]]]:
    """What the agent has answered before, and who keeps what it answers now."""
    path, seed = arguments.out / ANSWERS, arguments.seed or 0
    known = _answers(path, spec, seed, positions)
    with path.open("a", encoding="utf-8") as file, _bar(spec, len(positions.positions), len(known)) as advance:

        def heard(position: ProvedPosition, action: str) -> None:
            card = positions.card
            key = {"agent": spec, "seed": seed, "game": card.game, "rules": card.rules, "position": position.position}
            file.write(json.dumps(key | {"action": action}, ensure_ascii=False) + "\n")
            file.flush()
            advance(1)

        yield known, heard


def _answers(path: Path, spec: str, seed: int, positions: PositionSet) -> dict[str, str]:
    """Answers by position. A last line that was cut off by a crash is no answer."""
    legal = {position.position: position.actions for position in positions.positions}
    card, known = positions.card, {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            data = json.loads(line)
            asked = (data["agent"], data["seed"], data["game"], data["rules"])
            if asked == (spec, seed, card.game, card.rules) and data["action"] in legal[data["position"]]:
                known[data["position"]] = data["action"]
        except (ValueError, KeyError, TypeError):
            continue
    return known


@contextmanager
def _bar(title: str, total: int, done: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total, completed=done)
        yield lambda more: bar.advance(task, more)


# -- report ------------------------------------------------------------------------------------------


def _facts(positions: PositionSet, results: list[Mistakes]) -> dict[str, Any]:
    from spielwerk import machine

    return {
        "card": positions.card.to_json(),
        "positions": len(positions.positions),
        "machine": machine.describe(),
        "agents": [result.to_json() for result in results],
    }


def _print(positions: PositionSet, results: list[Mistakes]) -> None:
    from rich.table import Table
    from rich.text import Text

    from spielwerk.cli.output import console
    from spielwerk.mistakes.measure import table
    from spielwerk.render import seat_labels

    out = console()
    game = positions.card.made
    critical = sum(position.critical for position in positions.positions)
    out.print(Text(f"{game!r}: {len(positions.positions)} positions, {critical} of them critical", "dim"))
    head, *rows = table(results, tuple(label.en for label in seat_labels(game)))
    shown = Table(box=None, pad_edge=False)
    for name in head:
        shown.add_column(name)
    for row in rows:
        shown.add_row(*map(Text, row))
    out.print(shown)
