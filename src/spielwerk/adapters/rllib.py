"""One seat as an environment of RLlib, and all seats as a multi-agent one.

    from spielwerk.adapters import rllib

    rllib.register()
    config = PPOConfig().environment("spielwerk", env_config={"game": "pferdeaepfel/trail", "opponent": "greedy"})

The observation is a dict with ``observations`` (flat, from 0 to 1) and ``action_mask``: the form that RLlib's own
module for action masking reads. ``spielwerk-multi-agent`` has all seats, as RLlib's `PettingZooEnv`.
"""

from typing import Any

import gymnasium
import numpy as np
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from spielwerk.envs.aec import GameEnv
from spielwerk.envs.single_game import game_of
from spielwerk.envs.single_seat import SingleSeat

SINGLE_SEAT = "spielwerk"
MULTI_AGENT = "spielwerk-multi-agent"


def register() -> None:
    """Makes both names known to RLlib; its workers need it, too."""
    register_env(SINGLE_SEAT, single_seat)
    register_env(MULTI_AGENT, multi_agent)


def single_seat(config: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """The environment of an ``env_config``: ``game`` and the other arguments of `SingleSeat`."""
    return MaskedSeat(SingleSeat(**{"observation": "dict-flat", **config}))


def multi_agent(config: dict[str, Any]) -> PettingZooEnv:
    """All seats; ``game``, and rule parameters beside it."""
    rules = dict(config)
    game = rules.pop("game")
    return PettingZooEnv(GameEnv(game_of(game, rules), game, observation="dict-flat"))


class MaskedSeat(gymnasium.ObservationWrapper[Any, Any, Any]):
    """The keys as RLlib's action masking names them, both as float32."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        spaces = env.observation_space.spaces  # type: ignore[attr-defined]
        mask = gymnasium.spaces.Box(0.0, 1.0, spaces["action_mask"].shape, np.float32)
        self.observation_space = gymnasium.spaces.Dict({"observations": spaces["observation"], "action_mask": mask})

    def observation(self, observation: Any) -> Any:
        return {
            "observations": observation["observation"],
            "action_mask": observation["action_mask"].astype(np.float32),
        }
