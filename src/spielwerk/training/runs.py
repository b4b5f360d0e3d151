"""Run folders: what was asked for, what happened, what came out. Reading them needs no PyTorch.

- `config.json`: method, ruleset, every setting, the command, versions
- `metrics.jsonl`: a line per update, at most about one a second
- `checkpoints/`: what `--continue` goes on from
- `best/`, `final/`: models as ONNX with a card, and their weights
- `result.json`: figures at the end
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from spielwerk.agents.network import run_model
from spielwerk.durable import write_durably

MAX_CONFIG_BYTES = 1_000_000
MAX_METRICS_BYTES = 1_000_000_000
BLOCK_BYTES = 65_536
_SECONDS_OF_A_LOOK = 0.5  # that whoever reads a run's status may keep its folder locked, at most

Facts = dict[str, Any]

_FORMER_LOSSES = {
    "policy": "policy_loss", "value": "value_loss", "forecast": "forecast_loss", "drift": "approx_kl",
}  # fmt: skip


class RunError(ValueError):
    """A run folder that cannot be used; the message says which and why."""


@dataclass(frozen=True)
class Run:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def exists(self) -> bool:
        """Whether there is a run in the folder that can be continued."""
        return (self.folder / "config.json").is_file()

    @property
    def model(self) -> Path | None:
        """The model to play with: the best, or else the last; None while there is none."""
        return run_model(self.folder)

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    @cached_property
    def facts(self) -> Facts:
        """What config.json holds."""
        facts = _read_json(self.folder / "config.json")
        texts, tables = ("method", "ruleset", "started"), ("rules", "config")
        kinds = dict.fromkeys(texts, str) | dict.fromkeys(tables, dict) | {"seats": list}
        for key, kind in kinds.items():
            if not isinstance(facts.get(key), kind):
                raise RunError(f"{self.folder / 'config.json'} is no config of a run: '{key}' is missing")
        return facts

    def write_facts(self, facts: Facts) -> None:
        """Sets config.json, which makes the folder a run; the time of the first call is kept."""
        write_durably(self.folder / "config.json", _json_bytes({"started": _now(), **facts}))

    @property
    def result(self) -> Facts | None:
        """The figures at the end of a run; None before it."""
        path = self.folder / "result.json"
        return _read_json(path) if path.exists() else None

    @property
    def learner_at_the_end(self) -> Facts | None:
        """The figures at the end where they are of the network that learnt last, not of a former best."""
        result = self.result
        return result if result is not None and result.get("model") != "best" else None

    def write_result(self, result: Facts | None) -> None:
        """Sets the figures; None when the run goes on after all."""
        path = self.folder / "result.json"
        if result is None:
            path.unlink(missing_ok=True)
        else:
            write_durably(path, _json_bytes(result))

    @property
    def status(self) -> str:
        """running, finished, or stopped: can be continued."""
        try:
            with self._flock("LOCK_SH"):
                return "finished" if self.result is not None else "stopped"
        except RunError:
            return "running"

    def metrics(self) -> list[Facts]:
        """Every line of metrics.jsonl that is whole; a crash may have left half of one."""
        path = self.folder / "metrics.jsonl"
        if not path.exists():
            return []
        if path.stat().st_size > MAX_METRICS_BYTES:
            raise RunError(f"{path} is larger than {MAX_METRICS_BYTES} bytes")
        return list(_whole_lines(path.read_bytes()))

    def some_metrics(self, most_bytes: int) -> list[Facts]:
        """Lines from all over metrics.jsonl, in their order; all of them where it is no larger than that."""
        try:
            with (self.folder / "metrics.jsonl").open("rb") as file:
                return list(_whole_lines(_blocks(file, most_bytes)))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RunError(f"the metrics of {self.folder} cannot be read: {error.strerror}") from None

    def last_metrics(self) -> Facts:
        """The last line of metrics.jsonl; empty while there is none."""
        try:
            with (self.folder / "metrics.jsonl").open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - BLOCK_BYTES))
                return next(iter([*_whole_lines(file.read(BLOCK_BYTES))][::-1]), {})
        except OSError:
            return {}

    def append_metrics(self, line: Facts) -> None:
        """Adds a line. It may be lost with the machine's power, unlike checkpoints."""
        path = self.folder / "metrics.jsonl"
        try:
            with path.open("ab") as file:
                file.write(_line(line))
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}") from None

    def cut_metrics(self, update: int) -> None:
        """Forgets what happened after an update, because it is going to happen again."""
        path = self.folder / "metrics.jsonl"
        if path.exists():
            kept = [line for line in self.metrics() if line["update"] <= update]
            write_durably(path, b"".join(map(_line, kept)))

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other processes from training in this folder; ends with the process, however that ends."""
        return self._flock("LOCK_EX", _SECONDS_OF_A_LOOK)

    @contextmanager
    def _flock(self, kind: str, patience: float = 0.0) -> Iterator[None]:
        """Windows has neither flock nor handles of folders: nothing is locked there."""
        try:
            import fcntl
        except ImportError:
            yield
            return
        deadline = time.monotonic() + patience
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            while True:
                try:
                    fcntl.flock(descriptor, getattr(fcntl, kind) | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise RunError(f"another process is training in {self.folder}") from None
                    time.sleep(0.01)
            yield
        finally:
            os.close(descriptor)


@contextmanager
def reading_figures(run: Run) -> Iterator[None]:
    """A folder of somebody else may hold any JSON: what is no run's figures is said to be none."""
    try:
        yield
    except RunError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise RunError(f"{run.folder} holds figures that no run writes") from None


