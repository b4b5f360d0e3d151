"""A wheel built from the repository works elsewhere and carries everything it needs."""

import os
import re
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=os.environ | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel"]
    run(
        *pip,
        "--no-build-isolation",
        "--no-deps",
        "-C",
        "cmake.define.SPIELWERK_STRICT=ON",
        "-w",
        str(folder),
        str(ROOT),
    )
    return next(folder.glob("spielwerk-*.whl"))


def test_the_wheel_carries_core_stubs_types_and_rule_pages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "spielwerk/py.typed" in names
    assert "spielwerk/_core/__init__.pyi" in names
    for page in ROOT.glob("docs/rules/**/*.*"):
        assert f"spielwerk/rules/{page.relative_to(ROOT / 'docs/rules')}" in names
    assert any(name.startswith("spielwerk/_core/core_portable") for name in names)
    assert not any(name.endswith((".cpp", ".hpp", ".pyc")) for name in names)


def test_the_installed_command_works_away_from_the_repository(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = str(tmp_path / "env/bin/python")
    site = next((tmp_path / "env/lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    # The libraries we depend on, but not the editable installation beside them: .pth files do not count here.
    libraries = {"PYTHONPATH": sysconfig.get_path("purelib")}
    where = run(python, "-c", "import spielwerk; print(spielwerk.__file__)", **libraries)
    assert where.startswith(str(site))
    assert "pferdeaepfel/trail" in run(python, "-m", "spielwerk", "games", **libraries)
    board = run(
        python, "-m", "spielwerk", "show", "pferdeaepfel/trail", "--svg", str(tmp_path / "board.svg"), **libraries
    )
    assert board and (tmp_path / "board.svg").read_text().startswith("<svg")
    check_page([python, "-m", "spielwerk", "serve", "--port", "0", "--no-open"], tmp_path, libraries)


def check_page(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Opens the page that the installed package serves, with all the files it names."""
    command = [*command, "--database", str(folder / "games.db")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment, cwd=folder)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[3]
        page = fetch(address)
        files = re.findall(r'(?:src|href)="/([^"]+)"', page)
        assert "<title>" in page and any(file.endswith(".js") for file in files)
        assert all(fetch(address + file) for file in files)
        assert "pferdeaepfel/trail" in fetch(f"{address}api/games")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def fetch(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return str(answer.read().decode())
