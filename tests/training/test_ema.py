"""The moving average of the weights: what it is, who plays with it, what is exported, and that runs go on exactly."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

import spielwerk as sw
from spielwerk.training import loop, selfplay
from spielwerk.training.alphazero import AlphaZero
from spielwerk.training.checkpoints import load_weights
from spielwerk.training.config import AlphaZeroConfig, ImitationConfig, PpoRunConfig, RunConfig, SelfPlayConfig
from spielwerk.training.ema import Ema
from spielwerk.training.evaluation import Games
from spielwerk.training.imitation import Imitation
from spielwerk.training.launch import _learner
from spielwerk.training.loop import Training
from spielwerk.training.mixed import MixedPpo
from spielwerk.training.networks import network_for
from spielwerk.training.runs import Run
from spielwerk.training.selfplay import Match, SelfPlay
from spielwerk.training.snapshot import fingerprint

SMALL = sw.make("pferdeaepfel/trail", size=4)
SIDES = sw.make("diavolo/standard", side=3)
SHARE = 0.2
PPO: dict[str, Any] = {"n_envs": 16, "rollout": 16, "minibatch": 64, "channels": 16, "seed": 3}
GATE: dict[str, Any] = {"eval_freq": 600, "n_eval_games": 20}
MIX: dict[str, Any] = {"network": "residual", "channels": 8, "blocks": 2, "mix": "side=3,4"}
TAUGHT: dict[str, Any] = {"teacher": "greedy", "n_envs": 8, "minibatch": 32, "steps": 600, "window": 500, "seed": 3}

RUNS: dict[str, tuple[sw.Game, RunConfig]] = {
    "ppo": (SMALL, PpoRunConfig(steps=1280, ema_share=SHARE, **PPO)),
    "mixed ppo": (SIDES, PpoRunConfig(steps=1280, ema_share=SHARE, **PPO | MIX | {"opponent": "self"})),
    "selfplay": (SMALL, SelfPlayConfig(steps=1280, ema_share=SHARE, **PPO, **GATE)),
    "alphazero": (
        SMALL,
        AlphaZeroConfig(steps=1500, ema_share=SHARE, sims=8, fast_sims=3, window=300, **PPO | {"rollout": 48}, **GATE),
    ),
    "imitation": (SMALL, ImitationConfig(ema_share=SHARE, channels=16, **TAUGHT)),
    "mixed imitation": (SIDES, ImitationConfig(ema_share=SHARE, **TAUGHT | MIX)),
}
EVERY = pytest.mark.parametrize(("game", "config"), RUNS.values(), ids=RUNS)
UNTOUCHED = {name: run for name, run in RUNS.items() if name not in ("selfplay", "alphazero")}

Weights = dict[str, NDArray[np.float64]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 10)
    monkeypatch.setattr(loop, "FINAL_MATCH_GAMES", 20)


def in_folder(folder: Path, game: sw.Game, config: RunConfig) -> Training:
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(folder)
    run.write_facts({"method": "any", "ruleset": game.name, "rules": game.rules, "seats": ["a", "b"], "config": {}})
    return Training(_learner(game, config), run)


def weights_of(network: nn.Module) -> Weights:
    return {name: value.detach().double().numpy().copy() for name, value in network.named_parameters()}


@contextmanager
def noting(network: nn.Module) -> Iterator[list[Weights]]:
    """The weights after every gradient step."""
    noted: list[Weights] = []
    hook = register_optimizer_step_post_hook(lambda *_: noted.append(weights_of(network)))
    try:
        yield noted
    finally:
        hook.remove()


def average(steps: list[Weights], share: float) -> Weights:
    """By the definition: the n-th weights pull with 1 / (share × n), the first ones in full."""
    mean = steps[0]
    for number, weights in enumerate(steps, 1):
        pull = min(1.0, 1 / (share * number))
        mean = {name: (1 - pull) * mean[name] + pull * weights[name] for name in weights}
    return mean


def assert_close(network: nn.Module, expected: Weights) -> None:
    for name, value in weights_of(network).items():
        assert np.allclose(value, expected[name], rtol=1e-4, atol=1e-6), name


# -- the average ---------------------------------------------------------------------------------


def walked(share: float, steps: int) -> tuple[Ema, list[Weights]]:
    """An average of weights that take random steps."""
    torch.manual_seed(1)
    network = network_for(SMALL, "mlp", 8, 1)
    ema, noted = Ema(network, share), []
    for _ in range(steps):
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(torch.randn_like(parameter))
        ema.follow()
        noted.append(weights_of(network))
    return ema, noted


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 1.0])
def test_it_is_what_the_definition_says(share: float) -> None:
    ema, noted = walked(share, 300)
    assert_close(ema.network, average(noted, share))


def test_a_share_of_one_is_the_plain_mean() -> None:
    ema, noted = walked(1.0, 50)
    assert_close(ema.network, {name: np.mean([step[name] for step in noted], axis=0) for name in noted[0]})


def test_nothing_is_left_of_the_first_weights() -> None:
    ema, noted = walked(0.1, 10)
    assert_close(ema.network, noted[-1])


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_the_mean_age_of_the_weights_is_the_same_part_of_every_run(share: float) -> None:
    for steps in (1000, 4000):
        numbers = [{"age": np.array(float(number))} for number in range(steps)]
        age = (steps - average(numbers, share)["age"]) / steps
        assert age == pytest.approx(share / (1 + share), rel=0.02)


@EVERY
def test_a_run_averages_its_weights_after_every_gradient_step(game: sw.Game, config: RunConfig, tmp_path: Path) -> None:
    training = in_folder(tmp_path, game, config)
    with noting(training.learner.network) as noted:
        assert training.learn()
    assert len(noted) > 2 / SHARE
    assert_close(training.learner.averaged, average(noted, SHARE))


@EVERY
def test_nothing_but_parameters_changes_while_a_network_learns(
    game: sw.Game, config: RunConfig, tmp_path: Path
) -> None:
    """The average leaves buffers out."""
    training = in_folder(tmp_path, game, config)
    before = copy.deepcopy(dict(training.learner.network.named_buffers()))
    training.learn()
    for name, value in training.learner.averaged.named_buffers():
        assert torch.equal(value, before[name]) and torch.equal(value, training.learner.network.get_buffer(name))


# -- who plays with it ---------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "config"), UNTOUCHED.values(), ids=UNTOUCHED)
def test_the_learner_goes_its_way_as_without_an_average(game: sw.Game, config: RunConfig, tmp_path: Path) -> None:
    averaging = in_folder(tmp_path / "averaging", game, config)
    assert averaging.learn()
    plain = in_folder(tmp_path / "plain", game, replace(config, ema_share=0.0))
    assert plain.learn()
    assert fingerprint(averaging.learner.network) == fingerprint(plain.learner.network)
    assert fingerprint(averaging.learner.averaged) != fingerprint(plain.learner.averaged)


@EVERY
def test_without_an_average_nothing_is_kept(game: sw.Game, config: RunConfig, tmp_path: Path) -> None:
    learner = in_folder(tmp_path, game, replace(config, ema_share=0.0)).learner
    tensors, facts = learner.state()
    assert learner.averaged is learner.network
    assert not [name for name in (*tensors, *facts) if name.startswith("ema")]


@pytest.mark.parametrize("name", ["selfplay", "alphazero"])
def test_the_gate_judges_and_promotes_the_average(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = in_folder(tmp_path, *RUNS[name]).learner
    assert isinstance(learner, SelfPlay | AlphaZero)
    for _ in zip(range(4), learner.updates(), strict=False):
        pass
    judged: list[Match] = []

    def noted(match: Match) -> Games:
        judged.append(match)
        return selfplay.played_match(match)

    monkeypatch.setattr(selfplay, "in_order", lambda _, __, matches: map(noted, matches))
    evaluation = learner.evaluate()
    sitting = [player for match in judged for player in (match.first, match.second)]
    assert any(player is learner.averaged for player in sitting)
    assert not any(player is learner.network for player in sitting)
    learner._promote(evaluation)
    assert fingerprint(learner.best) == fingerprint(learner.averaged) != fingerprint(learner.network)


def test_the_average_plays_under_search(tmp_path: Path) -> None:
    learner = in_folder(tmp_path, *RUNS["alphazero"]).learner
    assert isinstance(learner, AlphaZero)
    for _ in zip(range(5), learner.updates(), strict=False):
        pass
    averaged, learning = fingerprint(learner.averaged), fingerprint(learner.network)
    next(learner.updates())
    assert fingerprint(learner.actor._network) == averaged != learning


@pytest.mark.parametrize("name", ["mixed ppo", "mixed imitation"])
def test_every_board_of_a_mix_is_measured_with_the_average(name: str, tmp_path: Path) -> None:
    training = in_folder(tmp_path, *RUNS[name])
    learner = training.learner
    assert training.learn() and isinstance(learner, MixedPpo | Imitation)
    assert {fingerprint(network) for _, network in learner.boards.values()} == {fingerprint(learner.averaged)}
    for game, network in learner.boards.values():
        planes = torch.zeros((1, *game.observation_shape), dtype=torch.uint8)
        assert network(planes)[0].shape == (1, game.num_actions)


# -- what is left of a run -----------------------------------------------------------------------


@EVERY
def test_what_is_exported_is_the_average(game: sw.Game, config: RunConfig, tmp_path: Path) -> None:
    training = in_folder(tmp_path, game, config)
    assert training.learn()
    result = training.finish()
    averaged = training.learner.averaged
    weights, _ = load_weights(tmp_path / "final" / "weights.safetensors")
    for name, value in averaged.state_dict().items():
        assert torch.equal(weights[f"network.{name}"], value)
    graph = onnx.load(tmp_path / "final" / "model.onnx").graph
    stored = {entry.name: onnx.numpy_helper.to_array(entry) for entry in graph.initializer}
    bias = "network.body.outlook.bias"
    assert np.array_equal(stored[bias], averaged.state_dict()[bias.removeprefix("network.")].numpy())
    if result["model"] == "final":
        assert result["weights"] == fingerprint(averaged) != fingerprint(training.learner.network)


@EVERY
def test_a_run_that_was_stopped_goes_on_exactly(game: sw.Game, config: RunConfig, tmp_path: Path) -> None:
    whole = in_folder(tmp_path / "whole", game, config)
    assert whole.learn()
    stopped = in_folder(tmp_path / "stopped", game, config)
    for _ in zip(range(3), stopped.learner.updates(), strict=False):
        pass
    stopped.save()
    resumed = in_folder(tmp_path / "stopped", game, config)
    resumed.restore()
    assert resumed.learner.update == 3 and resumed.learn()
    for made in ("network", "averaged"):
        assert fingerprint(getattr(resumed.learner, made)) == fingerprint(getattr(whole.learner, made))


def test_another_run_starts_from_the_average(tmp_path: Path) -> None:
    settings = {**PPO, "rules": {"size": 4}, "steps": 512, "quiet": True, "runs_dir": tmp_path}
    first = sw.train("pferdeaepfel/trail", run="first", ema_share=SHARE, **settings)
    second = sw.train("pferdeaepfel/trail", "selfplay", run="second", from_pretrained="first", **settings)
    assert first.result is not None and second.result is not None
    assert second.result["weights"] == first.result["weights"], "nothing was promoted"
    assert "--ema-share 0.2" in first.facts["command"] and first.facts["config"]["ema_share"] == SHARE
