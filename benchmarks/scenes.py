"""What the picture of a move costs: the scene after it and its difference to the one before, as a page gets it.

    python benchmarks/scenes.py

CPU time of random games up to 60 actions, shapes remembered from a first game as in a running server.
"""

from __future__ import annotations

import random
import time
from itertools import pairwise

import spielwerk as sw
from spielwerk.render import scene_of

BOARDS: tuple[tuple[str, dict[str, int], int], ...] = (
    ("pferdeaepfel/classic", {}, 60),
    ("ludo/ffa", {}, 20),
    ("diavolo/standard", {"side": 8}, 6),
    ("diavolo/standard", {"side": 30}, 2),
)
MOST_ACTIONS = 60

Position = tuple[sw.State, list[str]]


def playthrough(game: sw.Game, seed: int) -> list[Position]:
    state, source, texts = game.start(seed=seed), random.Random(seed), list[str]()
    positions = [(state.clone(), [*texts])]
    while not state.over and len(texts) < MOST_ACTIONS:
        action = source.choice(state.legal_actions)
        texts.append(state.text(action))
        state.play(action)
        positions.append((state.clone(), [*texts]))
    return positions


def paint(positions: list[Position]) -> int:
    scenes = (scene_of(state, actions=texts) for state, texts in positions)
    return sum(bool(after.difference_text(before)) for before, after in pairwise(scenes))


def main() -> None:
    for name, rules, count in BOARDS:
        game = sw.make(name, **rules)
        games = [playthrough(game, seed) for seed in range(count + 1)]
        paint(games.pop())
        began = time.process_time()
        moves = sum(map(paint, games))
        took = 1000 * (time.process_time() - began) / moves
        print(f"{name} {' '.join(f'{rule}={value}' for rule, value in rules.items())}: {took:.2f} ms a move")


if __name__ == "__main__":
    main()
