"""Our games inside RLlib: its checkers, its PPO with action masking."""

from collections.abc import Callable
from typing import Any

import pytest

ray: Any = pytest.importorskip("ray.rllib", reason="RLLIB IS NOT TESTED: make test-adapters installs it")
pytestmark = pytest.mark.filterwarnings("default")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402

from spielwerk.adapters import rllib  # noqa: E402


@pytest.mark.parametrize("game", ["pferdeaepfel/trail", "ludo/ffa", "diavolo/standard"])
def test_rllibs_checker_takes_all_seats(game: str) -> None:
    check_multiagent_environments(rllib.multi_agent({"game": game}))


def test_one_seat_passes_gymnasiums_checker() -> None:
    check_env(rllib.single_seat({"game": "ludo/ffa"}), skip_render_check=True)


def test_ppo_trains(example: Callable[..., str]) -> None:
    assert "iteration 0: mean return" in example("rllib_ppo.py", "1", "500")
