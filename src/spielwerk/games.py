"""Rulesets by name, and the State and Game that come from the core."""

from collections.abc import Mapping

from spielwerk import _core
from spielwerk._core import CHANCE, Game, Parameter, State, game_seed
from spielwerk.border import quoted
from spielwerk.hints import did_you_mean

__all__ = [
    "CHANCE", "Game", "Parameter", "State", "game_seed", "games", "make", "parameter_of", "rule_value", "rules_text",
    "sides_of",
]  # fmt: skip

_FLAGS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def games() -> list[str]:
    """Every ruleset, as ``game/ruleset``, in alphabetical order."""
    return sorted(_core.rulesets())


def make(name: str, **rules: bool | int | str) -> Game:
    """The ruleset `name` with its parameters; those not named take their defaults."""
    return _core.make(name, rules)


def sides_of(game: Game) -> tuple[tuple[int, ...], ...]:
    """The seats of every side, in the order of ``game.sides``; in most games each seat plays for itself."""
    by_seat = game.sides
    return tuple(tuple(seat for seat, side in enumerate(by_seat) if side == wanted) for wanted in sorted({*by_seat}))


def parameter_of(game: Game, name: str) -> Parameter:
    """The rule parameter of this name; ValueError when there is none."""
    parameters = {parameter.name: parameter for parameter in game.parameters}
    if name not in parameters:
        hint = did_you_mean(name, parameters) or f"; it has: {', '.join(parameters)}"
        raise ValueError(f"{game.name} has no parameter '{quoted(name, 40)}'{hint}")
    return parameters[name]


def rule_value(parameter: Parameter, text: str) -> bool | int | str:
    """The value that a text like `6`, `true` or `a8` stands for; `make` checks whether the rules allow it."""
    if parameter.kind == "bool":
        if text.lower() not in _FLAGS:
            raise ValueError(f"{parameter.name} must be true or false, not '{quoted(text, 40)}'")
        return _FLAGS[text.lower()]
    if parameter.kind == "int":
        try:
            return int(text)
        except ValueError:
            allowed = f"from {parameter.minimum} to {parameter.maximum}"
            raise ValueError(f"{parameter.name} must be a whole number {allowed}, not '{quoted(text, 40)}'") from None
    return text


def rules_text(rules: Mapping[str, bool | int | str]) -> str:
    """Rules as words like ``side=8``."""
    return " ".join(f"{name}={value}" for name, value in rules.items())


def restore_game(name: str, rules: dict[str, bool | int | str]) -> Game:
    return _core.make(name, rules)


def restore_state(game: Game, text: str, stream: int, chance: str) -> State:
    """Unpickles a State, its random stream included."""
    return game.from_text(text, seed=stream, chance=chance)
