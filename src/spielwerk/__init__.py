"""Three board games to play, train for, measure and prove things about.

The names below are the public door. Environments, agents and records live in rooms of their own and are
loaded when they are first used, so that importing spielwerk stays quick and light.
"""

import importlib
from typing import TYPE_CHECKING, Any

from spielwerk.errors import IllegalAction
from spielwerk.games import CHANCE, Game, State, game_seed, games, make

if TYPE_CHECKING:
    from spielwerk import envs
    from spielwerk.agents import agent
    from spielwerk.batch import vector
    from spielwerk.records import Record
    from spielwerk.solver import solve
    from spielwerk.training.launch import train

__all__ = [
    "CHANCE",
    "Game",
    "IllegalAction",
    "Record",
    "State",
    "__version__",
    "agent",
    "envs",
    "game_seed",
    "games",
    "make",
    "solve",
    "train",
    "vector",
]

__version__: str

_LATER = {
    "Record": "spielwerk.records",
    "agent": "spielwerk.agents",
    "solve": "spielwerk.solver",
    "train": "spielwerk.training.launch",
    "vector": "spielwerk.batch",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("spielwerk")
    if name == "envs":
        return importlib.import_module("spielwerk.envs")
    raise AttributeError(f"module 'spielwerk' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
