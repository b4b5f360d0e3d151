"""What was measured about the levels: Elo with its interval, by ruleset. `benchmarks/levels.py` measures it.

A figure belongs to a player under the very rules that were played; a level that plays otherwise, or with other weights,
has none.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from spielwerk.arena.players import player_name, spec_of
from spielwerk.games import Game, make
from spielwerk.server.levels import Level

FILE = Path(__file__).with_name("ratings.json")


class LevelRating(BaseModel):
    """`random` is worth 0; the interval is of 95 %."""

    player: str
    """As the arena names it: its spec, and a fingerprint of its weights where it has some."""
    elo: int
    low: int
    high: int
    games: int


class RulesetRatings(BaseModel):
    """The figures of a ruleset, the command that found them, and where."""

    command: str
    machine: str
    rules: dict[str, Any]
    rules_version: int
    games: int
    levels: dict[str, LevelRating]


class Measured(BaseModel):
    """All figures."""

    rulesets: dict[str, RulesetRatings]


@cache
def measured() -> Measured:
    return Measured.model_validate_json(FILE.read_bytes())


def rating_of(level: Level, game: Game) -> LevelRating | None:
    """What was measured of this level under these rules, if anything was."""
    ratings, choice = measured().rulesets.get(game.name), level.choice(game)
    if ratings is None or choice is None or ratings.rules_version != game.rules_version:
        return None
    found = ratings.levels.get(level.id)
    if found is None or spec_of(found.player) != choice.spec or game != make(game.name, **ratings.rules):
        return None
    return found if found.player == _player(choice.spec, game) else None


@cache
def _player(spec: str, game: Game) -> str:
    """Only of specs that were measured: what they are shipped with does not change while a server lives."""
    return player_name(spec, game)
