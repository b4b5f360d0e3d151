"""The loop around a learner: rows, interrupts, models at the end, checkpoints of other runs refused."""

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import spielwerk as sw
from spielwerk.training import loop
from spielwerk.training.checkpoints import CheckpointError, load_checkpoint, load_weights, save_checkpoint
from spielwerk.training.config import PpoConfig, SelfPlayConfig
from spielwerk.training.loop import Training, pretrained_weights
from spielwerk.training.ppo import Ppo
from spielwerk.training.runs import Run
from spielwerk.training.selfplay import ANCHORS, SelfPlay
from spielwerk.training.snapshot import fingerprint
from spielwerk.training.watching import Metrics, Row, Watcher

GAME = sw.make("pferdeaepfel/trail", size=4)
CONFIG = PpoConfig(steps=1280, n_envs=16, rollout=16, minibatch=64, channels=16, seed=5)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 20)
    monkeypatch.setattr(loop, "SECONDS_BETWEEN_ROWS", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tmp_path)
    facts = {"method": "ppo", "ruleset": GAME.name, "rules": GAME.rules, "seats": ["White", "Black"], "config": {}}
    run.write_facts(facts)
    return run


class Interrupter(Watcher):
    """Presses Ctrl-C at an update."""

    def __init__(self, update: int, number: signal.Signals) -> None:
        self.update = update
        self.number = number

    def see(self, row: Row) -> None:
        if row.update == self.update:
            signal.raise_signal(self.number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_update_end_and_saves_it(run: Run, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    stopped = Training(Ppo(GAME, CONFIG), run, [Metrics(run), Interrupter(4, number)])
    assert not stopped.learn()
    assert signal.getsignal(number) is before
    assert stopped.learner.update == 4
    assert [line["update"] for line in run.metrics()] == [1, 2, 3, 4]
    assert load_checkpoint(run.checkpoints).facts["learner"]["update"] == 4

    resumed = Training(Ppo(GAME, CONFIG), run, [Metrics(run)])
    resumed.restore()
    assert resumed.learn() and [line["update"] for line in run.metrics()] == list(range(1, resumed.learner.update + 1))
    whole = Training(Ppo(GAME, CONFIG), Run(run.folder / "whole"))
    whole.run.folder.mkdir()
    assert whole.learn()
    assert fingerprint(whole.learner.network) == fingerprint(resumed.learner.network)


def test_a_signal_does_not_wait_for_a_slow_update_and_loses_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SLOW_UPDATE", 0.02)

    class Slow(Ppo):
        """Hangs in the fifth update, after Ctrl-C in the middle of it."""

        hangs = True

        def _learn(self) -> dict[str, float]:
            time.sleep(0.03)
            if self.update == 4 and self.hangs:
                signal.raise_signal(signal.SIGINT)
                time.sleep(60)
            return super()._learn()

    stopped = Training(Slow(GAME, CONFIG), run, [Metrics(run)])
    assert not stopped.learn()
    assert load_checkpoint(run.checkpoints).facts["learner"]["update"] == 4
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL

    monkeypatch.setattr(Slow, "hangs", False)
    resumed = Training(Slow(GAME, CONFIG), run, [Metrics(run)])
    resumed.restore()
    assert resumed.learn() and [line["update"] for line in run.metrics()] == list(range(1, resumed.learner.update + 1))
    whole = Training(Ppo(GAME, CONFIG), Run(run.folder / "whole"))
    whole.run.folder.mkdir()
    assert whole.learn()
    assert fingerprint(whole.learner.network) == fingerprint(resumed.learner.network)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As in a terminal: a shell's background jobs ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_second_signal_acts_at_once(run: Run) -> None:
    class Impatient(Interrupter):
        def see(self, row: Row) -> None:
            super().see(row)
            super().see(row)

    training = Training(Ppo(GAME, CONFIG), run, [Impatient(2, signal.SIGINT)])
    with pytest.raises(KeyboardInterrupt):
        training.learn()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Waiter(Watcher):
    """Hears what a run waits for."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def waiting(self, what: str) -> None:
        self.heard.append(what)


@pytest.mark.parametrize(("compiled", "words"), [(False, "the first update"), (True, "compiles the network")])
def test_what_is_waited_for_is_said(run: Run, compiled: bool, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Ppo(GAME, CONFIG)
    monkeypatch.setattr(learner, "config", replace(CONFIG, compile=compiled))
    waiter = Waiter()
    Training(learner, run, [waiter]).learn()
    assert len(waiter.heard) == 1
    assert words in waiter.heard[0]


def test_the_anchors_change_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Training(Ppo(GAME, CONFIG), run)
    plain.learn()
    monkeypatch.setattr(loop, "SECONDS_BETWEEN_ANCHORS", 0.0)
    monkeypatch.setattr(loop, "ANCHOR_SHARE", 1e9)
    watched = Training(Ppo(GAME, CONFIG), run, [Metrics(run)])
    watched.learn()
    assert fingerprint(plain.learner.network) == fingerprint(watched.learner.network)
    games = games_of(run.metrics()[-1]["anchors"])
    assert games.keys() == set(ANCHORS)
    assert all(20 < count <= loop.ANCHOR_GAMES for by_seat in games.values() for count in by_seat), "distinct ones"


def games_of(anchors: dict[str, list[dict[str, int]]]) -> dict[str, list[int]]:
    return {
        anchor: [score["wins"] + score["draws"] + score["losses"] for score in scores]
        for anchor, scores in anchors.items()
    }


def test_the_model_at_the_end_plays_and_can_be_started_from(run: Run) -> None:
    training = Training(Ppo(GAME, CONFIG), run)
    training.learn()
    with pytest.raises(CheckpointError, match="holds no model yet"):
        pretrained_weights(run.folder)
    result = training.finish()
    assert run.result == result and result["steps"] == training.learner.steps >= CONFIG.steps
    assert result["model"] == "final"
    assert all(8 <= count <= 40 for by_seat in games_of(result["anchors"]).values() for count in by_seat)
    state = GAME.start()
    sw.agent(f"network:{run.folder / 'final' / 'model.onnx'}").act(state)
    weights, about = pretrained_weights(run.folder)
    assert about["game"] == GAME.name and about["network"]["channels"] == 16
    for name, value in training.learner.network.state_dict().items():
        assert torch.equal(weights[f"network.{name}"], value)


def test_promoted_networks_are_exported_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"eval_freq": 500, "n_eval_games": 20}
    learner = SelfPlay(GAME, SelfPlayConfig(**(vars(CONFIG) | settings)))
    monkeypatch.setattr(learner, "evaluate", lambda: _promoted(learner))
    training = Training(learner, run, [Metrics(run)])
    training.learn()
    weights, _ = load_weights(run.folder / "best" / "weights.safetensors")
    assert torch.equal(weights["network.scale"], learner.best.scale.cpu())
    due, expected = 500, []
    for line in run.metrics():
        if line["steps"] >= due:
            expected.append(line["update"])
            due = 500 * (line["steps"] // 500 + 1)
    assert len(expected) == 2
    assert [line["update"] for line in run.metrics() if "evaluation" in line] == expected
    result = training.finish()
    assert result["model"] == "best" and result["promotions"] == 2
    assert result["weights"] == fingerprint(learner.best)


def _promoted(learner: SelfPlay) -> Any:
    """An evaluation that passes, whatever was played."""
    evaluation = SelfPlay.evaluate(learner)
    if not evaluation.promoted:
        learner._promote(evaluation)
    return replace(evaluation, promoted=True)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (sw.make("pferdeaepfel/free", size=4), "the checkpoint is of pferdeaepfel/free"),
        (sw.make("pferdeaepfel/trail", size=5), "the checkpoint is of pferdeaepfel/trail"),
    ],
)
def test_a_checkpoint_of_another_game_is_refused(run: Run, other: sw.Game, message: str) -> None:
    Training(Ppo(other, CONFIG), run).save()
    with pytest.raises(CheckpointError, match=rf"000000000\.safetensors cannot be continued: {message}") as refused:
        Training(Ppo(GAME, CONFIG), run).restore()
    assert "\n" not in str(refused.value)


def test_checkpoints_of_other_shapes_and_facts_are_refused(run: Run) -> None:
    Training(Ppo(GAME, CONFIG), run).save()
    for config in (replace(CONFIG, channels=8), replace(CONFIG, n_envs=8)):
        with pytest.raises(CheckpointError, match="cannot be continued"):
            Training(Ppo(GAME, config), run).restore()
    tensors, facts = Ppo(GAME, CONFIG).state()
    facts["games"][0]["positions"][0] = "4/4/4/4 w"  # nobody is on this board
    wrongs: list[dict[str, Any]] = [{}, {"learner": {}}, {"learner": facts, "seconds": 0.0}, {"learner": []}]
    for wrong in wrongs:
        save_checkpoint(run.checkpoints, 0, tensors, wrong)
        with pytest.raises(CheckpointError, match="cannot be continued") as refused:
            Training(Ppo(GAME, CONFIG), run).restore()
        assert "\n" not in str(refused.value)
