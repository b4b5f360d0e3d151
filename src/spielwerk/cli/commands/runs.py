"""List training runs, or compare some of them: settings that differ, and results.

A run that was stopped can be continued with 'spielwerk train METHOD --continue RUN'.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, add_runs_dir

if TYPE_CHECKING:
    from rich.console import RenderableType

    from spielwerk.training.runs import Run

EXAMPLES = """
spielwerk runs
spielwerk runs NAME OTHER
spielwerk runs --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="names or folders; otherwise all of --runs-dir")
    add_runs_dir(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.cli.output import print_json, print_line
    from spielwerk.training.runs import find_run, list_runs

    if arguments.runs:
        runs = [find_run(name, arguments.runs_dir) for name in arguments.runs]
    else:
        runs = list_runs(arguments.runs_dir)
    if arguments.json:
        print_json([_facts(run) for run in runs])
    elif not runs:
        print_line(f"there are no runs under {arguments.runs_dir}; 'spielwerk train ppo' begins one")
    elif arguments.runs:
        _compare(runs)
    else:
        _list(runs)
    return 0


def _facts(run: Run) -> dict[str, Any]:
    from spielwerk.training.runs import reading_figures

    with reading_figures(run):
        return {"folder": str(run.folder), "status": run.status, **run.facts, **_progress(run), "result": run.result}


def _progress(run: Run) -> dict[str, Any]:
    """The last figures that the run has written down."""
    lines = run.metrics()
    last = lines[-1] if lines else {}
    evaluations = [line["evaluation"] for line in lines if "evaluation" in line]
    anchors: dict[str, Any] = next((line["anchors"] for line in reversed(lines) if "anchors" in line), {})
    result = run.result or {}
    return {
        "steps": result.get("steps", last.get("steps", 0)),
        "seconds": result.get("seconds", last.get("seconds", 0.0)),
        "anchors": result.get("anchors", anchors),
        "evaluations": len(evaluations),
        "promotions": sum(evaluation["promoted"] for evaluation in evaluations),
    }


def _list(runs: Sequence[Run]) -> None:
    from rich.text import Text

    from spielwerk.cli.output import columns, console

    rows: list[tuple[RenderableType, ...]] = [
        tuple(Text(title, "dim") for title in ("run", "status", "steps", "time", "wins in %, seat by seat"))
    ]
    rows += [(Text(run.name, "bold"), *map(Text, _row_or_damage(run))) for run in runs]
    console().print(columns(*rows))


def _row_or_damage(run: Run) -> list[str]:
    from spielwerk.training.runs import RunError, reading_figures

    try:
        with reading_figures(run):
            return _row(run)
    except RunError:
        return ["damaged", "–", "–", "–"]


def _row(run: Run) -> list[str]:
    from spielwerk.training.watching import short, span

    progress = _progress(run)
    scores = ", ".join(f"{name} {_rates(scores)}" for name, scores in progress["anchors"].items())
    return [run.status, short(progress["steps"]), span(progress["seconds"]), scores or "–"]


def _rates(scores: Sequence[dict[str, Any]]) -> str:
    return "/".join(f"{100 * score['rate']:.0f}" for score in scores)


def _compare(runs: Sequence[Run]) -> None:
    from rich.table import Table
    from rich.text import Text

    from spielwerk.cli.output import console
    from spielwerk.training.runs import differences

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for run in runs:
        table.add_column(Text(run.name), overflow="fold")
    for name, values in [*differences(runs).items(), *_results(runs).items()]:
        table.add_row(Text(name, "cyan"), *(Text("–" if value is None else str(value)) for value in values))
    console().print(table)


def _results(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """What came out, each with its value in every run."""
    from spielwerk.training.runs import reading_figures

    tables = []
    for run in runs:
        with reading_figures(run):
            tables.append(_results_of(run))
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: [table.get(name) for table in tables] for name in names}


def _results_of(run: Run) -> dict[str, str]:
    from spielwerk.training.watching import percent, short, span

    progress = _progress(run)
    table = {"status": run.status, "steps made": short(progress["steps"]), "time": span(progress["seconds"])}
    if progress["evaluations"]:
        table["promotions"] = f"{progress['promotions']} of {progress['evaluations']}"
    for anchor, scores in progress["anchors"].items():
        for seat, score in zip(run.facts["seats"], scores, strict=True):
            table[f"{seat} against {anchor}"] = percent(score)
    return table
