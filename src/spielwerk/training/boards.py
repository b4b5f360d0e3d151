"""The rules of a game with one of them changed."""

from contextlib import suppress

from spielwerk.border import quoted
from spielwerk.games import Game, make, parameter_of, rule_value


def telling_rules(game: Game) -> dict[str, bool | int | str]:
    """The rules that make this game without those that follow from the others."""
    rules = dict(game.rules)
    for name in game.rules:
        others = {other: value for other, value in rules.items() if other != name}
        with suppress(ValueError):
            if make(game.name, **others) == game:
                rules = others
    return rules


def boards_of(game: Game, mix: str) -> dict[str, Game]:
    """The boards of a mix by their names; the game itself, without one, where there is no mix."""
    return mixed_boards(game, mix) if mix else {"": game}


def mixed_boards(game: Game, mix: str) -> dict[str, Game]:
    """The game with each value of the one rule in a text like ``side=5,8,12``, under names like ``side=5``."""
    rule, values = _rule_and_values(game, mix)
    rules = telling_rules(game)
    boards = {f"{rule}={value}": make(game.name, **rules | {rule: value}) for value in values}
    if len(boards) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise ValueError(f"mix names {rule} {twice} twice")
    if len(boards) == 1:
        raise ValueError(f"mix needs several values of {rule}; --rule {next(iter(boards))} sets one")
    return boards


def _rule_and_values(game: Game, mix: str) -> tuple[str, list[bool | int | str]]:
    rule, _, values = mix.partition("=")
    if mix.count("=") != 1:
        raise ValueError(f"mix takes one rule and its values, like side=5,8,12, not '{quoted(mix, 60)}'")
    parameter = parameter_of(game, rule.strip())
    return parameter.name, [rule_value(parameter, value.strip()) for value in values.split(",")]
