"""One seat as an environment of TorchRL, with illegal actions masked.

    from spielwerk.adapters.torchrl import masked_env

    env = masked_env("pferdeaepfel/trail", opponent="greedy")
    env.rollout(100)

`GymEnv("spielwerk.envs:spielwerk/…")` works as well; this one puts the mask where TorchRL's policies look for it.
"""

from typing import Any

from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

from spielwerk.envs.single_seat import SingleSeat
from spielwerk.games import Game


def masked_env(game: str | Game, observation: str = "dict-float", **arguments: Any) -> TransformedEnv:
    """Keys ``observation`` and ``action_mask`` (bool), actions as numbers; `arguments` are those of `SingleSeat`."""
    env = GymWrapper(_BoolMask(game, observation=observation, **arguments), categorical_action_encoding=True)
    return TransformedEnv(env, ActionMask())


class _BoolMask(SingleSeat):
    """TorchRL masks with booleans, Gymnasium samples with int8."""

    def __init__(self, game: str | Game, **arguments: Any) -> None:
        from gymnasium.spaces import Dict, MultiBinary

        super().__init__(game, **arguments)
        if not isinstance(self.observation_space, Dict):
            raise ValueError("observation must be one of dict, dict-float, dict-flat: TorchRL needs the mask in it")
        self.observation_space.spaces["action_mask"] = MultiBinary(self.game.num_actions)
