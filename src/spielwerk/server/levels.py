"""The operator's list of opponents, weakest first. Clients name a level by its id and nothing else.

A level lists specs in the order of preference; the first one whose kind of agent is there and that suits the
game plays. So search and networks join as soon as `spielwerk.agents` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from spielwerk.agents import KINDS
from spielwerk.agents.network import model_card, shipped_models
from spielwerk.games import Game, make
from spielwerk.server.protocol import Both, Refused

# A level that may think longer than this is slow: slow ones never occupy all processes.
QUICK_SECONDS = 5.0


class Choice(BaseModel):
    """A spec and the games it is for; no name of a game means all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spec: str
    games: tuple[str, ...] = ()
    two_seats: bool = False
    dice: bool | None = None  # only games with dice, or only those without
    rules: dict[str, bool | int | str] | None = None

    def suits(self, game: Game) -> bool:
        """Whether there is such an agent and it can play this game."""
        return (
            self.spec.partition(":")[0] in KINDS
            and (not self.games or game.name in self.games)
            and not (self.two_seats and game.num_players != 2)
            and self.dice in (None, game.has_chance)
            and (self.rules is None or game == make(game.name, **self.rules))
        )


class Level(BaseModel):
    """An opponent to choose. `seconds` is when its answer is given up; an agent's own limit is below that."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
    title: Both
    summary: Both
    choices: tuple[Choice, ...]
    seconds: Annotated[float, Field(gt=0, le=120)] = QUICK_SECONDS
    default: bool = False

    def choice(self, game: Game) -> Choice | None:
        """What plays this game at this level, if anything does."""
        return next((choice for choice in self.choices if choice.suits(game)), None)


def _level(
    id: str,
    title: tuple[str, str],
    summary: tuple[str, str],
    *choices: Choice,
    seconds: float,
    default: bool = False,
) -> Level:
    return Level(
        default=default,
        id=id,
        title=Both(en=title[0], de=title[1]),
        summary=Both(en=summary[0], de=summary[1]),
        choices=choices,
        seconds=seconds,
    )


def _search(milliseconds: int) -> tuple[Choice, ...]:
    return (
        Choice(spec=f"alphabeta:ms={milliseconds}", two_seats=True, dice=False),
        Choice(spec=f"expectimax:ms={milliseconds}", dice=True),  # in Ludo stronger than mcts in the same time
        Choice(spec=f"mcts:ms={milliseconds}"),
    )


def _networks() -> tuple[Choice, ...]:
    """One for each model that is shipped; it plays under the very rules it was trained for."""
    return tuple(
        Choice(spec=f"network:{name}", games=(name,), rules=model_card(name)["rules"]) for name in shipped_models()
    )


LEVELS: tuple[Level, ...] = (
    _level(
        "random",
        ("Random", "Zufall"),
        ("plays anything that is allowed", "spielt irgendetwas Erlaubtes"),
        Choice(spec="random"),
        seconds=5,
    ),
    _level(
        "beginner",
        ("Beginner", "Anfänger"),
        ("sees the next move, and often overlooks it", "sieht den nächsten Zug und übersieht ihn oft"),
        Choice(spec="greedy:errs=0.35"),
        seconds=5,
        default=True,
    ),
    _level(
        "greedy",
        ("Greedy", "Gierig"),
        ("takes what looks best at once", "nimmt, was im Augenblick am besten aussieht"),
        Choice(spec="greedy"),
        seconds=5,
    ),
    _level(
        "club",
        ("Club player", "Vereinsspieler"),
        ("looks ahead for a fifth of a second", "rechnet eine Fünftelsekunde voraus"),
        *_search(200),
        seconds=5,
    ),
    _level(
        "network",
        ("Network", "Netz"),
        ("plays by what it learned", "spielt, wie es gelernt hat"),
        *_networks(),
        seconds=5,
    ),
    _level(
        "expert",
        ("Expert", "Experte"),
        ("looks ahead for a second", "rechnet eine Sekunde voraus"),
        *_search(1000),
        seconds=10,
    ),
    _level(
        "master",
        ("Master", "Meister"),
        ("looks ahead for four seconds", "rechnet vier Sekunden voraus"),
        *_search(4000),
        seconds=20,
    ),
    _level(
        "perfect",
        ("Perfect", "Vollkommen"),
        ("knows how the game ends", "weiß, wie das Spiel ausgeht"),
        Choice(spec="solver", games=("pferdeaepfel/trail",)),
        seconds=30,
    ),
)

# Whoever resigns where others play on is replaced by this level.
STAND_IN = "greedy"


def read_levels(file: Path | None) -> tuple[Level, ...]:
    """The built-in list, or the operator's own from a JSON file of the same shape."""
    if file is None:
        return LEVELS
    try:
        levels = TypeAdapter(tuple[Level, ...]).validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{file} is no list of levels: {place}: {first['msg']}") from None
    if STAND_IN not in {level.id for level in levels}:
        raise ValueError(f"{file}: a level '{STAND_IN}' is needed; it plays on for those who resign")
    return levels


def levels_for(game: Game, levels: Sequence[Level]) -> list[Level]:
    """Those that can play this game, weakest first."""
    return [level for level in levels if level.choice(game) is not None]


def level_named(id: str, game: Game, levels: Sequence[Level]) -> Level:
    """The level of this id; refused with those there are."""
    there = levels_for(game, levels)
    for level in there:
        if level.id == id:
            return level
    raise Refused("malformed", f"unknown level '{id[:40]}'; there are: {', '.join(level.id for level in there)}")
