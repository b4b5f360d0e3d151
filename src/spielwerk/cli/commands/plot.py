"""Draw the curves of training runs: wins and Elo against the anchors, evaluations, score, losses, speed.

Runs that differ in nothing but the seed become one curve: their mean, with a band from the lowest to the highest.
Needs Matplotlib: pip install 'spielwerk[train]'.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spielwerk.cli.options import add_runs_dir

EXAMPLES = """
spielwerk plot NAME
spielwerk plot NAME OTHER --out curves.svg
spielwerk plot seed-1 seed-2 seed-3 --out curves.svg
spielwerk plot NAME OTHER --over seconds --panel Elo
"""

SUFFIXES = (".png", ".svg", ".pdf")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="names or folders")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"{', '.join(SUFFIXES)}; otherwise curves.png in the first run"
    )
    parser.add_argument("--each", action="store_true", help="draw every run by itself, also where only seeds differ")
    parser.add_argument(
        "--over", choices=("steps", "seconds"), default="steps", help="what curves are drawn over (%(default)s)"
    )
    parser.add_argument(
        "--panel",
        action="append",
        default=[],
        metavar="WORD",
        help="only panels with this word in their title, as often as needed",
    )
    add_runs_dir(parser)


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.training.runs import find_run, reading_figures

    runs = [find_run(name, arguments.runs_dir) for name in arguments.runs]
    path: Path = arguments.out or runs[0].folder / "curves.png"
    if path.suffix not in SUFFIXES:
        raise ValueError(f"--out must end in {', '.join(SUFFIXES)}, not '{path.name[-40:]}'")
    from spielwerk.cli.output import print_line
    from spielwerk.training.curves import draw

    with reading_figures(runs[0]):
        draw(runs, path, each=arguments.each, over=arguments.over, only=arguments.panel)
    print_line(str(path))
    return 0
