"""A program that talks in lines, held so that whatever it does cannot hang, flood or outlive its owner.

Everything is bounded: the length of a line, the bytes of an answer, the time for reading and for writing. The
program lives in a process group of its own under a guard, and ending it ends the whole group.
"""

import os
import selectors
import signal
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from typing import IO

from spielwerk.agents.engines import guard
from spielwerk.border import quoted
from spielwerk.errors import EngineError

LONGEST_LINE = 100_000
LONGEST_ANSWER = 4_000_000
_SECONDS_TO_LEAVE = 0.5
_COMPLAINT_BYTES = 2_000
_CHUNK = 65_536


class EngineProcess:
    """One running program. EngineError, which also ends it, is all that it can do to its owner."""

    def __init__(self, command: list[str], name: str) -> None:
        self.name = name
        guarded, lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(guarded), *command],
                pass_fds=[guarded],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a group to end as a whole; an interrupt at the terminal is for the owner
            )
        except BaseException:
            os.close(lifeline)
            raise
        finally:
            os.close(guarded)
        self._end = weakref.finalize(self, _end, self._process, lifeline, os.getpid())
        self._input, self._output, self._errors = (pipe.fileno() for pipe in _pipes(self._process))
        for descriptor in (self._input, self._output, self._errors):
            os.set_blocking(descriptor, False)
        self._buffer = bytearray()
        self._searched = 0
        self._answered = 0
        self._complaint = b""
        self._open = {self._output, self._errors}

    def end(self) -> None:
        """Asks the program to quit, then ends it and all of its group."""
        self._end()

    def send(self, *lines: str, deadline: float) -> None:
        """Writes lines; a program that does not read them in time has failed."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        self._answered = 0
        while data:
            ready = self._wait(deadline, writing=True)
            if ready is None:
                raise self.failure("silent", "does not read what it is sent")
            if self._input in ready:
                try:
                    data = data[os.write(self._input, data[:_CHUNK]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise self._death() from None

    def read_line(self, deadline: float) -> str | None:
        """The next line, without its end; None when the time is over."""
        while (line := self._next_line()) is None:
            if len(self._buffer) > LONGEST_LINE:
                raise self.failure("flooded", f"wrote a line of more than {LONGEST_LINE} bytes")
            if self._output not in self._open:
                raise self._death()
            if self._wait(deadline) is None:
                return None
        return line

    def kill(self) -> None:
        """Ends the program and all of its group without asking."""
        if self._end.alive:
            _kill(self._process)
        self.end()

    def failure(self, code: str, reason: str) -> EngineError:
        """Ends the program; the error to raise."""
        self.kill()
        return EngineError(self.name, code, reason)

    def _next_line(self) -> str | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            return None
        line = self._buffer[:end].decode(errors="replace").strip()
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _wait(self, deadline: float, writing: bool = False) -> set[int] | None:
        """Takes in what the program writes; the descriptors that were ready, None when the time is over."""
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        with selectors.DefaultSelector() as selector:
            for descriptor in self._open:
                selector.register(descriptor, selectors.EVENT_READ)
            if writing:
                selector.register(self._input, selectors.EVENT_WRITE)
            ready = {key.fd for key, _ in selector.select(left)}
        for descriptor in ready & self._open:
            self._take(descriptor)
        return ready

    def _take(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._open.discard(descriptor)
        elif descriptor == self._output:
            self._buffer += data
            self._answered += len(data)
            if self._answered > LONGEST_ANSWER:
                raise self.failure("flooded", f"wrote more than {LONGEST_ANSWER} bytes for one answer")
        else:
            self._complaint = (self._complaint + data)[-_COMPLAINT_BYTES:]

    def _death(self) -> EngineError:
        """The program has closed its output: why, as far as can be known."""
        left_by_itself = _has_left(self._process, _SECONDS_TO_LEAVE)
        while self._errors in self._open and self._wait(time.monotonic() + 0.05):
            pass
        self.end()
        how = _manner(self._process.returncode) if left_by_itself else "closed its output"
        return EngineError(self.name, "crashed", how + self._last_words())

    def _last_words(self) -> str:
        lines = self._complaint.decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        return f": {quoted(last, 100)}" if last else ""


def _pipes(process: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]


def _manner(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _has_left(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the program ends within this time. It is not reaped: its id stays taken until its group is ended."""
    deadline = time.monotonic() + seconds
    with suppress(ChildProcessError):  # someone else has reaped it
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)
    return True


def _end(process: subprocess.Popen[bytes], lifeline: int, owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked copy of the owner has no say
    commands, *said = _pipes(process)
    with suppress(OSError):
        os.write(commands.fileno(), b"quit\n")
    commands.close()
    _has_left(process, _SECONDS_TO_LEAVE)
    _kill(process)
    process.wait()
    os.close(lifeline)
    for pipe in said:
        pipe.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole group. Its leader has not been reaped yet, so the id can be no other's."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
