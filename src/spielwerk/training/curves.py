"""A picture of what happened in runs, from their metrics. Runs that differ in nothing but the seed are drawn as one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter
from numpy.typing import NDArray

from spielwerk.arena.ratings import ELO
from spielwerk.arena.scores import Score
from spielwerk.border import printable
from spielwerk.games import make
from spielwerk.training.runs import Run, RunError

Line = dict[str, Any]  # of metrics.jsonl
Over = Literal["steps", "seconds"]
Series = tuple[Sequence[float], Sequence[float]]  # steps or seconds, and a number for each

COLUMNS = 3
PANEL_SIZE = (4.2, 2.9)
STYLES = ("-", "--", ":", "-.")  # of the seats, when colours tell runs apart
POINTS_OF_A_BAND = 200
# Settings that do not change what is learnt, or only by chance.
BY_CHANCE = ("seed", "device", "games", "threads", "compile")


@dataclass(frozen=True)
class _Curves:
    """A run, or several that are equal but for their seeds, as one part of the picture."""

    runs: list[Run]
    lines: list[list[Line]]
    number: int
    alone: bool
    over: Over = "steps"

    @property
    def colour(self) -> str:
        return _colour(self.number)

    def named(self, what: str) -> str:
        """A label for the legend; the runs' name only where there are others."""
        several = f" ({len(self.runs)} seeds)" if len(self.runs) > 1 else ""
        name = "" if self.alone else self.runs[0].name + several
        return printable(" ".join(filter(None, (name, what))))

    def anchors(self, opponent: str) -> list[list[tuple[float, list[dict[str, Any]]]]]:
        """Of each run: when, and the scores seat by seat; the figures at the end included."""
        return [
            [
                (line[self.over], line["anchors"][opponent])
                for line in [*lines, *filter(None, [run.learner_at_the_end])]
                if opponent in line.get("anchors", {})
            ]
            for run, lines in zip(self.runs, self.lines, strict=True)
        ]


Painter = Callable[[Axes, _Curves], None]


def draw(
    runs: Sequence[Run], path: Path, *, each: bool = False, over: Over = "steps", only: Sequence[str] = ()
) -> None:
    """Writes one picture with a panel for everything that the runs have measured; `each` joins no seeds.

    `only` leaves panels whose titles hold one of these words.
    """
    groups = [[run] for run in runs] if each else equal_but_for_seeds(runs)
    with rc_context({"text.parse_math": False}):  # a dollar in a name is a dollar
        _figure(groups, over, only).savefig(path, dpi=144)


def equal_but_for_seeds(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs in groups, in their order."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        config = {name: value for name, value in run.facts["config"].items() if name not in BY_CHANCE}
        same = [run.facts["method"], run.facts["ruleset"], run.facts["rules"], config]
        groups.setdefault(json.dumps(same, sort_keys=True, default=str), []).append(run)
    return list(groups.values())


def _figure(groups: Sequence[list[Run]], over: Over, only: Sequence[str]) -> Figure:
    curves = [
        _Curves(runs, [run.metrics() for run in runs], number, len(groups) == 1, over)
        for number, runs in enumerate(groups)
    ]
    if not any(lines for curve in curves for lines in curve.lines):
        folders = ", ".join(str(run.folder) for curve in curves for run in curve.runs)
        raise RunError(f"nothing has been measured yet in {folders}")
    panels = _chosen(_panels(curves), only)
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(columns * PANEL_SIZE[0], rows * PANEL_SIZE[1]), layout="constrained")
    figure.suptitle(printable(_title(groups)), fontsize=11)
    for place, (title, paint) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(rows, columns, place)
        _prepare(axes, title, over)
        for curve in curves:
            paint(axes, curve)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(fontsize=7, frameon=False)
    return figure


def _title(groups: Sequence[list[Run]]) -> str:
    if len(groups) > 1:
        return ", ".join(dict.fromkeys(run.facts["ruleset"] for runs in groups for run in runs))
    facts, seeds = groups[0][0].facts, [str(run.facts["config"].get("seed")) for run in groups[0]]
    if len(seeds) == 1:
        return f"{facts['ruleset']}, {facts['method']}, seed {seeds[0]}: {groups[0][0].name}"
    return f"{facts['ruleset']}, {facts['method']}, seeds {', '.join(seeds)}: mean, and from the lowest to the highest"


def _prepare(axes: Axes, title: str, over: Over) -> None:
    axes.set_title(printable(title), loc="left", fontsize=9)
    axes.set_xlabel(over, fontsize=8)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _panels(curves: Sequence[_Curves]) -> dict[str, Painter]:
    """Titles and painters of what at least one run has."""
    ends = [run.learner_at_the_end or {} for curve in curves for run in curve.runs]
    lines = [line for curve in curves for lines in curve.lines for line in lines] + ends
    panels: dict[str, Painter] = {}
    opponents = _names(line.get("anchors", {}) for line in lines)
    for opponent in opponents:
        panels[f"score against {opponent}"] = partial(_paint_anchor, opponent=opponent)
    for strongest in opponents[-1:]:
        panels[f"Elo above {strongest}"] = partial(_paint_elo, opponent=strongest)
    if any("evaluation" in line for line in lines):
        panels["score against the best so far (filled: promoted)"] = _paint_evaluations
    panels["mean return while learning"] = partial(_paint_number, read=lambda line: line.get("score"), named=True)
    if any(line.get("episode_length") is not None for line in lines):
        panels["episode_length"] = partial(_paint_number, read=lambda line: line.get("episode_length"))
    for name in _names(line.get("losses", {}) for line in lines):
        panels[name] = partial(_paint_number, read=partial(_loss, name=name))
    panels["steps per second"] = partial(_paint_number, read=lambda line: line.get("rate"))
    return panels


