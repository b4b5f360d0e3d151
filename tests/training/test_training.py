"""Learning: seat-correct advantages, masks that hold, a run that repeats itself, a model that plays elsewhere."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import spielwerk as sw
from spielwerk.arena.scores import Score
from spielwerk.batch import VectorEnv
from spielwerk.training.advantages import estimate_advantages, forecast_targets
from spielwerk.training.config import PpoConfig, SelfPlayConfig
from spielwerk.training.evaluation import Games, play_games, rival_seatings, score_by_seat
from spielwerk.training.export import export_model
from spielwerk.training.gate import Verdict, judged
from spielwerk.training.networks import LIMIT, DenseBody, log_probabilities, masked, network_for, sample_actions
from spielwerk.training.players import greedy_player, network_player, player_of, random_player
from spielwerk.training.ppo import Ppo, PpoLoss
from spielwerk.training.selfplay import SelfPlay


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def naive_advantages(
    values: list[float], rewards: list[list[float]], dones: list[bool], seats: list[int], last: list[float]
) -> list[float | None]:
    """One game, decision by decision, looking forward: what the seat gets until it decides again."""
    discount, gae_lambda = 0.9, 0.8

    def advantage(step: int) -> float | None:
        seat, gained = seats[step], 0.0
        for later in range(step, len(values)):
            gained += rewards[later][seat]
            if dones[later]:
                return gained - values[step]
            if later + 1 < len(values) and seats[later + 1] == seat:
                beyond = advantage(later + 1) or 0.0  # what is not known is not looked at
                return gained + discount * values[later + 1] - values[step] + discount * gae_lambda * beyond
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
    arrays = [torch.from_numpy(array) for array in (values, rewards, dones, seats, last)]
    estimated, usable = estimate_advantages(
        arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], discount=0.9, gae_lambda=0.8
    )
    for game in range(games):
        expected = naive_advantages(
            values[:, game].tolist(), rewards[:, game].tolist(), dones[:, game].tolist(),
            seats[:, game].tolist(), last[game].tolist(),
        )  # fmt: skip
        for step, value in enumerate(expected):
            assert bool(usable[step, game]) == (value is not None)
            if value is not None:
                assert estimated[step, game].item() == pytest.approx(value)


def test_only_legal_actions_are_drawn_even_from_wild_logits() -> None:
    torch.manual_seed(1)
    logits = 1000 * torch.randn(2000, 2300)
    mask = torch.zeros(2000, 2300, dtype=torch.uint8)
    mask[torch.arange(2000), torch.randint(2300, (2000,))] = 1
    mask[:, 7] = 1
    legal = masked(logits, mask)
    assert torch.isfinite(torch.log_softmax(legal, -1)).all()
    assert mask[torch.arange(2000), sample_actions(log_probabilities(legal), mask)].all()


def test_actions_are_drawn_by_their_probability() -> None:
    torch.manual_seed(2)
    probabilities = torch.tensor([0.5, 0.0, 0.3, 0.15, 0.05])
    mask = (probabilities > 0).to(torch.uint8)
    log_probs = log_probabilities(masked(probabilities.log(), mask))
    drawn = sample_actions(log_probs.expand(100_000, -1), mask.expand(100_000, -1))
    shares = drawn.bincount(minlength=5) / 100_000
    assert shares.tolist() == pytest.approx(probabilities.tolist(), abs=0.006) and shares[1] == 0


def random_batch(size: int, actions: int) -> tuple[list[Tensor], dict[str, Tensor]]:
    """Answers of a network, some beyond the limit of logits, and what was seen and done."""
    masks = (torch.rand(size, actions) < 0.4).to(torch.uint8)
    masks[:, 3] = 1
    answers = [12 * torch.randn(size, actions), torch.rand(size) - 0.5, torch.randn(size, 2)]
    log_probs = log_probabilities(masked(answers[0], masks))
    taken = sample_actions(log_probs, masks)
    forecasts = torch.where(torch.rand(size, 2) < 0.3, torch.nan, torch.randn(size, 2))
    batch = {
        "masks": masks, "actions": taken, "advantages": torch.randn(size), "returns": torch.randn(size),
        "log_probs": log_probs.gather(1, taken[:, None])[:, 0] + 0.3 * torch.randn(size), "forecasts": forecasts,
    }  # fmt: skip
    return answers, batch


def naive_loss(answers: list[Tensor], batch: dict[str, Tensor], entropy_weight: Tensor, config: PpoConfig) -> Tensor:
    logits, values, forecasts = answers
    log_probs = log_probabilities(masked(logits, batch["masks"]))
    ratio = (log_probs.gather(1, batch["actions"][:, None])[:, 0] - batch["log_probs"]).exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy = -torch.min(batch["advantages"] * ratio, batch["advantages"] * clipped).mean()
    value = 0.5 * (values - batch["returns"]).square().mean()
    entropy = -(log_probs.exp() * log_probs).sum(1).mean()
    known = ~batch["forecasts"].isnan()
    forecast = (forecasts - batch["forecasts"])[known].square().sum() / known.numel()
    return policy + config.value_weight * value + config.forecast_weight * forecast - entropy_weight * entropy


def test_the_gradient_worked_out_by_hand_is_the_derivative() -> None:
    torch.manual_seed(3)
    config, entropy_weight = PpoConfig(), torch.tensor(0.02)
    answers, batch = random_batch(200, 30)
    assert (answers[0].abs() > LIMIT).any()
    results = []
    for loss_of in (naive_loss, lambda answers, *rest: PpoLoss.apply(*answers, *rest)[0]):  # type: ignore[no-untyped-call]
        inputs = [answer.clone().requires_grad_() for answer in answers]
        loss = loss_of(inputs, batch, entropy_weight, config)
        (3 * loss).backward()
        results.append([loss.detach(), *(one.grad for one in inputs)])
    for naive, ours in zip(*results, strict=True):
        assert torch.allclose(naive, ours, rtol=1e-4, atol=1e-8)


def test_gradients_are_cut_at_their_common_norm() -> None:
    config = PpoConfig(n_envs=8, rollout=8, minibatch=16, channels=8, opponent="self", max_grad_norm=1e-4)
    run = Ppo(sw.make("ludo/ffa"), config)
    next(run.updates())
    gradients = [parameter.grad for parameter in run.network.parameters() if parameter.grad is not None]
    assert len(gradients) == len(list(run.network.parameters()))
    assert float(torch.cat([one.flatten() for one in gradients]).norm()) == pytest.approx(1e-4, rel=0.01)


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
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        Ppo(game, PpoConfig(opponent="nobody"))
    with pytest.raises(ValueError, match="mlp or residual, not big"):
        Ppo(game, PpoConfig(network="big"))


def test_a_little_training_beats_random_in_small_trail() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    config = PpoConfig(steps=120_000, n_envs=128, rollout=16, minibatch=512, epochs=4, channels=64, seed=1)
    run = Ppo(game, config)
    for _ in run.updates():
        pass
    score = score_by_seat(game, network_player(run.network), random_player, games=300, seed=3)[1]
    assert score.rate > 0.85, score


def test_scores_count_every_game_once() -> None:
    scores = score_by_seat(sw.make("ludo/ffa", max_plies=60), random_player, random_player, games=20, seed=1)
    assert [score.games for score in scores] == [20] * 4
    assert Score(6, 2, 2).rate == pytest.approx(0.7)
    low, high = Score(50, 0, 50).interval
    assert low < 0.5 < high


def test_forecasts_are_known_where_the_game_ends_in_sight() -> None:
    dones = torch.tensor([[0, 0], [0, 1], [1, 0], [0, 0]], dtype=torch.bool)
    seats = torch.tensor([[0, 1], [1, 0], [0, 1], [1, 0]])
    margins = torch.zeros(4, 2, 2)
    margins[1, 1] = torch.tensor([0.5, -0.5])
    margins[2, 0] = torch.tensor([-0.25, 0.25])
    targets = forecast_targets(margins, dones, seats)
    scale = np.log(101)
    assert targets[0, 0].tolist() == pytest.approx([np.log(3) / scale, -0.25])
    assert targets[1, 0].tolist() == pytest.approx([np.log(2) / scale, 0.25])
    assert targets[2, 0].tolist() == pytest.approx([0.0, -0.25])
    assert targets[0, 1].tolist() == pytest.approx([np.log(2) / scale, -0.5])
    assert targets[3].isnan().all() and targets[2, 1].isnan().all()


@pytest.mark.parametrize("opponent", ["greedy", "mcts:sims=2", "random"])
def test_any_agent_can_be_the_opponent(opponent: str) -> None:
    config = PpoConfig(steps=32, n_envs=4, rollout=8, minibatch=8, channels=8, opponent=opponent)
    steps = [progress.steps for progress in Ppo(sw.make("pferdeaepfel/trail", size=5), config).updates()]
    assert len(steps) >= 2 and steps[-2] < 32 <= steps[-1], "it ends with the update that makes the steps full"


@pytest.mark.parametrize(("opponent", "counted"), [("self", 1.0), ("random", 0.25)])
def test_steps_are_decisions_of_the_learner(opponent: str, counted: float) -> None:
    config = PpoConfig(steps=1, n_envs=256, rollout=32, minibatch=4096, channels=8, opponent=opponent)
    run = Ppo(sw.make("ludo/ffa"), config)
    next(run.updates())
    assert run.steps == pytest.approx(counted * 256 * 32, rel=0.1 if opponent == "random" else 0)


def test_points_as_reward_pay_half_for_the_margin() -> None:
    game = sw.make("pferdeaepfel/classic", size=4)
    config = PpoConfig(steps=64, n_envs=8, rollout=8, minibatch=16, channels=8, reward="points", points_scale=10.0)
    run = Ppo(game, config)
    list(run.updates())
    run._buffers.points[0, 0] = torch.tensor([0, 3], dtype=torch.int32)
    assert run._margins()[0, 0].tolist() == pytest.approx([-0.3, 0.3])
    with pytest.raises(ValueError, match="reward must be result or points, not fame"):
        PpoConfig(reward="fame")


def test_pairs_exchange_the_seats_and_share_opening_and_dice() -> None:
    game = sw.make("ludo/ffa", players=2)
    games = play_games(game, greedy_player, greedy_player, rival_seatings(game), 40, seed=2)
    assert games.first[0].tolist() != games.first[1].tolist()
    assert games.first.sum(0).tolist() == [20, 20]
    same = play_games(sw.make("pferdeaepfel/trail"), _first_legal, _first_legal, rival_seatings(game), 40, seed=2)
    assert (same.courses[0::2] == same.courses[1::2]).all()
    assert same.distinct > 10


def _first_legal(env: VectorEnv, rows: Any, seed: int) -> Any:
    return env.mask.argmax(1)


def test_partners_sit_together_and_every_share_has_its_reverse() -> None:
    assert sorted(rival_seatings(sw.make("ludo/teams")).tolist()) == [[False, True] * 2, [True, False] * 2]
    for players in (2, 3, 4):
        rows = {tuple(row) for row in rival_seatings(sw.make("ludo/ffa", players=players)).tolist()}
        assert rows == {tuple(not seat for seat in row) for row in rows}


def _judged(wins_as_white: float, wins_as_black: float, **settings: Any) -> Verdict:
    """400 pairs in which the current network wins these shares of its games."""
    source = np.random.default_rng(1)
    first = np.tile([[True, False], [False, True]], (400, 1))
    chance = np.tile([wins_as_white, wins_as_black], 400)
    sign = np.where(source.random(800) < chance, 1.0, -1.0)
    returns = np.where(first, sign[:, None], -sign[:, None])
    games = Games(first, returns, np.arange(800, dtype=np.uint64))
    return judged(games, 2, SelfPlayConfig(**settings))


def test_the_gate_promotes_at_the_threshold() -> None:
    assert _judged(0.6, 0.6).passed
    assert not _judged(0.5, 0.5).passed
    assert _judged(0.65, 0.65, gate="sprt").passed
    assert not _judged(0.5, 0.5, gate="sprt").passed


def test_the_gate_means_something_where_the_seats_decide() -> None:
    """The current network sometimes wins the lost colour and never loses the won one: clearly better, though 52 %."""
    evaluation = _judged(0.08, 1.0)
    assert evaluation.lopsided and evaluation.passed
    assert evaluation.score.rate < 0.55
    assert not _judged(0.0, 1.0).passed
    assert "too few" in _judged(0.0, 1.0).words
    assert not _judged(0.1, 0.9).passed


@pytest.mark.parametrize(("name", "rules"), [("ludo/ffa", {"players": 3}), ("pferdeaepfel/classic", {"size": 5})])
def test_a_run_goes_on_as_if_it_had_never_stopped(name: str, rules: dict[str, int]) -> None:
    game = sw.make(name, **rules)
    config = SelfPlayConfig(
        steps=4096, n_envs=16, rollout=16, minibatch=64, channels=16, eval_freq=1024, n_eval_games=20
    )

    def weights(interrupted: bool) -> list[bytes]:
        run = SelfPlay(game, config)
        updates = run.updates()
        while next(updates, None) is not None:
            if interrupted and run.update % 5 == 0:
                tensors, facts = run.state()
                run = SelfPlay(game, config)
                run.restore(tensors, json.loads(json.dumps(facts)))
                updates = run.updates()
        return [value.numpy().tobytes() for value in run.network.state_dict().values()]

    assert weights(interrupted=True) == weights(interrupted=False)


def test_a_checkpoint_of_another_game_or_network_is_refused() -> None:
    small = PpoConfig(steps=64, n_envs=4, rollout=8, minibatch=8, channels=8)
    state = Ppo(sw.make("pferdeaepfel/trail", size=5), small).state()
    with pytest.raises(ValueError, match="the checkpoint is of pferdeaepfel/trail"):
        Ppo(sw.make("pferdeaepfel/trail", size=6), small).restore(*state)
    with pytest.raises(ValueError, match="another network"):
        Ppo(sw.make("pferdeaepfel/trail", size=5), replace(small, channels=16)).restore(*state)
    with pytest.raises(ValueError, match="4 games at once, not 8"):
        Ppo(sw.make("pferdeaepfel/trail", size=5), replace(small, n_envs=8)).restore(*state)
    state[0]["network.body.outlook.bias"][0] = float("nan")
    with pytest.raises(ValueError, match="not finite"):
        Ppo(sw.make("pferdeaepfel/trail", size=5), small).restore(*state)


def test_one_network_plays_boards_of_every_size(tmp_path: Path) -> None:
    game = sw.make("diavolo/standard", side=4)
    network = network_for(game, "residual", 8, 2)
    export_model(tmp_path / "any", network, game, {})
    agent = sw.agent(f"network:{tmp_path / 'any.onnx'}")
    for side in (3, 7):
        other = sw.make("diavolo/standard", side=side)
        state = other.start()
        larger = network_for(other, "residual", 8, 2)
        larger.load_state_dict(network.state_dict())
        logits, value, _ = larger(torch.from_numpy(state.observation(0)[None]))
        best = agent.analyse(state).lines[0]
        assert best.value == pytest.approx(value.item(), abs=1e-5)
        likeliest = logits[0, state.legal_actions].max().item()
        assert logits[0, state.parse(best.actions[0])].item() == pytest.approx(likeliest, abs=1e-5)
        while not state.over:
            state.play(agent.act(state))
    with pytest.raises(ValueError, match="plays"):
        agent.act(sw.make("pferdeaepfel/classic").start())


@pytest.mark.parametrize("ruleset", ["pferdeaepfel/classic", "ludo/ffa", "diavolo/standard"])
def test_heads_at_once_answer_like_each_head(ruleset: str) -> None:
    """A GPU asks them so, whatever the number of answers is modulo eight."""
    torch.manual_seed(3)
    body = network_for(sw.make(ruleset), "mlp", 16, 1).body
    assert isinstance(body, DenseBody)
    features = torch.randn(7, 16)
    for apart, at_once in zip(body.heads(features), body.heads_at_once(features), strict=True):
        assert apart.shape == at_once.shape
        torch.testing.assert_close(at_once, apart)


@pytest.mark.parametrize("kind", ["mlp", "residual"])
def test_planes_are_scaled_alike_in_the_precision_of_a_gpu(kind: str) -> None:
    game = sw.make("ludo/ffa")
    torch.manual_seed(3)
    network = network_for(game, kind, 16, 1)
    maxima = torch.tensor([plane.maximum for plane in game.planes])[:, None, None]
    planes = (torch.rand(5, *game.observation_shape) * (maxima + 1)).to(torch.uint8)
    exact = network(planes)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = network(planes)
    for whole, half in zip(exact, rounded, strict=True):
        torch.testing.assert_close(half.float(), whole, atol=0.03, rtol=0.03)


def test_a_network_plays_a_batch_as_it_plays_single_games(model: Path) -> None:
    env = sw.vector("pferdeaepfel/classic", num_envs=6, size=4)
    env.reset(seed=3)
    agent = sw.agent(f"network:{model}")
    play = player_of(f"network:{model}", env.game)
    for _ in range(10):
        rows = np.array([True, False, True, True, False, True])
        actions = play(env, rows, 1)
        assert [int(actions[i]) for i in np.flatnonzero(rows)] == [
            agent.act(env.state(int(i))) for i in np.flatnonzero(rows)
        ]
        env.step(env.random_actions(seed=1))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small"
    game = sw.make("pferdeaepfel/classic", size=4)
    export_model(path, network_for(game, "mlp", 8, 1), game, {"seed": 1})
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
