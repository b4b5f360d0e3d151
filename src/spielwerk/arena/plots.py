"""Reports as a picture: for every ruleset a cross-table as a heat map, and the ratings with their intervals.

Needs matplotlib, which the extra `arena` installs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from spielwerk.arena.report import Report
from spielwerk.arena.scores import Score
from spielwerk.border import printable

_INK, _FAINT, _BAR = "#22262b", "#8a9099", "#3f7cac"
# Losing is warm, winning is cool, an even score is white; readable with all common kinds of colour vision.
_SHADES = LinearSegmentedColormap.from_list("scores", ["#d9825b", "#ffffff", "#5b95c9"])
_STYLE: Any = {
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a name is a dollar
}


def paint(reports: Sequence[Report], file: Path) -> None:
    """Writes the picture; the file's ending decides the format."""
    with matplotlib.rc_context(_STYLE):
        figure = _figure(reports)
        try:
            figure.savefig(file, dpi=130, facecolor="white", bbox_inches="tight", pad_inches=0.25)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None


def _figure(reports: Sequence[Report]) -> Figure:
    heights = [1.3 + 0.55 * len(report.ratings.players) for report in reports]
    figure = Figure(figsize=(11, sum(heights)), layout="constrained")
    grid = GridSpec(len(reports), 2, figure, width_ratios=[1.15, 1], height_ratios=heights)
    for row, report in enumerate(reports):
        _cross_table(figure.add_subplot(grid[row, 0]), report)
        _rating_bars(figure.add_subplot(grid[row, 1]), report)
    return figure


# The cross-table


def _cross_table(axes: Axes, report: Report) -> None:
    names = [rating.player for rating in report.ratings.players]
    axes.set_title(printable(report.ruleset.game), loc="left", fontweight="bold")
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
    axes.set_xticks(range(len(names)), [_short(name) for name in names], rotation=20, ha="left")
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.set_facecolor("#f3f4f5")
    for side in axes.spines.values():
        side.set_visible(False)
    for encounter in report.encounters:
        row, column = names.index(encounter.player), names.index(encounter.opponent)
        _cell(axes, row, column, encounter.score, list(encounter.by_side), report)
        if len(report.sides) == 2:
            mirrored = [score.reversed for score in reversed(encounter.by_side)]
            _cell(axes, column, row, encounter.score.reversed, mirrored, report)
    axes.set_xlabel(_reading(report), fontsize=7.5, color=_FAINT)


def _cell(axes: Axes, row: int, column: int, score: Score, by_side: list[Score], report: Report) -> None:
    even = 1 / len(report.sides)
    shade = 0.5 * score.rate / even if score.rate < even else 0.5 + 0.5 * (score.rate - even) / (1 - even)
    axes.fill_between([column - 0.49, column + 0.49], row - 0.48, row + 0.48, color=_SHADES(shade), linewidth=0)
    axes.text(column, row - 0.12, f"{100 * score.rate:.0f}", ha="center", va="center", fontsize=11)
    sides = " · ".join(f"{100 * each.rate:.0f}" if each.games else "–" for each in by_side)
    axes.text(column, row + 0.27, sides, ha="center", va="center", fontsize=7, color="#4a5058")


def _reading(report: Report) -> str:
    against = "the column's" if len(report.sides) == 2 else f"{len(report.sides) - 1} of the column's"
    return f"score of the row's player in % against {against}; small: as {' · '.join(report.sides)}"


# The ratings


def _rating_bars(axes: Axes, report: Report) -> None:
    rated = [rating for rating in report.ratings.players if rating.elo is not None]
    values = [rating.elo or 0.0 for rating in rated]
    below = [value - (rating.low or 0.0) for value, rating in zip(values, rated, strict=True)]
    above = [(rating.high or 0.0) - value for value, rating in zip(values, rated, strict=True)]
    places = range(len(rated))
    axes.barh(places, values, height=0.5, color=_BAR, alpha=0.35)
    axes.errorbar(values, places, xerr=[below, above], fmt="o", color=_BAR, markersize=4, capsize=3, linewidth=1.2)
    axes.set_yticks(places, [_short(rating.player) for rating in rated])
    axes.set_ylim(len(rated) - 0.5, -0.5)
    for place, value, more in zip(places, values, above, strict=True):
        axes.annotate(
            f"{value:.0f}", (value + more, place), (5, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.margins(x=0.15)
    axes.axvline(0, color=_FAINT, linewidth=0.8)
    axes.grid(axis="x", color="#e4e6e8", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    zero = report.ratings.anchor or "the mean"
    axes.set_xlabel(f"Elo, {zero} = 0, with 95 % intervals", fontsize=7.5, color=_FAINT)


def _short(name: str) -> str:
    """A path says less than its end."""
    name = printable(name)
    return name if len(name) <= 30 else f"{name[:8]}…{name[-20:]}"
