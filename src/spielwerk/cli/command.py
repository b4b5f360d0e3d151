"""What a command is, and where commands are found.

A command is a module in `spielwerk.cli.commands`, called as its file is, with - for _. It has

- a docstring: the first line is the summary in the list of commands, all of it the head of its help;
- `EXAMPLES`: lines to try, shown at the end of its help;
- `configure(parser)`: adds its arguments; `spielwerk.cli.options` has those that commands share;
- `run(arguments)`: does the work and returns the exit code; a ValueError or OSError becomes the one line
  that bad input gets.

Adding the module is all it takes. Modules load what is heavy inside `run`, so that `--help` stays instant.
"""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from spielwerk.cli import commands


class Command(Protocol):
    """The shape of a command's module."""

    __doc__: str | None
    EXAMPLES: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does the work and tells the exit code."""
        raise NotImplementedError


def command_names() -> list[str]:
    """Every command, in alphabetical order."""
    folder = str(Path(commands.__file__ or "").parent)
    return [module.name.replace("_", "-") for module in pkgutil.iter_modules([folder])]


def load_command(name: str) -> Command:
    return cast("Command", import_module(f"{commands.__name__}.{name.replace('-', '_')}"))


def summary(command: Command) -> str:
    """What the command does, in one line."""
    return (command.__doc__ or "").partition("\n")[0]
