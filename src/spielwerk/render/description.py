"""What Python knows of a game beside its rules, in one place: `spielwerk.render.games.<game>.GAME`.

The core has the rules. All else that belongs to one game (its picture, its words in two languages, its colours and
characters, what is known about it, which agents suit it) is a `GameDescription` in the module, or package, that has the
game's name, with _ for -. Everything in it is optional: a game without a module is described by `GameDescription()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spielwerk.render import games, plain
from spielwerk.render.scene import GameLike, Label, Scene, StateLike

if TYPE_CHECKING:
    from rich.text import Text

    from spielwerk.games import Game
    from spielwerk.render.editing import Editor

# In the themes light, dark and contrast.
Colour = tuple[str, str, str]


class Glyph(NamedTuple):
    """A piece as one character of the terminal; `colour` is a name of the theme."""

    character: str
    colour: str


class SceneFunction(Protocol):
    """Makes the scene of a position.

    `actions` are the texts played so far; with them the last move can be marked. `legal` shows where the player may go
    and adds the hits that play it.
    """

    def __call__(self, state: StateLike, *, actions: Sequence[str] | None = None, legal: bool = True) -> Scene: ...


@dataclass(frozen=True, kw_only=True)
class ParameterDescription:
    """A rule parameter in words. The core has its help in English.

    `choices` are the names of its values where the rules list them. `values` lists those worth a look of a parameter
    that is a free text. `seen_at_start` says that it does nothing but change the first position.
    """

    label: Label
    german_help: str
    choices: Mapping[str, Label] = field(default_factory=dict)
    values: Callable[[Game], Sequence[str]] | None = None
    seen_at_start: bool = False


@dataclass(frozen=True)
class Fact:
    """Something that is certain; `winner` is the side that wins with best play, where the fact says so."""

    text: str
    winner: int | None = None


@dataclass(frozen=True, kw_only=True)
class LevelRecipe:
    """An agent that plays some rulesets at one of the server's levels, before those that play any game there."""

    level: str
    spec: str
    rulesets: tuple[str, ...]
    usual_rules: bool = False
    """Not under other rules than a ruleset's own: it was found better only there."""


def _no_facts(game: Game) -> list[Fact]:
    return []


@dataclass(frozen=True, kw_only=True)
class GameDescription:
    """All of a game but its rules; what is left out has a default that suits any game."""

    # Pictures
    scene: SceneFunction = plain.scene
    """The picture; otherwise a plain board with a button for what has no place on it."""
    colours: Mapping[str, Colour] = field(default_factory=dict)
    """Colours that the theme does not have, by name."""
    style: Mapping[str, str] = field(default_factory=dict)
    """The look of the scene's classes: CSS by selector. No two games may style the same one."""
    glyphs: Mapping[frozenset[str], Glyph] = field(default_factory=dict)
    """Characters for pieces, by classes that a piece has; without them terminals show what the core writes."""
    terminal: Callable[[Scene], Text] | None = None
    """Paints the board with characters where it is not made of square cells."""

    # Words
    title: Label | None = None
    """What the game is called; otherwise its name."""
    rulesets: Mapping[str, Label] = field(default_factory=dict)
    """What its rulesets are called; otherwise their names."""
    seats: Callable[[GameLike], tuple[Label, ...]] = plain.seats
    """What its seats are called; otherwise they are numbered."""
    parameters: Mapping[str, ParameterDescription] = field(default_factory=dict)
    """Its rule parameters, by name; otherwise the core's words stand for both languages."""
    move_words: Callable[[StateLike, str, StateLike], Label] | None = None
    """What an action did, in a few words, from the positions before and after it; otherwise its notation stands."""
    refusals: Mapping[str, str] = field(default_factory=dict)
    """Why an action is illegal, in German by the core's codes; otherwise the core's English is shown."""
    violations: Mapping[str, str] = field(default_factory=dict)
    """What `game.check` finds, in German by its English sentence, `{}` standing for what differs."""
    editor: Editor | None = None
    """How positions are set up by clicking; otherwise they are typed."""

    # Knowledge
    recommended: str | None = None
    """The ruleset that shows its idea best, which newcomers are given; otherwise the first one."""
    known_facts: Callable[[Game], Sequence[Fact]] = _no_facts
    """What is certain about the game under these very rules without playing it."""
    levels: tuple[LevelRecipe, ...] = ()
    """Agents that suit it better than those that play any game."""


def description_of(name: str) -> GameDescription:
    """The description of a game, named by itself or by one of its rulesets."""
    return _description(name.partition("/")[0].replace("-", "_"))


def descriptions() -> dict[str, GameDescription]:
    """Of every game that has a module, by its name."""
    return {module.name: _description(module.name) for module in iter_modules(games.__path__)}


@cache
def _description(game: str) -> GameDescription:
    module = f"{games.__name__}.{game}"
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return GameDescription()
    description = getattr(found, "GAME", None)
    if not isinstance(description, GameDescription):
        raise TypeError(f"{module} must have a GameDescription called GAME")
    return description
