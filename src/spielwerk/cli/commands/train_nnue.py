"""Train an evaluation network for alpha-beta (NNUE) from games that alpha-beta plays against itself.

The network corrects the game's heuristic at the leaves; the search updates it from position to position, in whole
numbers. The result is one file for `alphabeta:model=FILE`. Needs PyTorch: pip install 'spielwerk[train]'.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, positive_number, whole_number
from spielwerk.cli.standings import add_workers

EXAMPLES = """
spielwerk train-nnue pferdeaepfel/classic --out classic.nnue.safetensors
spielwerk train-nnue pferdeaepfel/trail --positions 1000000 --nodes 5000 --workers 16 --out trail.nnue.safetensors
spielwerk train-nnue diavolo/standard --mix side=5,6,7,8,9,10,11,12 --positions 1000000 --out diavolo.nnue.safetensors
spielwerk arena alphabeta:ms=100 alphabeta:ms=100,model=classic.nnue.safetensors --game pferdeaepfel/classic
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="for the network")
    parser.add_argument("--positions", type=whole_number, default=200_000, metavar="N", help="to learn from (200000)")
    parser.add_argument("--nodes", type=whole_number, default=2_000, metavar="N", help="of each search (2000)")
    parser.add_argument(
        "--teacher", default="", metavar="FILE", help="an earlier network, which judges in these searches"
    )
    parser.add_argument(
        "--mix", default="", metavar="RULE=V1,V2,…", help="learn on boards of several sizes: one network for any size"
    )
    parser.add_argument("--epochs", type=whole_number, default=8, metavar="N", help="passes over the positions (8)")
    parser.add_argument(
        "--heuristic",
        type=positive_number,
        default=1.0,
        metavar="TIMES",
        help="how much the heuristic counts in play, as a multiple of what was learnt (1)",
    )
    parser.add_argument(
        "--device", default="auto", metavar="NAME", help="what learns: cpu, cuda, or auto (the GPU where there is one)"
    )
    add_workers(parser)
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plays, learns, writes."""
    from spielwerk.extras import need

    need("torch")
    from spielwerk.arena.workers import workers_for
    from spielwerk.cli.output import print_json, print_line
    from spielwerk.durable import write_durably
    from spielwerk.training.launch import chosen_device
    from spielwerk.training.nnue import NnueConfig, train_evaluation

    game = make_game(arguments.ruleset, arguments.rule)
    if not arguments.out.parent.is_dir():
        raise ValueError(f"there is no folder {arguments.out.parent} for --out")
    config = NnueConfig(
        positions=arguments.positions,
        nodes=arguments.nodes,
        teacher=arguments.teacher,
        mix=arguments.mix,
        epochs=arguments.epochs,
        heuristic=arguments.heuristic,
        seed=arguments.seed or 0,
    )
    device = chosen_device(arguments.device)
    workers = workers_for(arguments.workers)
    try:
        with _telling(config.positions) as (gathered, heard):
            evaluation = train_evaluation(game, config, workers=workers, device=device, gathered=gathered, heard=heard)
    finally:
        workers.close()
    write_durably(arguments.out, evaluation.to_bytes())
    figures = evaluation.card["figures"]
    if arguments.json:
        print_json({"file": str(arguments.out), **evaluation.card})
        return 0
    print_line(f"{arguments.out}: {evaluation.card['positions']:,} positions")
    print_line(f"mean squared error {figures['network_error']:.4f}, the heuristic's {figures['heuristic_error']:.4f}")
    return 0


@contextmanager
def _telling(positions: int) -> Iterator[tuple[Callable[[int], None], Callable[[int, float, float], None]]]:
    """A bar for the games, a line for every epoch; on stderr."""
    from rich.progress import Progress

    from spielwerk.cli.output import console

    err = console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("positions", total=positions)

        def heard(epoch: int, error: float, held: float) -> None:
            err.print(f"epoch {epoch}: error {error:.4f}, on positions held out {held:.4f}")

        yield lambda count: bar.update(task, completed=count), heard
