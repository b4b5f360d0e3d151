"""Builds the core without Python under ASan and UBSan and runs its own tests."""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tool(name: str) -> str:
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert found, f"{name} is not installed"
    return found


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def build() -> str:
    """The folder of the sanitized programs."""
    build = "build/sanitized"
    options = ["-DSPIELWERK_SANITIZED_TEST=ON", "-DSPIELWERK_STRICT=ON", "-DCMAKE_BUILD_TYPE=Debug"]
    run(tool("cmake"), "-S", ".", "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", *options)
    run(tool("cmake"), "--build", build)
    return build


def test_core_under_address_and_undefined_behaviour_sanitizers(build: str) -> None:
    assert "passed" in run(f"./{build}/core_test")


def test_what_diavolo_foresees_is_what_playing_everything_out_leads_to(build: str) -> None:
    assert "passed" in run(f"./{build}/win_bounds_test")


def test_boards_of_one_word_and_of_many_play_alike(build: str) -> None:
    assert "passed" in run(f"./{build}/board_words_test")


def test_texts_are_read_or_refused_under_sanitizers(build: str) -> None:
    """`make fuzz` asks for more of them."""
    inputs = os.environ.get("SPIELWERK_FUZZ_TEXTS", "20000")
    compiler = re.search("^CMAKE_CXX_COMPILER:.*$", (ROOT / build / "CMakeCache.txt").read_text(), re.MULTILINE)
    by_libfuzzer = compiler is not None and "clang" in compiler[0]
    run(f"./{build}/fuzz_texts", f"-runs={inputs}" if by_libfuzzer else inputs)
