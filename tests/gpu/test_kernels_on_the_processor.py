"""The kernels as the processor's compiler builds them, a warp of fibers for each 32 games, against the batch.

So the text of the kernels is tested where there is no GPU; what NVIDIA's compiler makes of it is `make test-gpu`'s.
"""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import spielwerk as sw
from spielwerk import _core
from spielwerk.gpu import program
from tests.gpu.rulesets import RULES

GAMES = 45  # the second warp is not full
_ARGUMENTS = _core.gpu_arguments()
_COMPILER = shutil.which(os.environ.get("CXX", "g++"))

pytestmark = pytest.mark.skipif(_COMPILER is None, reason="THE KERNELS DO NOT RUN HERE: there is no g++")


def _unit(family: str, kind: str) -> str:
    kernels = "\n".join(
        f'extern "C" void {name}(const spielwerk::gpu::Arguments* arguments) {{\n'
        f"  warp::launch(*arguments, [](const void* given) {{\n"
        f"    spielwerk::gpu::Player<{kind}>(*static_cast<const spielwerk::gpu::Arguments*>(given)).{name}();\n"
        f"  }});\n}}"
        for name in program.KERNELS
    )
    first = ("course.hpp", f"games/{family}.hpp", "search/greedy.hpp", "gpu/arguments.hpp")
    includes = "\n".join(f'#include "{name}"' for name in (*first, "warp.hpp", "gpu/kernels.cuh"))
    return f"{includes}\n{kernels}\n"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], ctypes.CDLL]:
    """The kernels of a C++ type, built once."""
    folder = tmp_path_factory.mktemp("kernels")
    built: dict[str, ctypes.CDLL] = {}

    def of(family: str, kind: str) -> ctypes.CDLL:
        if kind not in built:
            unit, library = folder / f"{len(built)}.cpp", folder / f"{len(built)}.so"
            unit.write_text(_unit(family, kind))
            paths = [f"-I{program.sources()}", f"-I{Path(__file__).parent}"]
            flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-ffp-contract=off", *paths]
            subprocess.run([str(_COMPILER), *flags, str(unit), "-o", str(library)], check=True, timeout=600)
            built[kind] = ctypes.CDLL(str(library))
        return built[kind]

    return of


class Warps:
    """A batch whose steps the kernels make, in the processor's memory."""

    def __init__(self, game: sw.Game, library: ctypes.CDLL, skip_forced: bool) -> None:
        image = _core.gpu_image(game)
        assert image is not None
        _, rules, _, state_bytes, words = image
        self._library = library
        self._arguments = (ctypes.c_uint64 * len(_ARGUMENTS))()
        seats = game.num_players
        self.arrays: dict[str, NDArray[Any]] = {
            "game": np.frombuffer(rules, np.uint8).copy(),  # its tables are where the game has them
            "states": np.zeros((GAMES, state_bytes), np.uint8),
            "dice": np.zeros(GAMES, np.uint64),
            "legal": np.zeros((GAMES, words), np.uint64),
            "observation": np.zeros((GAMES, *game.observation_shape), np.uint8),
            "mask": np.zeros((GAMES, game.num_actions), np.uint8),
            "reward": np.zeros((GAMES, seats), np.float32),
            "terminated": np.zeros(GAMES, np.bool_),
            "truncated": np.zeros(GAMES, np.bool_),
            "seat": np.zeros(GAMES, np.int32),
            "points": np.zeros((GAMES, seats), np.int32),
            "outlook": np.zeros((GAMES, seats), np.float32),
            "chosen": np.zeros(GAMES, np.int32),
            "actions": np.zeros(GAMES, np.int32),
            "refused": np.zeros(2, np.uint64),
        }
        for name, array in self.arrays.items():
            self._set(name, array.ctypes.data)
        for name, value in (("action_bytes", 4), ("games", GAMES), ("skip_forced", skip_forced)):
            self._set(name, value)

    def _set(self, name: str, value: int) -> None:
        self._arguments[_ARGUMENTS.index(name)] = value

    def launch(self, kernel: str, seed: int = 0) -> None:
        self._set("seed", seed)
        self._library[kernel](ctypes.byref(self._arguments))


def steps_of(rules: dict[str, Any]) -> int:
    """Large boards write byte by byte, and every byte makes all threads of a warp take turns."""
    return 60 if rules.get("side", 0) <= 8 else 6


@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_kernels_play_the_games_of_the_batch(
    name: str, rules: dict[str, Any], kernels: Callable[[str, str], ctypes.CDLL]
) -> None:
    game = sw.make(name, **rules)
    image = _core.gpu_image(game)
    assert image is not None
    library = kernels(name.partition("/")[0], image[0])
    for skip_forced in (False, True):
        here, there = sw.vector(game, GAMES, skip_forced=skip_forced), Warps(game, library, skip_forced)
        here.reset(seed=11)
        there.launch("reset", 11)
        agree(here, there, "after reset")
        for step in range(steps_of(rules)):
            greedy = step % 7 == 3
            actions = here.greedy_actions(seed=step) if greedy else here.random_actions(seed=step)
            there.launch("greedy_choice" if greedy else "random_action", step)
            np.testing.assert_array_equal(there.arrays["chosen"], actions)
            there.arrays["actions"][:] = actions
            here.step(actions)
            there.launch("step")
            agree(here, there, f"after step {step}")
        there.launch("evaluate")
        np.testing.assert_array_equal(there.arrays["outlook"], here.evaluate())
        assert not there.arrays["refused"].any()


def agree(here: Any, there: Warps, when: str) -> None:
    for name in ("observation", "mask", "reward", "terminated", "truncated", "seat", "points"):
        np.testing.assert_array_equal(there.arrays[name], getattr(here, name), err_msg=f"{name} {when}")


def test_a_kernel_leaves_the_game_of_an_illegal_action_untouched(
    kernels: Callable[[str, str], ctypes.CDLL],
) -> None:
    game = sw.make("pferdeaepfel/trail")
    image = _core.gpu_image(game)
    assert image is not None
    there = Warps(game, kernels("pferdeaepfel", image[0]), skip_forced=False)
    there.launch("reset", 3)
    there.launch("random_action", 3)
    there.arrays["actions"][:] = there.arrays["chosen"]
    there.arrays["actions"][[7, 40]] = 2**30
    before = there.arrays["states"].copy()
    there.launch("step")
    untouched = (there.arrays["states"] == before).all(1)
    assert list(np.flatnonzero(untouched)) == [7, 40]
    assert there.arrays["refused"][0] == 7 + 1
