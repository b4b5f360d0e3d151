"""What was measured about the levels: Elo with its interval, by ruleset. `benchmarks/levels.py` measures it.

A figure belongs to a spec under the very rules that were played; a level that plays otherwise has none.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from spielwerk.games import Game, make
from spielwerk.server.levels import Level

FILE = Path(__file__).with_name("ratings.json")


class LevelRating(BaseModel):
    """`random` is worth 0; the interval is of 95 %."""

    spec: str
    elo: int
    low: int
    high: int
    games: int


class RulesetRatings(BaseModel):
    rules: dict[str, Any]
    rules_version: int
    games: int
    levels: dict[str, LevelRating]


class Measured(BaseModel):
    """All figures, the command that found them, and where."""

    command: str
    machine: str
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
    same = found is not None and found.spec == choice.spec and game == make(game.name, **ratings.rules)
    return found if same else None
