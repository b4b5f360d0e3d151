"""Measure how far agents are from perfect play, against the solver.

Positions come from random, greedy and self-play games; the solver proves what every action in them is worth. A position
is critical if some actions keep its result and others give it away, and a mistake is an action that does. Where this
release ships a set of positions for the rules, that one is used; otherwise positions are collected first. Everything
is kept in a folder, and the same command again goes on where it stopped. Only games of two seats without dice can be
solved. Agents are asked one position after the other and forget in between.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from spielwerk.games import Game
    from spielwerk.mistakes import Mistakes, PositionSet
    from spielwerk.mistakes.folder import MistakesFolder

EXAMPLES = """
spielwerk mistakes pferdeaepfel/trail --agent greedy --agent alphabeta:ms=100
spielwerk mistakes diavolo/standard --rule side=4 --agent mcts:sims=2000
spielwerk mistakes pferdeaepfel/classic --rule size=5 --count 500 --out classic5
spielwerk mistakes pferdeaepfel/trail --positions trail.jsonl --agent solver:ms=100 --json
"""

AGENTS = ("greedy", "mcts:sims=1000", "alphabeta:nodes=10000")
COUNT = 200


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
        "--count",
        type=whole_number,
        metavar="N",
        help=f"collect so many positions ({COUNT}); leaves shipped ones alone",
    )
    parser.add_argument("--nodes", type=whole_number, metavar="N", help="the solver's limit for one question (200000)")
    parser.add_argument(
        "--out", type=Path, default=Path("mistakes"), metavar="FOLDER", help="for everything written (mistakes)"
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Collects or reads the positions, asks the agents, reports."""
    from spielwerk.cli.output import console, print_json, progress_bar
    from spielwerk.mistakes.folder import MistakesFolder
    from spielwerk.mistakes.measure import seeded

    game = make_game(arguments.ruleset, arguments.rule)
    specs = arguments.agents or list(AGENTS)
    for spec in specs:
        if not seeded(spec, 0).plays(game):
            raise ValueError(f"{spec} cannot play {game.name}")
    folder = MistakesFolder(arguments.out)
    positions = _positions(game, folder, arguments)
    results = []
    for spec in specs:
        with progress_bar(spec, len(positions.positions)) as advance:
            results.append(folder.measured(spec, positions, seed=arguments.seed or 0, advance=advance))
    if arguments.json:
        print_json(_facts(positions, results))
    else:
        print_mistakes(console(), positions, results)
    return 0


def _positions(game: Game, folder: MistakesFolder, arguments: argparse.Namespace) -> PositionSet:
    from spielwerk.cli.output import progress_bar
    from spielwerk.mistakes import PositionSet, shipped_set
    from spielwerk.mistakes.collect import NODES

    if arguments.positions is not None:
        given = PositionSet.read(arguments.positions)
        if given.card.made != game:
            raise ValueError(f"{arguments.positions} has positions of {given.card.made!r}, not of {game!r}")
        return given
    if not (arguments.count or arguments.nodes) and (shipped := shipped_set(game)):
        return shipped
    count, nodes = arguments.count or COUNT, arguments.nodes or NODES
    with progress_bar("positions", count) as advance:
        return folder.collected(game, count, seed=arguments.seed or 0, nodes=nodes, advance=advance)


def _facts(positions: PositionSet, results: Sequence[Mistakes]) -> dict[str, Any]:
    from spielwerk import machine

    return {
        "card": positions.card.to_json(),
        "positions": len(positions.positions),
        "machine": machine.describe(),
        "agents": [result.to_json() for result in results],
    }


def print_mistakes(out: Console, positions: PositionSet, results: Sequence[Mistakes]) -> None:
    """For each agent its mistakes in won positions, in critical ones, and in those of each seat."""
    from rich.text import Text

    from spielwerk.cli.output import columns
    from spielwerk.mistakes.measure import shown
    from spielwerk.render import seat_labels

    card = positions.card
    critical = sum(position.critical for position in positions.positions)
    out.print(Text(f"{card.game}: {len(positions.positions)} proved positions, {critical} of them critical", "dim"))
    seats = [label.en for label in seat_labels(card.made)]
    for result in results:
        out.print()
        out.print(Text(result.agent, "bold"))
        rows = [("mistakes in won positions", result.won), ("mistakes in critical positions", result.critical)]
        rows += [(f"  of {seat}", result.by_seat[number]) for number, seat in enumerate(seats)]
        out.print(columns(*((Text(name), Text(shown(tally))) for name, tally in rows)))
