"""Let an agent play at a server's table, over the same protocol as people.

The link is the one a table is shared by, with its invitation if the table is private. The agent thinks here, so any
spec will do, and a lost connection is taken up again.
"""

from __future__ import annotations

import argparse

EXAMPLES = """
spielwerk bot greedy --url 'http://127.0.0.1:8765/t/TABLE?invite=INVITATION'
spielwerk bot random:seed=3 --url http://127.0.0.1:8765/t/TABLE --seat 1 --name Rudi
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="SPEC", help="as 'spielwerk agents' lists them")
    parser.add_argument("--url", required=True, metavar="LINK", help="the table's link")
    parser.add_argument("--seat", type=int, metavar="N", help="take this seat, counted from 0")
    parser.add_argument("--name", metavar="NAME", help="shown at the table (otherwise the spec)")


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.agents import agent
    from spielwerk.server.bot import Address, Bot, english, take_seat

    player = agent(arguments.agent)
    address = Address.from_link(arguments.url)
    token = take_seat(address, (arguments.name or arguments.agent)[:40], arguments.seat)
    result = Bot(address, token, player, tell=lambda text: print(text, flush=True)).run()
    if result is not None:
        print(english(result["text"]))
    return 0
