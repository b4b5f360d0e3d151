"""The command line: `spielwerk COMMAND …`.

Every module in `spielwerk.cli.commands` is a command; see `spielwerk.cli.command` for what it must have.
Arguments are read with argparse rather than a framework: it is in the standard library and starts at once,
and only the command that is called gets loaded.

Bad input ends with one line on stderr and exit code 2, an interrupt with 130.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from spielwerk.border import quoted
from spielwerk.cli.parsing import read_arguments

__all__ = ["main", "run"]

MOST_IN_AN_ERROR = 2000


def run() -> NoReturn:
    """The program `spielwerk`. It leaves without taking its modules apart: with PyTorch that took two seconds."""
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and tells its exit code."""
    _replace_what_the_terminal_cannot_show()
    try:
        command, arguments = read_arguments(sys.argv[1:] if argv is None else list(argv))
        code = command.run(arguments)
        sys.stdout.flush()
    except SystemExit as leave:  # --help and --version, and rich when a pipe breaks
        return leave.code if isinstance(leave.code, int) else 0
    except KeyboardInterrupt:
        if sys.stdout.isatty():
            print()  # the prompt of the shell starts on a line of its own
        return 130
    except BrokenPipeError:
        # What is still buffered must not be written at exit, or Python complains there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        from spielwerk.extras import MissingExtraError, explained

        explanation = explained(error)
        if not isinstance(explanation, MissingExtraError):
            raise
        print(f"spielwerk: {explanation}", file=sys.stderr)
        return 2
    except MemoryError:
        print("spielwerk: there is not enough memory for this", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(f"spielwerk: {_one_line(error)}", file=sys.stderr)
        return 2
    return code


def _replace_what_the_terminal_cannot_show() -> None:
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _one_line(error: Exception) -> str:
    """What went wrong, wherever its words come from."""
    if isinstance(error, OSError) and error.filename is not None:
        return quoted(f"{error.filename}: {error.strerror}", MOST_IN_AN_ERROR)
    return quoted(str(error), MOST_IN_AN_ERROR)
