"""How strong a network is: many games at once, seat by seat, with an interval."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from spielwerk.batch import VectorEnv
from spielwerk.games import Game
from spielwerk.training.networks import Network, masked, sampled

# From a batch, an action for every game.
Player = Callable[[VectorEnv], NDArray[Any]]


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of a player; a draw counts half."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        return (self.wins + 0.5 * self.draws) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        n, p, z = self.games, self.rate, 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        spread = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - spread, middle + spread

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.rate:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {self.games}"


def random_player(seed: int) -> Player:
    """Any legal action."""
    source = np.random.default_rng(seed)
    return lambda env: env.random_actions(seed=int(source.integers(2**63)))


def network_player(network: Network, seed: int, temperature: float = 1.0) -> Player:
    """The network's policy, sharper as the temperature falls; 0 always takes the likeliest action."""
    device = next(network.parameters()).device
    generator = torch.Generator(device).manual_seed(seed)

    @torch.no_grad()
    def play(env: VectorEnv) -> NDArray[Any]:
        logits, _ = network(torch.from_numpy(env.observation).to(device))
        logits = masked(logits, torch.from_numpy(env.mask).to(device))
        chosen = logits.argmax(-1) if temperature == 0 else sampled(logits / temperature, generator)
        return chosen.cpu().numpy()

    return play


def play_match(game: Game, player: Player, others: Player, seat: int, games: int, seed: int, threads: int = 1) -> Score:
    """`games` games of `player` on one seat against `others` on the rest."""
    env = VectorEnv(game, games, threads)
    env.reset(seed=seed)
    returns = np.full(games, np.nan)
    while np.isnan(returns).any():
        actions = np.where(env.seat == seat, player(env), others(env)).astype(np.int64)
        env.step(actions)
        ended = (env.terminated | env.truncated) & np.isnan(returns)
        returns[ended] = env.reward[ended, seat]
    return Score(int((returns > 0).sum()), int((returns == 0).sum()), int((returns < 0).sum()))


def score_by_seat(game: Game, player: Player, others: Player, games: int, seed: int, threads: int = 1) -> list[Score]:
    """The score on every seat."""
    seats = range(game.num_players)
    return [play_match(game, player, others, seat, games, seed + seat, threads) for seat in seats]
