"""Restore the games of a backup into a server's database, which no server may be using meanwhile.

Tables come back with their seats, tokens and events; those that the database has already stay as they are, so that
restoring twice does no harm. Lines that are plain records become finished games to look at. A backup of SQLite can be
restored into PostgreSQL and the other way round.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spielwerk.cli.commands.serve import add_database

EXAMPLES = """
spielwerk restore games.jsonl
spielwerk restore saved.db --database postgresql+psycopg://user@host/spielwerk
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what 'spielwerk backup' wrote, or any records")
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    """Restores and tells how many games came back."""
    from spielwerk.cli.output import print_line
    from spielwerk.server.backup import restore
    from spielwerk.server.settings import Settings

    report = restore(Settings(database=arguments.database), arguments.file)
    print(f"{report.games} games restored, {report.skipped} were there already")
    for problem in report.problems:
        print_line(f"left out: {problem}", file=sys.stderr)
    return 2 if report.problems else 0
