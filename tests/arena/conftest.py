"""Agents that misbehave, known by spec like any other; only inside this process."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from spielwerk.agents import KINDS
from spielwerk.agents.specs import Agent
from spielwerk.games import State


@dataclass
class Misbehaving(Agent):
    """Does what a test tells it."""

    kind: ClassVar[str] = "bad"
    summary: ClassVar[str] = "misbehaves"
    does: ClassVar[Callable[[State], Any]] = lambda state: state.legal_actions[0]

    def act(self, state: State) -> int:
        return type(self).does(state)  # type: ignore[no-any-return]


@pytest.fixture
def misbehave(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[State], Any]], str]:
    """Registers an agent that does this; its spec."""

    def register(does: Callable[[State], Any]) -> str:
        monkeypatch.setattr(Misbehaving, "does", staticmethod(does))
        monkeypatch.setitem(KINDS, "bad", Misbehaving)
        return "bad"

    return register


def sleeps_for_ever(_: State) -> int:
    while True:
        try:
            time.sleep(60)
        except Exception:
            continue
