"""Learning: seat-correct advantages, masks that hold, a run that repeats itself, a model that plays elsewhere."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.training.advantages import advantages
from spielwerk.training.evaluation import Score, network_player, play_match, random_player, score_by_seat
from spielwerk.training.export import export_model
from spielwerk.training.networks import masked, network_for, sampled
from spielwerk.training.ppo import Ppo, PpoConfig


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def naive_advantages(
    values: list[float], rewards: list[list[float]], dones: list[bool], seats: list[int], last: list[float]
) -> list[float | None]:
    """One game, decision by decision, looking forward: what the seat gets until it decides again."""
    discount, trace = 0.9, 0.8

    def advantage(step: int) -> float | None:
        seat, gained = seats[step], 0.0
        for later in range(step, len(values)):
            gained += rewards[later][seat]
            if dones[later]:
                return gained - values[step]
            if later + 1 < len(values) and seats[later + 1] == seat:
                beyond = advantage(later + 1)
                if beyond is None:
                    return None
                return gained + discount * values[later + 1] - values[step] + discount * trace * beyond
        return None if np.isnan(last[seat]) else gained + discount * last[seat] - values[step]

    return [advantage(step) for step in range(len(values))]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_advantages_follow_each_seat_to_its_own_next_decision(players: int) -> None:
    source = np.random.default_rng(players)
    steps, games = 40, 7
    values = source.normal(size=(steps, games))
    rewards = source.normal(size=(steps, games, players))
    dones = source.random((steps, games)) < 0.15
    seats = source.integers(players, size=(steps, games))
    last = np.where(source.random((games, players)) < 0.5, source.normal(size=(games, players)), np.nan)
    told = [torch.from_numpy(array) for array in (values, rewards, dones, seats, last)]
    gains, usable = advantages(told[0], told[1], told[2], told[3], told[4], discount=0.9, trace=0.8)
    for game in range(games):
        expected = naive_advantages(
            values[:, game].tolist(), rewards[:, game].tolist(), dones[:, game].tolist(),
            seats[:, game].tolist(), last[game].tolist(),
        )  # fmt: skip
        for step, value in enumerate(expected):
            assert bool(usable[step, game]) == (value is not None)
            if value is not None:
                assert gains[step, game].item() == pytest.approx(value)


def test_only_legal_actions_are_drawn_even_from_wild_logits() -> None:
    torch.manual_seed(1)
    logits = 1000 * torch.randn(2000, 2300)
    mask = torch.zeros(2000, 2300, dtype=torch.uint8)
    mask[torch.arange(2000), torch.randint(2300, (2000,))] = 1
    mask[:, 7] = 1
    legal = masked(logits, mask)
    assert torch.isfinite(torch.log_softmax(legal, -1)).all()
    assert mask[torch.arange(2000), sampled(legal)].all()


@pytest.mark.parametrize("name", sw.games())
@pytest.mark.parametrize("kind", ["mlp", "residual"])
def test_every_game_can_be_learnt_from(name: str, kind: str) -> None:
    config = PpoConfig(steps=512, n_envs=16, rollout=16, minibatch=64, network=kind, channels=8, opponent="self")
    progress = list(Ppo(sw.make(name), config).updates())
    assert len(progress) == 2 and progress[-1].steps == 512
    assert all(np.isfinite(value) for step in progress for value in step.losses.values())


def test_the_same_config_is_the_same_run() -> None:
    def weights() -> bytes:
        config = PpoConfig(steps=2048, n_envs=32, rollout=16, minibatch=128, channels=16, seed=5)
        run = Ppo(sw.make("pferdeaepfel/trail", size=5), config)
        for _ in run.updates():
            pass
        return b"".join(value.numpy().tobytes() for value in run.network.state_dict().values())

    assert weights() == weights()


def test_unknown_opponents_and_networks_are_refused() -> None:
    game = sw.make("pferdeaepfel/trail")
    with pytest.raises(ValueError, match="opponent must be random or self, not nobody"):
        Ppo(game, PpoConfig(opponent="nobody"))
    with pytest.raises(ValueError, match="mlp or residual, not big"):
        Ppo(game, PpoConfig(network="big"))


def test_a_little_training_beats_random_in_small_trail() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    config = PpoConfig(steps=120_000, n_envs=128, rollout=16, minibatch=512, epochs=4, channels=64, seed=1)
    run = Ppo(game, config)
    for _ in run.updates():
        pass
    score = play_match(game, network_player(run.network, 1, 0.0), random_player(2), seat=1, games=300, seed=3)
    assert score.rate > 0.85, score


def test_scores_count_every_game_once() -> None:
    scores = score_by_seat(sw.make("ludo/ffa", max_plies=60), random_player(1), random_player(2), games=20, seed=1)
    assert [score.games for score in scores] == [20] * 4
    assert Score(6, 2, 2).rate == pytest.approx(0.7)
    low, high = Score(50, 0, 50).interval
    assert low < 0.5 < high


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small"
    game = sw.make("pferdeaepfel/classic", size=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch's exporter speaks of its own future
        export_model(path, network_for(game, "residual", 8, 1), game, {"seed": 1})
    return path.with_suffix(".onnx")


def test_an_exported_network_plays_without_pytorch(model: Path) -> None:
    agent = sw.agent(f"network:{model}")
    assert agent.spec == f"network:model={model}"
    state = sw.make("pferdeaepfel/classic", size=4).start()
    assert sum(line.visits for line in agent.analyse(state).lines) in range(990, 1011)
    while not state.over:
        state.play(agent.act(state))
    drawn = sw.agent(f"network:{model},temperature=1,seed=3")
    drawn.act(sw.make("pferdeaepfel/classic", size=4).start())


def test_a_model_of_another_game_is_refused(model: Path) -> None:
    with pytest.raises(ValueError, match=r"plays .*size=4"):
        sw.agent(f"network:{model}").act(sw.make("pferdeaepfel/classic").start())


@pytest.mark.parametrize("damage", ["pickle", "empty", "truncated", "card", "missing"])
def test_hostile_and_damaged_models_are_refused_in_one_line(model: Path, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(model.read_bytes())
    card = json.loads(model.with_suffix(".json").read_text())
    if damage == "pickle":
        path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "harm").encode() + b"'\ntR.")
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "truncated":
        path.write_bytes(model.read_bytes()[:500])
    elif damage == "card":
        card["rules"]["size"] = 8
    elif damage == "missing":
        path.unlink()
    path.with_suffix(".json").write_text(json.dumps(card))
    with pytest.raises(ValueError, match="model") as refused:
        sw.agent(f"network:{path}")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "harm").exists()
