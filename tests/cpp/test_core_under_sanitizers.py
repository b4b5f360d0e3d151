"""Builds the core without Python under ASan and UBSan and runs its own tests."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]


def tool(name: str) -> str:
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert found, f"{name} is not installed"
    return found


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_core_under_address_and_undefined_behaviour_sanitizers() -> None:
    build = "build/sanitized"
    options = ["-DSPIELWERK_SANITIZED_TEST=ON", "-DSPIELWERK_STRICT=ON", "-DCMAKE_BUILD_TYPE=Debug"]
    run(tool("cmake"), "-S", ".", "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", *options)
    run(tool("cmake"), "--build", build)
    assert "passed" in run(f"./{build}/core_test")
