"""Checkpoints that are old or new, never half.

A checkpoint is one safetensors file, named after its update; one of its tensors holds its facts as JSON. Its SHA-256
lies beside it, as `sha256sum -c` reads it, is written last, and makes the checkpoint count: one that does not match
is named and the one before it taken. Only tensors and JSON are ever read, so nothing in a file can run.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from spielwerk.durable import write_durably

KEPT = 3
MAX_BYTES = 8 * 2**30
FACTS = "facts.json"  # a tensor of bytes: the header of a safetensors file is too small for thousands of games

Tensors = dict[str, Tensor]
Facts = dict[str, Any]


class CheckpointError(ValueError):
    """A file that cannot be used; the message says which and why, in one line."""


@dataclass(frozen=True)
class Checkpoint:
    """What was read, and a line for every newer checkpoint that could not be."""

    path: Path
    tensors: Tensors
    facts: Facts
    skipped: list[str] = field(default_factory=list)


def save_checkpoint(folder: Path, update: int, tensors: Tensors, facts: Facts) -> None:
    """Writes a checkpoint; the older ones stay until it counts. CheckpointError when it cannot be written."""
    path = folder / f"{update:09}.safetensors"
    data = _packed(path, tensors, facts)
    checksum = f"{hashlib.sha256(data).hexdigest()}  {path.name}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_durably(path, data)
        write_durably(_checksum_path(path), checksum.encode())
    except OSError as error:
        raise CheckpointError(f"{path} cannot be written: {error.strerror}; {_what_is_left(folder)}") from None
    _remove_outdated(path)


def load_checkpoint(folder: Path) -> Checkpoint:
    """The newest sound checkpoint."""
    skipped: list[str] = []
    for path in reversed(_counted(folder)):
        try:
            tensors, facts = _read(path, _checksum(path))
        except CheckpointError as error:
            skipped.append(str(error))
        else:
            return Checkpoint(path, tensors, facts, skipped)
    raise CheckpointError("; ".join(skipped) or f"there is no checkpoint in {folder}")


def save_weights(path: Path, tensors: Tensors, facts: Facts) -> str:
    """Weights alone, to start other runs from; returns their checksum."""
    data = _packed(path, tensors, facts)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, data)
    return hashlib.sha256(data).hexdigest()


def load_weights(path: Path, checksum: str | None = None) -> tuple[Tensors, Facts]:
    """Weights from a file that anyone may have written, or that must have this checksum."""
    if path.suffix != ".safetensors":
        raise CheckpointError(f"weights are read from .safetensors files only, not from {path}")
    return _read(path, checksum)


def _packed(path: Path, tensors: Tensors, facts: Facts) -> bytes:
    for name, value in tensors.items():
        _require_finite(path, name, value)
    text = bytearray(json.dumps(facts, allow_nan=False).encode())
    stored = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return safetensors.torch.save({**stored, FACTS: torch.frombuffer(text, dtype=torch.uint8)})


def _read(path: Path, checksum: str | None) -> tuple[Tensors, Facts]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CheckpointError(f"{path} is larger than {MAX_BYTES} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    if checksum is not None and hashlib.sha256(data).hexdigest() != checksum:
        raise CheckpointError(f"{path} is damaged: its checksum does not match")
    try:
        tensors = safetensors.torch.load(data)
        facts = json.loads(tensors.pop(FACTS).numpy().tobytes())
        if not isinstance(facts, dict):
            raise TypeError("facts have names")
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError, RecursionError):
        raise CheckpointError(f"{path} is no safetensors file of ours") from None
    for name, value in tensors.items():
        _require_finite(path, name, value)
    return tensors, facts


def _require_finite(path: Path, name: str, value: Tensor) -> None:
    if value.is_floating_point() and not bool(torch.isfinite(value).all()):
        raise CheckpointError(f"{path}: {name[:80]} holds numbers that are not finite")


def _counted(folder: Path) -> list[Path]:
    """Checkpoints with a checksum beside them, oldest first."""
    return sorted(path for path in folder.glob("*.safetensors") if _checksum_path(path).exists())


def _checksum_path(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _checksum(path: Path) -> str:
    try:
        return _checksum_path(path).read_text(errors="replace")[:64]
    except OSError as error:
        raise CheckpointError(f"{_checksum_path(path)} cannot be read: {error.strerror}") from None


def _what_is_left(folder: Path) -> str:
    counted = _counted(folder)
    return f"{counted[-1].name} is still there" if counted else "there is no earlier checkpoint"


def _remove_outdated(latest: Path) -> None:
    for path in _outdated(latest):
        _checksum_path(path).unlink(missing_ok=True)  # first, so that no checksum ever stands alone
        path.unlink(missing_ok=True)


def _outdated(latest: Path) -> Iterator[Path]:
    """Old checkpoints, what a crash left unfinished, and damaged ones of a later update than the latest."""
    folder = latest.parent
    sound = [path for path in _counted(folder) if path <= latest]
    kept = sound[-KEPT:]
    yield from (path for path in folder.glob("*.safetensors") if path not in kept)
    yield from folder.glob(".*.safetensors.*")
    yield from folder.glob(".*.sha256.*")
