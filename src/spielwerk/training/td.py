"""Trains a network of afterstates by TD(λ): it plays against itself and learns from what its own next positions say.

One network for a whole family of rulesets: games of all of them, with every number of players, take turns. The network
corrects the game's heuristic, so it begins where that one is.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from spielwerk import _core
from spielwerk.agents.afterstates import HIDDEN, AfterstateModel
from spielwerk.games import Game, games, make

GAMES_PER_TURN = 2
_FIRST_WEIGHTS = 0.1  # the largest of the first layers
_LEAST_RATE = 0.03  # of the learning rate, at the end


@dataclass(frozen=True)
class TdConfig:
    """What shapes a network; the same config gives the same one on every machine."""

    games: int = 200_000
    td_lambda: float = 0.2
    learning_rate: float = 0.004
    """At the beginning; it falls in a line to nearly nothing."""
    seed: int = 0


def variants_of(family: str) -> list[Game]:
    """Every ruleset of a family, with every number of players; ValueError where they have no afterstates."""
    rulesets = [make(name) for name in games() if name.partition("/")[0] == family]
    if not rulesets:
        known = ", ".join(sorted({name.partition("/")[0] for name in games()}))
        raise ValueError(f"there is no game '{family}'; there are: {known}")
    for game in rulesets:
        _core.afterstate_features(game)
    return [variant for game in rulesets for variant in _by_players(game)]


def _by_players(game: Game) -> list[Game]:
    players = next((one for one in game.parameters if one.name == "players"), None)
    if players is None:
        return [game]
    return [make(game.name, players=count) for count in range(players.minimum, players.maximum + 1)]


def train_afterstates(family: str, config: TdConfig, seen: Callable[[int], None] = lambda _: None) -> AfterstateModel:
    """Plays and learns; `seen` hears how many games are done."""
    began = time.monotonic()
    variants = variants_of(family)
    network = _first_network(_core.afterstate_features(variants[0]), config.seed)
    done = 0
    while done < config.games:
        variant = variants[done // GAMES_PER_TURN % len(variants)]
        rate = config.learning_rate * max(_LEAST_RATE, 1 - done / config.games)
        count = min(GAMES_PER_TURN, config.games - done)
        network.learn(
            variant, games=count, seed=config.seed, first_game=done, td_lambda=config.td_lambda, learning_rate=rate
        )
        done += count
        seen(done)
    card = {"family": family, "config": asdict(config), "seconds": round(time.monotonic() - began, 1)}
    parts = {"rows": network.rows, "bias": network.bias, "last": network.last}
    scalars = np.array([network.last_bias, network.heuristic_weight], np.float32)
    return AfterstateModel(parts | {"scalars": scalars}, card)


def _first_network(features: int, seed: int) -> _core.AfterstateNetwork:
    source = np.random.default_rng(seed)

    def drawn(size: int) -> NDArray[np.float32]:
        return source.uniform(-_FIRST_WEIGHTS, _FIRST_WEIGHTS, size).astype(np.float32)

    bias = np.full(HIDDEN, _FIRST_WEIGHTS, np.float32)
    return _core.AfterstateNetwork(
        rows=drawn(features * HIDDEN), bias=bias, last=drawn(HIDDEN), last_bias=0.0, heuristic_weight=1.0
    )
