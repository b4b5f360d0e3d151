"""Runs an engine and ends it when its owner is gone, even one that was killed on the spot.

Started as a script by `engine_process`, with the number of a descriptor that closes with the owner and the command.
It leads the engine's process group, takes no part in the conversation and ends the way the engine ends.
"""

import os
import select
import signal
import sys
import threading


def main() -> None:
    """Waits for the engine, or for the end of the owner."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(lifeline, False)
    try:
        engine = os.posix_spawnp(command[0], command, os.environ)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    _let_go_of_the_conversation()
    threading.Thread(target=_end_with_the_owner, args=(lifeline,), daemon=True).start()
    status = os.waitpid(engine, 0)[1]
    if _owner_is_gone(lifeline):
        _end_all()
    _end_like(status)


def _let_go_of_the_conversation() -> None:
    """The owner must see the engine close its output."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)


def _end_with_the_owner(lifeline: int) -> None:
    os.read(lifeline, 1)
    _end_all()


def _owner_is_gone(lifeline: int) -> bool:
    """Whether the engine ended because its owner did: its own children are then still to be ended."""
    return bool(select.select([lifeline], [], [], 0.1)[0])


def _end_all() -> None:
    os.killpg(0, signal.SIGKILL)


def _end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
