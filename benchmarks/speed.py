"""The speed table: ours beside the peers, in one run.

    python benchmarks/speed.py --peers --markdown docs/speed.md

The Markdown goes to stdout, progress to stderr. What is measured and how: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import peer_env
import plan
import report
from measure import Pace
from plan import OURS, Task
from report import Results
from worker import MeasureUnavailable, Worker

THOROUGH = Pace(rounds=5, seconds=0.4)
BRISK = Pace(rounds=3, seconds=0.2)
QUICK = Pace(rounds=3, seconds=0.1)


def main() -> int:
    arguments = _parse_arguments()
    try:
        import spielwerk as sw
        from spielwerk import machine
    except ImportError as error:
        print(f"speed: spielwerk is not installed here ({error})", file=sys.stderr)
        return 2
    comparison, tables = (QUICK, QUICK) if arguments.quick else (THOROUGH, BRISK)
    results = Results(machine.describe(), comparison, tables, games=sw.games())
    _compare(results, peer_env.peer_names() if arguments.peers else [])
    _grow(results)
    text = report.markdown(results)
    print(text, end="")
    if arguments.markdown:
        arguments.markdown.write_text(text)
    if arguments.json:
        arguments.json.write_text(json.dumps(report.as_json(results), indent=2) + "\n")
    return 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure spielwerk's speed, beside its peers if asked.")
    parser.add_argument("--peers", action="store_true", help="also measure OpenSpiel, Pgx and PettingZoo")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, rougher figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown")
    return parser.parse_args()


def _compare(results: Results, peers: Sequence[str]) -> None:
    with ExitStack() as stack:
        workers = {OURS: stack.enter_context(Worker(Path(sys.executable), "ours"))}
        for peer in peers:
            try:
                workers[peer] = stack.enter_context(_start_peer(peer))
            except MeasureUnavailable as reason:
                _note_absence(results, peer, str(reason))
        for side, worker in workers.items():
            results.names[side] = f"{worker.name} {worker.version}"
        _run_rounds(results, workers, plan.headline(workers), results.comparison_pace)
        _run_rounds(results, workers, plan.rulesets(results.games), results.table_pace)


def _grow(results: Results) -> None:
    """In a process of its own: no thread left over from here may be on the clock of the comparison."""
    with Worker(Path(sys.executable), "ours") as worker:
        _run_rounds(results, {OURS: worker}, plan.side_growth(), results.table_pace)
        _run_rounds(results, {OURS: worker}, plan.batch_growth(), results.table_pace)


def _start_peer(peer: str) -> Worker:
    _progress(f"preparing {peer}")
    reason = peer_env.install(peer)
    if reason:
        raise MeasureUnavailable(reason)
    return Worker(peer_env.PYTHON, f"peers.{peer}")


def _run_rounds(results: Results, workers: Mapping[str, Worker], tasks: Sequence[Task], pace: Pace) -> None:
    open_tasks = [task for task in tasks if task not in results.samples]
    for number in range(pace.rounds):
        for task in list(open_tasks):
            _progress(f"round {number + 1} of {pace.rounds}: {task}")
            try:
                sample = workers[task.side].sample(task.measure, task.game, pace.seconds, dict(task.options))
            except MeasureUnavailable as reason:
                open_tasks.remove(task)
                _note_absence(results, str(task), str(reason))
            else:
                results.samples.setdefault(task, []).append(sample)


def _note_absence(results: Results, what: str, why: str) -> None:
    _progress(f"absent: {what}: {why}")
    results.absent[what] = why


def _progress(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
