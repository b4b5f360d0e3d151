"""Writes the golden playthroughs of Pferdeäpfel: one random game per ruleset, written by the naive follower.

    python -m tests.games.write_pferdeaepfel_golden

The files are meant to stay as they are for ever; writing them again must change nothing.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.games.naive_pferdeaepfel import BLACK, WHITE, NaiveGame

FOLDER = Path(__file__).parent / "golden" / "pferdeaepfel"

# Chosen for long games with different endings.
SEEDS = {
    "free": 247,
    "free-place-first": 385,
    "trail": 347,
    "classic": 371,
    "classic-24": 334,
    "original": 385,
    "carry": 234,
}


def playthrough(ruleset: str, seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    rules: dict[str, Any] = {"starter": "white"} if ruleset == "carry" else {}
    game = NaiveGame(ruleset, **rules)
    plies = []
    while not game.over:
        legal = game.legal()
        action = rng.choice(legal)
        plies.append({"player": game.player, "action": action, "legal": " ".join(sorted(legal))})
        game.play(action)
    returns = [0.0, 0.0]
    for winner in game.winner:
        returns = [1.0, -1.0] if winner == WHITE else [-1.0, 1.0]
    return {
        "game": f"pferdeaepfel/{ruleset}",
        "rules": rules,
        "winner": list(game.winner),
        "points": [game.points[WHITE], game.points[BLACK]],
        "returns": returns,
        "plies": plies,
    }


def as_text(record: dict[str, Any]) -> str:
    """JSON with one line per ply, so that a difference shows where it happened."""
    head = {key: value for key, value in record.items() if key != "plies"}
    lines = [f'  "{key}": {json.dumps(value)},' for key, value in head.items()]
    plies = ",\n".join(f"    {json.dumps(ply)}" for ply in record["plies"])
    return "{\n" + "\n".join(lines) + '\n  "plies": [\n' + plies + "\n  ]\n}\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for ruleset, seed in SEEDS.items():
        (FOLDER / f"{ruleset}.json").write_text(as_text(playthrough(ruleset, seed)), encoding="utf-8")


if __name__ == "__main__":
    main()
