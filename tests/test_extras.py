"""What spielwerk needs is declared, and what an extra would bring is named where it is missing."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from spielwerk.cli.commands import doctor
from spielwerk.extras import MissingExtraError, need, requirements

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "spielwerk"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LIGHT = {"gymnasium", "numpy", "pettingzoo", "rich"}
# markdown-it-py is needed by rich as well, so it is always there.
EXTRAS = sorted({entry.module for entry in requirements() if entry.extra} - {"markdown_it"})


def modules_named(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def imported_packages() -> set[str]:
    """Every package from outside that the sources name, by the name under which it is installed."""
    files = [file for file in PACKAGE.rglob("*.py") if "adapters" not in file.parts]
    names = {name.partition(".")[0] for file in files for name in modules_named(ast.parse(file.read_text()))}
    outside = names - set(sys.stdlib_module_names) - {"spielwerk"}
    installed = packages_distributions()
    return {distribution.lower() for name in outside for distribution in installed[name]}


def test_every_import_is_declared() -> None:
    declared = {entry.name.replace("_", "-") for entry in requirements()}
    declared |= {"pydantic-core"}  # a part of pydantic, in a version that pydantic chooses
    assert {name.replace("_", "-") for name in imported_packages()} <= declared


def test_the_core_is_light() -> None:
    assert {re.match(r"[\w-]+", entry)[0] for entry in PROJECT["dependencies"]} == LIGHT  # type: ignore[index]


def test_the_doctor_knows_what_every_package_is_for() -> None:
    assert {entry.name for entry in requirements()} == set(doctor._PURPOSES)


def without_extras(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line as a light installation has it."""
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"
        "from spielwerk.cli import main\n"
        f"sys.exit(main({list(words)}))"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "games",
        "agents",
        "show pferdeaepfel/trail",
        "analyse pferdeaepfel/trail --agent alphabeta:depth=2",
        "play pferdeaepfel/trail --watch --seat random --seat greedy --rule size=3",
        "solve pferdeaepfel/trail --size 4",
        "completion bash",
        "doctor",
    ],
)
def test_what_a_light_installation_can_do(line: str) -> None:
    done = without_extras(*line.split())
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("play", "play"),
        ("serve --no-open --port 0", "play"),
        ("bot random --url http://127.0.0.1:1/t/x", "play"),
        ("play pferdeaepfel/trail --watch --seat network:pferdeaepfel/trail --seat greedy", "agents"),
        ("show pferdeaepfel/trail --png board.png", "play"),
        ("arena random greedy --game pferdeaepfel/trail --games 2 --store games.db", "arena|play"),
        ("train ppo", "train"),
        ("dataset pferdeaepfel/trail --agent greedy --games 1 --out games.parquet", "data"),
    ],
)
def test_one_line_names_the_extra_that_is_missing(
    line: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = without_extras(*line.split())
    assert done.returncode == 2
    assert re.fullmatch(rf"spielwerk: .*pip install 'spielwerk\[({extra})\]' brings .*\n", done.stderr), done.stderr


def test_in_python_the_line_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"needs onnxruntime, .* pip install 'spielwerk\[agents\]' brings it"):
        need("onnxruntime")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        need("no_such_module")
