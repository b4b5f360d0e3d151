"""Our games inside Stable-Baselines3 and sb3-contrib."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

sb3: Any = pytest.importorskip("sb3_contrib", reason="STABLE-BASELINES3 IS NOT TESTED: the dev extra installs it")

from spielwerk.adapters.sb3 import SeatVecEnv  # noqa: E402


def play(env: SeatVecEnv, steps: int) -> list[Any]:
    """Random legal actions; what came back, to compare."""
    env.seed(3)
    story: list[Any] = [np.asarray(env.reset()).tobytes()]
    for step in range(steps):
        observation, rewards, done, infos = env.step(env.envs.random_actions(seed=step))
        story += [np.asarray(observation).tobytes(), rewards.tobytes(), done.tobytes()]
        for index in np.flatnonzero(done):
            assert env.observation_space.contains(infos[index]["terminal_observation"])
            assert infos[index]["TimeLimit.truncated"] is False
    return story


def test_a_seed_repeats_everything() -> None:
    env, other = (SeatVecEnv("ludo/ffa", num_envs=8, opponent="greedy") for _ in range(2))
    assert play(env, 200) == play(other, 200)


def test_masks_are_those_of_the_games() -> None:
    env = SeatVecEnv("pferdeaepfel/trail", num_envs=4)
    env.reset()
    masks = np.stack(env.env_method("action_masks", indices=[0, 2]))
    np.testing.assert_array_equal(masks, env.envs.action_masks()[[0, 2]])
    assert env.has_attr("action_masks") and not env.has_attr("no_such_thing")
    with pytest.raises(AttributeError, match="only action_masks"):
        env.env_method("fly")


def test_maskable_ppo_learns_on_many_games_at_once(example: Callable[..., str]) -> None:
    assert "mean return after 2048 steps" in example("maskable_ppo.py", "2048", "32")


def test_ppo_in_one_file_learns(example: Callable[..., str]) -> None:
    pytest.importorskip("torch")
    assert "1024 decisions: mean return" in example("ppo_in_one_file.py", "--steps", "1024", "--games", "32")
