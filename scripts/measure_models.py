"""Plays exported models against random and greedy and writes what comes out onto their cards.

python scripts/measure_models.py src/spielwerk/models pferdeaepfel/trail

`figures` are the scores of one seat against the others, seat by seat; `measured` is what a table shared evenly with
the opponent gives, seats exchanged, so that a half is a match whatever the number of seats.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import spielwerk as sw
from spielwerk.durable import write_durably
from spielwerk.training.evaluation import play_games, rival_seatings, score_by_seat, score_of
from spielwerk.training.players import greedy_player, player_of, random_player

OPPONENTS = {"random": random_player, "greedy": greedy_player}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rulesets", nargs="*", metavar="RULESET")
    parser.add_argument("--games", type=int, default=400)
    options = parser.parse_args()
    for name in options.rulesets or sw.games():
        print(name, json.dumps(measure(options.folder / name, options.games), ensure_ascii=False), flush=True)


def measure(path: Path, games: int) -> dict[str, Any]:
    """The card of the model at PATH.onnx, with its figures."""
    file = path.with_suffix(".json")
    card: dict[str, Any] = json.loads(file.read_text())
    game = sw.make(card["game"], **card["rules"])
    player = player_of(f"network:{path.with_suffix('.onnx')}")
    figures: dict[str, str] = {}
    measured: dict[str, Any] = {}
    for name, opponent in OPPONENTS.items():
        alone = score_by_seat(game, player, opponent, games // game.num_players, seed=3)
        figures |= {f"seat {seat} against {name}": str(score) for seat, score in enumerate(alone)}
        shared = score_of(play_games(game, player, opponent, rival_seatings(game), games, seed=5, opening=2).gained)
        measured[name] = {"rate": round(shared.rate, 4), "games": shared.games}
    added = {"figures": figures, "measured": measured}
    write_durably(file, (json.dumps(card | added, indent=1, ensure_ascii=False) + "\n").encode())
    return added


if __name__ == "__main__":
    main()
