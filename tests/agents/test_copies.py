"""Agents can be pickled and copied, those with networks too."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import spielwerk as sw

SPECS = [
    "random:seed=3",
    "greedy:seed=3",
    "alphabeta:depth=2,seed=3",
    "mcts:sims=30,seed=3",
    "solver",
    "network:pferdeaepfel/trail",
    "network:pferdeaepfel/trail,temperature=1,seed=3",
    "puct:sims=40,seed=3",
]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
@pytest.mark.parametrize("spec", SPECS)
def test_a_copy_plays_the_same(spec: str, duplicate: Callable[[Any], Any]) -> None:
    if "network" in spec or "puct" in spec:
        pytest.importorskip("onnxruntime")
    agent, twin = sw.agent(spec), duplicate(sw.agent(spec))
    assert twin.spec == agent.spec
    # The solver answers by the clock where it cannot finish; on a small board it does.
    state = sw.make("pferdeaepfel/trail", size=5 if spec.startswith("solver") else 8).start()
    for _ in range(4):
        action = agent.act(state)
        assert twin.act(state) == action
        state.play(action)
