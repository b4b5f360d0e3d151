"""Find contested openings: positions whose result depends on how well they are played, whatever seat the rules favour.

Candidates come from games of two players of unequal care. One is kept if alpha-beta of different power, from an eighth
of --nodes to all of them and playing both seats, does not always reach the same result. The file holds one position a
line, for `spielwerk arena --openings FILE`. Only games of two seats without dice have such openings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, whole_number
from spielwerk.cli.standings import add_workers, check_folder, positive

if TYPE_CHECKING:
    from spielwerk.arena.openings import Contested
    from spielwerk.games import Game

EXAMPLES = """
spielwerk openings pferdeaepfel/free --count 100 --out free.openings
spielwerk openings diavolo/standard --rule side=6 --nodes 50000 --workers 8
spielwerk arena mcts:ms=50 alphabeta:ms=50 --game pferdeaepfel/free --openings free.openings
"""

COUNT = 50


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument("--count", type=positive, metavar="N", default=COUNT, help=f"so many openings ({COUNT})")
    parser.add_argument(
        "--nodes", type=whole_number, metavar="N", help="of the most thorough search, about what players have (400000)"
    )
    parser.add_argument("--candidates", type=positive, metavar="N", help="give up after so many (100000)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to write (otherwise RULESET.openings here)")
    add_workers(parser)
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Finds the openings and writes them down."""
    from spielwerk.arena.openings import CANDIDATES, NODES, contested_openings
    from spielwerk.arena.workers import workers_for
    from spielwerk.cli.output import print_json, print_line

    game = make_game(arguments.ruleset, arguments.rule)
    target = arguments.out or Path(f"{game.name.replace('/', '-')}.openings")
    check_folder(target)
    nodes, seed, candidates = arguments.nodes or NODES, arguments.seed or 0, arguments.candidates or CANDIDATES
    workers = workers_for(arguments.workers)
    try:
        with _keeping(target, game, f"--nodes {nodes} --seed {seed}", arguments.count) as heard:
            found = contested_openings(
                game, arguments.count, workers, nodes=nodes, seed=seed, candidates=candidates, heard=heard
            )
    finally:
        workers.close()
    if arguments.json:
        file = str(target) if found.openings else None
        counts = {"openings": len(found.openings), "candidates": found.candidates}
        print_json({"ruleset": game.name, "rules": game.rules, "file": file, **counts})
    else:
        print_line(_facts(found) + (f": {target}" if found.openings else "; nothing was written"))
    return 0 if found.openings else 1


def _facts(found: Contested) -> str:
    return f"{len(found.openings)} contested openings among {found.candidates} candidates"


@contextmanager
def _keeping(target: Path, game: Game, settings: str, count: int) -> Iterator[Callable[[Contested], None]]:
    """Writes what was found as soon as there is more of it; a bar on stderr."""
    from rich.progress import Progress

    from spielwerk.arena.openings import book_text
    from spielwerk.cli.output import console
    from spielwerk.durable import write_durably

    err, written = console(stderr=True), 0
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("openings", total=count)

        def keep(found: Contested) -> None:
            nonlocal written
            if len(found.openings) > written:
                remark = f"{_facts(found)} ({settings})"
                write_durably(target, book_text(game, found.openings, [remark]).encode())
                written = len(found.openings)
            bar.update(task, completed=len(found.openings))

        yield keep
