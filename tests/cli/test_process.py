"""The command line as a program: pipes that break, interrupts, and a real terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk.records import Recorder, write_records

PROGRAM = [sys.executable, "-m", "spielwerk"]


def test_the_module_runs() -> None:
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("spielwerk ")


@pytest.mark.parametrize("words", ["games", "games --json"])
def test_a_broken_pipe_is_quiet(words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *words.split()], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_encodings_without_our_characters_get_plain_boards() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*PROGRAM, "show", "pferdeaepfel/trail", "--lang", "de"], env=environment, capture_output=True, check=True
    )
    assert b"8 W . . . . . . ." in done.stdout


class Terminal:
    """A program at a pseudo-terminal of 80 columns."""

    def __init__(self, *words: str) -> None:
        self.descriptor, far_end = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [*PROGRAM, *words], stdin=far_end, stdout=far_end, stderr=far_end, env=environment, start_new_session=True
        )
        os.close(far_end)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def expect(self, text: str, seconds: float = 10) -> None:
        """Waits until this has been printed since the last time."""
        limit = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < limit, f"no {text!r} in {self.seen[-2000:]!r}"
            if select.select([self.descriptor], [], [], 0.1)[0]:
                self.seen += os.read(self.descriptor, 4096).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def exit_code(self) -> int:
        return self.process.wait(timeout=10)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.descriptor)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_play_at_a_terminal(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "pferdeaepfel/trail", "--seed", "1")
    terminals.append(terminal)
    terminal.expect("White> ")
    terminal.type("b6\n")
    terminal.expect("\x1b[2J")  # the screen is cleared for the next position
    terminal.expect("White> ")
    terminal.type("rules\n")
    terminal.expect("-- Enter for more, q to stop --")
    terminal.type("q\n")
    terminal.expect("White> ")
    terminal.type("quit\n")
    assert terminal.exit_code() == 0


def test_replay_steps_with_keys(terminals: list[Terminal], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    recorder = Recorder(sw.make("pferdeaepfel/trail"), seed=1)
    recorder.play("b6")
    recorder.play("g3")
    write_records(file, [recorder.record, recorder.record])
    terminal = Terminal("replay", str(file))
    terminals.append(terminal)
    terminal.expect("0/2")
    terminal.expect("q leave")
    for key, shown in (
        ("\x1b[C", "1/2  b6"),
        (" ", "2/2  g3"),
        ("\x1b[D", "1/2"),
        ("\x1b[B", "2. pferde"),
        ("\x1b[F", "2/2"),
    ):
        terminal.type(key)
        terminal.expect(shown)
        terminal.expect("q leave")
    terminal.type("q")
    assert terminal.exit_code() == 0


@pytest.mark.parametrize(
    "words",
    [
        "analyse pferdeaepfel/classic --agent mcts:sims=1000000000",
        "analyse pferdeaepfel/classic --agent alphabeta:nodes=1000000000000",
        "analyse pferdeaepfel/classic --agent solver:ms=1000000000",
        "analyse diavolo/standard --agent expectimax:depth=60",
        "arena mcts:sims=1000000000 random --game pferdeaepfel/classic --workers 1",
        "arena mcts:sims=1000000000 random --game pferdeaepfel/classic --workers 2",
        "play pferdeaepfel/classic --watch --seat mcts:sims=1000000000",
        "solve pferdeaepfel/classic",
    ],
)
def test_an_interrupt_ends_a_command_that_thinks(words: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _THAT_HEARS_INTERRUPTS, *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == b"begins\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert err == b""


# A background job of a shell may ignore interrupts.
_THAT_HEARS_INTERRUPTS = """
import signal, sys
from spielwerk.cli import main
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("begins", file=sys.stderr, flush=True)
    sys.exit(main())
"""
