"""Checkpoints that are old or new, never half.

A run folder holds `checkpoints/NAME.safetensors` files and a `checkpoints.json` that lists them with their SHA-256.
A file is trusted only when it matches its checksum; otherwise it is named and the one before it is taken. Only tensors
and JSON are ever read: nothing in a file can run.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from spielwerk.durable import write_durably

KEEP = 3


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says which and why."""


def save_checkpoint(folder: Path, name: str, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Writes a checkpoint, then the list that makes it count, then removes the oldest."""
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    data = safetensors.torch.save({key: value.contiguous() for key, value in tensors.items()})
    write_durably(folder / "checkpoints" / f"{name}.safetensors", data)
    entry = {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "facts": facts}
    entries = [old for old in _entries(folder) if old["name"] != name] + [entry]
    dropped, kept = entries[:-KEEP], entries[-KEEP:]
    write_durably(folder / "checkpoints.json", json.dumps(kept, indent=1).encode())
    for old in dropped:
        (folder / "checkpoints" / f"{old['name']}.safetensors").unlink(missing_ok=True)


def load_checkpoint(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any], list[str]]:
    """The newest sound checkpoint, its facts, and warnings about newer ones that are not."""
    warnings: list[str] = []
    for entry in reversed(_entries(folder)):
        path = folder / "checkpoints" / f"{entry['name']}.safetensors"
        try:
            return _read(path, entry["sha256"]), entry["facts"], warnings
        except CheckpointError as error:
            warnings.append(str(error))
    raise CheckpointError("; ".join(warnings) or f"{folder} holds no checkpoint")


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Adam's memory as flat tensors."""
    state = optimiser.state_dict()["state"]
    return {
        f"optimiser.{index}.{name}": torch.as_tensor(value)
        for index, slots in state.items()
        for name, value in slots.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """The inverse of `optimiser_tensors`."""
    whole = optimiser.state_dict()
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimiser."):
            _, index, name = key.split(".", 2)
            slots.setdefault(int(index), {})[name] = value
    whole["state"] = slots
    optimiser.load_state_dict(whole)


def restore_network(network: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Loads the weights after checking that every one is there, has the right shape and is finite."""
    expected = network.state_dict()
    given = {key.removeprefix("network."): value for key, value in tensors.items() if key.startswith("network.")}
    if set(given) != set(expected) or any(given[key].shape != expected[key].shape for key in expected):
        raise CheckpointError("the checkpoint is of another network or another game")
    if not all(torch.isfinite(value).all() for value in given.values()):
        raise CheckpointError("the checkpoint holds numbers that are not finite")
    network.load_state_dict(given)


def _entries(folder: Path) -> list[dict[str, Any]]:
    path = folder / "checkpoints.json"
    if not path.exists():
        return []
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_text())
    except ValueError:
        raise CheckpointError(f"{path} is damaged") from None
    return entries


def _read(path: Path, checksum: str) -> dict[str, Tensor]:
    try:
        data = path.read_bytes()
    except OSError:
        raise CheckpointError(f"{path} is missing") from None
    if hashlib.sha256(data).hexdigest() != checksum:
        raise CheckpointError(f"{path} is damaged: its checksum is wrong")
    try:
        return safetensors.torch.load(data)
    except safetensors.SafetensorError:
        raise CheckpointError(f"{path} is no safetensors file") from None
