"""Many games stepped at once on a GPU; the twin of `spielwerk.batch`, game for game the same under a seed."""

from __future__ import annotations

import ctypes
import operator
import secrets
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from spielwerk import _core
from spielwerk.games import Game, State
from spielwerk.gpu.driver import WARP, Device, Memory, Module, launch
from spielwerk.gpu.program import ptx_of

_ARGUMENTS = _core.gpu_arguments()
WARPS_A_MULTIPROCESSOR = 8  # enough for some to work while others wait for memory
_FEWEST_GAMES_A_WARP = 4  # with fewer, steps took longer


class DeviceArray:
    """Memory of a GPU with a shape, as `__cuda_array_interface__` tells it to PyTorch, CuPy, JAX and Numba."""

    def __init__(self, device: Device, shape: tuple[int, ...], kind: str) -> None:
        self.shape, self.dtype = shape, np.dtype(kind)
        self.memory = Memory(device, int(np.prod(shape)) * self.dtype.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.address, False),
            "strides": None,
            "version": 3,
        }

    def numpy(self) -> Any:
        """A copy in the host's memory, once all that was begun on the GPU is done."""
        return np.frombuffer(self.memory.read(self.memory.size), self.dtype).reshape(self.shape).copy()


class DeviceVectorEnv:
    """A batch of games of one ruleset on a GPU.

    Names, shapes and seeds are those of the VectorEnv on the processor, and so are the games. The arrays are PyTorch
    tensors where PyTorch is installed, else objects with `__cuda_array_interface__`. Nothing waits for the host: every
    call runs on the current stream of PyTorch or CuPy and can be captured in a CUDA graph. An illegal action leaves
    its game as it was; the first one is raised by the next call that waits anyway: `check`, `state`, `place`, `reset`.
    """

    def __init__(self, game: Game, num_envs: int, device: str = "cuda", skip_forced: bool = False) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        family = game.name.partition("/")[0].replace("-", "_")
        image = _core.gpu_image(game)
        if image is None:
            raise ValueError(f"{game!r} does not play on a GPU yet")
        self.game, self.num_envs, self.skip_forced = game, num_envs, skip_forced
        self.device = Device(device_number(device))
        kind, rules, tables, self._state_bytes, self._mask_words = image
        self._module = Module(self.device, ptx_of(family, kind))
        self._tables: list[Memory] = []
        self._arguments = (ctypes.c_uint64 * len(_ARGUMENTS))()
        self._games_a_warp = games_a_warp(num_envs, self.device.multiprocessors)
        self._set("games", num_envs)
        self._set("games_a_warp", self._games_a_warp)
        self._set("skip_forced", skip_forced)
        self._rules = self._rules_on_device(rules, tables)
        self._set("game", self._rules.address)
        self._allocate()
        self._started = False

    def reset(self, seed: Any = None) -> tuple[Any, Any, Any]:
        """Starts every game: observation, mask, seat. The seed may lie on the GPU, as in `random_actions`."""
        self.check()
        self._launch("reset", seed)
        self._started = True
        return self.observation, self.mask, self.seat

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """One action per game, a CUDA array of int32 or int64: observation, mask, reward, terminated, truncated, seat.

        A game that ends pays its returns to every seat in `reward` and starts again in the same step.
        """
        self._require_reset()
        address, size = self._read_actions(actions)
        self._set("actions", address)
        self._set("action_bytes", size)
        self._launch("step")
        return self.observation, self.mask, self.reward, self.terminated, self.truncated, self.seat

    def random_actions(self, seed: Any = None) -> Any:
        """A uniformly random legal action for every game, a function of the seed and the positions.

        The seed may be a CUDA tensor with one int64, which is read when the kernel runs: a captured graph then draws
        other numbers at every replay.
        """
        self._require_reset()
        self._launch("random_action", seed)
        return self._chosen

    def greedy_actions(self, seed: Any = None) -> Any:
        """What the agent `greedy` would play in every game; ties fall by the seed, as in `random_actions`."""
        self._require_reset()
        self._launch("greedy_choice", seed)
        return self._chosen

    def evaluate(self) -> Any:
        """What every seat of every game can expect by the game's heuristic, ``[n, seats]`` from -1 to 1."""
        self._require_reset()
        self._launch("evaluate")
        return self._outlook

    def state(self, index: int) -> State:
        """A copy of one game's position; it continues with the same dice as the game."""
        self._require_reset()
        self.check()
        self._check_index(index)
        position = self._memory["states"].read(self._state_bytes, index * self._state_bytes)
        dice = int.from_bytes(self._memory["dice"].read(8, 8 * index), sys.byteorder)
        return _core.position_from_bytes(self.game, position, dice)

    def states(self) -> list[State]:
        """Copies of all positions, as `state` makes one."""
        self._require_reset()
        self.check()
        size, positions = self._state_bytes, self._memory["states"].read(self.num_envs * self._state_bytes)
        dice = np.frombuffer(self._memory["dice"].read(8 * self.num_envs), np.uint64)
        return [
            _core.position_from_bytes(self.game, positions[size * index : size * (index + 1)], int(dice[index]))
            for index in range(self.num_envs)
        ]

    def place_all(self, states: Sequence[State]) -> None:
        """Puts every game into a position in which a caller's decision is due, with the dice of the state."""
        self._require_reset()
        self.check()
        if len(states) != self.num_envs or any(state.game != self.game or state.over for state in states):
            raise ValueError(f"a batch of {self.num_envs} × {self.game!r} takes as many running games of it")
        images = [_core.position_bytes(state) for state in states]
        self._memory["states"].write(b"".join(position for position, _ in images))
        self._memory["dice"].write(np.array([dice for _, dice in images], np.uint64).tobytes())
        self._set("placed", -1)
        self._launch("place")

    def place(self, index: int, state: State, *, with_dice: bool = False) -> None:
        """Puts one game into a position, for varied starts; it keeps its own dice unless `with_dice`."""
        self._require_reset()
        self.check()
        self._check_index(index)
        if state.game != self.game:
            raise ValueError(f"the state is of {state.game!r}, the batch of {self.game!r}")
        position, dice = _core.position_bytes(state)
        self._memory["states"].write(position, index * self._state_bytes)
        if with_dice:
            self._memory["dice"].write(dice.to_bytes(8, sys.byteorder), 8 * index)
        self._set("placed", index)
        self._launch("place")

    def check(self) -> None:
        """Waits for the GPU; ValueError names the first illegal action since the last check."""
        refused = np.frombuffer(self._memory["refused"].read(16), np.int64)
        if refused[0]:
            self._memory["refused"].write(bytes(16))
            raise ValueError(
                f"action {self._shown(refused[1])} is illegal in game {refused[0] - 1} of the batch;"
                " that game was not stepped"
            )

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f'<DeviceVectorEnv of {self.num_envs} × {self.game.name} on "cuda:{self.device.ordinal}">'

    # Memory

    def _allocate(self) -> None:
        games, seats = self.num_envs, self.game.num_players
        self._memory = {
            name: self._field(name, size)
            for name, size in (
                ("states", games * self._state_bytes),
                ("dice", 8 * games),
                ("legal", 8 * games * self._mask_words),
                ("refused", 16),
            )
        }
        self.observation = self._array("observation", (games, *self.game.observation_shape), "u1")
        self.mask = self._array("mask", (games, self.game.num_actions), "u1")
        self.reward = self._array("reward", (games, seats), "f4")
        self.terminated = self._array("terminated", (games,), "?")
        self.truncated = self._array("truncated", (games,), "?")
        self.seat = self._array("seat", (games,), "i4")
        self.points = self._array("points", (games, seats), "i4")
        self._outlook = self._array("outlook", (games, seats), "f4")
        self._chosen = self._array("chosen", (games,), "i4")

    def _field(self, name: str, size: int) -> Memory:
        memory = Memory(self.device, size)
        self._set(name, memory.address)
        return memory

    def _array(self, name: str, shape: tuple[int, ...], kind: str) -> Any:
        array = DeviceArray(self.device, shape, kind)
        self._set(name, array.memory.address)
        if self._torch is None:
            return array
        return self._torch.as_tensor(array, device=f"cuda:{self.device.ordinal}")

    def _rules_on_device(self, rules: bytes, tables: list[tuple[int, bytes]]) -> Memory:
        """A copy of the game in which every pointer leads to the device's copy of its table."""
        image = bytearray(rules)
        for offset, content in tables:
            table = Memory(self.device, len(content))
            table.write(content)
            self._tables.append(table)
            image[offset : offset + 8] = table.address.to_bytes(8, sys.byteorder)
        memory = Memory(self.device, len(image))
        memory.write(bytes(image))
        return memory

    # Calls

    @cached_property
    def _torch(self) -> Any:
        try:
            import torch
        except ImportError:
            return None
        return torch

    def _set(self, name: str, value: int) -> None:
        self._arguments[_ARGUMENTS.index(name)] = value & (2**64 - 1)

    def _launch(self, kernel: str, seed: Any = None) -> None:
        interface = getattr(seed, "__cuda_array_interface__", None)
        self._set("seed_at", 0 if interface is None else self._address_of_seed(interface))
        if interface is None:
            self._set("seed", secrets.randbits(64) if seed is None else operator.index(seed))
        self.device.make_current()
        warps = -(-self.num_envs // self._games_a_warp)
        launch(self.device, self._module.kernel(kernel), warps, self._arguments, self._stream())

    def _stream(self) -> int:
        """The stream that the caller works on, so that our kernels queue up behind theirs."""
        if self._torch is not None:
            return int(self._torch.cuda.current_stream(self.device.ordinal).cuda_stream)
        if "cupy" in sys.modules:
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
        return 0

    @staticmethod
    def _address_of_seed(interface: dict[str, Any]) -> int:
        if np.dtype(interface["typestr"]) != np.dtype("i8") or int(np.prod(interface["shape"])) != 1:
            raise ValueError("a seed on the GPU must be one int64")
        return int(interface["data"][0])

    def _read_actions(self, actions: Any) -> tuple[int, int]:
        interface = getattr(actions, "__cuda_array_interface__", None)
        if interface is None:
            raise ValueError("step takes the actions as an array on the GPU: a CUDA tensor of int32 or int64")
        kind, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        if kind not in (np.dtype("i4"), np.dtype("i8")) or shape != (self.num_envs,) or interface.get("strides"):
            raise ValueError(f"actions must be contiguous int32 or int64 [{self.num_envs}], not {kind} {list(shape)}")
        return int(interface["data"][0]), kind.itemsize

    def _check_index(self, index: int) -> None:
        if not 0 <= index < self.num_envs:
            raise ValueError(f"game {index} is not in this batch of {self.num_envs}")

    def _require_reset(self) -> None:
        if not self._started:
            raise ValueError("call reset() before stepping")

    @staticmethod
    def _shown(action: int) -> str:
        return str(action) if action >= 0 else "out of range"


def games_a_warp(games: int, multiprocessors: int) -> int:
    """One for each thread where the batch fills the GPU; a small batch spreads over more warps."""
    most = WARP
    while most > _FEWEST_GAMES_A_WARP and games < most * WARPS_A_MULTIPROCESSOR * multiprocessors:
        most //= 2
    return most


def device_number(device: str) -> int:
    """0 for "cuda", n for "cuda:n"."""
    kind, _, number = device.partition(":")
    if kind != "cuda" or not (number.isdecimal() or device == "cuda"):
        raise ValueError(f'device must be "cpu", "cuda" or "cuda:0", …, not "{device[:40]}"')
    return int(number or 0)
