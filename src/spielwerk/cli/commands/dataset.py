"""Make a dataset: positions of self-play with policy, value, exact value where it is proved, points and result.

The file is Parquet (pip install 'spielwerk[data]') or NumPy's .npz; a card beside it, FILE.json, says how it was made
and what every column means. The same command gives the same positions, unless an agent is limited by time. One that was
interrupted goes on where it stopped. In Python: spielwerk.datasets.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, whole_number

if TYPE_CHECKING:
    from spielwerk.datasets import Recipe

EXAMPLES = """
spielwerk dataset pferdeaepfel/trail --agent mcts:sims=400 --games 1000 --out trail.parquet --seed 1
spielwerk dataset ludo/ffa --agent expectimax:depth=1 --games 100 --out ludo.npz
spielwerk dataset pferdeaepfel/classic --agent alphabeta:nodes=2000 --agent greedy --games 500 --out games.npz
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument(
        "--agent",
        dest="agents",
        metavar="SPEC",
        action="append",
        required=True,
        help="who plays; once for all seats, or once for each seat",
    )
    parser.add_argument("--games", type=whole_number, required=True, metavar="N", help="games to play")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="ends in .parquet or .npz")
    parser.add_argument(
        "--opening",
        type=int,
        default=argparse.SUPPRESS,
        metavar="N",
        help="random actions that every game begins with, for variety (2)",
    )
    parser.add_argument(
        "--nodes",
        type=int,
        default=argparse.SUPPRESS,
        metavar="N",
        help="the solver's limit for a position; 0 proves nothing (10000)",
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plays, writes, reports."""
    from spielwerk.cli.output import print_json, print_line, progress_bar
    from spielwerk.datasets import Recipe, make_dataset
    from spielwerk.datasets.files import require_format

    require_format(arguments.out)
    game = make_game(arguments.ruleset, arguments.rule)
    given = {name: value for name, value in vars(arguments).items() if name in ("opening", "nodes")}
    recipe = Recipe.of(game, tuple(arguments.agents), seed=arguments.seed or 0, **given)
    with progress_bar("games", arguments.games) as advance:
        command = _command(recipe, arguments)
        card = make_dataset(arguments.out, recipe, arguments.games, command=command, advance=advance)
    if arguments.json:
        print_json(card)
    else:
        print_line(f"{arguments.out}: {card['positions']} positions of {card['games']} games, {card['proved']} proved")
    return 0


def _command(recipe: Recipe, arguments: argparse.Namespace) -> str:
    """What makes this dataset again."""
    words = ["spielwerk", "dataset", recipe.game]
    for rule in arguments.rule:
        words += ["--rule", rule]
    for spec in recipe.agents:
        words += ["--agent", spec]
    words += ["--games", str(arguments.games), "--out", arguments.out.name, "--seed", str(recipe.seed)]
    return shlex.join([*words, "--opening", str(recipe.opening), "--nodes", str(recipe.nodes)])
