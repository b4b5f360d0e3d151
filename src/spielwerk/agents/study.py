"""What an agent thinks of every action of a position, within a given time.

Alpha-beta knows the value of its best action only; of the others it knows that they are not better. Here each of them
is searched, too, so that values can be compared. Other agents say what each action is worth by themselves.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from spielwerk.agents.search import AlphaBetaAgent
from spielwerk.agents.specs import Agent, Analysis, Line
from spielwerk.games import State

_ROOT_SHARE = 0.4  # of the time, for the position itself
_LEAST_MS = 1.0


def takes_time(agent: Agent) -> bool:
    """Whether more time makes it think better; others answer once and for all."""
    return bool(getattr(agent, "ms", 0))


def study(agent: Agent, state: State, milliseconds: float, is_stopped: Callable[[], bool] = lambda: False) -> Analysis:
    """The agent's analysis in so much time, where it has a limit of time at all; best line first."""
    if not takes_time(agent):
        return agent.analyse(state)
    before, agent.ms = agent.ms, milliseconds  # type: ignore[attr-defined]
    try:
        return _each_action(agent, state, is_stopped) if isinstance(agent, AlphaBetaAgent) else agent.analyse(state)
    finally:
        agent.ms = before  # type: ignore[attr-defined]


def _each_action(agent: AlphaBetaAgent, state: State, is_stopped: Callable[[], bool]) -> Analysis:
    began, budget = time.perf_counter(), agent.ms
    agent.ms = max(_LEAST_MS, _ROOT_SHARE * budget)
    whole = agent.analyse(state)
    lines, nodes = whole.lines[:1], whole.nodes
    for number, line in enumerate(whole.lines[1:], start=1):
        left = budget - 1000 * (time.perf_counter() - began)
        if is_stopped() or left < _LEAST_MS:
            lines.append(line)
            continue
        agent.ms = max(_LEAST_MS, left / (len(whole.lines) - number))
        searched, more = _searched(agent, state, line, whole.lines[0].value)
        lines.append(searched)
        nodes += more
    lines[1:] = sorted(lines[1:], key=lambda line: -line.value)
    return replace(whole, lines=lines, nodes=nodes, milliseconds=1000 * (time.perf_counter() - began))


def _searched(agent: AlphaBetaAgent, state: State, line: Line, best: float) -> tuple[Line, int]:
    """The line of one action and the positions that took. It is not better than the best one: that was looked into."""
    seat, after = state.player, state.clone()
    after.play(line.actions[0])
    if after.over:
        assert seat is not None
        return Line(line.actions[:1], after.returns[seat], proved=True, distance=1), 0
    analysis = agent.analyse(after)
    reply = analysis.lines[0]
    value = reply.value if after.player == seat else -reply.value
    actions = [line.actions[0], *reply.actions]
    return Line(actions, value if reply.proved else min(value, best), proved=reply.proved), analysis.nodes
