"""Make puzzles: positions in which exactly one action wins, proved by the solver, and graded by who misses it.

Positions come from random, greedy and self-play games. A puzzle's difficulty follows from how many of four agents miss
the action and from how long the win is. Only games of two seats without dice can be solved.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from spielwerk.cli.options import add_json, add_rules, add_seed, make_game, whole_number

EXAMPLES = """
spielwerk puzzles make pferdeaepfel/trail --count 30
spielwerk puzzles make pferdeaepfel/classic --rule size=5 --count 50 --out classic5.jsonl
spielwerk puzzles make diavolo/standard --rule side=4 --seed 7 --json
"""

COUNT = 30


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deed", choices=("make",), metavar="make", help="what to do: make puzzles")
    parser.add_argument("ruleset", metavar="RULESET", help="as 'spielwerk games' lists them")
    add_rules(parser)
    parser.add_argument("--count", type=whole_number, metavar="N", default=COUNT, help=f"so many puzzles ({COUNT})")
    parser.add_argument(
        "--nodes", type=whole_number, metavar="N", default=200_000, help="the solver's limit for one question (200000)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (otherwise RULESET-puzzles.jsonl here)"
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Makes the puzzles and writes them down."""
    from spielwerk.cli.output import console, print_json
    from spielwerk.durable import write_durably
    from spielwerk.puzzles import Puzzle, make_puzzles

    game = make_game(arguments.ruleset, arguments.rule)
    target = arguments.out or Path(f"{game.name.replace('/', '-')}-puzzles.jsonl")
    err = console(stderr=True)

    def show(puzzle: Puzzle) -> None:
        if err.is_terminal:
            err.print(f"{puzzle.difficulty}, won in {puzzle.distance}: {puzzle.position}", markup=False, style="dim")

    puzzles = make_puzzles(game, arguments.count, seed=arguments.seed or 0, nodes=arguments.nodes, found=show)
    write_durably(target, "".join(puzzles.lines()).encode())
    grades = Counter(puzzle.difficulty for puzzle in puzzles.puzzles)
    if arguments.json:
        print_json({"ruleset": game.name, "rules": game.rules, "file": str(target), "puzzles": dict(grades)})
    else:
        counts = ", ".join(f"{grades[grade]} {grade}" for grade in ("easy", "medium", "hard"))
        console().print(f"{len(puzzles.puzzles)} puzzles ({counts}) in {target}", markup=False, highlight=False)
    return 0 if puzzles.puzzles else 1
