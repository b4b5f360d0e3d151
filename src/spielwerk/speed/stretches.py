"""What is measured of us, for any ruleset: each function prepares a stretch of random legal play."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import numpy as np

from spielwerk import _core
from spielwerk.batch import VectorEnv
from spielwerk.games import Game
from spielwerk.speed.aec import random_play
from spielwerk.speed.measure import Stretch

GAMES_PER_STRETCH = 50
PLAYOUTS_PER_STRETCH = 2000
SIMULATIONS_PER_STRETCH = 20_000
# Long enough for the clock, short enough that the recorded actions stay in the cache beside the games.
ACTIONS_PER_STRETCH = 1 << 20
STEPS_PER_STRETCH = (16, 256)


def playouts_in_core(game: Game, *, seed: int = 0) -> Stretch:
    """Whole games inside the core."""
    seeds = count(seed)

    def play() -> int:
        _, plies = _core.random_playouts(game, PLAYOUTS_PER_STRETCH, next(seeds))
        return int(plies)

    return Stretch(play)


def batch_step_alone(game: Game, num_envs: int, threads: int = 1, *, seed: int = 0) -> Stretch:
    """Random play is recorded once, then replayed from the same seed: only `step` is timed."""
    batch = VectorEnv(game, num_envs, threads)
    recorded = []
    batch.reset(seed)
    for number in range(_steps_per_stretch(num_envs)):
        recorded.append(np.array(batch.random_actions(seed + number)))
        batch.step(recorded[-1])

    def play() -> int:
        step = batch.step
        for actions in recorded:
            step(actions)
        return num_envs * len(recorded)

    return Stretch(play, rewind=lambda: _reset(batch, seed))


def batch_step_with_sampling(game: Game, num_envs: int, threads: int = 1, *, seed: int = 0) -> Stretch:
    """Steps and the drawing of their actions."""
    batch = VectorEnv(game, num_envs, threads)
    steps = _steps_per_stretch(num_envs)

    def play() -> int:
        step, random_actions = batch.step, batch.random_actions
        for number in range(steps):
            step(random_actions(seed + number))
        return num_envs * steps

    return Stretch(play, rewind=lambda: _reset(batch, seed))


def driven_from_python(game: Game, *, seed: int = 0) -> Stretch:
    """One game at a time, each action drawn and played by Python."""
    uniform = random.Random(seed).random

    def play_game() -> int:
        state = game.start(seed=seed)
        steps = 0
        while not state.over:
            legal = state.legal_actions
            state.play(legal[int(uniform() * len(legal))])
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


def driven_with_observation(game: Game, *, seed: int = 0) -> Stretch:
    """The same, with observation and mask before each action."""
    uniform = random.Random(seed).random

    def play_game() -> int:
        state = game.start(seed=seed)
        steps = 0
        while (seat := state.player) is not None:
            state.observe(seat)
            legal = state.legal_actions
            state.play(legal[int(uniform() * len(legal))])
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


def mcts_from_the_start(game: Game, *, seed: int = 0) -> Stretch:
    """Simulations of a search that knows nothing yet."""
    seeds = count(seed)

    def think() -> int:
        report = _core.mcts(game, playouts=True).search(
            game.start(seed=seed), nodes=SIMULATIONS_PER_STRETCH, seed=next(seeds)
        )
        return report.nodes

    return Stretch(think)


def pettingzoo_env(game: Game, sampler: str = "numpy") -> Stretch:
    """Through PettingZoo's wrappers; ImportError without PettingZoo, LookupError for a game that has no module."""
    return random_play(_env_module(game).env(**_env_options(game)), sampler)


def pettingzoo_raw_env(game: Game, sampler: str = "numpy") -> Stretch:
    """The same without the wrappers."""
    return random_play(_env_module(game).raw_env(**_env_options(game)), sampler)


def _env_module(game: Game) -> Any:
    from spielwerk import envs

    family = game.name.partition("/")[0]
    module = getattr(envs, f"{family}_v0", None)
    if module is None:
        raise LookupError(f"there is no environment {family}_v0")
    return module


def _env_options(game: Game) -> dict[str, Any]:
    return {"ruleset": game.name.partition("/")[2], **game.rules}


def _steps_per_stretch(num_envs: int) -> int:
    fewest, most = STEPS_PER_STRETCH
    return min(most, max(fewest, ACTIONS_PER_STRETCH // num_envs))


def _reset(batch: VectorEnv, seed: int) -> None:
    batch.reset(seed)
