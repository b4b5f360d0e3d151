"""One seat in each of many games as a Gymnasium vector environment, with the opponents inside it."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from spielwerk.batch import VectorEnv as Batch
from spielwerk.envs.network_opponent import GamesAgainstNetwork
from spielwerk.envs.single_game import ANSWERS_TO_ILLEGAL, Rule, game_of
from spielwerk.envs.spaces import MASK_TYPE, View, actions_of
from spielwerk.games import Game

OPPONENTS = ("random", "greedy", "self", "network:MODEL")
_NETWORK = "network"
_ANY_SEAT = -1


class VectorSeat(VectorEnv[Any, Any, Any]):
    """`num_envs` games; each step is one decision of the caller's seat in every game.

    `opponent` plays the other seats: ``random`` or ``greedy`` inside the core, or a network as in
    ``network:pferdeaepfel/trail``, which is asked about all games at once. With ``self`` the caller plays all of
    them, each step for the seat whose turn it is. Other agents sit in the single-seat environments, which
    ``gymnasium.make_vec(…, vectorization_mode="sync")`` puts side by side. `seat` is a number or ``"random"``.

    Games restart in the same step (`AutoresetMode.SAME_STEP`): observation and mask already show the next game, and the
    info has ``final_obs`` and ``final_info`` of those that ended, where ``_final_obs`` is true. Rewards are those of
    the seat that acted. With ``self`` a seat does not see how others end the game: ``final_info["returns"]`` has the
    returns of all seats.

    An illegal action loses its game, with reward -1; with ``illegal="raise"`` it refuses the whole step. With
    ``copy=False`` observations and masks are views that the next step overwrites.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        seat: int | str = 0,
        opponent: str = "random",
        illegal: str = "lose",
        observation: str = "planes",
        threads: int = 1,
        skip_forced: bool = False,
        copy: bool = True,
        render_mode: None = None,
        **rules: Rule,
    ) -> None:
        self.game = game_of(game, rules)
        _check_choices(opponent, illegal, render_mode)
        self.num_envs = num_envs
        self.render_mode = None
        self._view = View(self.game, observation)
        self._copy = copy
        self.single_observation_space = self._view.space()
        self.single_action_space = actions_of(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        own, loses = _seat_number(self.game, seat), illegal == "lose"
        self._batch: Batch | GamesAgainstNetwork
        if _is_network(opponent):
            self._batch = GamesAgainstNetwork(self.game, num_envs, opponent, own, skip_forced, loses)
        else:
            self._batch = Batch(
                self.game,
                num_envs,
                threads,
                skip_forced,
                opponent="none" if opponent == "self" else opponent,
                seat=own,
                illegal_loses=loses,
                keep_final=True,
            )

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts every game again; one seed stands for all of them."""
        if isinstance(seed, list):
            raise ValueError("seed must be one whole number or None: each game's own seed follows from it")
        super().reset(seed=seed)
        self._batch.reset(int(self.np_random.integers(2**63)) if seed is None else seed)
        return self._observation(), self._info()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action per game."""
        acting = self._batch.seat.copy()
        batch = self._batch
        batch.step(np.ascontiguousarray(actions, np.int64))
        rewards = batch.reward[np.arange(self.num_envs), acting].astype(np.float64)
        ended = batch.terminated | batch.truncated
        info = self._info()
        if ended.any():
            info |= self._final(ended)
        return self._observation(), rewards, batch.terminated.copy(), batch.truncated.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [num_envs, num_actions]: where the seats may act now."""
        return self._batch.mask.view(np.bool_).copy()

    def random_actions(self, seed: int | None = None) -> NDArray[np.int32]:
        """A random legal action for every game, drawn by the core."""
        return self._batch.random_actions(seed)

    def _observation(self) -> Any:
        mask = self._batch.mask.view(MASK_TYPE)
        return self._view.shown(self._kept(self._batch.observation), self._kept(mask) if self._view.has_mask else mask)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._kept(self._batch.mask.view(MASK_TYPE)), "seat": self._batch.seat.copy()}

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What the ended games looked like; after the end nothing is forbidden, so their masks are all ones.

        Rows of games that go on stay zero and untouched: few games end in a step, and memory that nobody writes to
        costs nothing.
        """
        batch = self._batch
        planes, masks = np.zeros_like(batch.observation), np.zeros_like(batch.mask, MASK_TYPE)
        planes[ended], masks[ended] = batch.final_observation[ended], 1
        final_info = {"action_mask": masks, "returns": batch.reward.copy(), "points": batch.points.copy()}
        final = self._view.shown(planes, masks)
        return {"final_obs": final, "_final_obs": ended, "final_info": final_info, "_final_info": ended}

    def _kept(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


def _check_choices(opponent: object, illegal: object, render_mode: object) -> None:
    if opponent not in OPPONENTS and not _is_network(opponent):
        raise ValueError(
            f"opponent must be one of {', '.join(OPPONENTS)} here, not {opponent!r}; "
            "make_vec(…, vectorization_mode='sync') takes every agent"
        )
    if illegal not in ANSWERS_TO_ILLEGAL:
        raise ValueError(f"illegal must be one of {', '.join(ANSWERS_TO_ILLEGAL)}, not {illegal!r}")
    if render_mode is not None:
        raise ValueError("many games at once are not rendered; make one with gymnasium.make")


def _is_network(opponent: object) -> bool:
    return isinstance(opponent, str) and opponent.partition(":")[0] == _NETWORK


def _seat_number(game: Game, seat: object) -> int:
    if seat == "random":
        return _ANY_SEAT
    if not isinstance(seat, int | np.integer) or seat not in range(game.num_players):
        raise ValueError(f"seat must be from 0 to {game.num_players - 1} or 'random', not {seat!r}")
    return int(seat)
