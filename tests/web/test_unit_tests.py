"""The page's own unit tests, run with the rest."""

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.build_page import node_environment

WEB = Path(__file__).parents[2] / "web"


def test_the_unit_tests_of_the_page_pass() -> None:
    environment = node_environment()
    npm = shutil.which("npm", path=environment["PATH"])
    if npm is None or not (WEB / "node_modules").is_dir():
        pytest.fail("the page's tools are missing: run `make page`")
    done = subprocess.run([npm, "test"], cwd=WEB, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
