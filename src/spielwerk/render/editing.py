"""How a position is set up by clicking: tools, and what each does at a place of the board.

A game's editor works on the text of a position and never asks whether the rules allow it: `game.check` lists what is
wrong, and the picture of a draft is drawn all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spielwerk.render.scene import Hit, Label, Scene, shapes_of

if TYPE_CHECKING:
    from spielwerk.games import Game, State

LONGEST = 8000  # characters of a text


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Something to place, or to set at once; tools of one `group` stand together."""

    id: str
    label: Label
    group: Label
    symbol: str = ""
    at_once: bool = False
    toggles: bool = False  # turned on and off; other tools that are used at once set something


@dataclass(frozen=True, kw_only=True)
class Editor:
    """Functions of one game."""

    tools: Callable[[Game], Sequence[Tool]]
    apply: Callable[[Game, str, str, str], str]
    """The text after using a tool at a place; ValueError for a text, tool or place that the game does not have."""
    draft: Callable[[Game, str], Mapping[str, Any]]
    """What a scene reads off a position, for a text that breaks the rules."""
    hits: Callable[[Game, str, str, Scene], Scene] | None = None
    """The scene with the places where a tool can be used; otherwise all places of the board."""


def is_active(editor: Editor, game: Game, text: str, tool: Tool) -> bool:
    """Whether what a tool sets at once is so already."""
    if not tool.at_once:
        return False
    after = editor.apply(game, text, tool.id, "")
    return len(after) < len(text) if tool.toggles else after == text


@dataclass(frozen=True)
class Draft:
    """A position that need not follow the rules, as scenes read it: nothing can be played there."""

    start: State
    position: Mapping[str, Any]
    player: int | None
    legal_actions: tuple[int, ...] = ()
    over: bool = False
    winner: tuple[int, ...] = ()
    reason: str = ""

    @property
    def game(self) -> Game:
        return self.start.game

    @property
    def points(self) -> tuple[int, ...]:
        return (0,) * self.game.num_players

    def text(self, action: int, /) -> str:
        return self.start.text(action)


def with_all_places(scene: Scene) -> Scene:
    """The scene with a hit on every place of its board."""
    places = {shape.id: shape.label for shape in shapes_of(scene.static.layers) if shape.id and shape.label}
    return replace(scene, hits=tuple(Hit(area=id, action=id, label=label) for id, label in places.items()))


def violation_words(english: str, german: Mapping[str, str], names: Mapping[str, str]) -> Label:
    """What `game.check` found, in both languages; `{}` stands for what differs, `names` translates that."""
    for pattern, sentence in german.items():
        if found := re.fullmatch("(.*?)".join(map(re.escape, pattern.split("{}"))), english):
            return Label(english, sentence.format(*(names.get(word, word) for word in found.groups())))
    return Label(english, "Diese Stellung gibt es unter diesen Regeln nicht.")


def tools_for(labels: Mapping[str, Label], group: Label, **more: Any) -> Iterator[Tool]:
    """A tool for each label, by id."""
    for id, label in labels.items():
        yield Tool(id=id, label=label, group=group, **more)
