"""Rules to compare: a ruleset with some of its parameters changed."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from spielwerk.border import quoted
from spielwerk.games import Game, Parameter, make, rule_value
from spielwerk.render.description import description_of

Value = bool | int | str

MOST_VARIANTS = 1000
_MOST_COMBINATIONS = 10_000  # many of which come to the same by symmetry
EVERY_VALUE = "*"

# A limit on the length of a game is no rule that makes it fairer.
_NOT_VARIED = {"max_plies"}
_MOST_NUMBERS = 8
_FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5)


@dataclass(frozen=True)
class Variant:
    """A game and how it differs from the one that is studied. `alike` are changes that come to the same by symmetry."""

    game: Game
    changes: Mapping[str, Value]
    alike: tuple[Mapping[str, Value], ...] = ()

    @property
    def label(self) -> str:
        return " ".join(f"{name}={_text(value)}" for name, value in self.changes.items()) or "as it is"


def one_at_a_time(name: str, given: Mapping[str, Value]) -> list[Variant]:
    """Each parameter through its sensible values, the others as given."""
    base = make(name, **given)
    changes: list[dict[str, Value]] = []
    for parameter in base.parameters:
        if parameter.name not in given and parameter.name not in _NOT_VARIED:
            values = [value for value in sensible_values(base, parameter) if value != base.rules[parameter.name]]
            changes += [{parameter.name: value} for value in values]
    return _distinct(base, _made(name, given, changes))


def combined(name: str, given: Mapping[str, Value], wishes: Sequence[str]) -> list[Variant]:
    """Every combination of wishes like `white_start=a1,b2` or `size=*`."""
    base = make(name, **given)
    parameters = {parameter.name: parameter for parameter in base.parameters}
    columns = [[{wish: value} for value in values] for wish, values in _wished(base, parameters, wishes).items()]
    if math.prod(map(len, columns)) > _MOST_COMBINATIONS:
        raise ValueError(f"--vary asks for more than {_MOST_COMBINATIONS} combinations")
    changes = [_merged(choice) for choice in product(*columns)]
    exact = not any(wish.partition("=")[2].strip() == EVERY_VALUE for wish in wishes)
    variants = _distinct(base, _made(name, given, changes, exact=exact))
    if len(variants) > MOST_VARIANTS:
        raise ValueError(f"--vary asks for {len(variants)} different games; {MOST_VARIANTS} is the most")
    return variants


def sensible_values(game: Game, parameter: Parameter) -> list[Value]:
    """Values worth a look; for texts only where it is known what they may be."""
    if parameter.kind == "bool":
        return [False, True]
    if parameter.kind == "choice":
        return list(parameter.choices)
    if parameter.kind == "int":
        return list(_numbers(parameter))
    described = description_of(game.name).parameters.get(parameter.name)
    return [] if described is None or described.values is None else list(described.values(game))


def _numbers(parameter: Parameter) -> list[int]:
    if parameter.maximum - parameter.minimum < _MOST_NUMBERS:
        return list(range(parameter.minimum, parameter.maximum + 1))
    around = {round(factor * int(parameter.default)) for factor in _FACTORS}
    return sorted(number for number in around if parameter.minimum <= number <= parameter.maximum)


def _wished(base: Game, parameters: Mapping[str, Parameter], wishes: Sequence[str]) -> dict[str, list[Value]]:
    values: dict[str, list[Value]] = {}
    for wish in wishes:
        name, equals, text = (part.strip() for part in wish.partition("="))
        if not equals or not text:
            raise ValueError(f"--vary is written NAME=VALUE,VALUE…, not '{quoted(wish, 40)}'")
        if name not in parameters:
            raise ValueError(f"{base.name} has no parameter '{quoted(name, 40)}'; it has: {', '.join(parameters)}")
        if text == EVERY_VALUE:
            values[name] = sensible_values(base, parameters[name])
            if not values[name]:
                raise ValueError(f"--vary {name}=*: its values cannot be listed; name them")
        else:
            # Values that hold commas, like Ludo's colours, are kept apart by semicolons.
            parts = text.split(";" if ";" in text else ",")
            values[name] = [rule_value(parameters[name], part.strip()) for part in parts]
    return values


def _merged(changes: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    return {name: value for change in changes for name, value in change.items()}


def _made(
    name: str, given: Mapping[str, Value], changes: Sequence[dict[str, Value]], *, exact: bool = False
) -> Iterator[Variant]:
    for change in changes:
        try:
            yield Variant(make(name, **{**given, **change}), change)
        except ValueError:
            if exact:
                raise


def _distinct(base: Game, variants: Iterator[Variant]) -> list[Variant]:
    """One of all that come to the same by symmetry, and none that is as the rules stand."""
    found: dict[Any, Variant] = {}
    standing = _identity(base)
    for variant in variants:
        key = _identity(variant.game)
        if key == standing:
            continue
        first = found.get(key, Variant(variant.game, variant.changes))
        found[key] = Variant(first.game, first.changes, (*first.alike, variant.changes))
    return list(found.values())


def _identity(game: Game) -> Any:
    """Equal for games that differ by a symmetry of the board at most."""
    parameters = description_of(game.name).parameters
    seen_at_start = {name for name, described in parameters.items() if described.seen_at_start}
    rest = {name: value for name, value in game.rules.items() if name not in seen_at_start}
    start = game.start(seed=0, chance="explicit")
    return min(start.symmetric(k).to_text() for k in range(game.num_symmetries)), tuple(sorted(rest.items()))


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
