"""Back up every game of a server, also while it runs.

A name ending in .jsonl gets all games, one a line: records that every release reads, each with its table's seats and
events, which 'spielwerk restore' brings back. One ending in .db gets an exact copy of a SQLite database. Both can be
read by you alone, because they hold the seeds of dice that have not fallen yet; --records leaves all that out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spielwerk.cli.commands.serve import add_database

EXAMPLES = """
spielwerk backup games.jsonl
spielwerk backup saved.db --database games.db
spielwerk backup to-share.jsonl --records
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="write to this file; it is replaced in one step")
    parser.add_argument("--records", action="store_true", help="only the records, without seats, tokens and seeds")
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the file and tells how many games are in it."""
    from spielwerk.cli.output import print_line
    from spielwerk.server.backup import back_up
    from spielwerk.server.settings import Settings

    if not arguments.file.parent.is_dir():
        raise ValueError(f"there is no folder {arguments.file.parent}")
    report = back_up(Settings(database=arguments.database), arguments.file, records_only=arguments.records)
    print_line(f"{report.games} games in {arguments.file}")
    for problem in report.problems:
        print_line(f"saved as it is: {problem}", file=sys.stderr)
    return 0
