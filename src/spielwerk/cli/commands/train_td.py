"""Train a network of afterstates for expectimax by TD(lambda), for all rulesets of a game with dice.

The network plays against itself and learns from what its own next positions say; one network serves every ruleset and
every number of players. The result is one file for `expectimax:model=FILE`. Needs no PyTorch: the core does it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spielwerk.cli.options import add_json, add_seed, whole_number

EXAMPLES = """
spielwerk train-td ludo --out ludo.td.safetensors
spielwerk train-td ludo --games 20000 --learning-rate 0.01 --out quick.td.safetensors
spielwerk arena expectimax:depth=2,model=ludo.td.safetensors expectimax:depth=3 --game ludo/teams --games 400
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("family", metavar="GAME", help="a game with dice, all of its rulesets: ludo")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="for the network")
    parser.add_argument("--games", type=whole_number, default=200_000, metavar="N", help="to learn from (200000)")
    parser.add_argument(
        "--td-lambda",
        type=_share,
        default=0.5,
        metavar="X",
        help="0: each position learns from the next, 1: from the result",
    )
    parser.add_argument("--learning-rate", type=_share, default=0.012, metavar="X", help="at the beginning (0.012)")
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plays, learns, writes."""
    from rich.progress import Progress

    from spielwerk.cli.output import console, print_json, print_line
    from spielwerk.durable import write_durably
    from spielwerk.training.td import TdConfig, train_afterstates

    if not arguments.out.parent.is_dir():
        raise ValueError(f"there is no folder {arguments.out.parent} for --out")
    config = TdConfig(arguments.games, arguments.td_lambda, arguments.learning_rate, arguments.seed or 0)
    err = console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("games", total=config.games)
        model = train_afterstates(arguments.family, config, lambda done: bar.update(task, completed=done))
    write_durably(arguments.out, model.to_bytes())
    if arguments.json:
        print_json({"file": str(arguments.out), **model.card})
    else:
        print_line(f"{arguments.out}: {config.games:,} games in {model.card['seconds']} s")
    return 0


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be from 0 to 1, not {text}")
    return value
