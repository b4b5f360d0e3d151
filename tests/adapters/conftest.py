"""Most of the libraries sit in environments of their own: `make test-adapters` makes them and runs this folder."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(tmp_path: Path) -> Callable[..., str]:
    """Runs an example to its end and gives what it printed."""

    def run(name: str, *words: str) -> str:
        command = [sys.executable, str(EXAMPLES / name), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
