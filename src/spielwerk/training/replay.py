"""The window of positions that a learner draws from: on the device, and on disk in parts that survive a crash.

Rows are numbered from the first that was ever added; the window holds the latest of them. What a checkpoint needs is on
disk before the checkpoint is, and stays there as long as one of the checkpoints that are kept may need it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from spielwerk.training.checkpoints import KEPT, CheckpointError, load_weights, save_weights

Rows = dict[str, Tensor]  # each [rows, …]


@dataclass(frozen=True)
class Column:
    """What one entry of a row looks like."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def bytes(self) -> int:
        return torch.Size(self.shape).numel() * self.dtype.itemsize


class Replay:
    """The latest rows, `capacity` at most."""

    def __init__(self, columns: Mapping[str, Column], capacity: int, device: torch.device) -> None:
        self.columns = dict(columns)
        self.capacity = capacity
        self.folder: Path | None = None
        self.total = 0  # rows that were ever added
        self._rows = {
            name: torch.zeros((capacity, *column.shape), dtype=column.dtype, device=device)
            for name, column in self.columns.items()
        }
        self._device = device
        self._parts: list[dict[str, Any]] = []  # on disk: first row, rows, checksum
        self._firsts: list[int] = []  # the first row that each of the latest checkpoints needs

    def __len__(self) -> int:
        return min(self.total, self.capacity)

    def add(self, rows: Rows) -> None:
        """The oldest make room."""
        count = len(next(iter(rows.values())))
        kept = {name: value[-self.capacity :] for name, value in rows.items()}
        places = self._places(self.total + count - min(count, self.capacity), self.total + count)
        for name, value in kept.items():
            self._rows[name][places] = value.to(self._device)
        self.total += count

    def draw(self, count: int) -> Rows:
        """Rows at random, by PyTorch's own stream of the device."""
        chosen = torch.randint(len(self), (count,), device=self._device)
        places = (chosen + (self.total - len(self))) % self.capacity
        return {name: values.index_select(0, places) for name, values in self._rows.items()}

    # -- on disk -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Writes what is not on disk yet; the facts that `restore` takes."""
        folder = self._require_folder()
        first = max(self._saved, self.total - len(self))
        if self.total > first:
            self._write(folder, first)
        self._firsts = [*self._firsts, self.total - len(self)][-KEPT - 1 :]  # one more: a crash may come now
        self._forget(folder)
        return {"total": self.total, "parts": self._parts, "firsts": self._firsts}

    def restore(self, facts: dict[str, Any]) -> None:
        """The inverse of `save`; what a later checkpoint wrote is written over or removed in time."""
        folder = self._require_folder()
        kinds = {"first": int, "rows": int, "sha256": str}
        parts = [{name: kind(part[name]) for name, kind in kinds.items()} for part in facts["parts"]]
        total = int(facts["total"])
        for part in parts:
            if part["first"] + part["rows"] > total - self.capacity:
                self._read(folder, part, total)
        self.total = total
        self._parts = [part for part in parts if _path(folder, part["first"]).exists()]
        self._firsts = [int(first) for first in facts["firsts"]]

    @property
    def _saved(self) -> int:
        """The first row that is not on disk."""
        return self._parts[-1]["first"] + self._parts[-1]["rows"] if self._parts else 0

    def _write(self, folder: Path, first: int) -> None:
        places = self._places(first, self.total)
        rows = {name: values[places].cpu() for name, values in self._rows.items()}
        try:
            checksum = save_weights(_path(folder, first), rows, {"first": first})
        except OSError as error:
            raise CheckpointError(f"{_path(folder, first)} cannot be written: {error.strerror}") from None
        self._parts.append({"first": first, "rows": self.total - first, "sha256": checksum})

    def _read(self, folder: Path, part: dict[str, Any], total: int) -> None:
        path = _path(folder, part["first"])
        rows, _ = load_weights(path, part["sha256"])
        for name, column in self.columns.items():
            value = rows.get(name)
            if value is None or (value.shape, value.dtype) != ((part["rows"], *column.shape), column.dtype):
                raise CheckpointError(f"{path} holds no rows of such a run")
        first = max(part["first"], total - self.capacity)
        skipped = first - part["first"]
        if skipped < part["rows"]:
            places = self._places(first, part["first"] + part["rows"])
            for name in self.columns:
                self._rows[name][places] = rows[name][skipped:].to(self._device)

    def _forget(self, folder: Path) -> None:
        """Removes parts that no checkpoint needs, and files that are no part."""
        self._parts = [part for part in self._parts if part["first"] + part["rows"] > self._firsts[0]]
        kept = {_path(folder, part["first"]) for part in self._parts}
        for path in set(folder.glob("*.safetensors*")) - kept:
            path.unlink(missing_ok=True)
        for path in folder.glob(".*.safetensors.*"):
            path.unlink(missing_ok=True)

    def _places(self, first: int, last: int) -> Tensor:
        return torch.arange(first, last, device=self._device) % self.capacity

    def _require_folder(self) -> Path:
        if self.folder is None:
            raise ValueError("the positions to learn from have no folder to be kept in")
        return self.folder


def _path(folder: Path, first: int) -> Path:
    return folder / f"{first:012}.safetensors"
