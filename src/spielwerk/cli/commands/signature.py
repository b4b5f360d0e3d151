"""Say in one hash whether this build plays, counts, searches, paints and observes exactly as every other.

The hash is the same on every processor and with every build of the core (SPIELWERK_CORE chooses one). Exit code 1 when
a part is not what this release pins.
"""

from __future__ import annotations

import argparse

from spielwerk.cli.options import add_json

EXAMPLES = """
spielwerk signature
spielwerk signature --parts
SPIELWERK_CORE=portable spielwerk signature --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", action="store_true", help="a digest for every part, too")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the signature; 1 when it is not the pinned one."""
    from spielwerk import _core
    from spielwerk.cli.output import columns, console, print_json
    from spielwerk.signature import signature

    found = signature()
    differing = found.differences()
    if arguments.json:
        facts = {"signature": found.digest, "build": _core.build, "parts": found.parts}
        print_json(facts | {"missing": found.missing, "differing": differing})
        return 1 if differing else 0
    out = console()
    out.print(found.digest)
    if arguments.parts:
        out.print(columns(*found.parts.items()))
    for name, reason in found.missing.items():
        out.print(f"without {name}: {reason}")
    if differing:
        out.print(f"not as this release pins it: {', '.join(differing)}")
    return 1 if differing else 0
