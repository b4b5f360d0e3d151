"""Our measures, for any registered ruleset."""

from __future__ import annotations

import random
from importlib.metadata import version
from typing import Any

import numpy as np
from aec import random_play
from measure import Stretch
from worker import serve

import spielwerk as sw
from spielwerk import _core

GAMES_PER_STRETCH = 50
PLAYOUTS_PER_STRETCH = 2000
SIMULATIONS_PER_STRETCH = 20_000
# Long enough for the clock, short enough that the recorded actions stay in the cache beside the games.
ACTIONS_PER_STRETCH = 1 << 20
STEPS_PER_STRETCH = (16, 256)


def playouts_in_core(game_name: str, **rules: Any) -> Stretch:
    game = sw.make(game_name, **rules)
    seeds = iter(range(1 << 62))

    def play() -> int:
        _, plies = _core.random_playouts(game, PLAYOUTS_PER_STRETCH, next(seeds))
        return int(plies)

    return Stretch(play)


def batch_step_alone(game_name: str, num_envs: int, threads: int = 1, **rules: Any) -> Stretch:
    """Random play is recorded once, then replayed from the same seed: only `step` is timed."""
    batch = sw.vector(game_name, num_envs=num_envs, threads=threads, **rules)
    recorded = []
    batch.reset(seed=0)
    for seed in range(_steps_per_stretch(num_envs)):
        recorded.append(np.array(batch.random_actions(seed)))
        batch.step(recorded[-1])

    def play() -> int:
        step = batch.step
        for actions in recorded:
            step(actions)
        return num_envs * len(recorded)

    return Stretch(play, rewind=lambda: _reset(batch))


def batch_step_with_sampling(game_name: str, num_envs: int, threads: int = 1, **rules: Any) -> Stretch:
    batch = sw.vector(game_name, num_envs=num_envs, threads=threads, **rules)
    steps = _steps_per_stretch(num_envs)

    def play() -> int:
        step, random_actions = batch.step, batch.random_actions
        for seed in range(steps):
            step(random_actions(seed))
        return num_envs * steps

    return Stretch(play, rewind=lambda: _reset(batch))


def driven_from_python(game_name: str) -> Stretch:
    game = sw.make(game_name)
    uniform = random.random

    def play_game() -> int:
        state = game.start(seed=0)
        steps = 0
        while not state.over:
            legal = state.legal_actions
            state.play(legal[int(uniform() * len(legal))])
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


def driven_with_observation(game_name: str) -> Stretch:
    game = sw.make(game_name)
    uniform = random.random

    def play_game() -> int:
        state = game.start(seed=0)
        steps = 0
        while (seat := state.player) is not None:
            state.observe(seat)
            legal = state.legal_actions
            state.play(legal[int(uniform() * len(legal))])
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


def mcts_from_the_start(game_name: str) -> Stretch:
    game = sw.make(game_name)
    seeds = iter(range(1 << 62))

    def think() -> int:
        report = _core.mcts(game).search(game.start(seed=0), nodes=SIMULATIONS_PER_STRETCH, seed=next(seeds))
        return report.nodes

    return Stretch(think)


def pettingzoo_env(game_name: str, sampler: str) -> Stretch:
    module, ruleset = _env_module(game_name)
    return random_play(module.env(ruleset=ruleset), sampler)


def pettingzoo_raw_env(game_name: str, sampler: str) -> Stretch:
    module, ruleset = _env_module(game_name)
    return random_play(module.raw_env(ruleset=ruleset), sampler)


def _env_module(game_name: str) -> tuple[Any, str]:
    family, ruleset = game_name.split("/")
    return getattr(sw.envs, f"{family}_v0"), ruleset


def _steps_per_stretch(num_envs: int) -> int:
    fewest, most = STEPS_PER_STRETCH
    return min(most, max(fewest, ACTIONS_PER_STRETCH // num_envs))


def _reset(batch: Any) -> None:
    batch.reset(seed=0)


if __name__ == "__main__":
    random.seed(0)
    serve(
        "spielwerk",
        version("spielwerk"),
        {
            "playouts": playouts_in_core,
            "batch-step": batch_step_alone,
            "batch-step-sample": batch_step_with_sampling,
            "state": driven_from_python,
            "state-observe": driven_with_observation,
            "mcts": mcts_from_the_start,
            "aec-env": pettingzoo_env,
            "aec-raw": pettingzoo_raw_env,
        },
    )
