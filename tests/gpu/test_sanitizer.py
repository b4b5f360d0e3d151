"""NVIDIA's compute-sanitizer has nothing to say about the kernels. Run by `make test-gpu`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spielwerk.gpu.driver import GpuError, device_count

try:
    _GPUS = device_count()
except GpuError as error:
    pytest.skip(f"THE GPU IS NOT TESTED: {error}", allow_module_level=True)

_SANITIZER = shutil.which("compute-sanitizer", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
_REPOSITORY = Path(__file__).parents[2]
# A GPU would give a warp four of so few games, and a block one warp. Here blocks have up to four, the last one fewer.
_GAMES = """
import sys

import spielwerk as sw
from spielwerk.gpu import vector
from tests.gpu.rulesets import RULES

vector.games_a_warp = lambda games, multiprocessors: int(sys.argv[1])
for name, rules in RULES:
    env = sw.vector(name, 70, device="cuda", skip_forced=True, **rules)
    env.device.multiprocessors = 1
    env.reset(seed=1)
    for step in range(40):
        env.step(env.greedy_actions(seed=step) if step % 10 == 3 else env.random_actions(seed=step))
    env.evaluate()
    env.place(69, env.state(0))
    env.check()
print("played")
"""


@pytest.mark.skipif(_SANITIZER is None, reason="COMPUTE-SANITIZER IS NOT HERE: the kernels' memory is not checked")
@pytest.mark.parametrize("games_a_warp", [32, 4])
@pytest.mark.parametrize("tool", ["memcheck", "racecheck"])
def test_the_kernels_neither_stray_nor_race(tool: str, games_a_warp: int) -> None:
    played = [sys.executable, "-c", _GAMES, str(games_a_warp)]
    command = [str(_SANITIZER), "--tool", tool, "--error-exitcode", "9", *played]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, cwd=_REPOSITORY)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "played" in done.stdout
