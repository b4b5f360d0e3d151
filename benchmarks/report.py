"""The results as Markdown for people and as JSON for machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import plan
from measure import Figure, Pace, Sample
from plan import OURS, Measure, Task

NOT_MEASURED = "–"


@dataclass
class Results:
    machine: Mapping[str, str]
    comparison_pace: Pace
    table_pace: Pace
    games: Sequence[str]
    names: dict[str, str] = field(default_factory=dict)
    samples: dict[Task, list[Sample]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def figure(self, task: Task) -> Figure | None:
        return Figure.per_cpu_second(self.samples[task]) if task in self.samples else None

    def wall_figure(self, task: Task) -> Figure | None:
        return Figure.per_wall_second(self.samples[task]) if task in self.samples else None

    def best_peer(self, measure: Measure) -> tuple[Task, Figure] | None:
        """The strongest of the peer's games: the ratio is never taken against an easy one."""
        figures = [(task, figure) for task in measure.theirs() if (figure := self.figure(task))]
        return max(figures, key=lambda pair: pair[1].median, default=None)

    def ratio(self, measure: Measure) -> float | None:
        ours, peer = self.figure(measure.ours()), self.best_peer(measure)
        return ours.median / peer[1].median if ours and peer else None


def markdown(results: Results) -> str:
    sections = [_opening(results), _headline(results)]
    if len(results.names) > 1:
        sections.append(_every_peer(results))
    sections += [_rulesets(results), _batch_growth(results), _side_growth(results)]
    if results.absent:
        sections.append(_absent(results))
    return "\n\n".join(sections) + "\n"


def as_json(results: Results) -> dict[str, object]:
    return {
        "machine": dict(results.machine),
        "comparison_pace": vars(results.comparison_pace),
        "table_pace": vars(results.table_pace),
        "figures": [_figure_json(results, task) for task in results.samples],
        "comparisons": [
            {
                "measure": measure.title,
                "unit": f"{measure.unit} per CPU-second",
                "ours": _median(results.figure(measure.ours())),
                "peer": _task_label(results, peer[0]) if (peer := results.best_peer(measure)) else None,
                "peer_figure": peer[1].median if peer else None,
                "ratio": results.ratio(measure),
            }
            for measure in plan.MEASURES
        ],
        "absent": dict(results.absent),
    }


def _median(figure: Figure | None) -> float | None:
    return figure.median if figure else None


def _figure_json(results: Results, task: Task) -> dict[str, object]:
    return {
        "name": results.names[task.side],
        "measure": task.measure,
        "game": task.game,
        "options": dict(task.options),
        "per_cpu_second": vars(Figure.per_cpu_second(results.samples[task])),
        "per_wall_second": vars(Figure.per_wall_second(results.samples[task])),
        "samples": [vars(sample) for sample in results.samples[task]],
    }


def _opening(results: Results) -> str:
    machine = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in results.machine.items())
    names = ", ".join(results.names.values())
    return (
        "# Speed\n\n"
        "Written by `python benchmarks/speed.py --peers --markdown docs/speed.md`; what each row means and "
        "how it is timed stands in `benchmarks/README.md`.\n\n"
        f"- Machine: {machine}\n"
        f"- Measured in one run: {names}\n"
        f"- Each figure: the median of {_pace(results.comparison_pace)} (further tables: "
        f"{_pace(results.table_pace)}), per CPU-second, one thread, random legal play"
    )


def _headline(results: Results) -> str:
    rows = []
    for measure in plan.MEASURES:
        ours = results.figure(measure.ours())
        if ours is None:
            continue
        peer = results.best_peer(measure)
        rows.append(
            [
                f"{measure.title}, {measure.unit}",
                f"**{_short(ours)}**",
                f"{_short(peer[1])} ({_task_label(results, peer[0])})" if peer else NOT_MEASURED,
                _ratio(results.ratio(measure)),
            ]
        )
    header = [f"per CPU-second, `{plan.HEADLINE_GAME}`", "ours", "best peer", "ratio"]
    return "## Beside the peers\n\n" + _table(header, rows)


def _every_peer(results: Results) -> str:
    rows = [
        [measure.title, _task_label(results, task), _short(figure), _range(figure)]
        for measure in plan.MEASURES
        for task in measure.theirs()
        if (figure := results.figure(task))
    ]
    return "## Every peer figure\n\n" + _table(["measure", "peer", "median", "lowest to highest"], rows)


def _rulesets(results: Results) -> str:
    rows = [
        [f"`{game}`", *(_short(results.figure(measure.ours(game))) for measure in plan.RULESET_MEASURES)]
        for game in results.games
    ]
    header = ["ruleset", *(measure.column for measure in plan.RULESET_MEASURES)]
    return "## Every ruleset\n\n" + _table(header, rows)


def _batch_growth(results: Results) -> str:
    single, *several = plan.THREADS
    rows = [
        [
            str(num_envs),
            _short(results.figure(plan.batch_growth_task(num_envs, single))),
            *(cell for threads in several for cell in _thread_cells(results, num_envs, threads)),
        ]
        for num_envs in plan.BATCH_SIZES
    ]
    header = ["batch", "1 thread, per CPU-second"]
    for threads in several:
        header += [f"{threads} threads, per CPU-second", "per second of wall clock", "cores got"]
    return f"## Growth with batch size and threads, `{plan.HEADLINE_GAME}`\n\n" + _table(header, rows)


def _thread_cells(results: Results, num_envs: int, threads: int) -> list[str]:
    """With the share of the machine that the threads got: beside busy neighbours they gain nothing."""
    task = plan.batch_growth_task(num_envs, threads)
    cpu, wall = results.figure(task), results.wall_figure(task)
    cores = f"{wall.median / cpu.median:.1f}" if cpu and wall else NOT_MEASURED
    return [_short(cpu), _short(wall), cores]


def _side_growth(results: Results) -> str:
    rows = [
        [
            str(side),
            *(_short(results.figure(measure.ours().with_options(size=side))) for measure in plan.SIDE_MEASURES),
        ]
        for side in plan.BOARD_SIDES
    ]
    header = ["side", *(measure.column for measure in plan.SIDE_MEASURES)]
    return f"## Growth with board side, `{plan.HEADLINE_GAME}`\n\n" + _table(header, rows)


def _absent(results: Results) -> str:
    return "## Absent\n\n" + "\n".join(f"- {what}: {why}" for what, why in results.absent.items())


def _task_label(results: Results, task: Task) -> str:
    return results.names[task.side] if task.side == OURS else f"{results.names[task.side]} {task.game}"


def _pace(pace: Pace) -> str:
    return f"{pace.rounds} interleaved rounds of {pace.seconds:g} s"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    alignment = ["---", *("---:" for _ in header[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, alignment, *rows))


def _range(figure: Figure) -> str:
    return f"{_short_number(figure.lowest)} to {_short_number(figure.highest)}"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return NOT_MEASURED
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def _short(figure: Figure | None) -> str:
    return _short_number(figure.median) if figure else NOT_MEASURED


def _short_number(number: float) -> str:
    """Three figures are all the noise leaves: 229 M, 17.4 k."""
    scales = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
    scale, letter = next((each for each in scales if number >= each[0]), (1.0, ""))
    scaled = number / scale
    decimals = 0 if scaled >= 100 else 1 if scaled >= 10 else 2
    return f"{scaled:.{decimals}f}{letter}"
