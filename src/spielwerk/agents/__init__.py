"""Players of every kind, made from one-line specs."""

from spielwerk.agents.engines.agent import EngineAgent
from spielwerk.agents.network import NetworkAgent
from spielwerk.agents.puct import PuctAgent
from spielwerk.agents.search import AlphaBetaAgent, ExpectimaxAgent, MctsAgent, SolverAgent
from spielwerk.agents.simple import GreedyAgent, HumanAgent, RandomAgent
from spielwerk.agents.specs import Agent, Analysis, Line, Option, from_spec, options_of

__all__ = ["KINDS", "Agent", "Analysis", "Line", "Option", "agent", "options_of"]

_ALL = (
    RandomAgent,
    GreedyAgent,
    AlphaBetaAgent,
    ExpectimaxAgent,
    MctsAgent,
    SolverAgent,
    NetworkAgent,
    PuctAgent,
    EngineAgent,
    HumanAgent,
)
KINDS: dict[str, type[Agent]] = {kind.kind: kind for kind in _ALL}


def agent(spec: str) -> Agent:
    """The agent a spec like ``greedy`` or ``random:seed=3`` describes."""
    return from_spec(spec, KINDS)
