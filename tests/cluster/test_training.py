"""Training with a cluster: the run of one machine to the last bit, whoever dies on the way."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import spielwerk as sw
from spielwerk.arena.cluster import RayWorkers
from spielwerk.training import loop
from spielwerk.training.alphazero import AlphaZero
from spielwerk.training.config import AlphaZeroConfig, SelfPlayConfig
from spielwerk.training.launch import train
from spielwerk.training.loop import Training
from spielwerk.training.runs import Run
from spielwerk.training.selfplay import SelfPlay
from spielwerk.training.snapshot import fingerprint
from tests.cluster.conftest import Nodes

GAME = sw.make("pferdeaepfel/trail", size=4)
CONFIG = AlphaZeroConfig(
    steps=10**6, n_envs=12, rollout=32, minibatch=64, channels=16, sims=8, fast_sims=3, window=300, seed=5,
    eval_freq=500, n_eval_games=20, groups=2,
)  # fmt: skip
Join = Callable[[], RayWorkers]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 20)
    monkeypatch.setattr(loop, "FINAL_MATCH_GAMES", 20)


def in_folder(folder: Path, workers: RayWorkers | None = None) -> Training:
    folder.mkdir(parents=True, exist_ok=True)
    learner = AlphaZero(GAME, CONFIG)
    if workers is not None:
        learner.play_apart(workers)
    return Training(learner, Run(folder))


def learnt(training: Training, updates: int) -> list[Any]:
    """What some updates told; the times that they took differ."""
    told = []
    for _, progress in zip(range(updates), training.learner.updates(), strict=False):
        evaluation = progress.evaluation.to_json() if progress.evaluation else None
        told.append((progress.steps, progress.losses, progress.games, evaluation))
    return told


def test_a_self_play_run_with_killed_workers_resumes_and_equals_that_of_one_machine(
    joined: Join, tmp_path: Path
) -> None:
    here = in_folder(tmp_path / "here")
    expected = learnt(here, 6)
    assert any(evaluation for *_, evaluation in expected)
    workers = joined()
    far = in_folder(tmp_path / "far", workers)
    begun = learnt(far, 2)
    dying = workers.submit(os._exit, 1)  # before the groups of the next update, and between them
    begun += learnt(far, 1)
    assert dying.exception() is not None and workers.deaths["worker"] >= 3
    far.save()
    resumed = in_folder(tmp_path / "far", joined())  # as after the death of the driver
    resumed.restore()
    assert begun + learnt(resumed, 3) == expected
    assert fingerprint(resumed.learner.network) == fingerprint(here.learner.network)


def test_evaluations_of_selfplay_are_those_of_one_machine(joined: Join) -> None:
    config = SelfPlayConfig(n_envs=16, channels=16, eval_freq=100, n_eval_games=60, minibatch=64, gate="sprt", seed=3)
    here, far = SelfPlay(GAME, config), SelfPlay(GAME, config)
    far.play_apart(joined())
    for run in (here, far):
        run.network.load_state_dict(SelfPlay(GAME, replace(config, seed=4)).network.state_dict())
    assert here.evaluate().to_json() == far.evaluate().to_json()
    assert here.against_start(60) == far.against_start(60)


def test_a_run_begins_with_as_many_groups_as_there_are_workers(nodes: Nodes, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"steps": 200, "n_envs": 8, "rollout": 16, "channels": 16, "window": 300}
    run = train(GAME, "alphazero", runs_dir=tmp_path, ray=nodes.address, quiet=True, n_eval_games=20, **settings)
    assert run.result is not None and run.facts["config"]["groups"] == 1


def test_ppo_plays_all_games_itself() -> None:
    with pytest.raises(ValueError, match="ppo plays all games itself"):
        train(GAME, "ppo", ray="")
