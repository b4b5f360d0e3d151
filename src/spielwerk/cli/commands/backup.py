"""Back up every game of a server, also while it runs.

A name ending in .jsonl gets all games as records, one a line, which every release reads; one ending in .db gets an
exact copy of a SQLite database, which 'spielwerk serve --database' takes up with all its seats.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spielwerk.cli.commands.serve import add_database

EXAMPLES = """
spielwerk backup games.jsonl
spielwerk backup saved.db --database games.db
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="write to this file; it is replaced in one step")
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the file and tells how many games are in it."""
    from spielwerk.server.backup import back_up
    from spielwerk.server.settings import Settings

    if not arguments.file.parent.is_dir():
        raise ValueError(f"there is no folder {arguments.file.parent}")
    count = back_up(Settings(database=arguments.database), arguments.file)
    print(f"{count} games in {arguments.file}")
    return 0
