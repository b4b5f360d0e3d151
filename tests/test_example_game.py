"""A game is one header and one module: tic-tac-toe, added to a copy of the tree as CONTRIBUTING says, plays everywhere.

The other games are left out of the copy: one game is built faster than four.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "tictactoe"
RULESET = "tictactoe/standard"


def tool(name: str) -> str:
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert found, f"{name} is not installed"
    return found


def run(tree: Path, *command: str | Path) -> str:
    """Runs a program that finds the copy, not the installed package: without `site` nothing redirects imports."""
    paths = os.pathsep.join([str(tree / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python(tree: Path, *arguments: str) -> str:
    return run(tree, sys.executable, "-S", *arguments)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with tic-tac-toe as its game, built with plain CMake."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("cpp", "docs/rules", "src/spielwerk"):
        ignored = shutil.ignore_patterns("page", "models", "__pycache__", "*.so")
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    for name in ("CMakeLists.txt", "pyproject.toml", "tests/test_laws.py"):
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for header in (tree / "cpp/games").iterdir():
        header.unlink()
    shutil.copy(EXAMPLE / "tictactoe.hpp", tree / "cpp/games")
    shutil.copy(EXAMPLE / "tictactoe.py", tree / "src/spielwerk/render/games")
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DSPIELWERK_STRICT=ON", "-DSPIELWERK_LEVELS=portable"]
    options += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}"]
    options += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
    run(tree, tool("cmake"), "-S", ".", "-B", "build", *options)
    run(tree, tool("cmake"), "--build", "build")
    run(tree, tool("cmake"), "--install", "build", "--prefix", "src")
    return tree


def test_the_example_is_short() -> None:
    assert len((EXAMPLE / "tictactoe.hpp").read_text().splitlines()) <= 120
    assert len((EXAMPLE / "tictactoe.py").read_text().splitlines()) <= 60


def test_it_is_found_and_plays(tree: Path) -> None:
    program = f"""
import spielwerk as sw
assert sw.games() == ["{RULESET}"]
state = sw.make("{RULESET}").start()
for action in "b2 a3 a1 c3 b3 b1 c2".split():
    state.play(action)
print(state, state.to_text(), state.over, sep="\\n")
for wrong in ("b2", "z9"):
    try:
        state.play(wrong)
    except sw.IllegalAction as refusal:
        print(refusal)
state.play("a2")
state.play("c1")
print(state.winner, state.reason, state.returns)
"""
    board = "3 o x o\n2 . x x\n1 x o .\n  a b c\noxo/1xx/xo1\nFalse\n"
    notation = f"'z9' is no action of {RULESET}: write an action as state.text() shows it\n"
    assert python(tree, "-c", program) == board + "b2 is taken\n" + notation + "() draw (0.0, 0.0)\n"


def test_it_obeys_the_laws(tree: Path) -> None:
    said = python(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_laws.py")
    assert " passed" in said and "failed" not in said


def test_batches_agents_and_the_solver_play_it(tree: Path) -> None:
    """Two perfect players draw, and so says the solver; perfect play never loses against random play."""
    program = f"""
import spielwerk as sw
game = sw.make("{RULESET}")
env = sw.vector(game, num_envs=64)
env.reset(seed=0)
for step in range(50):
    env.step(env.greedy_actions(seed=step) if step % 2 else env.random_actions(seed=step))
assert sw.solve(game.start()).verdict == "draw"
pairs = [("alphabeta:depth=9", "solver:ms=2000"), ("alphabeta:depth=9", "random"), ("solver:ms=2000", "greedy")]
for pair in [*pairs, ("expectimax:depth=9", "mcts:sims=2000")]:
    players, state = [sw.agent(spec) for spec in pair], game.start()
    while not state.over:
        state.play(players[state.player].act(state))
    print(pair, state.returns)
    assert state.returns[0] >= 0
"""
    assert python(tree, "-c", program).startswith("('alphabeta:depth=9', 'solver:ms=2000') (0.0, 0.0)\n")


def test_it_is_painted_and_played_in_the_terminal(tree: Path) -> None:
    program = f"""
import spielwerk as sw
state = sw.make("{RULESET}").start()
state.play("b2")
print(state.svg())
"""
    svg = python(tree, "-c", program)
    assert svg.startswith("<svg") and 'id="mark-b2"' in svg and "Noughts to move" in svg
    seats = ["--seat", "solver:ms=500", "--seat", "solver:ms=500"]
    said = python(tree, "-m", "spielwerk", "play", RULESET, "--watch", "--delay", "0", "--lang", "de", *seats)
    assert "Unentschieden" in said
