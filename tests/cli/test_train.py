"""Training from the command line: killed and continued, interrupted, configured, refused; runs listed and drawn."""

import json
import multiprocessing
import os
import random
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from spielwerk.cli import main
from spielwerk.training.checkpoints import load_checkpoint

Cli = Callable[..., Any]

SMALL = shlex.split("pferdeaepfel/trail --rule size=4 --n-envs 16 --rollout 16 --minibatch 64 --channels 16")
SETTINGS = {
    "ppo": [*SMALL, "--steps", "20_000", "--seed", "3"],
    "selfplay": [*SMALL, "--steps", "16_000", "--seed", "4", "--eval-freq", "1500", "--n-eval-games", "40"],
}

# One process loads PyTorch; the trainings are its children, begun in an instant and killed for real.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["spielwerk.training.loop", "spielwerk.cli.commands.train", "torch._dynamo", "onnx"])


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)


def begin(*words: str) -> Any:
    process = processes.Process(target=main, args=(["train", *words, "--no-tensorboard"],))
    process.start()
    return process


def finish(*words: str) -> None:
    process = begin(*words)
    process.join()
    assert process.exitcode == 0


def result_of(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result


def evaluations_of(folder: Path) -> list[Any]:
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [(line["update"], line["evaluation"]) for line in lines if "evaluation" in line]


def kill_after_some_checkpoints(process: Any, folder: Path, source: random.Random) -> None:
    """Waits until the run has got further, and a moment more."""
    known = set(folder.glob("checkpoints/*.sha256"))
    while process.is_alive() and not set(folder.glob("checkpoints/*.sha256")) - known:
        time.sleep(0.005)
    time.sleep(0.15 * source.random())
    os.kill(process.pid, signal.SIGKILL)
    process.join()


@pytest.mark.parametrize("method", ["ppo", "selfplay"])
def test_a_run_killed_again_and_again_ends_as_if_nothing_had_happened(tmp_path: Path, method: str) -> None:
    source = random.Random(method)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    finish(method, *SETTINGS[method], "--run", str(whole))
    begun = begin(method, *SETTINGS[method], "--run", str(broken), "--checkpoint-seconds", "0")
    kill_after_some_checkpoints(begun, broken, source)
    for _ in range(4):
        again = begin(method, "--continue", str(broken), "--checkpoint-seconds", "0")
        kill_after_some_checkpoints(again, broken, source)
    if not (broken / "result.json").exists():
        finish(method, "--continue", str(broken))
    assert result_of(whole)["weights"] == result_of(broken)["weights"]
    assert evaluations_of(whole) == evaluations_of(broken)
    ends = [load_checkpoint(folder / "checkpoints") for folder in (whole, broken)]
    for name, value in ends[0].tensors.items():
        assert torch.equal(value, ends[1].tensors[name]), name
    if method == "selfplay":
        assert len(evaluations_of(whole)) == 10
