"""Training runs for the page: run folders as curves that grow, and their networks as opponents.

Folders may come from elsewhere: what is read of them is bounded, names pass the border, numbers are finite.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from spielwerk import catalogue
from spielwerk.border import quoted
from spielwerk.games import Game, make
from spielwerk.render import seat_labels
from spielwerk.server import views
from spielwerk.server.lab_protocol import CurveKind, CurveView, RunCurves, RunItem, RunStatus, TrainingView
from spielwerk.server.levels import Level, model_level, run_id
from spielwerk.server.protocol import Refused
from spielwerk.training.runs import Facts, Run, RunError, list_runs

MOST_RUNS = 100
MOST_POINTS = 300
MOST_CURVES = 60
MOST_METRICS_BYTES = 8_000_000
FRESH_SECONDS = 2.0  # whoever asks within them gets the same answer
MOST_STEPS = 2**53

Point = tuple[int, float, bool]
Key = tuple[CurveKind, str, int | None]


class Training:
    """The runs of one folder."""

    def __init__(self, folder: Path | None, levels: list[Level]) -> None:
        if folder is not None and not folder.is_dir():
            raise ValueError(f"{folder} is no folder of runs; 'spielwerk train' makes them")
        self._folder = folder
        self._levels = levels
        self._tried: dict[str, int] = {}  # runs whose model is no opponent yet, and when it was written
        self._lock = threading.Lock()
        self._asked = -math.inf
        self._runs: dict[str, Run] = {}
        self._items: list[RunItem] = []
        self._curves: dict[str, tuple[float, RunCurves]] = {}
        self.view()

    def view(self) -> TrainingView:
        with self._lock:
            if self._folder is not None and time.monotonic() - self._asked >= FRESH_SECONDS:
                self._look(self._folder)
                self._asked = time.monotonic()
            return TrainingView(shown=self._folder is not None, runs=self._items)

    def curves(self, id: str) -> RunCurves:
        """What one run has measured."""
        self.view()
        with self._lock:
            if id not in self._runs:
                raise Refused("not_found", "there is no such run")
            asked, kept = self._curves.get(id, (-math.inf, None))
            if kept is None or time.monotonic() - asked >= FRESH_SECONDS:
                kept = RunCurves(id=id, curves=_curves(self._runs[id]))
                self._curves[id] = time.monotonic(), kept
            return kept

    def _look(self, folder: Path) -> None:
        newest = list_runs(folder)[: -MOST_RUNS - 1 : -1]
        found = [(run, item) for run in newest if (item := self._item(run)) is not None]
        self._runs = {item.id: run for run, item in found}
        self._items = [item for _, item in found]
        self._curves = {id: kept for id, kept in self._curves.items() if id in self._runs}

    def _item(self, run: Run) -> RunItem | None:
        """None for a folder that is no run after all."""
        try:
            facts, status, last = run.facts, _status(run), run.result or run.last_metrics()
        except (RunError, OSError):
            return None
        game = _game(facts)
        name = quoted(facts["ruleset"], 60)
        return RunItem(
            id=run_id(run.folder),
            name=quoted(run.name, 60),
            method=quoted(facts["method"], 40),
            game=game.name if game else name,
            title=views.words(catalogue.full_title(game.name)) if game else name,
            rules=game.rules if game else {},
            seats=[views.words(label) for label in seat_labels(game)] if game else [],
            started=quoted(facts["started"], 40),
            status=status,
            steps=_steps(last) or 0,
            seconds=_number(last.get("seconds")) or 0.0,
            level=self._level(run) if game else None,
        )

    def _level(self, run: Run) -> str | None:
        """The level that plays this run's network, which joins the others as soon as there is one."""
        id = f"model-{run_id(run.folder)}"
        if any(level.id == id for level in self._levels):
            return id
        written = _written(run)
        if written is None or self._tried.get(id) == written:
            return None
        try:
            self._levels.append(model_level(run.folder))
        except (ValueError, OSError):
            self._tried[id] = written
            return None
        return id


