"""Serve an agent to other programs over the engine protocol, in lines on stdin and stdout.

Any spec will do. Programs of your own that speak the same protocol play here as `engine:./my-program`;
docs/engine-protocol.md has every command.
"""

from __future__ import annotations

import argparse

EXAMPLES = """
spielwerk engine alphabeta:ms=200
printf 'rules pferdeaepfel/trail\\nposition start moves b6 g3\\ngo depth 4\\n' | spielwerk engine alphabeta
spielwerk play pferdeaepfel/trail --seat human --seat 'engine:spielwerk engine mcts:sims=500'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="SPEC", help="as 'spielwerk agents' lists them")


def run(arguments: argparse.Namespace) -> int:
    """Answers commands until `quit` or the end of input."""
    import sys
    from contextlib import redirect_stdout

    from spielwerk.agents import KINDS
    from spielwerk.agents.engines.server import EngineServer

    server = EngineServer(arguments.agent, KINDS, sys.stdout)
    with redirect_stdout(sys.stderr):  # what an agent prints is no answer
        server.serve(sys.stdin)
    return 0
