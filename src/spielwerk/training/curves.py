"""A picture of what happened in runs, from their metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from spielwerk.border import printable
from spielwerk.training.runs import Run, RunError

Line = dict[str, Any]  # of metrics.jsonl

COLUMNS = 3
PANEL_SIZE = (4.2, 2.9)
STYLES = ("-", "--", ":", "-.")  # of the seats, when colours tell runs apart


@dataclass(frozen=True)
class _Curves:
    """One run's part of the picture."""

    run: Run
    lines: list[Line]
    number: int
    alone: bool

    @property
    def colour(self) -> str:
        return _colour(self.number)

    def named(self, what: str) -> str:
        """A label for the legend; the run's name only where there are several."""
        return printable(what if self.alone else " ".join(filter(None, (self.run.name, what))))

    def anchors(self, opponent: str) -> list[tuple[int, list[dict[str, Any]]]]:
        """Steps, and the scores seat by seat; the figures at the end included."""
        ends = [self.run.result] if self.run.result else []
        played = [line for line in [*self.lines, *ends] if opponent in line.get("anchors", {})]
        return [(line["steps"], line["anchors"][opponent]) for line in played]


Painter = Callable[[Axes, _Curves], None]


def draw(runs: Sequence[Run], path: Path) -> None:
    """Writes one picture with a panel for everything that the runs have measured."""
    with rc_context({"text.parse_math": False}):  # a dollar in a name is a dollar
        _figure(runs).savefig(path, dpi=144)


def _figure(runs: Sequence[Run]) -> Figure:
    curves = [_Curves(run, run.metrics(), number, len(runs) == 1) for number, run in enumerate(runs)]
    if not any(curve.lines for curve in curves):
        raise RunError(f"nothing has been measured yet in {', '.join(str(run.folder) for run in runs)}")
    panels = _panels(curves)
    rows = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(COLUMNS * PANEL_SIZE[0], rows * PANEL_SIZE[1]), layout="constrained")
    figure.suptitle(printable(_title(runs)), fontsize=11)
    for place, (title, paint) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(rows, COLUMNS, place)
        _prepare(axes, title)
        for curve in curves:
            paint(axes, curve)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(fontsize=7, frameon=False)
    return figure


def _title(runs: Sequence[Run]) -> str:
    if len(runs) == 1:
        facts = runs[0].facts
        return f"{facts['ruleset']}, {facts['method']}, seed {facts['config'].get('seed')}: {runs[0].name}"
    return ", ".join(dict.fromkeys(run.facts["ruleset"] for run in runs))


def _prepare(axes: Axes, title: str) -> None:
    axes.set_title(printable(title), loc="left", fontsize=9)
    axes.set_xlabel("steps", fontsize=8)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _panels(curves: Sequence[_Curves]) -> dict[str, Painter]:
    """Titles and painters of what at least one run has."""
    lines = [line for curve in curves for line in [*curve.lines, curve.run.result or {}]]
    panels: dict[str, Painter] = {}
    for opponent in _names(line.get("anchors", {}) for line in lines):
        panels[f"score against {opponent}"] = partial(_paint_anchor, opponent=opponent)
    if any("evaluation" in line for line in lines):
        panels["score against the best so far (filled: promoted)"] = _paint_evaluations
    panels["mean return while learning"] = partial(_paint_number, read=lambda line: line.get("score"), named=True)
    for name in _names(line.get("losses", {}) for line in lines):
        panels[f"loss: {name}"] = partial(_paint_number, read=partial(_loss, name=name))
    panels["steps per second"] = partial(_paint_number, read=lambda line: line.get("rate"))
    return panels


def _colour(number: int) -> str:
    return f"C{number % 10}"


def _names(tables: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table))


def _paint_anchor(axes: Axes, curve: _Curves, opponent: str) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylim(-0.02, 1.02)
    points = curve.anchors(opponent)
    steps = [step for step, _ in points]
    for seat, name in enumerate(curve.run.facts["seats"]):
        scores = [by_seat[seat] for _, by_seat in points]
        colour = _colour(seat) if curve.alone else curve.colour
        style = "-" if curve.alone else STYLES[seat % len(STYLES)]
        rates = [score["rate"] for score in scores]
        axes.plot(steps, rates, style, color=colour, marker=".", label=curve.named(name))
        low, high = ([score["interval"][end] for score in scores] for end in (0, 1))
        axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)


def _paint_evaluations(axes: Axes, curve: _Curves) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    lines = [line for line in curve.lines if "evaluation" in line]
    if not lines:
        return
    for promoted in (True, False):
        chosen = [line for line in lines if line["evaluation"]["promoted"] is promoted]
        scores = [line["evaluation"]["score"] for line in chosen]
        rates = [score["rate"] for score in scores]
        reach = [
            [abs(score["rate"] - score["interval"][end]) for score in scores]
            for end in (0, 1)
        ]  # fmt: skip
        axes.errorbar(
            [line["steps"] for line in chosen], rates, yerr=reach, fmt="o", markersize=4, linewidth=0.8,
            color=curve.colour, fillstyle="full" if promoted else "none", label=curve.named("") if promoted else None,
        )  # fmt: skip
    if threshold := curve.run.facts["config"].get("win_threshold"):
        axes.axhline(threshold, color=curve.colour, linestyle=":", linewidth=0.8)


def _loss(line: Line, name: str) -> float | None:
    value: float | None = line.get("losses", {}).get(name)
    return value


def _paint_number(axes: Axes, curve: _Curves, read: Callable[[Line], float | None], named: bool = False) -> None:
    points = [(line["steps"], value) for line in curve.lines if (value := read(line)) is not None]
    label = curve.named("") if named else ""
    axes.plot(*zip(*points, strict=True), color=curve.colour, linewidth=1.2, label=label or None)
    if axes.get_ylim()[1] >= 1000:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
