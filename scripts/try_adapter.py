"""Installs a library into an environment of its own, kept in build/adapters, and runs the tests of its adapter there.

python scripts/try_adapter.py tianshou "tianshou>=1"
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The one pin that matters: other versions of PyTorch may come as CUDA builds of several gigabytes.
PINNED = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))


def main() -> None:
    """The exit code is that of the tests."""
    adapter, library = sys.argv[1:]
    folder = ROOT / "build" / "adapters" / adapter
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        venv.create(folder, with_pip=True)
    pins = folder / "pins.txt"
    pins.write_text(f"{PINNED}\n")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _run(*pip, "install", "-c", str(pins), library, "torch", "pytest", *_light_core())
    _run(*pip, "install", "--no-deps", "--force-reinstall", str(_wheel(folder)))
    print(f"The adapter for {library}:", flush=True)
    tests = ["-q", "--confcutdir=tests/adapters", f"tests/adapters/test_{adapter}.py"]
    raise SystemExit(subprocess.run([python, "-m", "pytest", *tests], cwd=ROOT, check=False).returncode)


def _light_core() -> list[str]:
    """What we need ourselves, in versions that suit the library."""
    return ["gymnasium", "numpy", "pettingzoo", "rich"]


def _wheel(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel"]
    kept = f"build-dir={ROOT / 'build' / 'adapters' / 'core'}"  # compiled once for all adapters
    _run(*pip, "--no-build-isolation", "--no-deps", "-C", kept, "-w", str(folder), str(ROOT))
    return max(folder.glob("spielwerk-*.whl"), key=lambda wheel: wheel.stat().st_mtime)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
