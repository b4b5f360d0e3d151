"""LUDOpy: a Ludo engine in Python, driven as its documentation shows, observation included."""

# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import random
from importlib.metadata import version

import ludopy
from measure import Stretch
from worker import serve

GAMES_PER_STRETCH = 2


def driven_with_observation(game_name: str) -> Stretch:
    """Every answered observation counts as one decision, those without a piece to move included."""
    del game_name  # it plays one game
    game, uniform = ludopy.Game(), random.random

    def play_game() -> int:
        game.reset()
        steps, won = 0, False
        while not won:
            (_, movable, _, _, _, won), _ = game.get_observation()
            piece = int(movable[int(uniform() * len(movable))]) if len(movable) else -1
            _, _, _, _, _, won = game.answer_observation(piece)
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


if __name__ == "__main__":
    random.seed(0)
    serve("LUDOpy", version("ludopy"), {"state-observe": driven_with_observation})
