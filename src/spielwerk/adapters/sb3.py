"""Many games inside the core as one environment of Stable-Baselines3, for MaskablePPO and the like.

from sb3_contrib import MaskablePPO
from spielwerk.adapters.sb3 import SeatVecEnv

model = MaskablePPO("MlpPolicy", SeatVecEnv("pferdeaepfel/trail", num_envs=256))
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from spielwerk.envs.vector_seat import VectorSeat
from spielwerk.games import Game


class SeatVecEnv(VecEnv):
    """A `VectorSeat` with the calls of Stable-Baselines3; the arguments are those of `VectorSeat`.

    Observations are ``flat`` unless said otherwise: Stable-Baselines3 takes planes for images.
    """

    def __init__(self, game: str | Game, num_envs: int, observation: str = "flat", **arguments: Any) -> None:
        self.envs = VectorSeat(game, num_envs, observation=observation, **arguments)
        self.render_mode = None
        self._seed: int | None = None
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> Any:
        """Starts every game again, from the seed that was last given."""
        observation, _ = self.envs.reset(seed=self._seed)
        self._seed = None
        return observation

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Observation, reward, done and infos, with the last observation of the games that ended."""
        observation, rewards, terminated, truncated, info = self.envs.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(terminated | truncated).tolist():
            infos[index] = {
                "terminal_observation": _one_of(info["final_obs"], index),
                "TimeLimit.truncated": bool(truncated[index]),
            }
        return observation, rewards.astype(np.float32), terminated | truncated, infos

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The next reset begins from here."""
        self._seed = seed
        return [seed] * self.num_envs

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **keywords: Any) -> list[Any]:
        """`action_masks`, which sb3-contrib asks for, answers for each game."""
        if method_name != "action_masks":
            raise AttributeError(f"the games inside the core have no method '{method_name}', only action_masks")
        masks = self.envs.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """What all games share."""
        return [getattr(self.envs, attr_name) for _ in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether all games share such a thing."""
        return hasattr(self.envs, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the games have no settings of their own."""
        raise AttributeError(f"'{attr_name}' cannot be set; make another environment")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Never: the games are inside the core."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is left to do."""


def _one_of(observations: Any, index: int) -> Any:
    if isinstance(observations, dict):
        return {name: array[index] for name, array in observations.items()}
    return observations[index]