def new_run(runs_dir: Path, name: str, kind: str) -> Run:
    """A new folder: of this name or path, otherwise of one that tells its kind and when it began."""
    stem = f"{kind}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = [name] if name else [stem, *(f"{stem}-{number}" for number in range(2, 1000))]
    folders = [Path(name) if os.sep in name else runs_dir / name for name in names]
    folder = next((folder for folder in folders if not Run(folder).exists), None)
    if folder is None:
        raise RunError(f"{folders[0]} holds a run already; --continue {folders[0]} goes on with it")
    folder.mkdir(parents=True, exist_ok=True)
    return Run(folder)


def find_run(name: str, runs_dir: Path) -> Run:
    """The run of this name, or at this path."""
    for folder in (runs_dir / name, Path(name)):
        if Run(folder).exists:
            return Run(folder)
    known = ", ".join(run.name for run in list_runs(runs_dir)[-5:])
    raise RunError(f"there is no run '{name[:200]}' under {runs_dir}" + (f"; the latest are: {known}" if known else ""))


def list_runs(runs_dir: Path) -> list[Run]:
    """Every run in a folder, the newest last. Folders whose config is damaged are left out."""
    runs = [Run(path.parent) for path in runs_dir.glob("*/config.json")]
    return sorted(filter(_readable, runs), key=lambda run: (run.facts["started"], run.name))


def newest_run(runs_dir: Path, method: str, ruleset: str | None = None) -> Run:
    """What `--continue` means without a name."""
    runs = [run for run in list_runs(runs_dir) if run.facts["method"] == method]
    runs = [run for run in runs if ruleset in (None, run.facts["ruleset"])]
    if not runs:
        of_ruleset = "" if ruleset is None else f" of {ruleset}"
        raise RunError(f"there is no {method} run{of_ruleset} under {runs_dir} to continue")
    return runs[-1]


def differences(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """The settings in which runs differ, each with its value in every run."""
    tables = [_settings(run.facts) for run in runs]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = {name: [table.get(name) for table in tables] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


def _settings(facts: Facts) -> Facts:
    rules = {f"rule {name}": value for name, value in facts["rules"].items()}
    versions = {f"version of {name}": value for name, value in facts.get("versions", {}).items()}
    return {"method": facts["method"], "ruleset": facts["ruleset"], **rules, **facts["config"], **versions}


def _readable(run: Run) -> bool:
    try:
        return bool(run.facts)
    except RunError:
        return False


def _blocks(file: BinaryIO, most_bytes: int) -> bytes:
    """The file, or blocks at equal distances; the lines at their ends are torn, as one after a crash may be."""
    size = file.seek(0, os.SEEK_END)
    count = max(1, most_bytes // BLOCK_BYTES)
    if size <= most_bytes:
        starts, length = [0], most_bytes
    else:
        starts, length = [number * (size - BLOCK_BYTES) // max(1, count - 1) for number in range(count)], BLOCK_BYTES
    return b"\n".join(_read_at(file, start, length) for start in starts)


def _read_at(file: BinaryIO, start: int, length: int) -> bytes:
    file.seek(start)
    return file.read(length)


def _whole_lines(data: bytes) -> Iterator[Facts]:
    for text in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            line = json.loads(text)
            if isinstance(line, dict) and all(isinstance(line.get(name), int) for name in ("update", "steps")):
                yield line | {"losses": _renamed(line.get("losses", {}))}


def _renamed(losses: Any) -> dict[str, Any]:
    """Losses under the names of today; earlier releases called some of them otherwise."""
    named: Facts = losses if isinstance(losses, dict) else {}
    return {_FORMER_LOSSES.get(name, name): value for name, value in named.items()}


def _read_json(path: Path) -> Facts:
    try:
        with path.open("rb") as file:
            facts = json.loads(file.read(MAX_CONFIG_BYTES))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise RunError(f"{path} is no JSON") from None
    if not isinstance(facts, dict):
        raise RunError(f"{path} is no JSON object")
    return facts


def _line(facts: Facts) -> bytes:
    return json.dumps(facts, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _json_bytes(facts: Facts) -> bytes:
    return (json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
