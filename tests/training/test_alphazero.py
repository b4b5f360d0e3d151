"""Self-play under search: targets from the ends of games, a window that survives, runs that go on exactly, learning."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.arena.workers import InProcess, WorkersError
from spielwerk.training import alphazero, loop
from spielwerk.training.alphazero import AlphaZero, columns_of, targets_of, told_apart, value_count
from spielwerk.training.checkpoints import CheckpointError
from spielwerk.training.config import AlphaZeroConfig
from spielwerk.training.evaluation import score_by_seat
from spielwerk.training.loop import Training
from spielwerk.training.players import greedy_player, network_player, random_player
from spielwerk.training.replay import Column, Replay
from spielwerk.training.runs import Run
from spielwerk.training.snapshot import fingerprint

GAME = sw.make("pferdeaepfel/trail", size=4)
CONFIG = AlphaZeroConfig(
    steps=1500, n_envs=16, rollout=48, minibatch=64, channels=16, sims=8, fast_sims=3, window=300, seed=5,
    eval_freq=700, n_eval_games=20,
)  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 20)
    monkeypatch.setattr(loop, "FINAL_MATCH_GAMES", 20)


def in_folder(folder: Path, config: AlphaZeroConfig = CONFIG, game: sw.Game = GAME) -> Training:
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(folder)
    facts = {"method": "alphazero", "ruleset": game.name, "rules": game.rules, "seats": ["a", "b"], "config": {}}
    run.write_facts(facts)
    return Training(AlphaZero(game, config), run)


# -- targets -------------------------------------------------------------------------------------


def row_arrays(count: int, game: sw.Game, **given: Any) -> dict[str, Any]:
    rows = {
        "observation": np.zeros((count, *game.observation_shape), np.uint8),
        "mask": np.ones((count, game.num_actions), np.uint8),
        "policy": np.full((count, game.num_actions), 1 / game.num_actions, np.float32),
        "value": np.zeros((count, game.num_players), np.float32),
        "exact": np.full(count, 2, np.int8),
        "place": np.zeros((count, 4), np.int32),
    }
    return rows | given


def end_arrays(count: int, game: sw.Game, **given: Any) -> dict[str, Any]:
    ends = {
        "place": np.zeros((count, 3), np.int32),
        "returns": np.zeros((count, game.num_players), np.float32),
        "points": np.zeros((count, game.num_players), np.int32),
        "played_out": np.ones(count, np.uint8),
        "observation": np.zeros((count, game.num_players, *game.observation_shape), np.uint8),
    }
    return ends | given


def test_rows_wait_for_the_end_of_their_own_game() -> None:
    rows = row_arrays(5, GAME, place=np.array([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 3, 1], [2, 7, 0, 0], [3, 0, 0, 1]]))
    ends = end_arrays(3, GAME, place=np.array([[2, 7, 4], [0, 0, 9], [1, 1, 2]]))
    finished, number, waiting = told_apart(rows, ends)
    assert finished["place"][:, :2].tolist() == [[0, 0], [2, 7]]
    assert number.tolist() == [1, 0]
    assert waiting["place"][:, :2].tolist() == [[0, 1], [1, 0], [3, 0]]


def test_values_are_of_the_seat_to_act_a_part_from_the_search_and_proofs_alone_count() -> None:
    config = replace(CONFIG, search_value=0.25)
    rows = row_arrays(
        3, GAME, place=np.array([[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 2, 1]]),
        value=np.array([[0.2, -0.2], [0.4, -0.4], [0.4, -0.4]], np.float32), exact=np.array([2, 2, 1], np.int8),
    )  # fmt: skip
    ends = end_arrays(3, GAME, returns=np.array([[1, -1]] * 3, np.float32), place=np.array([[0, 0, 10]] * 3))
    targets = targets_of(GAME, config, rows, ends, np.arange(3))
    assert targets["values"][:, 0].tolist() == pytest.approx([0.75 + 0.05, -0.75 + 0.1, 1.0])
    assert targets["forecasts"][:, 0].tolist() == pytest.approx(np.log1p([10, 9, 8]) / np.log(101), abs=1e-6)


def test_every_seat_has_a_value_where_there_are_more_than_two_sides() -> None:
    game = sw.make("ludo/ffa")
    assert [value_count(sw.make(name)) for name in ("ludo/ffa", "ludo/teams", "diavolo/standard")] == [4, 1, 1]
    rows = row_arrays(1, game, place=np.array([[0, 0, 0, 2]]))
    ends = end_arrays(1, game, returns=np.array([[1.0, 0.5, -0.5, -1.0]], np.float32))
    targets = targets_of(game, replace(CONFIG, search_value=0.0), rows, ends, np.array([0]))
    assert targets["values"].tolist() == [[-0.5, -1.0, 1.0, 0.5]], "the seat to act first, the others in turn"


def test_lost_positions_teach_no_policy_and_margins_are_of_the_seat_to_act() -> None:
    rows = row_arrays(2, GAME, place=np.array([[0, 0, 0, 1], [0, 0, 0, 0]]), exact=np.array([-1, 2], np.int8))
    ends = end_arrays(2, GAME, points=np.array([[5, 15], [5, 15]], np.int32))
    targets = targets_of(GAME, replace(CONFIG, points_scale=20.0), rows, ends, np.array([0, 1]))
    assert targets["teaches"].tolist() == [0, 1]
    assert targets["forecasts"][:, 1].tolist() == [0.5, -0.5]


# -- the window ----------------------------------------------------------------------------------


def small_replay(folder: Path, capacity: int = 10) -> Replay:
    replay = Replay({"number": Column((), torch.int64)}, capacity, torch.device("cpu"))
    replay.folder = folder
    return replay


def numbers(first: int, count: int) -> dict[str, torch.Tensor]:
    return {"number": torch.arange(first, first + count)}


def test_the_window_holds_the_latest_rows_and_comes_back_from_disk(tmp_path: Path) -> None:
    replay = small_replay(tmp_path)
    states = []
    for first in range(0, 60, 4):
        replay.add(numbers(first, 4))
        states.append(json.loads(json.dumps(replay.save())))
    assert set(replay.draw(1000)["number"].tolist()) == set(range(50, 60))
    for state in states[-3:]:  # as many as there are checkpoints
        again = small_replay(tmp_path)
        again.restore(state)
        assert set(again.draw(1000)["number"].tolist()) == set(range(max(0, state["total"] - 10), state["total"]))
    assert len(list(tmp_path.glob("*.safetensors"))) <= 7, "parts that no checkpoint needs are removed"


def test_the_same_draws_come_from_a_window_that_was_restored(tmp_path: Path) -> None:
    replay = small_replay(tmp_path)
    replay.add(numbers(0, 7))
    replay.save()
    replay.add(numbers(7, 23))  # more than the window holds
    state = replay.save()
    again = small_replay(tmp_path)
    again.restore(state)
    drawn = []
    for window in (replay, again):
        torch.manual_seed(3)
        drawn.append(window.draw(50)["number"].tolist())
    assert drawn[0] == drawn[1]


def test_damaged_and_foreign_parts_are_named_in_one_line(tmp_path: Path) -> None:
    replay = small_replay(tmp_path)
    replay.add(numbers(0, 7))
    state = replay.save()
    (part,) = tmp_path.glob("*.safetensors")
    data = part.read_bytes()
    part.write_bytes(data[:-1] + bytes([data[-1] ^ 255]))
    with pytest.raises(CheckpointError, match=r"000000000000\.safetensors is damaged") as refused:
        small_replay(tmp_path).restore(state)
    assert "\n" not in str(refused.value)
    part.write_bytes(data)
    other = Replay({"number": Column((2,), torch.int64)}, 10, torch.device("cpu"))
    other.folder = tmp_path
    with pytest.raises(CheckpointError, match="holds no rows of such a run"):
        other.restore(state)


# -- runs ----------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path) -> None:
    whole = in_folder(tmp_path / "whole")
    assert whole.learn()
    stopped = in_folder(tmp_path / "stopped")
    for _ in zip(range(3), stopped.learner.updates(), strict=False):
        pass
    stopped.save()
    resumed = in_folder(tmp_path / "stopped")
    resumed.restore()
    assert resumed.learner.update == 3
    assert resumed.learn()
    assert resumed.learner.steps == whole.learner.steps
    assert fingerprint(resumed.learner.network) == fingerprint(whole.learner.network)


def test_the_threads_change_nothing(tmp_path: Path) -> None:
    prints = []
    for threads in (1, 2):
        learner = AlphaZero(GAME, replace(CONFIG, threads=threads, steps=400))
        for _ in learner.updates():
            pass
        prints.append(fingerprint(learner.network))
    assert prints[0] == prints[1]


def test_the_last_update_is_evaluated_and_the_best_is_exported(tmp_path: Path) -> None:
    training = in_folder(tmp_path)
    assert training.learn()
    result = training.finish()
    assert result["model"] == "best" and result["anchors"].keys() == {"random", "greedy"}
    for name in ("best", "final"):
        state = GAME.start()
        assert sw.agent(f"network:{tmp_path / name / 'model.onnx'}").act(state) in state.legal_actions


def test_gated_data_is_played_by_the_best() -> None:
    learner = AlphaZero(GAME, replace(CONFIG, gate_data=True, eval_freq=10**6, steps=10**6))
    for _ in zip(range(4), learner.updates(), strict=False):
        pass
    asked = learner.actor._network.state_dict()
    assert all(torch.equal(asked[name], value) for name, value in learner.best.state_dict().items())
    assert fingerprint(learner.network) != fingerprint(learner.best), "the current one learns meanwhile"


def test_two_groups_as_on_a_gpu_keep_their_games_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def two(game: sw.Game, config: AlphaZeroConfig, device: torch.device) -> list[alphazero.Group]:
        return [alphazero.Group(game, first, 8, config, device) for first in (0, 8)]

    monkeypatch.setattr(alphazero, "_groups_of", two)
    whole = in_folder(tmp_path / "whole")
    for _ in zip(range(8), whole.learner.updates(), strict=False):
        pass
    assert isinstance(whole.learner, AlphaZero)
    games = whole.learner._pending["place"][:, 0]
    assert games.min() < 8 <= games.max() < 16
    half = in_folder(tmp_path / "half")
    for _ in zip(range(4), half.learner.updates(), strict=False):
        pass
    half.save()
    rest = in_folder(tmp_path / "half")
    rest.restore()
    for _ in zip(range(4), rest.learner.updates(), strict=False):
        pass
    assert fingerprint(rest.learner.network) == fingerprint(whole.learner.network)


def test_groups_that_workers_play_bring_the_same(tmp_path: Path) -> None:
    config = replace(CONFIG, groups=3)

    def begun(folder: str, apart: bool) -> Training:
        training = in_folder(tmp_path / folder, config)
        assert isinstance(training.learner, AlphaZero)
        if apart:
            training.learner.play_apart(InProcess())
        return training

    def learnt(training: Training, updates: int) -> list[Any]:
        some = zip(range(updates), training.learner.updates(), strict=False)
        return [(progress.steps, progress.losses, progress.games) for _, progress in some]

    here = begun("here", apart=False)
    expected = learnt(here, 6)
    apart = begun("apart", apart=True)
    assert learnt(apart, 3) == expected[:3]
    apart.save()
    rest = begun("apart", apart=True)
    rest.restore()
    assert learnt(rest, 3) == expected[3:]
    assert fingerprint(here.learner.network) == fingerprint(rest.learner.network)


def test_rows_of_another_network_are_refused() -> None:
    class Confused(InProcess):
        def submit(self, work: Any, about: Any) -> Any:
            return super().submit(work, replace(about, update=about.update - 1))

    learner = AlphaZero(GAME, CONFIG)
    learner.play_apart(Confused())
    with pytest.raises(WorkersError, match="update -1 instead of 0"):
        next(iter(learner.updates()))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ludo/ffa", {"network": "residual", "channels": 8, "blocks": 1}),
        ("ludo/teams", {}),
        ("diavolo/standard", {"network": "residual", "channels": 8, "blocks": 1}),
        ("pferdeaepfel/carry", {}),
    ],
)
def test_every_kind_of_game_and_network_learns(tmp_path: Path, name: str, settings: dict[str, Any]) -> None:
    """Four seats with a value each, teams, dice, several actions a turn."""
    game = sw.make(name)
    config = replace(CONFIG, minibatch=8, rollout=24, n_envs=8, sims=4, fast_sims=2, eval_freq=10**9, **settings)
    training = in_folder(tmp_path, replace(config, steps=10**9), game)
    before = fingerprint(training.learner.network)
    for progress in training.learner.updates():
        if fingerprint(training.learner.network) != before:
            break
        assert progress.update < 200
    training.save()
    again = in_folder(tmp_path, replace(config, steps=10**9), game)
    again.restore()
    assert fingerprint(again.learner.network) == fingerprint(training.learner.network)


def test_a_checkpoint_of_another_game_or_size_is_refused(tmp_path: Path) -> None:
    in_folder(tmp_path, game=sw.make("pferdeaepfel/trail", size=5)).save()
    with pytest.raises(CheckpointError, match="the checkpoint is of pferdeaepfel/trail"):
        in_folder(tmp_path).restore()
    in_folder(tmp_path / "other").save()
    for config in (replace(CONFIG, n_envs=8), replace(CONFIG, channels=8)):
        with pytest.raises(CheckpointError, match="cannot be continued"):
            in_folder(tmp_path / "other", config).restore()


def test_a_small_board_is_learnt_in_seconds() -> None:
    config = AlphaZeroConfig(
        steps=50_000, channels=128, sims=16, fast_sims=4, window=30_000, minibatch=256, learning_rate=2e-3,
        eval_freq=10**9, n_eval_games=20,
    )  # fmt: skip
    learner = AlphaZero(sw.make("pferdeaepfel/trail", size=6), config)
    before = _rates(learner)
    for _ in learner.updates():
        pass
    assert sum(_rates(learner)) > sum(before) + 0.15


def _rates(learner: AlphaZero) -> list[float]:
    """Against random and greedy, on each seat."""
    player = network_player(learner.network)
    scores = [score_by_seat(learner.game, player, anchor, 200, 1) for anchor in (random_player, greedy_player)]
    return [score.rate for by_seat in scores for score in by_seat]


def test_columns_have_the_size_of_a_row() -> None:
    sizes = {name: column.bytes for name, column in columns_of(GAME).items()}
    assert sizes["planes"] == 4 * 16 and sizes["policies"] == 2 * GAME.num_actions and sizes["masks"] == 2
