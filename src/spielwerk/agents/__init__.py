"""Players of every kind, made from one-line specs."""

from spielwerk.agents.simple import GreedyAgent, HumanAgent, RandomAgent
from spielwerk.agents.specs import Agent, Option, from_spec, options_of

__all__ = ["KINDS", "Agent", "Option", "agent", "options_of"]

KINDS: dict[str, type[Agent]] = {kind.kind: kind for kind in (RandomAgent, GreedyAgent, HumanAgent)}


def agent(spec: str) -> Agent:
    """The agent a spec like ``greedy`` or ``random:seed=3`` describes."""
    return from_spec(spec, KINDS)
