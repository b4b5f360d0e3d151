"""A run's memory as tensors and JSON, and back: weights, optimiser, random streams, games in progress."""

import hashlib
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spielwerk.games import Game, State


def network_tensors(name: str, network: nn.Module) -> dict[str, Tensor]:
    """The weights, each under ``name.``."""
    return {f"{name}.{key}": value.detach().cpu().contiguous() for key, value in network.state_dict().items()}


def fingerprint(network: nn.Module) -> str:
    """SHA-256 of the weights: equal for equal networks."""
    digest = hashlib.sha256()
    for name, value in sorted(network_tensors("network", network).items()):
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()


def restore_network(name: str, network: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Loads weights after checking that every one is there, has the right shape and is finite."""
    expected = network.state_dict()
    start = f"{name}."
    given = {_renamed(key.removeprefix(start)): value for key, value in tensors.items() if key.startswith(start)}
    if set(given) != set(expected) or any(given[key].shape != expected[key].shape for key in expected):
        raise ValueError("the weights are of another network or another game")
    if not all(torch.isfinite(value).all() for value in given.values()):
        raise ValueError("the weights hold numbers that are not finite")
    network.load_state_dict(given)


def _renamed(key: str) -> str:
    """Weights under the names of today: those of earlier releases are read, too."""
    return key.replace("body.told.", "body.broadcast.")


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Adam's memory as flat tensors."""
    state = optimiser.state_dict()["state"]
    return {
        f"optimiser.{index}.{name}": torch.as_tensor(value).detach().cpu().contiguous()
        for index, slots in state.items()
        for name, value in slots.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """The inverse of `optimiser_tensors`."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimiser."):
            _, number, name = key.split(".", 2)
            slots.setdefault(int(number), {})[name] = value
    for index, slot in slots.items():
        shapes = {value.shape for value in slot.values() if value.dim() > 0}
        if index >= len(parameters) or not shapes <= {parameters[index].shape}:
            raise ValueError("the optimiser's memory is of another network")
        slots[index] = {name: _laid_out_like(parameters[index], value) for name, value in slot.items()}
    whole = optimiser.state_dict()
    whole["state"] = slots
    optimiser.load_state_dict(whole)


def _laid_out_like(parameter: Tensor, value: Tensor) -> Tensor:
    """In the parameter's order of memory, which fused optimisers insist on."""
    return torch.empty_like(parameter, dtype=value.dtype, device=value.device).copy_(value) if value.dim() else value


def randomness(device: torch.device, source: np.random.Generator) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The states of PyTorch's and NumPy's random streams."""
    state: dict[str, Any] = dict(source.bit_generator.state)
    return torch_randomness(device), state


def torch_randomness(device: torch.device) -> dict[str, Tensor]:
    """The states of PyTorch's random streams."""
    tensors = {"random.cpu": torch.get_rng_state()}
    if device.type == "cuda":
        tensors["random.cuda"] = torch.cuda.get_rng_state(device)
    return tensors


def restore_randomness(
    device: torch.device, source: np.random.Generator, tensors: dict[str, Tensor], state: dict[str, Any]
) -> None:
    """The inverse of `randomness`."""
    restore_torch_randomness(device, tensors)
    source.bit_generator.state = state


def restore_torch_randomness(device: torch.device, tensors: dict[str, Tensor]) -> None:
    """The inverse of `torch_randomness`; a run that moves to another kind of device begins that one's stream."""
    torch.set_rng_state(tensors["random.cpu"])
    if device.type == "cuda" and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"], device)


def games_facts(states: list[State], seats: list[int], clock: int) -> dict[str, Any]:
    """Games in progress: positions, dice to come, the learner's seats, and how many steps have been played."""
    return {
        "positions": [state.to_text() for state in states],
        "streams": [state.stream for state in states],
        "seats": seats,
        "clock": clock,
    }


def restore_games(game: Game, number: int, facts: dict[str, Any]) -> list[State]:
    """The positions in `games_facts`; they are read as text, so that no file can bring an impossible one."""
    positions, streams, seats = facts["positions"], facts["streams"], facts["seats"]
    if not len(positions) == len(streams) == len(seats) == number:
        raise ValueError(f"the checkpoint holds {len(positions)} games at once, not {number}")
    if any(not 0 <= seat < game.num_players for seat in seats):
        raise ValueError("the checkpoint names seats that the game does not have")
    return [game.from_text(text, seed=stream) for text, stream in zip(positions, streams, strict=True)]
