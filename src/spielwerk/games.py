"""Rulesets by name, and the State and Game that come from the core."""

from spielwerk import _core
from spielwerk._core import CHANCE, Game, Parameter, State

__all__ = ["CHANCE", "Game", "Parameter", "State", "games", "make"]


def games() -> list[str]:
    """Every ruleset, as ``game/ruleset``, in alphabetical order."""
    return sorted(_core.rulesets())


def make(name: str, **rules: bool | int | str) -> Game:
    """The ruleset `name` with its parameters; those not named take their defaults."""
    return _core.make(name, rules)


def restore_game(name: str, rules: dict[str, bool | int | str]) -> Game:
    """Unpickles a Game."""
    return _core.make(name, rules)


def restore_state(game: Game, text: str, stream: int, chance: str) -> State:
    """Unpickles a State, its random stream included."""
    return game.from_text(text, seed=stream, chance=chance)
