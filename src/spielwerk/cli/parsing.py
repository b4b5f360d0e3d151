"""From words on the command line to a command and its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from spielwerk.border import quoted
from spielwerk.cli.command import Command, command_names, load_command, summary
from spielwerk.hints import did_you_mean

PROGRAM = "spielwerk"


class UsageError(ValueError):
    """Words that make no command."""


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing its usage, and remembers its options for hints."""

    def __init__(self, **settings: Any) -> None:
        self.options: list[str] = []
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        self.options += [name for name in names if name.startswith("--")]
        return super().add_argument(*names, **settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} ('{self.prog} --help' tells more)")


def read_arguments(words: Sequence[str]) -> tuple[Command, argparse.Namespace]:
    """The command that is called and its arguments; UsageError when there is none such."""
    name = next((word for word in words if not word.startswith("-")), None)
    position = len(words) if name is None else words.index(name)
    if position > 0 or name is None:
        _arguments(_overview(), words[:position] or ["--help"])
    if name is None:
        raise UsageError(f"which command? There are: {', '.join(command_names())}")
    if name not in command_names():
        hint = did_you_mean(name, command_names())
        raise UsageError(f"unknown command '{quoted(name, 40)}'{hint or '; there are: ' + ', '.join(command_names())}")
    return load_command(name), _arguments(parser_of(name), words[position + 1 :])


def _arguments(parser: _Parser, words: Sequence[str]) -> argparse.Namespace:
    arguments, unknown = parser.parse_known_intermixed_args(words)  # options may stand before, between and after
    if unknown:
        word = unknown[0].partition("=")[0]
        hint = did_you_mean(word, parser.options) if word.startswith("-") else ""
        parser.error(f"unknown argument '{quoted(word, 40)}'{hint}")
    return arguments


def parser_of(name: str) -> _Parser:
    command = load_command(name)
    parser = _Parser(
        prog=f"{PROGRAM} {name}",
        description=(command.__doc__ or "").strip(),
        epilog="examples:\n" + _indented(command.EXAMPLES),
    )
    command.configure(parser)
    return parser


def _overview() -> _Parser:
    names = command_names()
    width = max(map(len, names))
    lines = "\n".join(f"{name:{width}}  {summary(load_command(name))}" for name in names)
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND …",
        description="Exact, fast board games to play, train for, measure and prove things about.",
        epilog=f"commands:\n{_indented(lines)}\n\n'{PROGRAM} COMMAND --help' has examples for each.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="versions of package, core and Python")
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from spielwerk.machine import version_line

        print(version_line())
        parser.exit()


def _indented(lines: str) -> str:
    return "\n".join(f"  {line}" for line in lines.strip().splitlines())
