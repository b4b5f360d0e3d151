"""The program of a thinking process: reads questions, one JSON object a line, and answers each with a line.

The line `stop` asks for the answer to the question before it at once: nobody waits for a better one. The program is
started as `python -m spielwerk.server.thinker`, is polite to the processor, and ends with the server: a thread of its
own notices when nobody can ask any more.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from dataclasses import asdict
from typing import IO, Any

from spielwerk.agents import Agent, agent
from spielwerk.agents.specs import Analysis, Line
from spielwerk.agents.study import study, takes_time
from spielwerk.border import quoted
from spielwerk.games import Game, State, make
from spielwerk.review import review

_NICENESS = 10
_AGENTS_KEPT = 16
_MAX_LINES = 3
_MAX_STUDIED = 1000  # actions
_LINES_IN_FULL = 40
_LONGEST_LINE = 16

STOP = b"stop\n"


class _Agents:
    """Agents by their specs, made once; `thinking` is the one that was asked last."""

    def __init__(self) -> None:
        self._made: dict[str, Agent] = {}
        self._thinking: Agent | None = None

    def begin(self, spec: str) -> Agent:
        """The agent, which from now on can be stopped."""
        self._thinking = self[spec]
        return self._thinking

    def stop(self) -> None:
        """From another thread."""
        if self._thinking is not None:
            self._thinking.stop()

    def __getitem__(self, spec: str) -> Agent:
        if spec not in self._made:
            if len(self._made) >= _AGENTS_KEPT:
                self._made.pop(next(iter(self._made)))
            self._made[spec] = agent(spec)
        return self._made[spec]


def answer(question: dict[str, Any], agents: _Agents) -> dict[str, Any]:
    """The action an agent chooses, with its evaluation where that is asked for."""
    # Dice of its own: an agent must not see how those of the table will fall.
    game, player = make(question["game"], **question["rules"]), agents.begin(question["spec"])
    if question["ask"] == "review":
        return _reviewed(game, player, question)
    state = game.from_text(question["position"])
    if question["ask"] == "act":
        return {"action": state.text(player.act(state.clone()))}
    if question["ask"] == "study":
        analysis = study(player, state, question["milliseconds"])
        return _studied(analysis) | {"final": analysis.proved or not takes_time(player)}
    return _hint(state, player)


def _reviewed(game: Game, player: Agent, question: dict[str, Any]) -> dict[str, Any]:
    """Some plies of a game."""
    plies, milliseconds = range(*question["plies"]), question["milliseconds"]
    found = review(game, question["position"], question["actions"], player, milliseconds=milliseconds, plies=plies)
    return {"plies": [asdict(one) for one in found]}


def _studied(analysis: Analysis) -> dict[str, Any]:
    """What is thought of every action, the best ones with how they go on."""
    lines = analysis.lines[:_MAX_STUDIED]
    return {
        "lines": [_line(line, _LONGEST_LINE if place < _LINES_IN_FULL else 1) for place, line in enumerate(lines)],
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "milliseconds": round(analysis.milliseconds),
    }


def _line(line: Line, longest: int) -> dict[str, Any]:
    return {
        "actions": line.actions[:longest],
        "value": round(line.value, 4),
        "visits": line.visits,
        "proved": line.proved,
        "distance": line.distance,
        "policy": None if line.policy is None else round(line.policy, 4),
    }


def _hint(state: State, player: Agent) -> dict[str, Any]:
    """What the agent would play, what that is worth to the seat to act, and the best ways to go on."""
    action, analysis = player.decide(state.clone())
    chosen = state.text(action)
    line = next(line for line in analysis.lines if line.actions[0] == chosen)
    return {
        "action": chosen,
        "value": round(line.value, 4),
        "proved": line.proved,
        "distance": line.distance,
        "evaluation": [round(state.evaluate(seat), 4) for seat in range(state.game.num_players)],
        "lines": [line.actions for line in analysis.lines[:_MAX_LINES]],
    }


def _read_questions(source: IO[bytes], questions: queue.SimpleQueue[bytes], agents: _Agents) -> None:
    for line in source:
        if line == STOP:
            agents.stop()
        else:
            questions.put(line)
    os._exit(0)


def main() -> None:
    """Answers until the server is gone."""
    os.nice(_NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an agent prints is no answer
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    agents = _Agents()
    threading.Thread(target=_read_questions, args=(sys.stdin.buffer, questions, agents), daemon=True).start()
    reply: dict[str, Any] = {"ready": True}
    while True:
        try:
            answers.write(json.dumps(reply).encode() + b"\n")
        except BrokenPipeError:
            return
        try:
            reply = answer(json.loads(questions.get()), agents)
        except Exception as error:
            reply = {"failure": quoted(f"{type(error).__name__}: {error}", 300)}


if __name__ == "__main__":
    main()
