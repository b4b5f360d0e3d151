"""The kernels as the processor's compiler builds them, warps of fibers, against the batch.

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
from spielwerk.gpu.driver import WARP
from tests.gpu.rulesets import RULES

GAMES_A_WARP = (32, 16, 8, 4)
# With skip_forced or without. The last warp is never full, and a batch can be smaller than any.
BATCHES = ((45, False), (45, True), (3, False))
_ARGUMENTS = _core.gpu_arguments()
_COMPILER = shutil.which(os.environ.get("CXX", "g++"))

pytestmark = pytest.mark.skipif(_COMPILER is None, reason="THE KERNELS DO NOT RUN HERE: there is no g++")


def _unit(family: str, kind: str) -> str:
    player = f"spielwerk::gpu::Player<warp::Watched<{kind}>>"
    kernels = "\n".join(
        f'extern "C" unsigned {name}(const spielwerk::gpu::Arguments* arguments) {{\n'
        f"  warp::asking.clear();\n"
        f"  warp::launch(*arguments, [](const void* given) {{\n"
        f"    {player}(*static_cast<const spielwerk::gpu::Arguments*>(given)).{name}();\n"
        f"  }});\n"
        f"  return warp::asking.size();\n}}"
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
            # A GPU refuses a vector that does not lie on a multiple of its size; here it is a trap.
            trap = ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"]
            flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-ffp-contract=off", *trap, *paths]
            subprocess.run([str(_COMPILER), *flags, str(unit), "-o", str(library)], check=True, timeout=600)
            built[kind] = ctypes.CDLL(str(library))
        return built[kind]

    return of


class Warps:
    """A batch whose steps the kernels make, in the processor's memory."""

    def __init__(self, game: sw.Game, library: ctypes.CDLL, games: int, games_a_warp: int, skip_forced: bool) -> None:
        image = _core.gpu_image(game)
        assert image is not None
        _, rules, _, state_bytes, words = image
        self._library, self._games = library, games
        self._arguments = (ctypes.c_uint64 * len(_ARGUMENTS))()
        seats = game.num_players
        per_game: dict[str, tuple[tuple[int, ...], Any]] = {
            "states": ((state_bytes,), np.uint8),
            "dice": ((), np.uint64),
            "legal": ((words,), np.uint64),
            "observation": (game.observation_shape, np.uint8),
            "mask": ((game.num_actions,), np.uint8),
            "reward": ((seats,), np.float32),
            "terminated": ((), np.bool_),
            "truncated": ((), np.bool_),
            "seat": ((), np.int32),
            "points": ((seats,), np.int32),
            "outlook": ((seats,), np.float32),
            "chosen": ((), np.int32),
            "actions": ((), np.int32),
        }
        self._with_one_more = {name: np.zeros((games + 1, *shape), kind) for name, (shape, kind) in per_game.items()}
        self.arrays: dict[str, NDArray[Any]] = {
            "game": np.frombuffer(rules, np.uint8).copy(),  # its tables are where the game has them
            "refused": np.zeros(2, np.uint64),
            **{name: array[:games] for name, array in self._with_one_more.items()},
        }
        for name, array in self.arrays.items():
            self._set(name, array.ctypes.data)
        self._set("action_bytes", 4)
        self._set("games", games)
        self._set("games_a_warp", games_a_warp)
        self._set("skip_forced", skip_forced)
        self._painters = WARP // games_a_warp if game.name.startswith("diavolo") and int(game.rules["side"]) <= 8 else 1

    def _set(self, name: str, value: int) -> None:
        self._arguments[_ARGUMENTS.index(name)] = value

    def launch(self, kernel: str, seed: int = 0) -> None:
        """Threads that have no game ask no rules, but where they help to paint boards of DiavoloPP up to side 8."""
        self._set("seed", seed)
        asked = self._library[kernel](ctypes.byref(self._arguments))
        asking = {"random_action": 0, "greedy_choice": 1, "evaluate": 1}.get(kernel, self._painters)
        assert asked == asking * self._games

    def reset_with_a_seed_in_memory(self, seed: int) -> None:
        there = np.array([seed], np.int64)
        self._set("seed_at", there.ctypes.data)
        self.launch("reset")
        self._set("seed_at", 0)

    def place(self, index: int, state: sw.State) -> None:
        self.arrays["states"][index] = np.frombuffer(_core.position_bytes(state)[0], np.uint8)
        self._set("placed", index)
        self.launch("place")

    def wrote_behind_the_last_game(self) -> bool:
        return any(array[-1].any() for array in self._with_one_more.values())


def steps_of(rules: dict[str, Any]) -> int:
    """Large boards write byte by byte, and every byte makes all threads of a warp take turns."""
    return 60 if rules.get("side", 0) <= 8 else 6


@pytest.mark.parametrize("games_a_warp", GAMES_A_WARP)
@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_kernels_play_the_games_of_the_batch(
    name: str, rules: dict[str, Any], games_a_warp: int, kernels: Callable[[str, str], ctypes.CDLL]
) -> None:
    game = sw.make(name, **rules)
    image = _core.gpu_image(game)
    assert image is not None
    library = kernels(name.partition("/")[0], image[0])
    for games, skip_forced in BATCHES:
        here = sw.vector(game, games, skip_forced=skip_forced)
        there = Warps(game, library, games, games_a_warp, skip_forced)
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
        for env in (here, there):
            env.place(games - 1, here.state(0))
        agree(here, there, "after place")
        assert not there.arrays["refused"].any()
        assert not there.wrote_behind_the_last_game()


def agree(here: Any, there: Warps, when: str) -> None:
    for name in ("observation", "mask", "reward", "terminated", "truncated", "seat", "points"):
        np.testing.assert_array_equal(there.arrays[name], getattr(here, name), err_msg=f"{name} {when}")


def test_games_begin_by_a_seed_in_memory(kernels: Callable[[str, str], ctypes.CDLL]) -> None:
    game = sw.make("ludo/ffa")
    image = _core.gpu_image(game)
    assert image is not None
    here, there = sw.vector(game, 45), Warps(game, kernels("ludo", image[0]), 45, 32, skip_forced=False)
    here.reset(seed=8)
    there.reset_with_a_seed_in_memory(8)
    agree(here, there, "after reset")


@pytest.mark.parametrize("games_a_warp", GAMES_A_WARP)
def test_a_kernel_leaves_the_game_of_an_illegal_action_untouched(
    games_a_warp: int, kernels: Callable[[str, str], ctypes.CDLL]
) -> None:
    game = sw.make("pferdeaepfel/trail")
    image = _core.gpu_image(game)
    assert image is not None
    there = Warps(game, kernels("pferdeaepfel", image[0]), 45, games_a_warp, skip_forced=False)
    there.launch("reset", 3)
    there.launch("random_action", 3)
    there.arrays["actions"][:] = there.arrays["chosen"]
    there.arrays["actions"][[7, 40]] = 2**30
    before = there.arrays["states"].copy()
    there.launch("step")
    untouched = (there.arrays["states"] == before).all(1)
    assert list(np.flatnonzero(untouched)) == [7, 40]
    assert there.arrays["refused"][0] == 7 + 1
