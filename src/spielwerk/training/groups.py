"""Groups of games that a learner plays at once: in the processor's memory, or on the GPU without the host in the loop.

Both kinds draw the learner's seats and the opponents' seeds by the same rule from the same numbers, and the games on
both are equal under a seed. So where the games are played changes the speed of a run and not what happens in it.
"""

import weakref
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spielwerk.batch import VectorEnv
from spielwerk.games import Game, State
from spielwerk.gpu.vector import DeviceVectorEnv
from spielwerk.training.players import Player
from spielwerk.training.snapshot import games_facts, restore_games

Seen = tuple[Tensor, Tensor, Tensor, Tensor]  # planes, masks, seats, and where the learner acts
Gained = tuple[Tensor, Tensor, Tensor]  # rewards and points of every seat, and which games ended

_GOLDEN = 0x9E3779B97F4A7C15 - 2**64
_FACTORS = (0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64)


def mixed(numbers: Tensor) -> Tensor:
    """SplitMix64's finaliser: int64 to int64, neighbours to strangers, on every device the same."""
    for shift, factor in zip((30, 27), _FACTORS, strict=True):
        numbers = (numbers ^ _shifted(numbers, shift)) * factor
    return numbers ^ _shifted(numbers, 31)


def _shifted(numbers: Tensor, places: int) -> Tensor:
    """To the right, zeros following."""
    return (numbers >> places) & ((1 << (64 - places)) - 1)


class Group(ABC):
    """Some of the games: who learns in them against whom. `opponent` is None where networks play the other seats."""

    env: Any

    def __init__(self, game: Game, rows: slice, device: torch.device, opponent: str | None, seed: int) -> None:
        self.rows, self.opponent = rows, opponent
        self._players = game.num_players
        self._clock = torch.zeros((), dtype=torch.long, device=device)  # steps so far
        self._seed = torch.tensor(seed ^ hash_of_rows(rows), dtype=torch.long, device=device)
        self._numbers = torch.arange(1, len(self) + 1, device=device) * _GOLDEN
        self.seats = torch.zeros(len(self), dtype=torch.long, device=device)
        self._lengths = torch.zeros(len(self), device=device)  # decisions so far in each game
        # Of games that ended: the learner's returns, their decisions, and their number.
        self.totals = torch.zeros(3, device=device)

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)

    def begin(self, seed: int) -> None:
        """Starts all games."""
        self.env.reset(seed=seed)
        self.plan(1)
        self.seats.copy_(self._next_seats[0])

    def plan(self, steps: int) -> None:
        """Draws what chance decides in the steps to come: the opponents' seeds, and the seats in games that follow."""
        clocks = 2 * (self._clock + torch.arange(steps, device=self._clock.device))
        self._seeds = _shifted(mixed(self._seed + clocks * _GOLDEN), 1)
        drawn = mixed(mixed(self._seed + (clocks + 1) * _GOLDEN)[:, None] + self._numbers)
        self._next_seats = _shifted(drawn, 32) * self._players >> 32
        self._clock += steps
        self._step = 0

    @abstractmethod
    def seen(self, everywhere: bool) -> Seen:
        """What the seats to act see; with `everywhere` the learner acts for all of them."""

    @abstractmethod
    def receive(self, actions: Tensor) -> None:
        """Takes the network's actions, which may still be on their way."""

    @abstractmethod
    def step(self, guide: Tensor | None) -> Gained:
        """Plays them where the learner sits, or everywhere, and the opponent's elsewhere; `plan` comes before.

        `guide` times what a seat's outlook gained is added to its reward (potential-based shaping): the gains of a
        game add up to nothing that its players could influence, so they only tell sooner.
        """

    def facts(self) -> dict[str, Any]:
        """Games in progress, for `restore`."""
        facts = games_facts(self._states(), self.seats.tolist(), int(self._clock))
        return facts | {"lengths": self._lengths.long().tolist()}

    def restore(self, facts: dict[str, Any]) -> None:
        """ValueError when they are not of these games."""
        self._place(restore_games(self.env.game, len(self), facts))
        self.seats.copy_(torch.tensor(facts["seats"]))
        self._clock.fill_(facts.get("clock", 0))
        self._lengths.copy_(torch.tensor(facts.get("lengths", [0] * len(self))))

    @abstractmethod
    def _states(self) -> list[State]: ...

    @abstractmethod
    def _place(self, states: list[State]) -> None: ...

    def _pass_step(self, done: Tensor, reward: Tensor) -> None:
        """Counts what ended, and gives the learner its seats in the games that follow."""
        own = reward.gather(1, self.seats[:, None])[:, 0]
        self._lengths += 1
        self.totals += (torch.stack([own, self._lengths, torch.ones_like(own)]) * done).sum(1)
        self._lengths *= ~done
        self.seats.copy_(torch.where(done, self._next_seats[self._step], self.seats))
        self._step += 1