def _chosen(panels: dict[str, Painter], only: Sequence[str]) -> dict[str, Painter]:
    if not only:
        return panels
    chosen = {title: paint for title, paint in panels.items() if any(word.lower() in title.lower() for word in only)}
    if not chosen:
        raise RunError(f"no panel is called like that; there are: {'; '.join(panels)}")
    return chosen


def _colour(number: int) -> str:
    return f"C{number % 10}"


def _names(tables: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table))


# -- bands -----------------------------------------------------------------------------------------


def band(series: Sequence[Series]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Steps (or seconds) that all have reached, and there the lowest, the mean and the highest of their values."""
    first, last = max(steps[0] for steps, _ in series), min(steps[-1] for steps, _ in series)
    grid = np.linspace(first, max(first, last), POINTS_OF_A_BAND)
    values = np.array([np.interp(grid, steps, numbers) for steps, numbers in series])
    return grid, values.min(0), values.mean(0), values.max(0)


def _paint_series(axes: Axes, series: Sequence[Series], colour: str, label: str, **style: Any) -> None:
    """One curve as it is; several as their mean with a band."""
    present = [(steps, numbers) for steps, numbers in series if steps]
    if len(present) == 1:
        axes.plot(*present[0], color=colour, label=label or None, **style)
    elif present:
        steps, low, mean, high = band(present)
        axes.plot(steps, mean, color=colour, label=label or None, **style | {"marker": None})
        axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)


# -- panels ----------------------------------------------------------------------------------------


def _paint_anchor(axes: Axes, curve: _Curves, opponent: str) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylim(-0.02, 1.02)
    runs = curve.anchors(opponent)
    for seat, name in enumerate(curve.runs[0].facts["seats"]):
        colour = _colour(seat) if curve.alone else curve.colour
        style = "-" if curve.alone else STYLES[seat % len(STYLES)]
        series = [([step for step, _ in points], [scores[seat]["rate"] for _, scores in points]) for points in runs]
        _paint_series(axes, series, colour, curve.named(name), linestyle=style, marker=".")
        if len(runs) == 1:
            intervals = [scores[seat]["interval"] for _, scores in runs[0]]
            low, high = ([interval[end] for interval in intervals] for end in (0, 1))
            axes.fill_between(series[0][0], low, high, color=colour, alpha=0.15, linewidth=0)


def elo(score: Score) -> tuple[float, float, float]:
    """How far above opponents of one kind, with its 95 % interval; nobody is credited with less than half a game."""
    least = 0.5 / max(score.games, 1)
    rates = [min(max(rate, least), 1 - least) for rate in (score.rate, *score.interval)]
    best, low, high = (ELO * log((score.sides - 1) * rate / (1 - rate)) for rate in rates)
    return best, low, high


def _paint_elo(axes: Axes, curve: _Curves, opponent: str) -> None:
    axes.axhline(0, color="grey", linestyle=":", linewidth=0.8)
    facts = curve.runs[0].facts
    sides = len(set(make(facts["ruleset"], **facts["rules"]).sides))
    runs = [[(when, elo(_all_seats(scores, sides))) for when, scores in points] for points in curve.anchors(opponent)]
    series = [([when for when, _ in points], [rating for _, (rating, _, _) in points]) for points in runs]
    _paint_series(axes, series, curve.colour, curve.named(""), marker=".")
    if len(runs) == 1:
        low, high = ([rating[end] for _, rating in runs[0]] for end in (1, 2))
        axes.fill_between(series[0][0], low, high, color=curve.colour, alpha=0.15, linewidth=0)


def _all_seats(scores: Sequence[dict[str, Any]], sides: int) -> Score:
    wins, draws, losses = (sum(score[what] for score in scores) for what in ("wins", "draws", "losses"))
    return Score(wins, draws, losses, sides)


def _paint_evaluations(axes: Axes, curve: _Curves) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    lines = [line for lines in curve.lines for line in lines if "evaluation" in line]
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
            [line[curve.over] for line in chosen], rates, yerr=reach, fmt="o", markersize=4, linewidth=0.8,
            color=curve.colour, fillstyle="full" if promoted else "none", label=curve.named("") if promoted else None,
        )  # fmt: skip
    if threshold := curve.runs[0].facts["config"].get("win_threshold"):
        axes.axhline(threshold, color=curve.colour, linestyle=":", linewidth=0.8)


def _loss(line: Line, name: str) -> float | None:
    value: float | None = line.get("losses", {}).get(name)
    return value


def _paint_number(axes: Axes, curve: _Curves, read: Callable[[Line], float | None], named: bool = False) -> None:
    series: list[Series] = []
    for lines in curve.lines:
        points = [(line[curve.over], value) for line in lines if (value := read(line)) is not None]
        series.append(([step for step, _ in points], [value for _, value in points]))
    _paint_series(axes, series, curve.colour, curve.named("") if named else "", linewidth=1.2)
    if axes.get_ylim()[1] >= 1000:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
