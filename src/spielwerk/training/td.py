"""Trains a network of afterstates by TD(λ): it plays against itself and learns from what its own next positions say.

One network for a whole family of rulesets: games of all of them, with every number of players, take turns. The network
corrects the game's heuristic, so it begins where that one is.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from spielwerk import _core
from spielwerk.agents.afterstates import HIDDEN, AfterstateModel
from spielwerk.agents.weights_file import Parts
from spielwerk.games import Game, games, make

GAMES_PER_TURN = 2
GAMES_PER_LOOK = 200
_FIRST_WEIGHTS = 0.1  # the largest of the first layers
_LEAST_RATE = 0.03  # of the learning rate, at the end


@dataclass(frozen=True)
class TdConfig:
    """What shapes a network; the same config gives the same one on every machine."""

    games: int = 200_000
    td_lambda: float = 0.5
    learning_rate: float = 0.012
    """At the beginning; it falls in a line to nearly nothing."""
    seed: int = 0
    averaged: float = 0.2
    """The network is the mean of what it was during this last share of the games: the dice shake every single one."""


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
    network, mean = first_network(_core.afterstate_features(variants[0]), config.seed), _Mean()
    for done in learning(network, variants, config):
        if done % GAMES_PER_LOOK == 0 and done > config.games * (1 - config.averaged):
            mean.add(_parts_of(network))
        seen(done)
    card = {
        "family": family,
        "variants": [
            {"game": game.name, "rules": game.rules, "rules_version": game.rules_version} for game in variants
        ],
        "config": asdict(config),
        "seconds": round(time.monotonic() - began, 1),
    }
    return AfterstateModel(mean.parts() or _parts_of(network), card)


def learning(network: _core.AfterstateNetwork, variants: Sequence[Game], config: TdConfig) -> Iterator[int]:
    """The games, variant after variant; says after each turn how many are done."""
    done = 0
    while done < config.games:
        variant = variants[done // GAMES_PER_TURN % len(variants)]
        rate = config.learning_rate * max(_LEAST_RATE, 1 - done / config.games)
        count = min(GAMES_PER_TURN, config.games - done)
        network.learn(
            variant, games=count, seed=config.seed, first_game=done, td_lambda=config.td_lambda, learning_rate=rate
        )
        done += count
        yield done


def first_network(features: int, seed: int) -> _core.AfterstateNetwork:
    """Before the first game: small weights, drawn."""
    source = np.random.default_rng(seed)

    def drawn(size: int) -> NDArray[np.float32]:
        return source.uniform(-_FIRST_WEIGHTS, _FIRST_WEIGHTS, size).astype(np.float32)

    bias = np.full(HIDDEN, _FIRST_WEIGHTS, np.float32)
    return _core.AfterstateNetwork(
        rows=drawn(features * HIDDEN), bias=bias, last=drawn(HIDDEN), last_bias=0.0, heuristic_weight=1.0
    )


def _parts_of(network: _core.AfterstateNetwork) -> Parts:
    scalars = np.array([network.last_bias, network.heuristic_weight], np.float32)
    return {"rows": network.rows, "bias": network.bias, "last": network.last, "scalars": scalars}


class _Mean:
    """Of networks, part by part."""

    def __init__(self) -> None:
        self._sums: dict[str, NDArray[np.float64]] = {}
        self._count = 0

    def add(self, parts: Parts) -> None:
        self._sums = {name: self._sums.get(name, 0.0) + part.astype(np.float64) for name, part in parts.items()}
        self._count += 1

    def parts(self) -> Parts:
        """Nothing where nothing was added."""
        return {name: (total / self._count).astype(np.float32) for name, total in self._sums.items()}
