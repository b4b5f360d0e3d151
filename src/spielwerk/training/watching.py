"""Seeing a run: a bar at a terminal, lines elsewhere, TensorBoard, Weights & Biases, and the run folder's metrics.

The loop makes one `Row` about every second and shows it to every watcher.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from spielwerk.border import quoted
from spielwerk.extras import need
from spielwerk.training.runs import Run

SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True)
class Row:
    """A moment of a run. `anchors` holds a list of scores, seat by seat, for each opponent that was played."""

    update: int
    steps: int
    seconds: float
    rate: float  # steps per second since the row before
    score: float | None  # mean return of the games that ended since the row before
    games: int
    episode_length: float | None  # mean number of decisions in these games, forced ones not counted
    losses: dict[str, float]
    evaluation: dict[str, Any] | None = None
    anchors: dict[str, list[dict[str, Any]]] | None = None

    def to_json(self) -> dict[str, Any]:
        """Without what did not happen; numbers that are none become null."""
        losses = {name: value if math.isfinite(value) else None for name, value in self.losses.items()}
        optional = {"evaluation": self.evaluation, "anchors": self.anchors}
        return {
            "update": self.update,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "rate": round(self.rate, 1),
            "score": self.score,
            "games": self.games,
            "episode_length": self.episode_length,
            "losses": losses,
            **{name: value for name, value in optional.items() if value is not None},
        }


class Watcher:
    """Someone who looks at a run, and by default at nothing of it."""

    def see(self, row: Row) -> None:
        """Takes notice of a row."""

    def say(self, text: str) -> None:
        """Passes a message on to people."""

    def waiting(self, what: str) -> None:
        """Nothing can be seen until this is done."""

    def measuring(self, what: str, share: float) -> None:
        """Games are played to measure a network; the share of them that has ended."""

    def close(self) -> None:
        """The run has stopped."""


@dataclass
class Metrics(Watcher):
    run: Run

    def see(self, row: Row) -> None:
        self.run.append_metrics(row.to_json())


@dataclass
class TensorBoard(Watcher):
    """Scalars for TensorBoard, written here and now: its own writer has a thread that dies loudly on a full disk."""

    folder: Path
    seats: Sequence[str]
    first_step: int

    def __post_init__(self) -> None:
        """Opens an event file; what an earlier one says about later steps no longer counts."""
        from tensorboard.compat.proto.event_pb2 import SessionLog
        from tensorboard.summary.writer.record_writer import RecordWriter

        self.folder.mkdir(exist_ok=True)
        path = self.folder / f"events.out.tfevents.{time.time_ns()}.spielwerk"
        self._records = RecordWriter(path.open("wb", buffering=0))
        self._write(file_version="brain.Event:2")
        self._write(step=self.first_step, session_log=SessionLog(status=SessionLog.START))

    def see(self, row: Row) -> None:
        """Adds every number, over the steps."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in scalars(row, self.seats).items()]
        self._write(step=row.steps, summary=Summary(value=values))

    def close(self) -> None:
        """Nothing is pending."""
        self._records.close()

    def _write(self, **content: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        self._records.write(Event(wall_time=time.time(), **content).SerializeToString())


class WeightsAndBiases(Watcher):
    """The same scalars for Weights & Biases; a continued run goes on where it was."""

    def __init__(self, run: Run, facts: Mapping[str, Any]) -> None:
        wandb = need("wandb")
        self._seats: list[str] = facts["seats"]
        about = {name: facts[name] for name in ("method", "ruleset", "rules", "config")}
        try:
            self._run = wandb.init(
                project=os.environ.get("WANDB_PROJECT", "spielwerk"), id=run.name, name=run.name, resume="allow",
                dir=str(run.folder), config=about,
            )  # fmt: skip
        except Exception as error:  # whatever the service or its client has to say
            reason = quoted(str(error), 200) or type(error).__name__
            raise ValueError(f"Weights & Biases: {reason}; WANDB_MODE=offline needs no account") from None

    def see(self, row: Row) -> None:
        """Adds every number, over the steps."""
        self._run.log(scalars(row, self._seats), step=row.steps)

    def close(self) -> None:
        """Sends what is pending."""
        self._run.finish()


def scalars(row: Row, seats: Sequence[str]) -> dict[str, float]:
    """Every number of a row by the name that TensorBoard and Weights & Biases show."""
    found = {f"loss/{name}": value for name, value in row.losses.items()}
    found["steps per second"] = row.rate
    if row.score is not None:
        found["score/learning"] = row.score
    if row.episode_length is not None:
        found["episode_length"] = row.episode_length
    if row.evaluation is not None:
        found["score/against the best"] = row.evaluation["score"]["rate"]
        found["score/against the start"] = row.evaluation["against_start"]["rate"]
    for opponent, scores in (row.anchors or {}).items():
        for seat, score in zip(seats, scores, strict=True):
            found[f"against {opponent}/{seat}"] = score["rate"]
    return found


@dataclass
class Goal:
    """How far a run is to go: until its steps are done, or its time is over."""

    steps: int
    seconds: float = 0.0

    def share(self, row: Row) -> float:
        """From 0 to 1."""
        by_time = row.seconds / self.seconds if self.seconds > 0 else 0.0
        return min(1.0, max(row.steps / self.steps, by_time))

    def left(self, row: Row, first: Row) -> str:
        """The time until the end at the pace since `first`."""
        gained = self.share(row) - self.share(first)
        if gained <= 0:
            return "…"
        seconds = (row.seconds - first.seconds) * (1 - self.share(row)) / gained
        return span(seconds)


@dataclass
class Lines(Watcher):
    """A line now and then, for logs and pipes."""

    goal: Goal
    seats: Sequence[str]
    console: Console
    _printed_at: float = field(default=-math.inf, init=False)
    _first: Row | None = field(default=None, init=False)
    _measured: str = field(default="", init=False)

    def see(self, row: Row) -> None:
        """Prints the row unless the last line is fresh."""
        self._first = self._first or row
        for text in (*evaluation_lines(row), *anchor_lines(row, self.seats)):
            self.say(text)
        if time.monotonic() - self._printed_at >= SECONDS_BETWEEN_LINES or row.steps >= self.goal.steps:
            self._printed_at = time.monotonic()
            self.say(f"{pace(row, self.goal, self._first)}; {numbers(row)}")

    def waiting(self, what: str) -> None:
        self.say(f"waiting for {what}")

    def measuring(self, what: str, share: float) -> None:
        """A line when it begins, and now and then."""
        if what != self._measured or time.monotonic() - self._printed_at >= SECONDS_BETWEEN_LINES:
            self._measured, self._printed_at = what, time.monotonic()
            self.say(f"{what}: {share:.0%}")

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


class Bar(Watcher):
    """A bar at a terminal, with the latest figures below it."""

    def __init__(self, goal: Goal, seats: Sequence[str], console: Console) -> None:
        self.goal = goal
        self.seats = seats
        self._first: Row | None = None
        self._anchors: list[str] = []
        self._bar = Progress(BarColumn(bar_width=24), TextColumn("{task.description}", markup=False), console=console)
        self._task = self._bar.add_task("starting", total=1.0)
        self._live = Live(self._bar, console=console, transient=True, refresh_per_second=4)
        self._live.start()

    def see(self, row: Row) -> None:
        self._first = self._first or row
        self._anchors = anchor_lines(row, self.seats) or self._anchors
        for text in evaluation_lines(row):
            self.say(text)
        self._bar.update(self._task, completed=self.goal.share(row), description=pace(row, self.goal, self._first))
        self._live.update(Group(self._bar, *(Text(text, "dim") for text in (numbers(row), *self._anchors))))

    def waiting(self, what: str) -> None:
        self._bar.update(self._task, description=f"waiting for {what}")

    def measuring(self, what: str, share: float) -> None:
        """Shows the measuring in place of the steps."""
        self._bar.update(self._task, completed=share, description=what)
        self._live.update(Group(self._bar, *(Text(text, "dim") for text in self._anchors)))

    def say(self, text: str) -> None:
        self._live.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Leaves the terminal as it was."""
        self._live.stop()


def pace(row: Row, goal: Goal, first: Row) -> str:
    """How far the run is, how fast, and how long it will take."""
    return (
        f"{short(row.steps)} of {short(goal.steps)} steps, {short(row.rate)}/s,"
        f" {goal.left(row, first)} left"
    )  # fmt: skip


def numbers(row: Row) -> str:
    score = "–" if row.score is None else f"{row.score:+.2f}"
    length = "–" if row.episode_length is None else f"{row.episode_length:.3g}"
    losses = ", ".join(f"{name} {value:.3g}" for name, value in row.losses.items())
    return f"score {score}, episode_length {length}; {losses}"


def evaluation_lines(row: Row) -> list[str]:
    """What the gate said, how the start and the anchors fare, and what has fallen; nothing without an evaluation."""
    if row.evaluation is None:
        return []
    evaluation = row.evaluation
    lines = [
        f"{short(row.steps)} steps: {evaluation['verdict']}",
        f"  against the start: {percent(evaluation['against_start'])}; " + ", ".join(
            f"against {name}: {percent(compared['score'])}, {100 * compared['change']:+.1f} from the start"
            for name, compared in evaluation["anchors"].items()
        ),
    ]  # fmt: skip
    return lines + [f"  warning: {line}" for line in evaluation["warnings"]]


def result_lines(result: dict[str, Any], folder: Path, seats: Sequence[str]) -> list[str]:
    lines = [f"{result['steps']:,} steps in {span(result['seconds'])}; {folder}"]
    for board, anchors in {"": result["anchors"], **result.get("boards", {})}.items():
        for opponent, scores in anchors.items():
            games = "/".join(str(score["games"]) for score in scores)
            against = f"{board}, against" if board else "against"
            lines.append(f"{against} {opponent}: {by_seat(scores, seats)} ({games} distinct games)")
    if "ratings" in result:
        lines += rating_lines(result["ratings"])
        lines.append(f"the best against the start: {result['against_start']['verdict']}")
        return [*lines, f"the best plays as network:{folder}, the last as network:{folder}/final/model.onnx"]
    return [*lines, f"the model plays as network:{folder}"]


def rating_lines(ratings: Sequence[dict[str, Any]]) -> list[str]:
    """A table of every best, the start and the anchors, the strongest first."""
    rated = [rating for rating in ratings if rating["elo"] is not None]
    if not rated:
        return ["no network was promoted; the best, which these figures are of, is the start"]
    width = max(len(rating["player"]) for rating in rated)
    return ["rating in Elo, 95 % intervals:"] + [
        f"  {rating['player']:{width}}  {rating['elo']:6.0f} ({rating['low']:.0f} to {rating['high']:.0f}),"
        f" {rating['games']} games"
        for rating in rated
    ]


def anchor_lines(row: Row, seats: Sequence[str]) -> list[str]:
    """A line for each anchor that was played."""
    anchors = (row.anchors or {}).items()
    return [f"{short(row.steps)} steps, against {anchor}: {by_seat(scores, seats)}" for anchor, scores in anchors]


def by_seat(scores: Sequence[dict[str, Any]], seats: Sequence[str]) -> str:
    """Each seat's rate with its interval, in percent."""
    return ", ".join(f"{seat} {percent(score)}" for seat, score in zip(seats, scores, strict=True))


def percent(score: dict[str, Any]) -> str:
    """A rate and its 95 % interval."""
    low, high = score["interval"]
    return f"{100 * score['rate']:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def span(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def short(number: float) -> str:
    """1234567 as 1.23 M."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g} {unit}"
    return f"{number:.3g}"
