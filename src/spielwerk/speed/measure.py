"""Timing in CPU-seconds.

On a shared machine the wall clock counts everybody else's work too; the CPU clock of this process does not.
It does count all of the process's threads, so a peer that quietly starts helpers gains nothing by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


def _nothing_to_rewind() -> None:
    pass


@dataclass(frozen=True)
class Stretch:
    """A bounded, repeatable piece of play: `rewind` is not timed; `play` is, and returns its steps."""

    play: Callable[[], int]
    rewind: Callable[[], None] = _nothing_to_rewind


@dataclass(frozen=True)
class Pace:
    """How often each figure is taken, and for how long each time."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Sample:
    """What one round came to."""

    steps: int
    cpu_seconds: float
    wall_seconds: float


def take_sample(stretch: Stretch, seconds: float) -> Sample:
    """Repeats the stretch until `seconds` of wall time have been timed, at least once."""
    steps = 0
    cpu_seconds = wall_seconds = 0.0
    while steps == 0 or wall_seconds < seconds:
        stretch.rewind()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        steps += stretch.play()
        cpu_seconds += time.process_time() - cpu_start
        wall_seconds += time.perf_counter() - wall_start
    return Sample(steps, cpu_seconds, wall_seconds)


@dataclass(frozen=True)
class Figure:
    """Steps per second over several rounds: the median is the result, lowest and highest show the noise."""

    median: float
    lowest: float
    highest: float

    @staticmethod
    def of_rates(rates: Sequence[float]) -> Figure:
        return Figure(median(rates), min(rates), max(rates))

    @staticmethod
    def per_cpu_second(samples: Sequence[Sample]) -> Figure:
        return Figure.of_rates([sample.steps / sample.cpu_seconds for sample in samples])

    @staticmethod
    def per_wall_second(samples: Sequence[Sample]) -> Figure:
        return Figure.of_rates([sample.steps / sample.wall_seconds for sample in samples])
