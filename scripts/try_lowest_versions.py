"""Installs the lowest versions that pyproject.toml allows into a new environment and tries everything out there.

PyTorch and what trains with it are left out: their oldest releases are large and have no builds for newer Pythons.

    python scripts/try_lowest_versions.py [WHEEL]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("play", "agents", "arena", "data")
COMMANDS = (
    "doctor",
    "games",
    "agents",
    "show pferdeaepfel/trail --png board.png",
    "play pferdeaepfel/trail --watch --seat network:pferdeaepfel/trail --seat greedy --seed 1",
    "arena random greedy --game ludo/ffa --games 8 --store games.db --picture scores.svg",
    "dataset pferdeaepfel/trail --agent greedy --games 2 --out games.parquet",
)
ENVIRONMENTS = """
import warnings; warnings.simplefilter("error")
import gymnasium, numpy, spielwerk as sw
from gymnasium.utils.env_checker import check_env
check_env(gymnasium.make("spielwerk.envs:spielwerk/pferdeaepfel-trail-v0").unwrapped)
env = sw.envs.ludo_v0.env()
env.reset(seed=1)
for name in env.agent_iter():
    observation, _, terminated, truncated, info = env.last()
    env.step(None if terminated or truncated else env.action_space(name).sample(info["action_mask"]))
assert env.agents == []
"""


def main() -> None:
    """Prints what was installed; any failure ends with its output."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = Path(sys.argv[1]) if len(sys.argv) > 1 else _built(place)
        lowest = _lowest()
        (place / "lowest.txt").write_text("".join(f"{name}=={version}\n" for name, version in lowest.items()))
        venv.create(place / "env", with_pip=True)
        python = str(place / "env" / "bin" / "python")
        wanted = f"{wheel}[{','.join(EXTRAS)}]"
        _run(python, "-m", "pip", "install", "--quiet", "-c", str(place / "lowest.txt"), wanted)
        for line in COMMANDS:
            _run(python, "-m", "spielwerk", *line.split(), cwd=place)
        _run(python, "-c", ENVIRONMENTS, cwd=place)
        _open_page(python, place)
    print("All of it works with " + ", ".join(f"{name} {version}" for name, version in lowest.items()))


def _lowest() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    found = (re.fullmatch(r"([\w-]+)>=([\w.]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def _built(place: Path) -> Path:
    # The flags of the Makefile, so that what it has built is not built again.
    pip = (sys.executable, "-m", "pip", "--quiet", "wheel", "--no-build-isolation", "--no-deps")
    _run(*pip, "-C", "cmake.define.SPIELWERK_STRICT=ON", "-w", str(place), str(ROOT))
    return next(place.glob("spielwerk-*.whl"))


def _open_page(python: str, place: Path) -> None:
    command = [python, "-m", "spielwerk", "serve", "--no-open", "--port", "0", "--database", str(place / "page.db")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=place)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[3]
        for path in ("", "api/games"):
            with urllib.request.urlopen(address + path, timeout=20) as answer:
                assert answer.status == 200
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _run(*command: str, cwd: Path = ROOT) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=900)
    if done.returncode:
        raise SystemExit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
