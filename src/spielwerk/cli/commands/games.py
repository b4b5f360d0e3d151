"""List the rulesets, with players and rule parameters.

With a ruleset's name: only that one.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import spielwerk as sw
from spielwerk.cli.options import add_json, allowed_values, make_game

if TYPE_CHECKING:
    from spielwerk.games import Game

EXAMPLES = """
spielwerk games
spielwerk games pferdeaepfel/classic
spielwerk games --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help="tell about this one only")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.cli.output import print_json

    names = sw.games() if arguments.ruleset is None else [arguments.ruleset]
    games = [make_game(name, []) for name in names]
    if arguments.json:
        print_json([_facts(game) for game in games])
    else:
        _print(games)
    return 0


def _facts(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "summary": game.summary,
        "rules_version": game.rules_version,
        "players": game.num_players,
        "actions": game.num_actions,
        "max_plies": game.max_plies,
        "observation_shape": list(game.observation_shape),
        "has_chance": game.has_chance,
        "zero_sum": game.zero_sum,
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "default": parameter.default,
                "in_force": game.rules[parameter.name],
                "minimum": parameter.minimum if parameter.kind == "int" else None,
                "maximum": parameter.maximum if parameter.kind == "int" else None,
                "choices": parameter.choices,
                "help": parameter.help,
            }
            for parameter in game.parameters
        ],
    }


def _print(games: list[Game]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from spielwerk.cli.output import columns, console

    out = console()
    for number, game in enumerate(games):
        if number:
            out.print()
        out.print(Text.assemble((game.name, "bold"), f"  {game.num_players} players"))
        out.print(Padding(game.summary, (0, 0, 0, 2)))
        rows = [
            (
                Text(f"{parameter.name}={game.rules[parameter.name]}", "cyan"),
                Text(f"{parameter.help} ({allowed_values(parameter)})", "dim"),
            )
            for parameter in game.parameters
        ]
        out.print(Padding(columns(*rows), (0, 0, 0, 2)))
