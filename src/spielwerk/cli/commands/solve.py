"""Prove who wins a position with best play, and in how many actions.

The winner is found first, then the exact length of the win against the longest defence, ever deeper. Ctrl-C, --seconds
and --nodes end the search with what is known by then. Only games of two seats without dice can be solved. The exit
code is 0 when the winner is known, 1 when not.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, positive_number, whole_number
from spielwerk.cli.position import add_position, reached

if TYPE_CHECKING:
    from rich.console import RenderableType

    from spielwerk.games import Game, State
    from spielwerk.solver import Solution

EXAMPLES = """
spielwerk solve pferdeaepfel/trail --size 7
spielwerk solve pferdeaepfel/trail --position "o7/8/1W6/8/8/8/8/7B b" --seconds 20
spielwerk solve pferdeaepfel/free --size 5 --json
spielwerk solve diavolo/standard --size 3 --winner-only
"""

INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    add_position(parser)
    parser.add_argument("--winner-only", action="store_true", help="do not look for the length of the win")
    parser.add_argument("--seconds", type=positive_number, metavar="S", default=0.0, help="stop after so long")
    parser.add_argument("--nodes", type=whole_number, metavar="N", default=0, help="stop after so many positions")
    parser.add_argument(
        "--memory", type=whole_number, metavar="MB", default=256, help="for what was learnt (default 256)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solves the position and prints what was proved."""
    from spielwerk.cli.output import print_json

    state, _ = reached(arguments)
    solution, interrupted = _solve(state, arguments)
    if arguments.json:
        print_json(_facts(state, solution) | {"interrupted": interrupted})
    else:
        _print(state, solution, interrupted)
    return INTERRUPTED if interrupted else 0 if solution.solved else 1


def _solve(state: State, arguments: argparse.Namespace) -> tuple[Solution, bool]:
    """What was found, and whether Ctrl-C ended it."""
    from spielwerk.solver import Solver

    try:
        solver = Solver(state.game, megabytes=arguments.memory)
    except MemoryError:
        raise ValueError(f"--memory: there is no room for {arguments.memory} megabytes") from None
    with _stop_on_interrupt() as interrupted, _display(state.game) as show:

        def progress(solution: Solution) -> bool:
            show(solution)
            return not interrupted()

        solution = solver.solve(
            state,
            distance=not arguments.winner_only,
            nodes=arguments.nodes,
            milliseconds=1000 * arguments.seconds,
            progress=progress,
        )
        return solution, interrupted()


@contextmanager
def _stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Within it Ctrl-C is remembered instead of raised: what was found so far is worth printing."""
    seen = False

    def remember(*_: object) -> None:
        nonlocal seen
        seen = True

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _display(game: Game) -> Iterator[Callable[[Solution], None]]:
    from rich.live import Live

    from spielwerk.cli.output import console

    err = console(stderr=True)
    if not err.is_terminal:
        yield lambda solution: None
        return
    with Live(console=err, transient=True, auto_refresh=False) as live:
        yield lambda solution: live.update(_table(_summary_rows(game, solution)), refresh=True)


def _facts(state: State, solution: Solution) -> dict[str, Any]:
    return {
        "ruleset": state.game.name,
        "rules": state.game.rules,
        "position": state.to_text(),
        "solved": solution.solved,
        "winner": solution.winner,
        "distance": solution.distance,
        "at_least": solution.at_least,
        "line": _texts(state, solution),
        "nodes": solution.nodes,
        "milliseconds": round(solution.milliseconds, 3),
    }


def _texts(state: State, solution: Solution) -> list[str]:
    from spielwerk.agents.specs import texts_along

    return texts_along(state, solution.line)


def _print(state: State, solution: Solution, interrupted: bool) -> None:
    from rich.text import Text

    from spielwerk.cli.output import console

    out = console()
    out.print(Text(repr(state.game), "dim"), Text(state.to_text(), "dim"), sep="\n")
    rows = _summary_rows(state.game, solution)
    if solution.line:
        rows.insert(-1, ("best play" if solution.distance is not None else "play", " ".join(_texts(state, solution))))
    out.print(_table(rows))
    if interrupted:
        out.print("Stopped: this is what is known so far.", style="bold")


def _table(rows: list[tuple[str, str]]) -> RenderableType:
    from rich.text import Text

    from spielwerk.cli.output import columns

    return columns(*((Text(name, "cyan"), Text(value)) for name, value in rows))


def _summary_rows(game: Game, solution: Solution) -> list[tuple[str, str]]:
    seconds = solution.milliseconds / 1000
    rate = f", {solution.nodes / seconds:,.0f} a second" if seconds > 0.1 else ""
    rows = [("winner", _winner(game, solution))]
    if solution.winner is not None:
        rows.append(("distance", _distance(solution)))
    return [*rows, ("searched", f"{solution.nodes:,} positions in {seconds:.2f} s{rate}")]


def _winner(game: Game, solution: Solution) -> str:
    from spielwerk.cli.game.picture import seat_name
    from spielwerk.cli.game.texts import Texts

    if not solution.solved:
        return "not known yet"
    return "nobody, a draw" if solution.winner is None else seat_name(game, solution.winner, Texts("en"))


def _distance(solution: Solution) -> str:
    if solution.distance is None:
        return f"at least {solution.at_least} actions"
    return f"{solution.distance} action{'s' * (solution.distance != 1)}"
