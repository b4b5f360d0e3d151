"""Pgx on a GPU: random legal play of a batch with auto-reset, the figures benchmarks/gpu.py gives of ours.

    PYTHONPATH=benchmarks python -m peers.pgx_gpu connect_four chess --games 4096 131072

One line of JSON for each game and batch. Sixteen steps are one scanned program, so no launch from Python is on the
clock. The state, with observation and mask, is what the scan carries from step to step: both are written at each.
"""

# mypy: disable-error-code="import-not-found,import-untyped,untyped-decorator,no-untyped-call"

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import pgx
from pgx.experimental import act_randomly, auto_reset

GAMES = ("connect_four", "othello", "hex", "go_9x9", "backgammon", "animal_shogi", "chess")
STEPS = 16
SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=GAMES)
    parser.add_argument("--games", nargs="+", type=int, default=[4096, 1 << 17])
    parser.add_argument("--device", default="gpu", help="as JAX names it; an absent one is an error")
    arguments = parser.parse_args()
    with jax.default_device(jax.devices(arguments.device)[0]):
        for name in arguments.rulesets:
            for games in arguments.games:
                row = {"ruleset": f"Pgx {pgx.__version__} {name}", "games": games}
                print(json.dumps(row | measured(name, games)), flush=True)


def measured(name: str, games: int) -> dict[str, Any]:
    try:
        return rates(pgx.make(name), games)
    except jax.errors.JaxRuntimeError as error:  # most likely the batch does not fit into the memory
        return {"error": str(error).split("\n", maxsplit=1)[0]}


def rates(env: Any, games: int) -> dict[str, Any]:
    """Steps a second with the drawing of random actions and of the keys a step asks for, and without it."""
    began = time.perf_counter()
    step = jax.vmap(auto_reset(env.step, env.init))

    @partial(jax.jit, donate_argnums=0)
    def play(state: Any, seed: int) -> Any:
        return _scan(lambda state, key: step(state, *_draw(state.legal_action_mask, key)), state, seed)

    @jax.jit
    def draw(mask: Any, seed: int) -> Any:
        return _scan(lambda _, key: _draw(mask, key), _draw(mask, jax.random.PRNGKey(seed)), seed)

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
    for seed in range(3):
        state = play(state, seed)
    jax.block_until_ready(state)
    mask = state.legal_action_mask.copy()
    size = state.observation[0].nbytes + mask[0].nbytes
    drawing = _seconds_of(lambda _, seed: draw(mask, seed), None)
    prepared = time.perf_counter() - began
    playing = _seconds_of(play, state)
    played = STEPS * games
    return {
        "steps_per_second": played / playing,
        "alone": played / (playing - drawing),
        "bytes_per_step": size,
        "preparation_seconds": round(prepared, 1),
    }


def _draw(mask: Any, key: Any) -> tuple[Any, Any]:
    action_key, step_key = jax.random.split(key)
    return act_randomly(action_key, mask), jax.random.split(step_key, len(mask))


def _scan(step: Callable[[Any, Any], Any], start: Any, seed: int) -> Any:
    keys = jax.random.split(jax.random.PRNGKey(seed), STEPS)
    return jax.lax.scan(lambda carry, key: (step(carry, key), None), start, keys)[0]


def _seconds_of(run: Callable[[Any, int], Any], value: Any) -> float:
    """Of one call, each of which goes on from what the last one gave."""
    value = jax.block_until_ready(run(value, 0))
    calls, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        calls += 1
        value = run(value, calls)
        if calls % 4 == 0:
            jax.block_until_ready(value)
    jax.block_until_ready(value)
    return (time.perf_counter() - began) / calls


if __name__ == "__main__":
    main()
