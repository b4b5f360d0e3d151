"""Replay recorded games, position by position.

At a terminal the arrow keys step through the game; through pipes every position is printed.
--gif writes one game as a moving picture instead.
A record that breaks the rules is refused at the offending ply.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.cli.options import add_json, add_language, language_of

if TYPE_CHECKING:
    from rich.console import Console

    from spielwerk.cli.game.texts import Texts
    from spielwerk.games import State
    from spielwerk.records import Record
    from spielwerk.render.scene import Lang

EXAMPLES = """
spielwerk replay games.jsonl
spielwerk replay games.jsonl --game 3 --ply 12
spielwerk replay games.jsonl --json
spielwerk replay games.jsonl --game 3 --gif game.gif
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="records, one game a line")
    parser.add_argument("--game", type=int, metavar="N", help="only the Nth game of the file, from 1")
    parser.add_argument("--ply", type=int, metavar="N", help="only the position after N actions, 0 is the first")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write the game as a moving picture")
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.cli.game import keys
    from spielwerk.cli.game.texts import Texts
    from spielwerk.cli.output import console, print_json

    games = _read(arguments.file, arguments.game)
    if arguments.gif is not None:
        return _write_gif(games, arguments.gif, language_of(arguments.lang))
    if arguments.json:
        print_json([game.facts(game.plies(arguments.ply)) for game in games])
        return 0
    out, texts = console(), Texts(language_of(arguments.lang))
    if out.is_terminal and keys.available() and arguments.ply is None:
        _step_through(games, out, texts)
    else:
        for game in games:
            for ply in game.plies(arguments.ply):
                game.print(ply, out, texts)
    return 0


def _write_gif(games: Sequence[_Game], path: Path, lang: Lang) -> int:
    from spielwerk.render.animation import gif

    if len(games) > 1:
        raise ValueError(f"{games[0].file} holds {len(games)} games: --game says which one --gif shows")
    assert games[0].states, "a record that breaks the rules has been refused"
    path.write_bytes(gif(games[0].record, lang=lang))
    return 0


@dataclass(frozen=True)
class _Game:
    """A game of the file; its positions are worked out when they are asked for."""

    file: Path
    number: int
    record: Record

    @cached_property
    def states(self) -> list[State]:
        from spielwerk.records import RecordError

        try:
            return list(self.record.positions())
        except RecordError as error:
            raise ValueError(f"{self.file}: game {self.number}: {error}") from None

    def plies(self, only: int | None) -> Sequence[int]:
        all_plies = range(len(self.states))
        if only is None:
            return all_plies
        if only not in all_plies:
            raise ValueError(f"game {self.number} has positions 0 to {all_plies[-1]}, no --ply {only}")
        return [only]

    def facts(self, plies: Sequence[int]) -> dict[str, Any]:
        positions = [
            {"ply": ply, "text": self.states[ply].to_text(), "player": self.states[ply].player} for ply in plies
        ]
        return {"number": self.number, "record": self.record.to_json(), "positions": positions}

    def print(self, ply: int, out: Console, texts: Texts) -> None:
        from rich.text import Text

        from spielwerk.cli.game.picture import picture_of

        actions = self.record.actions[:ply]
        picture = picture_of(self.states[ply], actions, texts, out, legal=False)
        head = f"{self.number}. {self.record.game}  {' – '.join(self.record.seats)}"
        out.print(Text(head.rstrip(), "bold"))
        out.print(Text(f"{ply}/{len(self.record.actions)}  {' '.join(actions[-1:])}".rstrip(), "dim"))
        out.print("", picture.board, "", Text(picture.headline, "bold"), sep="\n")
        remarks = [picture.detail, *picture.notes, *self._remarks(ply)]
        out.print(*(Text(remark) for remark in remarks if remark), "", sep="\n")

    def _remarks(self, ply: int) -> list[str]:
        remarks = [self.record.comments[ply]] if ply in self.record.comments else []
        if ply in self.record.evaluations:
            remarks.append(f"{self.record.evaluations[ply]:+.2f}")
        result = self.record.result
        if ply == len(self.record.actions) and result and not self.states[-1].over:
            remarks.append(str(result["reason"]))
        return remarks


def _read(path: Path, number: int | None) -> list[_Game]:
    from spielwerk.records import RecordError, read_records

    try:
        games = [_Game(path, count, record) for count, record in enumerate(read_records(path), start=1)]
    except RecordError as error:
        raise ValueError(f"{path}: {error}") from None
    if not games:
        raise ValueError(f"{path} holds no games")
    if number is None:
        return games
    if not 1 <= number <= len(games):
        raise ValueError(f"{path} holds games 1 to {len(games)}, no --game {number}")
    return [games[number - 1]]


def _step_through(games: Sequence[_Game], out: Console, texts: Texts) -> None:
    from spielwerk.cli.game.keys import key_reader

    shown = ply = 0
    with key_reader() as next_key:
        while True:
            game = games[shown]
            last = len(game.states) - 1
            out.clear()
            game.print(ply, out, texts)
            out.print(texts("replay-keys"), style="dim")
            key = next_key()
            if key in ("q", "end of input"):
                return
            if key in _STEPS:
                ply = min(max(_STEPS[key](ply, last), 0), last)
            elif key in _GAME_STEPS:
                shown, ply = min(max(shown + _GAME_STEPS[key], 0), len(games) - 1), 0


_STEPS: dict[str, Callable[[int, int], int]] = {
    "right": lambda ply, last: ply + 1,
    "space": lambda ply, last: ply + 1,
    "enter": lambda ply, last: ply + 1,
    "left": lambda ply, last: ply - 1,
    "home": lambda ply, last: 0,
    "end": lambda ply, last: last,
}
_GAME_STEPS = {"down": 1, "n": 1, "up": -1, "p": -1}
