"""Gumbel search as its paper defines it, slow and plain: one game, one simulation after the other.

The network is a function of the state; the Gumbel noise is given, so that the search can be compared with the core's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import spielwerk as sw

Network = Callable[[sw.State], tuple[dict[int, float], list[float]]]  # logits by action, a value for every seat


@dataclass
class Node:
    state: sw.State
    logits: dict[int, float] = field(default_factory=dict)
    values: list[float] = field(default_factory=list)
    visits: dict[int, int] = field(default_factory=dict)
    totals: dict[int, float] = field(default_factory=dict)  # for the seat to act
    children: dict[int, "Node"] = field(default_factory=dict)

    def q(self, action: int) -> float:
        return self.totals[action] / self.visits[action]


def softmax(logits: dict[int, float]) -> dict[int, float]:
    most = max(logits.values())
    weights = {action: math.exp(logit - most) for action, logit in logits.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def considered_visits(actions: int, simulations: int) -> list[int]:
    """Sequential halving: ceil(log2 m) phases of equal length, the better half of the actions goes on."""
    if actions == 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(actions))
    order: list[int] = []
    visits = 0
    left = actions
    while len(order) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            order += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return order[:simulations]


@dataclass
class GumbelSearch:
    network: Network
    simulations: int
    considered: int = 16
    visit_offset: float = 50
    value_scale: float = 0.25

    def search(self, state: sw.State, noise: dict[int, float], done: int) -> Node:
        """The tree after the first `done` simulations."""
        root = self.expanded(state)
        order = considered_visits(min(self.considered, len(root.logits)), self.simulations)
        for wanted in order[:done]:
            scores = {
                action: noise[action] + score
                for action, score in self.improved_logits(root).items()
                if root.visits[action] == wanted
            }
            self.simulate(root, max(scores, key=scores.__getitem__))
        return root

    def chosen(self, root: Node, noise: dict[int, float]) -> int:
        most = max(root.visits.values())
        scores = {
            action: noise[action] + score
            for action, score in self.improved_logits(root).items()
            if root.visits[action] == most
        }
        return max(scores, key=scores.__getitem__)

    def improved_policy(self, node: Node) -> dict[int, float]:
        return softmax(self.improved_logits(node))

    def improved_logits(self, node: Node) -> dict[int, float]:
        """logits + σ(completed Q)."""
        assert node.state.player is not None
        own = node.values[node.state.player]
        visited = [action for action in node.logits if node.visits[action]]
        mixed = own
        if visited:
            priors = softmax(node.logits)
            total = sum(node.visits.values())
            mean = sum(priors[a] * node.q(a) for a in visited) / sum(priors[a] for a in visited)
            mixed = (own + total * mean) / (1 + total)
        sigma = (self.visit_offset + max(node.visits.values())) * self.value_scale
        return {
            action: logit + sigma * (node.q(action) if node.visits[action] else mixed)
            for action, logit in node.logits.items()
        }

    def expanded(self, state: sw.State) -> Node:
        logits, values = self.network(state)
        actions = state.legal_actions
        return Node(
            state, {a: logits[a] for a in actions}, values, dict.fromkeys(actions, 0), dict.fromkeys(actions, 0.0)
        )  # fmt: skip

    def simulate(self, node: Node, action: int) -> list[float]:
        values = self.result(node, action)
        assert node.state.player is not None
        node.visits[action] += 1
        node.totals[action] += values[node.state.player]
        return values

    def result(self, node: Node, action: int) -> list[float]:
        if action in node.children:
            child = node.children[action]
            return self.simulate(child, self.inner_choice(child))
        state = node.state.clone()
        state.play(action)
        if state.over:
            return list(state.returns)
        node.children[action] = self.expanded(state)
        return node.children[action].values

    def inner_choice(self, node: Node) -> int:
        policy = self.improved_policy(node)
        total = sum(node.visits.values())
        lag = {action: policy[action] - node.visits[action] / (1 + total) for action in policy}
        return max(lag, key=lag.__getitem__)
