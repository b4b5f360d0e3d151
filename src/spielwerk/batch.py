"""Many games stepped at once, straight into NumPy views of the core's memory."""

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from spielwerk import _core
from spielwerk.games import Game, State, make

if TYPE_CHECKING:
    from spielwerk.gpu.vector import DeviceVectorEnv

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]


class VectorEnv:
    """A batch of games of one ruleset.

    The arrays that `reset` and `step` return are the same objects every time, overwritten in place by the next
    call: copy what must outlast it. Results depend on the seed alone, never on the number of threads.

    Shapes, with n games: observation ``[n, planes, height, width]`` uint8, mask ``[n, num_actions]`` uint8,
    reward ``[n, seats]`` float32, terminated and truncated ``[n]`` bool, seat ``[n]`` int32; beside them points
    ``[n, seats]`` int32, those of the last game that ended there.
    """

    def __init__(
        self, game: Game, num_envs: int, threads: int = 1, skip_forced: bool = False, **further_options: Any
    ) -> None:
        self.game = game
        self.num_envs = num_envs
        self.threads = threads
        self.skip_forced = skip_forced
        self._further_options = further_options
        self._batch = _core.batch(game, num_envs, threads, skip_forced, **further_options)
        self.observation: Bytes = self._batch.observation
        self.mask: Bytes = self._batch.mask
        self.reward: NDArray[np.float32] = self._batch.reward
        self.terminated: Flags = self._batch.terminated
        self.truncated: Flags = self._batch.truncated
        self.points: NDArray[np.int32] = self._batch.points
        self.seat: NDArray[np.int32] = self._batch.seat
        self._outlook: NDArray[np.float32] = self._batch.outlook
        self._chosen: NDArray[np.int32] = self._batch.chosen
        self._started = False

    def reset(self, seed: int | None = None) -> tuple[Bytes, Bytes, NDArray[np.int32]]:
        """Starts every game from its beginning: observation, mask, seat.

        Game i is the one that ``game.start(seed=game_seed(seed, i))`` begins; when it ends, the next game in its place
        goes on with its random numbers. `random_actions` and `greedy_actions` never share numbers with the dice, so
        they may be given the same seed.
        """
        self._batch.reset(seed)
        self._started = True
        return self.observation, self.mask, self.seat

    def step(
        self, actions: NDArray[np.int32] | NDArray[np.int64]
    ) -> tuple[Bytes, Bytes, NDArray[np.float32], Flags, Flags, NDArray[np.int32]]:
        """One action per game: observation, mask, reward, terminated, truncated, seat.

        A game that ends pays its returns to every seat in `reward`, and the next one starts in the same step, so that
        observation, mask and seat already show the new game. One illegal action refuses the whole call.
        """
        self._require_reset()
        self._batch.step(actions)
        return self.observation, self.mask, self.reward, self.terminated, self.truncated, self.seat

    def random_actions(self, seed: int | None = None) -> NDArray[np.int32]:
        """A uniformly random legal action for every game, a function of the seed and the positions."""
        self._require_reset()
        self._batch.random_actions(seed)
        return self._chosen

    def greedy_actions(self, seed: int | None = None) -> NDArray[np.int32]:
        """What the agent `greedy` would play in every game; ties fall by the seed."""
        self._require_reset()
        self._batch.greedy_actions(seed)
        return self._chosen

    def evaluate(self) -> NDArray[np.float32]:
        """What every seat of every game can expect by the game's heuristic, ``[n, seats]`` from -1 to 1."""
        self._require_reset()
        self._batch.evaluate()
        return self._outlook

    @property
    def final_observation(self) -> Bytes:
        """Of the last game that ended in each place, for batches that keep them."""
        return self._batch.final_observation

    def state(self, index: int) -> State:
        """A copy of one game's position; it continues with the same dice as the game."""
        self._require_reset()
        return self._batch.state(index)

    def place(self, index: int, state: State, *, with_dice: bool = False) -> None:
        """Puts one game into a position, for varied starts; its arrays follow at once.

        The game goes on with its own dice, or `with_dice` with those of the state.
        """
        self._require_reset()
        self._batch.place(index, state, with_dice)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies hold every position with its dice to come and the results of the last step."""
        options = (self.game, self.num_envs, self.threads, self.skip_forced, self._further_options)
        if not self._started:
            return _restored, (*options, None, ())
        positions = [self._batch.state(index) for index in range(self.num_envs)]
        return _restored, (*options, positions, tuple(array.copy() for array in self._results()))

    def _results(self) -> tuple[NDArray[Any], ...]:
        """What a step leaves behind beside the positions."""
        return self.reward, self.terminated, self.truncated, self.points

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f"<VectorEnv of {self.num_envs} × {self.game.name}, threads={self.threads}>"

    def _require_reset(self) -> None:
        if not self._started:
            raise ValueError("call reset() before stepping")


@overload
def vector(
    game: str | Game,
    num_envs: int,
    threads: int = 1,
    *,
    device: Literal["cpu"] = "cpu",
    skip_forced: bool = False,
    **rules: Any,
) -> VectorEnv: ...
@overload
def vector(
    game: str | Game, num_envs: int, threads: int = 1, *, device: str, skip_forced: bool = False, **rules: Any
) -> "DeviceVectorEnv": ...
def vector(
    game: str | Game, num_envs: int, threads: int = 1, *, device: str = "cpu", skip_forced: bool = False, **rules: Any
) -> "VectorEnv | DeviceVectorEnv":
    """A batched environment of `num_envs` games, in the processor's memory or, with device="cuda", on a GPU.

    `skip_forced` plays decisions with a single legal action at once, which changes no outcome.
    """
    if isinstance(game, str):
        game = make(game, **rules)
    elif rules:
        raise ValueError("give rule parameters with the ruleset's name, not with a Game")
    if device == "cpu":
        return VectorEnv(game, num_envs, threads, skip_forced)
    from spielwerk.gpu.vector import DeviceVectorEnv

    return DeviceVectorEnv(game, num_envs, device, skip_forced)


def _restored(
    game: Game,
    num_envs: int,
    threads: int,
    skip_forced: bool,
    further_options: dict[str, Any],
    positions: list[State] | None,
    results: tuple[NDArray[Any], ...],
) -> VectorEnv:
    env = VectorEnv(game, num_envs, threads, skip_forced, **further_options)
    if positions is None:
        return env
    env.reset(seed=0)
    for index, state in enumerate(positions):
        env.place(index, state, with_dice=True)
    for array, kept in zip(env._results(), results, strict=True):
        array[...] = kept
    return env
