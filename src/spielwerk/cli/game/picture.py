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
    """What the game calls a seat."""
    try:
        return seat_labels(game)[seat].in_language(texts.lang)
    except NotImplementedError:  # a game without a scene
        return texts("seat", number=seat + 1)


def picture_of(state: State, actions: Sequence[str], texts: Texts, console: Console, *, legal: bool = True) -> Picture:
    """`actions` are the texts played so far; `legal` marks where the player may go."""
    try:
        scene = scene_of(state, actions=actions, legal=legal)
    except NotImplementedError:  # this game has none
        return Picture(Text(str(state)), *_told(state, texts))
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


def _told(state: State, texts: Texts) -> tuple[str, str]:
    """Headline and detail for games that have no scene to say it."""
    if not state.over:
        seat = state.player
        return (
            texts("to-act", seat=seat_name(state.game, seat, texts)) if seat is not None and seat >= 0 else "",
            "",
        )
    if not state.winner:
        return texts("draw"), texts("truncated") if state.truncated else state.reason
    winners = texts("and").join(seat_name(state.game, seat, texts) for seat in state.winner)
    points = max(state.points)
    details = [texts("points", points=points)] if points else []
    return texts("wins", seats=winners), ", ".join([*details, state.reason])
