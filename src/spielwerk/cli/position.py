"""The position that a command is about: a ruleset, where to begin, and the actions from there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from spielwerk.border import quoted
from spielwerk.cli.options import add_rules, add_seed, make_game, plain_text

if TYPE_CHECKING:
    from spielwerk.games import State

_LENGTH_PARAMETERS = ("size", "side")


def add_position(parser: argparse.ArgumentParser) -> None:
    """Adds RULESET, --size, --rule, --position, --actions and --seed; `reached` reads them."""
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    parser.add_argument("--size", metavar="N", help="length of the board's side, short for --rule size=N or side=N")
    parser.add_argument("--position", type=plain_text, metavar="TEXT", help="begin here instead of at the start")
    parser.add_argument(
        "--actions", type=plain_text, metavar="TEXT", default="", help="actions or whole turns, between blanks"
    )
    add_rules(parser)
    add_seed(parser)


def reached(arguments: argparse.Namespace) -> tuple[State, list[str]]:
    """The position asked for, and the single actions that led to it."""
    from spielwerk.records import Recorder

    game = make_game(arguments.ruleset, [*arguments.rule, *_size_rule(arguments)])
    recorder = Recorder(game, start=arguments.position, seed=arguments.seed)
    for number, text in enumerate(arguments.actions.split(), start=1):
        try:
            recorder.play(text)
        except ValueError as error:
            raise ValueError(f"--actions: number {number}, '{quoted(text, 40)}', cannot be played: {error}") from None
    return recorder.state, recorder.record.actions


def _size_rule(arguments: argparse.Namespace) -> list[str]:
    if arguments.size is None:
        return []
    names = [parameter.name for parameter in make_game(arguments.ruleset, []).parameters]
    length = next((name for name in _LENGTH_PARAMETERS if name in names), None)
    if length is None:
        raise ValueError(f"{arguments.ruleset} has no --size; it has: {', '.join(names)}")
    return [f"{length}={arguments.size}"]
