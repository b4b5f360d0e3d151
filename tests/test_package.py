"""A wheel built from the repository works elsewhere and carries everything it needs."""

import os
import re
import shutil
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


def build(python: str, folder: Path, *settings: str, **environment: str) -> Path:
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-build-isolation", "--no-deps"]
    options = [word for setting in settings for word in ("-C", setting)]
    run(*pip, *options, "-w", str(folder), str(ROOT), **environment)
    return next(folder.glob("spielwerk-*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(sys.executable, tmp_path_factory.mktemp("wheel"), "cmake.define.SPIELWERK_STRICT=ON")


def stable_interpreters() -> list[str]:
    """Every other Python on this machine that an abi3 wheel is for, the oldest first."""
    on_path = [shutil.which(f"python3.{minor}") for minor in range(12, 20)]
    by_pyenv = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    found: dict[int, str] = {}
    for python in [*filter(None, on_path), *map(str, by_pyenv)]:
        asked = "import sys; print(*sys.version_info[:2], sys.implementation.name)"
        done = subprocess.run([python, "-c", asked], capture_output=True, text=True)
        major, minor, name = (done.stdout.split() or ["0", "0", ""])[:3]
        if not done.returncode and name == "cpython" and (int(major), int(minor)) >= (3, 12):
            found.setdefault(int(minor), python)
    return [found[minor] for minor in sorted(found)]


@pytest.fixture(scope="module")
def stable_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built by the oldest Python that makes abi3 wheels; unoptimised, since only its modules' names count."""
    pythons = stable_interpreters()
    if not pythons:
        pytest.skip("WHEELS FOR SEVERAL PYTHONS ARE NOT TESTED: there is no Python 3.12 or newer on this machine")
    folder = tmp_path_factory.mktemp("stable")
    venv_of(pythons[0], folder / "env", "--without-pip")
    python = str(folder / "env/bin/python")
    tools = {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    settings = ("cmake.build-type=Debug", "cmake.define.SPIELWERK_LEVELS=portable", f"build-dir={folder / 'build'}")
    return build(python, folder, *settings, **tools)


def venv_of(python: str, folder: Path, *options: str) -> None:
    run(python, "-m", "venv", *options, str(folder))


def check_modules(wheel: Path) -> None:
    """What the wheel's name promises, every module in it keeps."""
    python, abi = wheel.stem.split("-")[2:4]
    modules = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd"))]
    assert len(modules) >= 2
    ending = r"\.abi3\.so|(?<!\d)\.pyd" if abi == "abi3" else rf"\.c(python-|p){python[2:]}\b.*"
    assert all(re.search(ending, name) for name in modules), (wheel.name, modules)


def test_the_modules_fit_the_wheels_tag(wheel: Path) -> None:
    check_modules(wheel)


def test_an_abi3_wheel_holds_abi3_modules_only(stable_wheel: Path) -> None:
    assert "-abi3-" in stable_wheel.name
    check_modules(stable_wheel)


def test_one_wheel_plays_on_every_python(stable_wheel: Path, tmp_path: Path) -> None:
    program = (
        "import spielwerk as sw, spielwerk._core as core; state = sw.make('ludo/ffa').start(seed=1)\n"
        "while not state.over: state.play(state.legal_actions[0])\n"
        "print(core.__file__, state.winner)"
    )
    answers = set()
    for number, python in enumerate(stable_interpreters()):
        venv_of(python, tmp_path / str(number), "--without-pip")
        site = next((tmp_path / str(number)).glob("lib/python*/site-packages"))
        zipfile.ZipFile(stable_wheel).extractall(site)
        place, winner = run(str(tmp_path / str(number) / "bin/python"), "-c", program).split(" ", 1)
        assert place.startswith(str(site))
        answers.add(winner)
    assert len(answers) == 1


def test_the_wheel_carries_core_stubs_types_and_rule_pages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "spielwerk/py.typed" in names
    assert "spielwerk/_core/__init__.pyi" in names
    for page in ROOT.glob("docs/rules/**/*.*"):
        assert f"spielwerk/rules/{page.relative_to(ROOT / 'docs/rules')}" in names
    assert any(name.startswith("spielwerk/_core/core_portable") for name in names)
    assert not any(name.endswith((".cpp", ".pyc")) for name in names)
    # Kernels for a GPU are compiled from the headers where they are used.
    headers = [name for name in names if name.endswith((".hpp", ".cuh"))]
    assert "spielwerk/_core/include/gpu/kernels.cuh" in headers
    assert all(name.startswith("spielwerk/_core/include/") for name in headers)


def test_the_installed_command_works_away_from_the_repository(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = str(tmp_path / "env/bin/python")
    site = next((tmp_path / "env/lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    # The libraries we depend on, but not the editable installation beside them: .pth files do not count here.
    # Neither a compiler nor Node is on this path.
    libraries = {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": str(tmp_path / "env/bin")}
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
        page = fetch(address).decode()
        files = re.findall(r'(?:src|href)="/([^"]+)"', page)
        assert "<title>" in page and any(file.endswith(".js") for file in files)
        assert all(fetch(address + file) for file in files)
        assert "pferdeaepfel/trail" in fetch(f"{address}api/games").decode()
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def fetch(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return bytes(answer.read())
