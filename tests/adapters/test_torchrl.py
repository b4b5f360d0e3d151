"""Our games inside TorchRL: its checker, the mask, its PPO."""

from collections.abc import Callable
from typing import Any

import pytest

torchrl: Any = pytest.importorskip("torchrl", reason="TORCHRL IS NOT TESTED: make test-adapters installs it")
pytestmark = pytest.mark.filterwarnings("default")

from torchrl.envs import GymEnv  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

import spielwerk.envs  # noqa: E402, F401
from spielwerk.adapters.torchrl import masked_env  # noqa: E402


@pytest.mark.parametrize("form", ["planes", "float", "flat", "dict", "dict-flat"])
def test_gym_env_takes_the_registered_name(form: str) -> None:
    check_env_specs(GymEnv("spielwerk/pferdeaepfel-trail-v0", observation=form))


@pytest.mark.parametrize("ruleset", ["pferdeaepfel/trail", "ludo/ffa", "diavolo/standard"])
def test_random_play_is_legal_with_the_mask(ruleset: str) -> None:
    env = masked_env(ruleset, illegal="raise")
    check_env_specs(env)
    env.set_seed(1)
    env.rollout(300, break_when_any_done=False)  # an illegal action would raise


def test_ppo_learns(example: Callable[..., str]) -> None:
    assert "iteration 1: mean return" in example("torchrl_ppo.py", "2", "200")
