"""List the kinds of agents and the options of each.

An agent is written `kind` or `kind:option=value,option=value`, everywhere in spielwerk.
"""

from __future__ import annotations

import argparse

from spielwerk.cli.options import add_json

EXAMPLES = """
spielwerk agents
spielwerk agents --json
spielwerk play pferdeaepfel/trail --seat human --seat random:seed=3
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from spielwerk.agents import KINDS, options_of
    from spielwerk.cli.output import print_json

    if arguments.json:
        print_json(
            [
                {
                    "kind": name,
                    "summary": kind.summary,
                    "options": [asdict(entry) for entry in options_of(kind)],
                }
                for name, kind in KINDS.items()
            ]
        )
    else:
        _print()
    return 0


def _print() -> None:
    from rich.padding import Padding
    from rich.text import Text

    from spielwerk.agents import KINDS, options_of
    from spielwerk.cli.output import columns, console

    out = console()
    width = max(map(len, KINDS))
    for name, kind in KINDS.items():
        out.print(Text.assemble((f"{name:{width}}", "bold"), f"  {kind.summary}"))
        rows = [
            (
                Text(f"{entry.name}=…", "cyan"),
                Text(entry.type if entry.default is None else f"{entry.type}, {entry.default}", "dim"),
                Text(entry.help, "dim"),
            )
            for entry in options_of(kind)
        ]
        if rows:
            out.print(Padding(columns(*rows), (0, 0, 0, width + 2)))
