"""Show a position: board, legal actions, facts, and what an observation holds.

The position is the start of the ruleset, or the one that --position writes out; --actions are
played from there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, add_language, language_of
from spielwerk.cli.position import add_position, reached

if TYPE_CHECKING:
    from spielwerk.games import Game, State
    from spielwerk.render.scene import Lang

EXAMPLES = """
spielwerk show pferdeaepfel/trail
spielwerk show pferdeaepfel/classic --actions "b6@d4 g3-" --svg board.svg
spielwerk show pferdeaepfel/trail --rule size=4 --position "Wo2/4/4/3B w" --json
spielwerk show pferdeaepfel/trail --observation 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_position(parser)
    parser.add_argument("--observation", type=int, metavar="SEAT", help="also the numbers this seat observes")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the picture as SVG")
    parser.add_argument("--png", type=Path, metavar="FILE", help="write the picture as PNG")
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the position and writes its pictures."""
    from spielwerk.cli.output import print_json

    lang = language_of(arguments.lang)
    state, played = reached(arguments)
    observed = None if arguments.observation is None else state.observation(arguments.observation).tolist()
    _write_pictures(state, played, lang, arguments.svg, arguments.png)
    if arguments.json:
        print_json(_facts(state, played) | ({} if observed is None else {"observation": observed}))
    else:
        _print(state, played, lang)
        if observed is not None:
            _print_observation(state.game, observed)
    return 0


def _write_pictures(
    state: State, played: Sequence[str], lang: Lang, svg_path: Path | None, png_path: Path | None
) -> None:
    from spielwerk.render import svg_of
    from spielwerk.render.raster import png

    if svg_path is not None:
        svg_path.write_text(svg_of(state, actions=played, lang=lang), encoding="utf-8")
    if png_path is not None:
        png_path.write_bytes(png(svg_of(state, actions=played, lang=lang, size=960)))


def _facts(state: State, played: Sequence[str]) -> dict[str, Any]:
    game = state.game
    return {
        "ruleset": game.name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "text": state.to_text(),
        "actions": list(played),
        "player": state.player,
        "legal_actions": [{"action": action, "text": state.text(action)} for action in state.legal_actions],
        "over": state.over,
        "winner": list(state.winner),
        "returns": list(state.returns),
        "points": list(state.points),
        "reason": state.reason,
        "truncated": state.truncated,
        "position": state.position,
        "observation_shape": list(game.observation_shape),
        "planes": [{"name": plane.name, "meaning": plane.meaning, "maximum": plane.maximum} for plane in game.planes],
    }


def _print(state: State, played: Sequence[str], lang: Lang) -> None:
    from rich.text import Text

    from spielwerk.cli.game.picture import picture_of
    from spielwerk.cli.game.texts import Texts
    from spielwerk.cli.output import columns, console

    out = console()
    picture = picture_of(state, played, Texts(lang), out)
    game = state.game
    out.print(Text(repr(game), "dim"), "", picture.board, "", sep="\n")
    out.print(Text(picture.headline, "bold"), picture.detail, *picture.notes, sep="\n")
    legal = [state.text(action) for action in state.legal_actions]
    facts = [
        ("text", state.to_text()),
        ("legal", f"{len(legal)}: {' '.join(legal)}" if legal else "none"),
        *((name, _plain(value)) for name, value in state.position.items()),
    ]
    out.print(columns(*((Text(name, "cyan"), Text(value)) for name, value in facts)))
    shape = "×".join(map(str, game.observation_shape))
    out.print("", Text(f"observation {shape}, {game.num_actions} actions", "bold"), sep="\n")
    planes = [(str(number), plane.name, plane.meaning) for number, plane in enumerate(game.planes)]
    out.print(columns(*((Text(number, "dim"), Text(name, "cyan"), Text(text)) for number, name, text in planes)))


def _plain(value: object) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _print_observation(game: Game, observed: list[list[list[int]]]) -> None:
    from spielwerk.cli.output import console

    out = console()
    width = max(len(str(value)) for plane in observed for row in plane for value in row)
    for plane, rows in zip(game.planes, observed, strict=True):
        out.print("", plane.name, sep="\n", style="bold")
        for row in rows:
            out.print(" ".join(f"{value:{width}}" for value in row))
