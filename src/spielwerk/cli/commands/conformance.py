"""Hold this release, or an engine in any language, to a file of the conformance kit.

Counts of action sequences, games with every legal action, refusals, observations, pictures and results, as described in
conformance/README.md. Exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = """
spielwerk conformance conformance/pferdeaepfel.json
spielwerk conformance conformance/ludo.json --engine 'spielwerk engine random'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a file of the kit")
    parser.add_argument("--engine", metavar="COMMAND", help="the program to ask, instead of this release's own core")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints what differs; 1 when something does."""
    from spielwerk.cli.output import console, print_json, print_line
    from spielwerk.conformance import read_kit

    cases = read_kit(arguments.file.read_text(encoding="utf-8"), arguments.file.name)
    problems = list(_problems(cases, arguments.engine))
    if arguments.json:
        print_json({"cases": len(cases), "problems": problems})
    else:
        for problem in problems:
            print_line(problem)
        console().print(f"{len(cases)} cases, {len(problems) or 'no'} differences")
    return 1 if problems else 0


def _problems(cases: list[dict[str, object]], engine: str | None) -> Iterator[str]:
    from spielwerk.conformance import EngineUnderTest, core_problems

    asked = EngineUnderTest(engine) if engine else None
    try:
        for case in cases:
            for problem in asked.problems(case) if asked else core_problems(case):
                yield f"{case['game']} {case['rules']}: {problem}"
    finally:
        if asked:
            asked.close()
