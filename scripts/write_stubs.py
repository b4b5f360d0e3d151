"""Writes the type stub of the compiled core beside it. A test tells when it is out of date."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[1] / "src/spielwerk/_core/__init__.pyi"


def write_stub(path: Path) -> None:
    """The stub for the core as it is installed."""
    command = ["-m", "nanobind.stubgen", "--quiet", "--exclude-values", "--module", "spielwerk._core"]
    subprocess.run([sys.executable, *command, "--output-file", str(path)], check=True)


if __name__ == "__main__":
    write_stub(STUB)
