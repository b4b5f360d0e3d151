"""Random legal play through a PettingZoo environment: one loop and one pair of samplers for both sides.

Every call of `step` counts, the closing `step(None)` of finished agents included, as PettingZoo's own
benchmark counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spielwerk.speed.measure import Stretch

GAMES_PER_STRETCH = 20

Sampler = Callable[[np.ndarray[Any, Any]], int]


def random_play(env: Any, sampler_name: str) -> Stretch:
    sampler = _SAMPLERS[sampler_name](env)
    return Stretch(lambda: sum(_play_game(env, sampler) for _ in range(GAMES_PER_STRETCH)))


def _play_game(env: Any, sample: Sampler) -> int:
    env.reset()
    steps = 0
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else sample(observation["action_mask"]))
        steps += 1
    return steps


def _numpy_sampler(_env: Any) -> Sampler:
    uniform = np.random.default_rng(0).random

    def sample(mask: np.ndarray[Any, Any]) -> int:
        legal = mask.nonzero()[0]
        return int(legal[int(uniform() * legal.size)])

    return sample


def _space_sampler(env: Any) -> Sampler:
    spaces = [env.action_space(agent) for agent in env.possible_agents]
    if any(space != spaces[0] for space in spaces):
        raise ValueError("the agents' action spaces differ; one sampler cannot serve them all")
    space_sample = spaces[0].sample
    return lambda mask: int(space_sample(mask))


_SAMPLERS: dict[str, Callable[[Any], Sampler]] = {"numpy": _numpy_sampler, "space": _space_sampler}