class HostGames(Group):
    """Games in the processor's memory; while the device thinks about one group, the processor steps the next."""

    def __init__(
        self, game: Game, rows: slice, threads: int, device: torch.device, opponent: str | None, player: Player | None,
        seed: int,
    ) -> None:  # fmt: skip
        super().__init__(game, rows, torch.device("cpu"), opponent, seed)
        self.env: VectorEnv = VectorEnv(game, len(self), threads, skip_forced=True)
        self._player = player
        on_gpu = device.type == "cuda"
        self._actions = torch.zeros(len(self), dtype=torch.long, pin_memory=on_gpu)
        self._arrival = torch.cuda.Event() if on_gpu else None  # type: ignore[no-untyped-call]
        if on_gpu:
            _pin(self.env)
        self._seen = [torch.from_numpy(array) for array in (self.env.observation, self.env.mask, self.env.seat)]
        self._reward, self._points = torch.from_numpy(self.env.reward), torch.from_numpy(self.env.points)

    def seen(self, everywhere: bool) -> Seen:
        planes, masks, seats = self._seen
        return planes, masks, seats, torch.ones(len(self), dtype=torch.bool) if everywhere else seats == self.seats

    def receive(self, actions: Tensor) -> None:
        self._actions.copy_(actions, non_blocking=True)
        if self._arrival is not None:
            self._arrival.record()

    def step(self, guide: Tensor | None) -> Gained:
        if self._arrival is not None:
            self._arrival.synchronize()
        actions = self._actions.numpy()
        if self._player is not None:
            mine = self.env.seat == self.seats.numpy()
            theirs = self._player(self.env, ~mine, int(self._seeds[self._step]))
            actions = np.where(mine, actions, theirs).astype(np.int64, copy=False)
        before = None if guide is None else torch.from_numpy(self.env.evaluate().copy())
        self.env.step(actions)
        done = torch.from_numpy(self.env.terminated | self.env.truncated)
        self._pass_step(done, self._reward)
        return _guided(self._reward, done, before, self.env, guide), self._points, done

    def _states(self) -> list[State]:
        return [self.env.state(row) for row in range(len(self))]

    def _place(self, states: list[State]) -> None:
        for row, state in enumerate(states):
            self.env.place(row, state, with_dice=True)


class DeviceGames(Group):
    """Games on the GPU. Nothing here waits, so whole rollouts can be captured in a CUDA graph."""

    OPPONENTS = ("random", "greedy")

    def __init__(self, game: Game, rows: slice, device: torch.device, opponent: str | None, seed: int) -> None:
        super().__init__(game, rows, device, opponent, seed)
        self.env: DeviceVectorEnv = DeviceVectorEnv(game, len(self), str(device), skip_forced=True)
        self._actions = torch.zeros(len(self), dtype=torch.long, device=device)

    def seen(self, everywhere: bool) -> Seen:
        learns = torch.ones_like(self.env.terminated) if everywhere else self.env.seat == self.seats
        return self.env.observation, self.env.mask, self.env.seat, learns

    def receive(self, actions: Tensor) -> None:
        self._actions.copy_(actions)

    def step(self, guide: Tensor | None) -> Gained:
        if self.opponent is not None:
            choose = self.env.random_actions if self.opponent == "random" else self.env.greedy_actions
            theirs = choose(self._seeds[self._step])
            self._actions.copy_(torch.where(self.env.seat == self.seats, self._actions, theirs.long()))
        before = None if guide is None else self.env.evaluate().clone()
        self.env.step(self._actions)
        done = self.env.terminated | self.env.truncated
        self._pass_step(done, self.env.reward)
        return _guided(self.env.reward, done, before, self.env, guide), self.env.points, done

    def _states(self) -> list[State]:
        return self.env.states()

    def _place(self, states: list[State]) -> None:
        self.env.place_all(states)


def hash_of_rows(rows: slice) -> int:
    """So that groups draw different numbers."""
    return int(mixed(torch.tensor(int(rows.start) + 1))) if rows.start else 0


def _guided(reward: Tensor, done: Tensor, before: Tensor | None, env: Any, guide: Tensor | None) -> Tensor:
    if before is None or guide is None:
        return reward
    after = torch.where(done[:, None], 0.0, torch.as_tensor(env.evaluate()))
    return reward + guide.to(reward.device) * (after - before)


def _pin(env: VectorEnv) -> None:
    """Lets the GPU read the core's own memory, without a copy in between, for as long as `env` lives."""
    runtime = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    for array in (env.observation, env.mask, env.seat, env.reward, env.points):
        address = array.ctypes.data
        torch.cuda.check_error(int(runtime.cudaHostRegister(address, array.nbytes, 0)))
        weakref.finalize(env, runtime.cudaHostUnregister, address)
