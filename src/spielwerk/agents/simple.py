"""Agents that do not look ahead further than one action."""

import random
from dataclasses import dataclass, field
from typing import ClassVar

from spielwerk import _core
from spielwerk.agents.specs import Agent, option
from spielwerk.errors import IllegalAction
from spielwerk.games import State


@dataclass
class RandomAgent(Agent):
    """Every legal action is equally likely: the anchor that all strengths are measured from."""

    kind: ClassVar[str] = "random"
    summary: ClassVar[str] = "plays any legal action, each equally likely"
    seed: int | None = option(None, "repeats the same choices")
    _source: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._source = random.Random(self.seed)

    def act(self, state: State) -> int:
        return self._source.choice(_choices(state))

    def forget(self) -> None:
        self._source = random.Random(self.seed)


@dataclass
class GreedyAgent(Agent):
    """One ply with the game's own heuristic (`state.evaluate`); equal values are drawn by lot.

    In Pferdeäpfel that is room to jump, now and a jump later, against the other horse's; a capture
    that is on the board counts as good as won. In Ludo it is how far the pieces have come, more for what is
    home or safe, less for what could be captured by the next roll, and much for the first capture.


    In DiavoloPP it is the points as they stand, groups that can still grow into islands (more, the larger they
    are), room for further lands, and half a turn in hand, each against the other's.
    """

    kind: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "takes the action whose position looks best at once"
    seed: int | None = option(None, "repeats the same choices")
    errs: float = option(0.0, "how often it plays any legal action instead, from 0 to 1")
    _source: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.errs <= 1:
            raise ValueError(f"agent 'greedy': errs must be from 0 to 1, not {self.errs}")
        self._source = random.Random(self.seed)

    def act(self, state: State) -> int:
        choices = _choices(state)
        if self.errs and self._source.random() < self.errs:
            return self._source.choice(choices)
        return _core.greedy_action(state, seed=self._source.getrandbits(64))

    def forget(self) -> None:
        self._source = random.Random(self.seed)


@dataclass
class HumanAgent(Agent):
    """Asks the person at the terminal until the answer is a legal action."""

    kind: ClassVar[str] = "human"
    summary: ClassVar[str] = "asks you at the terminal"

    def act(self, state: State) -> int:
        while True:
            answer = input(f"{' '.join(state.text(action) for action in _choices(state))} > ").strip()
            try:
                action = state.parse(answer)
                state.clone().play(action)
            except IllegalAction as illegal:
                print(illegal)
            else:
                return action


def _choices(state: State) -> list[int]:
    if state.player is None or state.player == _core.CHANCE:
        raise ValueError("no seat is to act in this position")
    return state.legal_actions
