"""A position as people see it at the terminal: painted from its scene, or as the core writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from spielwerk.cli.game.texts import Texts
from spielwerk.cli.output import can_show
from spielwerk.games import Game, State
from spielwerk.render import scene_of, seat_labels
from spielwerk.render.terminal import paint


@dataclass(frozen=True)
class Picture:
    """The board, whose turn it is or how it ended, and what lies beside the board."""

    board: Text
    headline: str
    detail: str = ""
    notes: tuple[str, ...] = ()


def seat_name(game: Game, seat: int, texts: Texts) -> str:
    return seat_labels(game)[seat].in_language(texts.lang)


def picture_of(state: State, actions: Sequence[str], texts: Texts, console: Console, *, legal: bool = True) -> Picture:
    """`actions` are the texts played so far; `legal` marks where the player may go."""
    scene = scene_of(state, actions=actions, legal=legal)
    coloured = console.color_system is not None and not console.no_color
    board = paint(scene, coloured=coloured)
    if board is None or not can_show(board.plain):
        board = Text(str(state))
    return Picture(
        board,
        scene.headline.in_language(texts.lang),
        scene.detail.in_language(texts.lang),
        tuple(label.in_language(texts.lang) for label in (*scene.remarks, *scene.notes)),
    )
