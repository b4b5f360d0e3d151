"""Players as the arena names them: by their spec, and those that think with a network by its weights, too."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache
from hashlib import blake2b
from typing import Any

from spielwerk.agents import Agent, agent
from spielwerk.agents.engines.agent import EngineAgent
from spielwerk.arena.workers import UnfitError
from spielwerk.games import Game

_FINGERPRINT = re.compile(r"#[0-9a-f]{8}$")


def player_name(spec: str, game: Game) -> str:
    """The spec; a fingerprint tells a network's weights from others, so that a new model is a new player."""
    weights = agent(spec).weights(game)
    return f"{spec}#{blake2b(weights, digest_size=4).hexdigest()}" if weights else spec


@cache
def require_player(name: str, game: Game) -> None:
    """UnfitError where a player is not here, or has other weights than its name says."""
    try:
        here = player_name(spec_of(name), game)
    except ValueError as error:
        raise UnfitError(str(error)) from None
    if here != name and name != spec_of(name):
        raise UnfitError(f"the weights of {spec_of(name)} are {here[-8:]} here, not {name[-8:]}")


def programs_of(names: Iterable[str]) -> frozenset[str]:
    """The engines among players, as their first word names them."""
    return frozenset(filter(None, map(_program, names)))


@cache
def _program(name: str) -> str:
    made = agent(spec_of(name))
    return shlex.split(made.command)[0] if isinstance(made, EngineAgent) else ""


def spec_of(name: str) -> str:
    return name if name.startswith("engine:") else _FINGERPRINT.sub("", name)


def shown_names(names: list[str]) -> dict[str, str]:
    """Without fingerprints, except where one spec had several weights."""
    specs = [spec_of(name) for name in names]
    return {name: spec if specs.count(spec) == 1 else name for name, spec in zip(names, specs, strict=True)}


def seat_agent(name: str, seed: int) -> Agent:
    """A fresh agent for one seat of one game; where the spec leaves the seed open, the game decides it."""
    made: Any = agent(spec_of(name))
    open_seed = any(field.name == "seed" and made.seed is None for field in fields(made))
    return replace(made, seed=seed) if open_seed else made  # type: ignore[no-any-return]


def check_player(spec: str, game: Game) -> None:
    """ValueError when the spec names nobody who can play this game by himself."""
    made = agent(spec)
    if made.kind == "human":
        raise ValueError("people do not play in the arena; 'spielwerk play' is for them")
    if not made.plays(game):
        raise ValueError(f"'{spec}' cannot play {game.name}: {made.summary}")
