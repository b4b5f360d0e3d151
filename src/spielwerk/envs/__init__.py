"""Environments for learning: PettingZoo (`ludo_v0`, …), Gymnasium (`SingleSeat`, and many at once
`VectorSeat`), batches (`sw.vector`).

Importing this also makes the environments known to PettingZoo and Gymnasium. The modules themselves are loaded
when they are first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from spielwerk.envs.registration import game_modules, register_all

if TYPE_CHECKING:
    from spielwerk.envs import diavolo_v0, ludo_v0, pferdeaepfel_v0
    from spielwerk.envs.single_seat import SingleSeat
    from spielwerk.envs.vector_seat import VectorSeat

__all__ = ["SingleSeat", "VectorSeat", "diavolo_v0", "ludo_v0", "pferdeaepfel_v0"]

_CLASSES = {"SingleSeat": "single_seat", "VectorSeat": "vector_seat"}


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        return getattr(importlib.import_module(f"spielwerk.envs.{_CLASSES[name]}"), name)
    if name in game_modules():
        return importlib.import_module(f"spielwerk.envs.{name}")
    raise AttributeError(f"module 'spielwerk.envs' has no attribute '{name}'; there are: {', '.join(__dir__())}")


def __dir__() -> list[str]:
    return sorted([*_CLASSES, *game_modules()])


register_all()
