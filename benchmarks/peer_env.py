"""The peers' own virtual environment, so that none of their needs reaches ours."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

PEERS = Path(__file__).resolve().parent / "peers"
HOME = PEERS.parent / ".peers-venv"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def peer_names() -> list[str]:
    """A peer is a module beside a requirements file of the same name."""
    return sorted(requirements.stem for requirements in PEERS.glob("*.txt"))


def install(peer: str) -> str | None:
    """Makes the peer importable; returns the reason where that fails, since every peer is optional."""
    requirements = PEERS / f"{peer}.txt"
    installed = HOME / f"{peer}.installed"
    if installed.exists() and installed.read_text() == requirements.read_text():
        return None
    if not PYTHON.exists():
        venv.create(HOME, with_pip=True)
    # Isolated: what PYTHONPATH shows of another environment must not count as installed here.
    command = [str(PYTHON), "-I", "-m", "pip", "install", "--quiet", "--requirement", str(requirements)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        errors = [line for line in outcome.stderr.splitlines() if line.startswith("ERROR")]
        return errors[-1] if errors else f"pip ended with status {outcome.returncode}"
    installed.write_text(requirements.read_text())
    return None
