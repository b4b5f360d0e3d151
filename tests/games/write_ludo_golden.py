"""Writes the golden playthroughs of Ludo: random games of every kind, written by the naive follower.

    python -m tests.games.write_ludo_golden

The files are meant to stay as they are for ever; writing them again must change nothing.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import spielwerk as sw
from tests.games.naive_ludo import NaiveLudo
from tests.games.write_pferdeaepfel_golden import as_text

FOLDER = Path(__file__).parent / "golden" / "ludo"

# Seeds chosen for short games.
GAMES: dict[str, tuple[str, dict[str, Any], int]] = {
    "ffa": ("ffa", {}, 14),
    "teams": ("teams", {}, 36),
    "ranking": ("ffa", {"players": 3, "ranking": True, "exact_finish": True}, 39),
    "opposite": ("ffa", {"colours": "green,blue", "again_on_six": False, "again_on_capture": False}, 38),
    "truncated": ("teams", {"max_plies": 40}, 3),
}


def naive_game(ruleset: str, rules: dict[str, Any]) -> NaiveLudo:
    colours = tuple(filter(None, rules.get("colours", "").split(",")))
    return NaiveLudo(ruleset, **{**rules, "colours": colours})


def playthrough(ruleset: str, rules: dict[str, Any], seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    game = naive_game(ruleset, rules)
    plies = []
    while not game.over:
        legal = game.legal()
        action = rng.choice(legal)
        player = sw.CHANCE if game.player == "die" else game.player
        plies.append({"player": player, "action": action, "legal": " ".join(sorted(legal))})
        game.play(action)
    returns = game.returns()
    winners = [seat for seat, value in enumerate(returns) if value == max(returns) > 0]
    return {
        "game": f"ludo/{ruleset}",
        "rules": rules,
        "winner": winners,
        "points": [0] * len(returns),
        "returns": list(returns),
        "plies": plies,
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (ruleset, rules, seed) in GAMES.items():
        (FOLDER / f"{name}.json").write_text(as_text(playthrough(ruleset, rules, seed)), encoding="utf-8")


if __name__ == "__main__":
    main()
