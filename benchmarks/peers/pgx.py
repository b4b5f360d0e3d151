"""Pgx on the CPU: a batch of games in one jitted, vectorised step with auto-reset.

The step is called from Python, not scanned inside one program: a caller who wants every observation has to
have it written, and inside a scan the compiler drops what nobody reads.
"""

# mypy: disable-error-code="import-not-found,import-untyped,untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import jax
import pgx
from measure import Stretch
from pgx.experimental import act_randomly, auto_reset
from worker import serve

STEPS_PER_STRETCH = 32


def step_alone(game_name: str, num_envs: int) -> Stretch:
    """Actions and reset keys are drawn beforehand, so neither sampling nor key splitting is timed."""
    step, start = _batched(game_name, num_envs)
    actions, keys = _record_random_play(step, start, num_envs)
    compiled = jax.jit(step)
    return _repeat_from(start, compiled, list(zip(actions, keys, strict=True)), num_envs)


def step_with_sampling(game_name: str, num_envs: int) -> Stretch:
    step, start = _batched(game_name, num_envs)

    @jax.jit
    def sample_and_step(state: Any, key: Any) -> Any:
        return step(state, *_draw(state, key, num_envs))

    keys = [(key,) for key in jax.random.split(jax.random.PRNGKey(2), STEPS_PER_STRETCH)]
    return _repeat_from(start, sample_and_step, keys, num_envs)


def _batched(game_name: str, num_envs: int) -> tuple[Callable[..., Any], Any]:
    """The vectorised step, and a start in mid-play, where the games no longer run in step with each other."""
    env = pgx.make(game_name)
    step = jax.vmap(auto_reset(env.step, env.init))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), num_envs))

    @jax.jit
    def advance(state: Any, key: Any) -> Any:
        return step(state, *_draw(state, key, num_envs))

    for key in jax.random.split(jax.random.PRNGKey(1), 4 * STEPS_PER_STRETCH):
        state = advance(state, key)
    return step, state


def _draw(state: Any, key: Any, num_envs: int) -> tuple[Any, Any]:
    action_key, reset_key = jax.random.split(key)
    return act_randomly(action_key, state.legal_action_mask), jax.random.split(reset_key, num_envs)


def _record_random_play(step: Callable[..., Any], start: Any, num_envs: int) -> tuple[Sequence[Any], Sequence[Any]]:
    @jax.jit
    def play_on(state: Any, key: Any) -> Any:
        action, reset_keys = _draw(state, key, num_envs)
        return step(state, action, reset_keys), action, reset_keys

    actions, keys = [], []
    state = start
    for key in jax.random.split(jax.random.PRNGKey(2), STEPS_PER_STRETCH):
        state, action, reset_keys = play_on(state, key)
        actions.append(action)
        keys.append(reset_keys)
    return actions, keys


def _repeat_from(start: Any, step: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], num_envs: int) -> Stretch:
    def play() -> int:
        state = start
        for each in arguments:
            state = step(state, *each)
        jax.block_until_ready(state)
        return num_envs * len(arguments)

    return Stretch(play)


if __name__ == "__main__":
    serve("Pgx", version("pgx"), {"batch-step": step_alone, "batch-step-sample": step_with_sampling})
