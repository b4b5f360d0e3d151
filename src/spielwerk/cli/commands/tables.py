"""List the tables of a server's database, and delete some of them.

Deleting works while the server runs, too: whoever still plays at a deleted table is told that it is gone.
"""

from __future__ import annotations

import argparse

from spielwerk.cli.commands.serve import add_database
from spielwerk.cli.options import add_json, whole_number

EXAMPLES = """
spielwerk tables --last 20
spielwerk tables --delete 7hq2mzk4w9xnd3
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--last", type=whole_number, default=50, metavar="N", help="the newest N (50 if not given)")
    parser.add_argument("--delete", action="append", default=[], metavar="TABLE", help="delete it; as often as needed")
    add_database(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Deletes what is named, else lists."""
    from spielwerk.cli.output import print_json, print_line
    from spielwerk.server.administration import delete_tables, newest_tables
    from spielwerk.server.settings import Settings

    settings = Settings(database=arguments.database)
    if arguments.delete:
        delete_tables(settings, arguments.delete)
        print(f"{len(arguments.delete)} deleted")
        return 0
    found = newest_tables(settings, arguments.last)
    if arguments.json:
        print_json(found)
        return 0
    for table in found:
        events = f"{table['events']:6} events"
        print_line(f"{table['id']}  {table['created']}  {table['status']:8} {events}  {table['game']}")
    return 0
