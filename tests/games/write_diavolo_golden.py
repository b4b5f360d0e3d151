"""Writes the golden playthroughs of DiavoloPP: random games on small boards, written by the naive follower.

    python -m tests.games.write_diavolo_golden

The files are meant to stay as they are for ever; writing them again must change nothing.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.games.naive_diavolo import NaiveDiavolo
from tests.games.write_pferdeaepfel_golden import as_text

FOLDER = Path(__file__).parent / "golden" / "diavolo"

# By name: side and seed, chosen for games that end differently, one of them after a swap.
GAMES = {"side-3": (3, 46), "side-4-swap": (4, 339), "side-6": (6, 58), "side-8": (8, 29)}


def playthrough(side: int, seed: int) -> dict[str, Any]:
    rng, game, plies = random.Random(seed), NaiveDiavolo(side), []
    while not game.over:
        legal = sorted(game.legal())
        action = rng.choice([text for text in legal if "-" in text] or legal if rng.random() < 0.3 else legal)
        plies.append({"player": game.player, "action": action, "legal": " ".join(legal)})
        game.play(action)
    returns = [1.0 if seat in game.winner else -1.0 for seat in (0, 1)] if game.winner else [0.0, 0.0]
    return {
        "game": "diavolo/standard",
        "rules": {"side": side},
        "winner": list(game.winner),
        "points": list(game.points),
        "returns": returns,
        "plies": plies,
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (side, seed) in GAMES.items():
        (FOLDER / f"{name}.json").write_text(as_text(playthrough(side, seed)), encoding="utf-8")


if __name__ == "__main__":
    main()
