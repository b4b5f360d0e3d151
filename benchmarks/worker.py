"""One side of the comparison as a process that measures on request.

Ours and every peer run behind the same small protocol, so one round can visit all of them in turn and a noisy
minute hits each side alike. Requests and answers are single lines of JSON on stdin and stdout:

    -> {"measure": "state", "game": "connect_four", "options": {}, "seconds": 0.5}
    <- {"name": "OpenSpiel", "measure": "state", "game": "connect_four", "steps": 280000,
        "cpu_seconds": 0.5, "wall_seconds": 0.5}                    or {"error": "one line saying why"}
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from measure import Sample, Stretch, take_sample

BENCHMARKS = Path(__file__).resolve().parent
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}
# Importing and compiling a large peer may take most of a minute; a sample itself is far shorter.
PATIENCE_SECONDS = 120.0


class MeasureUnavailable(Exception):
    """This side cannot deliver the figure asked for; the text says why."""


class Worker:
    """The caller's end: starts the process and asks it for samples."""

    def __init__(self, python: Path, module: str) -> None:
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 (lives as long as the process)
        self._process = subprocess.Popen(
            [str(python), "-m", module],
            cwd=BENCHMARKS,
            env=_environment(python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )
        try:
            greeting = self._read_answer()
        except MeasureUnavailable:
            self.close()
            raise
        self.name: str = greeting["name"]
        self.version: str = greeting["version"]

    def sample(self, measure: str, game: str, seconds: float, options: Mapping[str, object] | None = None) -> Sample:
        assert self._process.stdin is not None
        request = {"measure": measure, "game": game, "options": dict(options or {}), "seconds": seconds}
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise MeasureUnavailable(self._last_words()) from None
        answer = self._read_answer()
        return Sample(answer["steps"], answer["cpu_seconds"], answer["wall_seconds"])

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        watchdog = threading.Timer(PATIENCE_SECONDS, self._process.kill)
        watchdog.start()
        line = self._process.stdout.readline()
        watchdog.cancel()
        if not line:
            raise MeasureUnavailable(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise MeasureUnavailable(answer["error"])
        return answer

    def _last_words(self) -> str:
        self._process.wait()
        self._stderr.seek(0)
        lines = self._stderr.read().split("\n")
        return next((line for line in reversed(lines) if line.strip()), "the process ended without a word")


def _environment(python: Path) -> dict[str, str]:
    environment = {**os.environ, **ONE_THREAD}
    if python != Path(sys.executable):
        environment.pop("PYTHONPATH", None)  # another interpreter's packages are not this peer's
    return environment


def serve(name: str, version: str, measures: Mapping[str, Callable[..., Stretch]]) -> None:
    """The measuring end: `measures[measure](game, **options)` prepares a stretch, kept for later rounds."""
    # Libraries print greetings; only answers may reach the caller's pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(content: Mapping[str, object]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    prepared: dict[str, Stretch] = {}
    answer({"name": name, "version": version})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            sample = _measure(request, measures, prepared)
        except Exception as error:  # whatever a peer raises, the other figures must still come
            answer({"error": f"{type(error).__name__}: {error}".split("\n")[0]})
        else:
            subject = {"name": name, "measure": request["measure"], "game": request["game"]}
            answer({**subject, **vars(sample)})


def _measure(
    request: Mapping[str, Any], measures: Mapping[str, Callable[..., Stretch]], prepared: dict[str, Stretch]
) -> Sample:
    measure, game, options = request["measure"], request["game"], request["options"]
    if measure not in measures:
        raise MeasureUnavailable(f"no measure {measure!r} here; there are {', '.join(measures)}")
    key = json.dumps([measure, game, options], sort_keys=True)
    if key not in prepared:
        prepared[key] = measures[measure](game, **options)
        take_sample(prepared[key], seconds=0.0)  # compiles, fills caches, settles lazy imports
    return take_sample(prepared[key], request["seconds"])
