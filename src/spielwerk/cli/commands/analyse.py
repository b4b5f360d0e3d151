"""Ask an agent what it thinks of a position: its best lines, their values, and how deep it looked.

Values go from -1, lost for the seat to act, to +1, won. What a search has proved is marked.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, whole_number
from spielwerk.cli.position import add_position, reached

if TYPE_CHECKING:
    from spielwerk.agents.specs import Analysis, Line
    from spielwerk.games import State

EXAMPLES = """
spielwerk analyse pferdeaepfel/classic
spielwerk analyse pferdeaepfel/trail --actions "b6 g3" --agent solver
spielwerk analyse ludo/ffa --seed 3 --agent expectimax:depth=3 --json
spielwerk analyse diavolo/standard --size 5 --agent network:diavolo/standard --lines 10
"""

TWO_SEATS, OTHERWISE = "alphabeta:ms=1000", "mcts:ms=1000"


def configure(parser: argparse.ArgumentParser) -> None:
    add_position(parser)
    parser.add_argument(
        "--agent", metavar="SPEC", help=f"who is asked (otherwise {TWO_SEATS}, with dice or more seats {OTHERWISE})"
    )
    parser.add_argument("--lines", type=whole_number, metavar="N", default=5, help="at most so many lines (5)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    import spielwerk as sw
    from spielwerk.cli.output import print_json

    state, _ = reached(arguments)
    plain = state.game.num_players == 2 and not state.game.has_chance
    spec = arguments.agent or (TWO_SEATS if plain else OTHERWISE)
    start = time.perf_counter()
    analysis = sw.agent(spec).analyse(state)
    milliseconds = analysis.milliseconds or 1000 * (time.perf_counter() - start)
    if arguments.json:
        print_json(_facts(state, spec, analysis, milliseconds, arguments.lines))
    else:
        _print(state, spec, analysis, milliseconds, arguments.lines)
    return 0


def _facts(state: State, spec: str, analysis: Analysis, milliseconds: float, lines: int) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "ruleset": state.game.name,
        "rules": state.game.rules,
        "position": state.to_text(),
        "player": state.player,
        "agent": spec,
        "lines": [asdict(line) for line in analysis.lines[:lines]],
        "nodes": analysis.nodes,
        "depth": analysis.depth,
        "milliseconds": round(milliseconds, 3),
        "nodes_per_second": round(analysis.nodes / milliseconds * 1000) if milliseconds else None,
        "proved": analysis.proved,
    }


def _print(state: State, spec: str, analysis: Analysis, milliseconds: float, lines: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from spielwerk.cli.output import console

    out = console()
    out.print(str(state), highlight=False, markup=False)
    out.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("value", justify="right")
    table.add_column("visits", justify="right")
    table.add_column("line")
    for line in analysis.lines[:lines]:
        table.add_row(Text(_value(line)), str(line.visits or ""), Text(" ".join(line.actions)))
    out.print(table)
    speed = f", {analysis.nodes / milliseconds:,.0f} k nodes/s" if milliseconds >= 1 and analysis.nodes > 1 else ""
    depth = f", depth {analysis.depth}" if analysis.depth else ""
    out.print()
    out.print(f"{spec}: {analysis.nodes:,} nodes{depth}, {milliseconds:,.0f} ms{speed}", style="dim", markup=False)


def _value(line: Line) -> str:
    if not line.proved:
        return f"{line.value:+.2f}"
    result = "won" if line.value > 0 else "lost" if line.value < 0 else "drawn"
    return f"{result}, proved" if line.distance is None else f"{result} in {line.distance}, proved"
