"""Writes docs/observations.md from what the games themselves say about their observations."""

from itertools import groupby
from pathlib import Path

import spielwerk as sw

PAGE = Path(__file__).parents[1] / "docs/observations.md"

HEAD = """# Observations

`state.observation(seat)` is a uint8 array of planes, `[planes, height, width]`, as that seat sees the position: its own
things come before the others'. The batched and the PettingZoo environments show the same array. Divide a plane by its
maximum to bring it between 0 and 1 (`game.planes` lists names and maxima). The mask, uint8 `[num_actions]`, is 1 where
an action is legal.

Once a game is over, nobody is to act, and the last observation need not tell who won: in `pferdeaepfel/trail`, `free`
and `free-place-first` a capture looks the same whoever captured, and a position in which the loser is stuck does not
say whose turn it was. The result is in `state.returns`, and in the rewards of the environments.

This page is written by `scripts/write_observations.py` from the games themselves, with their default parameters.
"""


def page_text() -> str:
    games = [sw.make(name) for name in sw.games()]
    groups = groupby(sorted(games, key=_layout), key=_layout)
    sections = sorted(_section([*group]) for _, group in groups)
    return HEAD + "".join(sections)


def _layout(game: sw.Game) -> tuple[str, list[tuple[str, str, int]], int]:
    planes = [(plane.name, plane.meaning, plane.maximum) for plane in game.planes]
    return game.name.partition("/")[0], planes, game.num_actions


def _section(games: list[sw.Game]) -> str:
    first = games[0]
    shape = " × ".join(map(str, first.observation_shape))
    rows = [f"| {i} | {plane.name} | {plane.meaning} | {plane.maximum} |" for i, plane in enumerate(first.planes)]
    title = ", ".join(game.name for game in games)
    return (
        f"\n## {title}\n\n{shape} observation, {first.num_actions} actions.\n\n"
        "| plane | name | value | maximum |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page_text())
