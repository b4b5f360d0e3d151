"""One seat as an environment of TorchRL, with illegal actions masked.

    from spielwerk.adapters.torchrl import masked_env

    env = masked_env("pferdeaepfel/trail", opponent="greedy")
    env.rollout(100)

`GymEnv("spielwerk.envs:spielwerk/…")` works as well; this one puts the mask where TorchRL's policies look for it.
"""

from typing import Any

import torch
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, TransformedEnv

from spielwerk.envs.single_seat import SingleSeat
from spielwerk.games import Game


def masked_env(game: str | Game, observation: str = "dict-float", **arguments: Any) -> TransformedEnv:
    """Keys ``observation`` and ``action_mask`` (bool), actions as numbers; `arguments` are those of `SingleSeat`."""
    if not observation.startswith("dict"):
        raise ValueError("observation must be one of dict, dict-float, dict-flat: TorchRL needs the mask in it")
    env = GymWrapper(SingleSeat(game, observation=observation, **arguments), categorical_action_encoding=True)
    as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(env, Compose(as_bool, ActionMask()))
