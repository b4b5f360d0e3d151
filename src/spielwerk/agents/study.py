"""What an agent thinks of every action of a position, within a given time.

Alpha-beta knows the value of its best action only, so each of the others is searched, too (`cpp/study.hpp`). Other
agents say what each action is worth by themselves.
"""

from spielwerk.agents.search import AlphaBetaAgent
from spielwerk.agents.specs import Agent, Analysis
from spielwerk.games import State


def takes_time(agent: Agent) -> bool:
    """Whether more time makes it think better; others answer once and for all."""
    return bool(getattr(agent, "ms", 0))


def study(agent: Agent, state: State, milliseconds: float) -> Analysis:
    """The agent's analysis in so much time, where it has a limit of time at all; best line first."""
    if not takes_time(agent):
        return agent.analyse(state)
    before, agent.ms = agent.ms, milliseconds  # type: ignore[attr-defined]
    try:
        return agent.study(state) if isinstance(agent, AlphaBetaAgent) else agent.analyse(state)
    finally:
        agent.ms = before  # type: ignore[attr-defined]
