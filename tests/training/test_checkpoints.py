"""Checkpoints: exact, the newest sound one wins, damage is named, nothing in a file runs, full disks do no harm."""

import errno
import hashlib
import os
import pickle
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from spielwerk.training import checkpoints
from spielwerk.training.checkpoints import (
    KEPT,
    CheckpointError,
    load_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
)

Tensors = dict[str, torch.Tensor]


def some_tensors(seed: int) -> Tensors:
    source = torch.Generator().manual_seed(seed)
    return {
        "network.weight": torch.randn(7, 5, generator=source),
        "half": torch.randn(3, generator=source).bfloat16(),
        "random": torch.randint(256, (100,), dtype=torch.uint8, generator=source),
        "count": torch.tensor(seed),
    }


def save(folder: Path, *updates: int) -> None:
    for update in updates:
        save_checkpoint(folder, update, some_tensors(update), {"update": update, "games": ["Ä", "b"]})


def newest(folder: Path) -> Path:
    return max(folder.glob("*.safetensors"))


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    save(tmp_path, 1)
    loaded = load_checkpoint(tmp_path)
    assert loaded.facts == {"update": 1, "games": ["Ä", "b"]} and loaded.skipped == []
    expected = some_tensors(1)
    assert loaded.tensors.keys() == expected.keys()
    for name, value in expected.items():
        assert loaded.tensors[name].dtype == value.dtype and torch.equal(loaded.tensors[name], value)


def test_the_newest_wins_and_old_ones_are_removed(tmp_path: Path) -> None:
    save(tmp_path, *range(1, 6))
    assert load_checkpoint(tmp_path).facts["update"] == 5
    assert len(list(tmp_path.glob("*.safetensors"))) == KEPT
    assert len(list(tmp_path.iterdir())) == 2 * KEPT


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    save(tmp_path, 3)
    path = newest(tmp_path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert path.with_suffix(".sha256").read_text() == f"{digest}  {path.name}\n"


def flip(path: Path, source: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = source.randrange(len(data))
    for position in range(start, min(start + 16, len(data))):
        data[position] ^= 0xFF
    path.write_bytes(data)


def truncate(path: Path, source: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: source.randrange(path.stat().st_size)])


@pytest.mark.parametrize("suffix", [".safetensors", ".sha256"])
@pytest.mark.parametrize("damage", [flip, truncate])
def test_a_damaged_checkpoint_is_named_and_the_one_before_taken(tmp_path: Path, damage: Any, suffix: str) -> None:
    source = random.Random(1)
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        save(folder, 1, 2, 3)
        damage(newest(folder).with_suffix(suffix), source)
        if suffix == ".sha256" and load_checkpoint(folder).facts["update"] == 3:
            continue  # only the name after the checksum was hit
        loaded = load_checkpoint(folder)
        assert loaded.facts["update"] == 2
        assert len(loaded.skipped) == 1 and "000000003.safetensors" in loaded.skipped[0]
        save(folder, 3)
        assert load_checkpoint(folder).skipped == []


def test_damaged_checkpoints_give_way_to_sound_ones(tmp_path: Path) -> None:
    save(tmp_path, 1, 5, 9)
    for path in sorted(tmp_path.glob("*.safetensors"))[1:]:
        path.write_bytes(b"")
    assert load_checkpoint(tmp_path).facts["update"] == 1
    save(tmp_path, 2)
    assert load_checkpoint(tmp_path).facts["update"] == 2 and load_checkpoint(tmp_path).skipped == []


def test_when_all_are_damaged_each_is_named_in_one_line(tmp_path: Path) -> None:
    save(tmp_path, 1, 2)
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match=r"000000002.*damaged.*000000001.*damaged") as refused:
        load_checkpoint(tmp_path)
    assert "\n" not in str(refused.value)
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        load_checkpoint(tmp_path / "elsewhere")


def test_a_file_without_its_checksum_does_not_count(tmp_path: Path) -> None:
    save(tmp_path, 1, 2)
    newest(tmp_path).with_suffix(".sha256").unlink()
    assert load_checkpoint(tmp_path).facts["update"] == 1


# -- hostile files -------------------------------------------------------------------------------


class Bomb:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("writer", [pickle.dumps, None])
def test_a_renamed_pickle_never_runs(tmp_path: Path, writer: Any) -> None:
    harm = tmp_path / "harm"
    path = tmp_path / "000000001.safetensors"
    if writer is None:
        torch.save({"network.weight": Bomb(harm)}, path)
    else:
        path.write_bytes(writer(Bomb(harm)))
    path.with_suffix(".sha256").write_text(hashlib.sha256(path.read_bytes()).hexdigest())
    for read in (lambda: load_checkpoint(tmp_path), lambda: load_weights(path)):
        with pytest.raises(CheckpointError, match="no safetensors file of ours"):
            read()
    assert not harm.exists()


def test_only_safetensors_are_opened_as_weights(tmp_path: Path) -> None:
    path = tmp_path / "best_model.zip"
    path.write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"\.safetensors files only, not from .*best_model\.zip"):
        load_weights(path)


def test_random_bytes_are_refused_in_one_line(tmp_path: Path) -> None:
    source = random.Random(2)
    sound, path = tmp_path / "sound.safetensors", tmp_path / "weights.safetensors"
    save_weights(sound, some_tensors(1), {"game": "x"})
    for attempt in range(100):
        path.write_bytes(sound.read_bytes())
        (flip if attempt % 2 else truncate)(path, source)
        try:
            load_weights(path)
        except CheckpointError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(tmp_path: Path, value: float) -> None:
    tensors = {"network.weight": torch.tensor([1.0, value])}
    with pytest.raises(CheckpointError, match=r"network\.weight holds numbers that are not finite"):
        save_checkpoint(tmp_path, 1, tensors, {})
    path = tmp_path / "weights.safetensors"
    facts = torch.frombuffer(bytearray(b"{}"), dtype=torch.uint8)
    safetensors.torch.save_file(tensors | {checkpoints.FACTS: facts}, path)
    with pytest.raises(CheckpointError, match="not finite"):
        load_weights(path)


def test_oversized_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_weights(tmp_path / "weights.safetensors", some_tensors(1), {})
    monkeypatch.setattr(checkpoints, "MAX_BYTES", 100)
    with pytest.raises(CheckpointError, match="larger than 100 bytes"):
        load_weights(tmp_path / "weights.safetensors")


# -- disks that fail -----------------------------------------------------------------------------


@pytest.mark.parametrize("call", range(6))
@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int
) -> None:
    """The disk is full from the given call on."""
    save(tmp_path, 1)
    true, calls = getattr(os, name), iter(range(100))

    def failing(*arguments: Any) -> Any:
        if next(calls) >= call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return true(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, name, failing)
        try:
            save(tmp_path, 2)
            whole = True
        except CheckpointError as error:
            whole = False
            assert "000000002.safetensors cannot be written: No space left on device" in str(error)
    loaded = load_checkpoint(tmp_path)
    assert loaded.facts["update"] in ((2,) if whole else (1, 2)) and loaded.skipped == []
    assert not list(tmp_path.glob(".*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    save(small_disk, 1)
    with pytest.raises(CheckpointError, match=r"No space left on device; 000000001\.safetensors is still there"):
        save_checkpoint(small_disk, 2, {"large": torch.zeros(100_000)}, {})
    assert load_checkpoint(small_disk).facts["update"] == 1
    save(small_disk, 3)
    assert load_checkpoint(small_disk).facts["update"] == 3