def _status(run: Run) -> RunStatus:
    status = run.status
    return "running" if status == "running" else "finished" if status == "finished" else "stopped"


def _written(run: Run) -> int | None:
    """When the run's model was written; None while there is none."""
    try:
        return run.model.with_suffix(".json").stat().st_mtime_ns if run.model else None
    except OSError:
        return None


def _game(facts: Facts) -> Game | None:
    try:
        return make(facts["ruleset"], **facts["rules"])
    except (ValueError, TypeError):
        return None


def _curves(run: Run) -> list[CurveView]:
    try:
        lines = [*run.some_metrics(MOST_METRICS_BYTES), *filter(None, [run.learner_at_the_end])]
    except RunError:
        lines = []
    points: dict[Key, list[Point]] = {}
    for line in lines:
        steps = _steps(line)
        for key, value, promoted in _numbers(line) if steps is not None else ():
            if steps is not None and (key in points or len(points) < MOST_CURVES):
                points.setdefault(key, []).append((steps, value, promoted))
    return [_curve(key, thinned(one)) for key, one in points.items()]


def _curve(key: Key, points: Sequence[Point]) -> CurveView:
    kind, name, seat = key
    steps, values, promoted = zip(*points, strict=True)
    return CurveView(
        kind=kind,
        name=name,
        seat=seat,
        steps=list(steps),
        values=[float(f"{value:.6g}") for value in values],
        promoted=list(promoted) if kind == "evaluation" else [],
    )


def thinned(points: Sequence[Point]) -> list[Point]:
    """At most MOST_POINTS, each the mean of neighbours."""
    if len(points) <= MOST_POINTS:
        return list(points)
    ends = [number * len(points) // MOST_POINTS for number in range(MOST_POINTS + 1)]
    groups = [points[begin:end] for begin, end in pairwise(ends)]
    return [
        (group[-1][0], math.fsum(value for _, value, _ in group) / len(group), any(done for _, _, done in group))
        for group in groups
    ]


def _numbers(line: Facts) -> Iterator[tuple[Key, float, bool]]:
    """Every number of one line of the metrics, with the curve it belongs to."""
    for opponent, scores in islice(_table(line.get("anchors")).items(), MOST_CURVES):
        for seat, score in enumerate(scores[:8] if isinstance(scores, list) else ()):
            if (rate := _number(_table(score).get("rate"))) is not None:
                yield ("anchor", quoted(opponent, 60), seat), rate, False
    evaluation = _table(line.get("evaluation"))
    if (rate := _number(_table(evaluation.get("score")).get("rate"))) is not None:
        yield ("evaluation", "", None), rate, evaluation.get("promoted") is True
    plain: tuple[tuple[CurveKind, str], ...] = (("score", "score"), ("length", "episode_length"), ("rate", "rate"))
    for kind, field in plain:
        if (value := _number(line.get(field))) is not None:
            yield (kind, "", None), value, False
    for name, loss in islice(_table(line.get("losses")).items(), MOST_CURVES):
        if (value := _number(loss)) is not None:
            yield ("loss", quoted(name, 40), None), value, False


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _steps(line: Facts) -> int | None:
    steps = line.get("steps")
    return steps if isinstance(steps, int) and 0 <= steps < MOST_STEPS else None


def _number(value: Any) -> float | None:
    """A number that a chart can show."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e15 else None


def add_training(router: APIRouter, training: Training) -> None:
    """The doors of the training page; files are read beside the event loop."""

    @router.get("/training")
    def list_training() -> TrainingView:
        """The training runs that this server shows, newest first."""
        return training.view()

    @router.get("/training/{id}")
    def run_curves(id: str) -> RunCurves:
        """A run's curves, thinned to a few hundred points."""
        return training.curves(id)
