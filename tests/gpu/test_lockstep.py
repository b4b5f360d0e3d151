"""Games on a GPU against the same games on the processor, step by step. Run by `make test-gpu`."""

from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.gpu.driver import Device, GpuError, device_count
from spielwerk.gpu.vector import WARPS_A_MULTIPROCESSOR, games_a_warp
from tests.gpu.rulesets import RULES

try:
    _GPUS = device_count()
except GpuError as error:
    pytest.skip(f"THE GPU IS NOT TESTED: {error}", allow_module_level=True)

torch = pytest.importorskip("torch", reason="THE GPU IS NOT TESTED: PyTorch is not installed")

LARGEST = {"side": 30}  # has the kernels of side 17, and fills several times the memory
NAMES = ("observation", "mask", "reward", "terminated", "truncated", "seat", "points")


def games_and_steps(name: str, rules: dict[str, Any]) -> tuple[int, int]:
    """Large boards play fewer games, and all of them to their ends. The last warp is not full."""
    side = rules.get("side", 0)
    return (100_003, 90) if side <= 8 else (400_003 // side**2, 2 * side**2)


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_the_gpu_plays_the_same_games(name: str, rules: dict[str, Any], skip_forced: bool) -> None:
    play_both(name, rules, *games_and_steps(name, rules), skip_forced)


@pytest.mark.parametrize("fewer", [16, 8, 4])
@pytest.mark.parametrize(("name", "rules"), [both for both in RULES if both[1] != LARGEST], ids=str)
def test_small_batches_play_the_same_games(name: str, rules: dict[str, Any], fewer: int) -> None:
    play_both(name, rules, games_for_warps_of(fewer), 30 if rules.get("side", 0) <= 8 else 5, skip_forced=False)


@pytest.mark.parametrize("side", [9, 17])
def test_full_warps_play_the_same_games_on_large_boards(side: int) -> None:
    play_both("diavolo/standard", {"side": side}, games_for_warps_of(32), 5, skip_forced=False)


def games_for_warps_of(size: int) -> int:
    """A batch for which the GPU at hand gives a warp so many games; the last warp is not full."""
    games = size * WARPS_A_MULTIPROCESSOR * Device().multiprocessors + 3
    assert games_a_warp(games, Device().multiprocessors) == size
    return games


def play_both(name: str, rules: dict[str, Any], games: int, steps: int, skip_forced: bool) -> None:
    here = sw.vector(name, games, 16, skip_forced=skip_forced, **rules)
    there = sw.vector(name, games, device="cuda", skip_forced=skip_forced, **rules)
    here.reset(seed=11)
    there.reset(seed=11)
    agree(here, there, "after reset")
    for step in range(steps):
        greedy = step % (7 if steps <= 90 else 70) == 3  # slow on large boards
        actions = there.greedy_actions(seed=step) if greedy else there.random_actions(seed=step)
        own = here.greedy_actions(seed=step) if greedy else here.random_actions(seed=step)
        np.testing.assert_array_equal(actions.cpu().numpy(), own)
        there.step(actions)
        here.step(own)
        agree(here, there, f"after step {step}")
        if step % 10 == 0:
            np.testing.assert_array_equal(there.evaluate().cpu().numpy(), here.evaluate())
    for index in (0, 77, games - 1):
        assert there.state(index) == here.state(index)
    there.check()


def agree(here: Any, there: Any, when: str) -> None:
    for name in NAMES:
        expected = torch.from_numpy(getattr(here, name)).cuda()
        assert torch.equal(getattr(there, name), expected), f"{name} {when}"


def test_an_illegal_action_leaves_its_game_untouched() -> None:
    env = sw.vector("pferdeaepfel/trail", 100, device="cuda")
    env.reset(seed=0)
    actions = env.random_actions(seed=0).clone()
    before = [env.state(5), env.state(6)]
    actions[5] = 2**30
    env.step(actions)
    with pytest.raises(ValueError, match="action out of range is illegal in game 5 of the batch"):
        env.check()
    assert env.state(5) == before[0]
    assert env.state(6) != before[1]
    env.check()


def test_a_position_can_be_placed() -> None:
    game = sw.make("ludo/ffa")
    position = game.from_text("G=0,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0", seed=3)
    here, there = sw.vector(game, 70), sw.vector(game, 70, device="cuda")
    for env in (here, there):
        env.reset(seed=1)
        env.place(69, position, with_dice=True)
    agree(here, there, "after place")
    assert there.state(69) == here.state(69)


def test_games_begin_by_a_seed_on_the_gpu() -> None:
    here, there = sw.vector("ludo/ffa", 70), sw.vector("ludo/ffa", 70, device="cuda")
    here.reset(seed=8)
    there.reset(seed=torch.tensor([8], device="cuda"))
    agree(here, there, "after reset")


def test_steps_can_be_captured_in_a_graph() -> None:
    env = sw.vector("pferdeaepfel/classic", 5000, device="cuda")
    env.reset(seed=4)
    env.step(env.random_actions(seed=0))
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for seed in range(8):
            env.step(env.random_actions(seed=seed))
    graph.replay()
    graph.replay()
    env.check()
    other = sw.vector("pferdeaepfel/classic", 5000)
    other.reset(seed=4)
    for seed in (0, *range(8), *range(8)):
        other.step(other.random_actions(seed=seed))
    agree(other, env, "after two replays")


def test_bad_actions_are_refused_in_one_line() -> None:
    env = sw.vector("pferdeaepfel/trail", 64, device="cuda")
    with pytest.raises(ValueError, match="call reset"):
        env.step(torch.zeros(64, dtype=torch.int32, device="cuda"))
    env.reset(seed=0)
    for actions in (np.zeros(64, np.int32), torch.zeros(64, dtype=torch.int32)):
        with pytest.raises(ValueError, match="array on the GPU"):
            env.step(actions)
    wrong = (torch.zeros(63, dtype=torch.int32), torch.zeros(64), torch.zeros(128, dtype=torch.int64))
    for actions in (wrong[0].cuda(), wrong[1].cuda(), wrong[2].cuda()[::2]):
        with pytest.raises(ValueError, match="contiguous int32 or int64"):
            env.step(actions)
