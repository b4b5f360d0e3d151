"""Players of whole batches: for every game an action, wherever the seat to act is theirs.

Players remember nothing: what they draw at random follows from the seed of the call, so that a resumed run repeats it.
"""

from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from spielwerk.agents import agent
from spielwerk.agents.network import NetworkAgent
from spielwerk.agents.specs import Agent
from spielwerk.batch import Flags, VectorEnv
from spielwerk.games import Game
from spielwerk.training.networks import Network, log_probabilities, masked, sample_actions


class Player(Protocol):
    """Actions ``[n]`` of a batch; only those where `rows` is true count."""

    def __call__(self, env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]: ...


def random_player(env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]:
    return env.random_actions(seed)


def greedy_player(env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]:
    """The action after which the game's heuristic is happiest."""
    return env.greedy_actions(seed)


def network_player(network: Network, temperature: float = 0.0) -> Player:
    """The network's policy, sharper as the temperature falls; 0 always takes the likeliest action."""
    device = next(network.parameters()).device

    @torch.no_grad()
    def play(env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]:
        logits = network(torch.from_numpy(env.observation[rows]).to(device))[0]
        mask = torch.from_numpy(env.mask[rows]).to(device)
        logits = masked(logits / (temperature or 1.0), mask)
        if temperature == 0:
            return _filled(rows, logits.argmax(-1).cpu().numpy())
        generator = torch.Generator(device).manual_seed(seed % 2**63)
        return _filled(rows, sample_actions(log_probabilities(logits), mask, generator).cpu().numpy())

    return play


def player_of(spec: str, game: Game) -> Player:
    """The player that an agent's spec describes, at the speed of the core where there is a way."""
    if spec == "random":
        return random_player
    if spec == "greedy":
        return greedy_player
    chosen = agent(spec)
    if not chosen.plays(game):
        raise ValueError(f"the agent {spec[:200]} does not play {game!r}")
    return _shipped_player(chosen) if isinstance(chosen, NetworkAgent) else _agent_player(chosen)


def _shipped_player(model: NetworkAgent) -> Player:
    def play(env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]:
        return _filled(rows, model.act_many(env.game, env.observation[rows], env.mask[rows], seed))

    return play


def _agent_player(player: Agent) -> Player:
    def play(env: VectorEnv, rows: Flags, seed: int) -> NDArray[Any]:
        return _filled(rows, [player.act(env.state(int(row))) for row in np.flatnonzero(rows)])

    return play


def _filled(rows: Flags, actions: Any) -> NDArray[Any]:
    everywhere = np.zeros(len(rows), np.int64)
    everywhere[rows] = actions
    return everywhere
