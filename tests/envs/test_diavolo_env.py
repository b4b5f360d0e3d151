"""DiavoloPP as an environment: PettingZoo's tests at several sides, batches and records step by step."""

import importlib
import random
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.records import Record, Recorder

zoo_tests: Any = importlib.import_module("pettingzoo.test")  # untyped
SIDES = [3, 5, 8, 30]
every_side = pytest.mark.parametrize("side", SIDES)


@pytest.fixture
def masked_observations_are_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, `api_test` warns of every dict observation but those of the games it lists by name."""
    api_test = importlib.import_module("pettingzoo.test.api_test")
    for listed in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(api_test, listed, [*getattr(api_test, listed), "diavolo_v0"])


@pytest.mark.usefixtures("masked_observations_are_expected")
@every_side
def test_api(side: int) -> None:
    zoo_tests.api_test(sw.envs.diavolo_v0.env(side=side))


@every_side
def test_seed(side: int) -> None:
    zoo_tests.seed_test(lambda: sw.envs.diavolo_v0.env(side=side), num_cycles=60)


@every_side
def test_the_env_plays_a_whole_game(side: int) -> None:
    env = sw.envs.diavolo_v0.env(side=side)
    env.reset(seed=side)
    source, rewards, plies = random.Random(side), {}, 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            rewards[agent] = reward
            env.step(None)
            continue
        env.step(int(source.choice(np.flatnonzero(observation["action_mask"]))))
        plies += 1
    assert set(rewards) == {"player_0", "player_1"}
    assert sum(rewards.values()) == 0
    assert plies <= env.game.max_plies


def test_the_side_is_checked() -> None:
    with pytest.raises(ValueError, match="side must be a whole number from 3 to 30, not 31"):
        sw.envs.diavolo_v0.env(side=31)


@every_side
def test_the_batch_agrees_with_single_states_step_by_step(side: int) -> None:
    batch = sw.vector("diavolo/standard", num_envs=5, threads=2, side=side)
    states = [sw.make("diavolo/standard", side=side).start() for _ in range(5)]
    observation, mask, seat = batch.reset(seed=1)
    for step in range(150):
        for i, state in enumerate(states):
            assert seat[i] == state.player
            np.testing.assert_array_equal(mask[i], state.mask)
            np.testing.assert_array_equal(observation[i], state.observation(int(seat[i])))
        actions = batch.random_actions(step).copy()
        observation, mask, reward, terminated, truncated, seat = batch.step(actions)
        for i, state in enumerate(states):
            state.play(int(actions[i]))
            assert terminated[i] == state.over
            assert not truncated[i]
            assert tuple(reward[i]) == (state.returns if state.over else (0, 0))
            if state.over:
                states[i] = state.game.start()


@every_side
def test_a_record_replays_to_the_same_end(side: int) -> None:
    recorder, source = Recorder(sw.make("diavolo/standard", side=side)), random.Random(side)
    while not recorder.state.over:
        recorder.play(source.choice(recorder.state.legal_actions))
    assert recorder.record.rules == {"side": side}
    assert Record.from_json(recorder.record.to_json()).replay() == recorder.state


def test_records_keep_the_single_lands_of_a_turn_in_sorted_form() -> None:
    recorder = Recorder(sw.make("diavolo/standard"))
    recorder.play("2,1+1,2+1,1 3,1+3,2+4,1")
    assert recorder.record.actions == ["1,1+1,2+2,1", "3,1+3,2+4,1"]


def test_a_record_may_begin_in_a_picture() -> None:
    game = sw.make("diavolo/standard", side=3)
    recorder = Recorder(game, start=str(game.start()) + "\nred to move")
    recorder.play("1,1+1,2+2,1")
    assert recorder.record.start == "white; red; red to move"
    assert Record.from_json(recorder.record.to_json()).replay() == recorder.state
