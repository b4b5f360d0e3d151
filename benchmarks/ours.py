"""Our side of the comparison: the stretches of `spielwerk speed` behind the benchmark's protocol."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from measure import Stretch
from worker import serve

import spielwerk as sw
from spielwerk.speed import stretches

STRETCHES: dict[str, Callable[..., Stretch]] = {
    "playouts": stretches.playouts_in_core,
    "batch-step": stretches.batch_step_alone,
    "batch-step-sample": stretches.batch_step_with_sampling,
    "state": stretches.driven_from_python,
    "state-observe": stretches.driven_with_observation,
    "mcts": stretches.mcts_from_the_start,
    "aec-env": stretches.pettingzoo_env,
    "aec-raw": stretches.pettingzoo_raw_env,
}
OPTIONS = ("num_envs", "threads", "sampler")


def of_ruleset(prepare: Callable[..., Stretch]) -> Callable[..., Stretch]:
    """Takes a ruleset's name; what is no option of the stretch is a rule."""

    def prepared(name: str, **given: Any) -> Stretch:
        options = {key: value for key, value in given.items() if key in OPTIONS}
        rules = {key: value for key, value in given.items() if key not in OPTIONS}
        return prepare(sw.make(name, **rules), **options)

    return prepared


if __name__ == "__main__":
    serve("spielwerk", version("spielwerk"), {name: of_ruleset(prepare) for name, prepare in STRETCHES.items()})
