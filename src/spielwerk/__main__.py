"""`python -m spielwerk` is the command line."""

from spielwerk.cli import run

run()
