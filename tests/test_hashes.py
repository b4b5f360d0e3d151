"""What a release installs is pinned, with the hash of every file."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from write_hashes import BUILD_TOOLS, CLUSTER, SERVER, closure, read_pins  # type: ignore[import-not-found]  # noqa: E402

HASHED = ["constraints-hashed.txt", *(f"deploy/{part}-requirements.txt" for part in ("build", "server", "cluster"))]
PINS = read_pins((ROOT / "constraints.txt").read_text())


def hashed(name: str) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes by name; anything that is neither fails."""
    found = {}
    for entry in re.sub(r" \\\n +", " ", (ROOT / name).read_text()).splitlines():
        if entry.startswith("#"):
            continue
        match = re.fullmatch(r"([a-z0-9-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)", entry)
        assert match, entry
        found[match[1]] = (match[2], match[3].split())
    return found


def test_everything_that_the_development_set_up_needs_is_pinned() -> None:
    assert closure(["spielwerk[dev]"]) - {"spielwerk"} <= set(PINS)


@pytest.mark.parametrize("name", HASHED)
def test_hashed_files_say_what_the_pins_say(name: str) -> None:
    """Out of date? python scripts/write_hashes.py"""
    assert {package: version for package, (version, _) in hashed(name).items()}.items() <= PINS.items()
    assert "://" not in (ROOT / name).read_text()


def test_every_pin_has_its_hashes() -> None:
    assert set(hashed("constraints-hashed.txt")) == set(PINS)


def test_a_release_has_hashes_of_all_that_it_is_built_with_and_runs_on() -> None:
    assert set(hashed("deploy/build-requirements.txt")) == closure(BUILD_TOOLS)
    assert set(hashed("deploy/server-requirements.txt")) == closure(SERVER) - {"spielwerk"}
    assert set(hashed("deploy/cluster-requirements.txt")) == closure(CLUSTER) - {"spielwerk"}


def test_wheels_and_containers_are_built_from_files_with_hashes() -> None:
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert "--no-build-isolation" in wheels["build-frontend"]["args"]
    assert "--require-hashes" in wheels["before-build"] and "deploy/build-requirements.txt" in wheels["before-build"]
    container = (ROOT / "deploy/Containerfile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip (?:install|wheel) [^&\n]*", container)
    assert len(installs) == 4
    for install in installs:
        ours = "--no-deps" in install and ("--no-index" in install or "--no-build-isolation" in install)
        assert ours or "--require-hashes" in install
