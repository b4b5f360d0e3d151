"""What a network alone would play, beside what an agent thinks."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.agents.network import shipped_models


@pytest.mark.parametrize("name", shipped_models())
@pytest.mark.parametrize("spec", ["network:{}", "puct:model={},sims=16"])
def test_the_policy_is_the_networks_own(name: str, spec: str) -> None:
    state = sw.make(name).start(seed=3)
    lines = sw.agent(spec.format(name)).analyse(state).lines
    policy = {line.actions[0]: line.policy for line in lines}
    assert set(policy) == {state.text(action) for action in state.legal_actions}
    assert sum(share or 0.0 for share in policy.values()) == pytest.approx(1)
    plain = {line.actions[0]: line.policy for line in sw.agent(f"network:{name}").analyse(state).lines}
    assert policy == plain
    chosen = sw.agent(f"network:{name}").act(state)
    assert policy[state.text(chosen)] == max(np.array(list(policy.values()), float))


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta:depth=1", "mcts:sims=10"])
def test_agents_without_a_network_have_none(spec: str) -> None:
    state = sw.make("pferdeaepfel/classic").start(seed=0)
    assert all(line.policy is None for line in sw.agent(spec).analyse(state).lines)
