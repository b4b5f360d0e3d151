"""Plays exported models against random and greedy and compares with what their cards say; --write sets the cards.

Without it nothing is written, and the exit code is 1 where a card is not borne out.

python scripts/measure_models.py src/spielwerk/models pferdeaepfel/trail

`figures` are the scores of one seat against the others, seat by seat; `measured` is what a table shared evenly with
the opponent gives, seats exchanged, so that a half is a match whatever the number of seats.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import spielwerk as sw
from spielwerk.durable import write_durably
from spielwerk.training.evaluation import play_games, rival_seatings, score_by_seat, score_of
from spielwerk.training.export import card_text
from spielwerk.training.players import player_of
from spielwerk.training.selfplay import ANCHORS

Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rulesets", nargs="*", metavar="RULESET")
    parser.add_argument("--games", type=int, default=400, help="for each figure")
    parser.add_argument("--write", action="store_true", help="write the figures onto the cards")
    options = parser.parse_args()
    untrue = 0
    for name in options.rulesets or sw.games():
        path = options.folder / name
        figures = measure(path, options.games)
        found = differences(path, figures)
        print(name, json.dumps(figures["measured"]), "; ".join(found) or "as on the card", flush=True)
        untrue += bool(found)
        if options.write:
            write_card(path, figures)
    sys.exit(1 if untrue and not options.write else 0)


def measure(path: Path, games: int) -> Figures:
    """What the model at PATH.onnx makes of its games."""
    card = read_card(path)
    game = sw.make(card["game"], **card["rules"])
    player = player_of(f"network:{path.with_suffix('.onnx')}", game)
    figures: Figures = {"figures": {}, "measured": {}}
    for name in ANCHORS:
        opponent = player_of(name, game)
        alone = score_by_seat(game, player, opponent, games // game.num_players, seed=3)
        figures["figures"][name] = [score.to_json() for score in alone]
        shared = score_of(play_games(game, player, opponent, rival_seatings(game), games, seed=5, opening=2).gained)
        figures["measured"][name] = {"rate": round(shared.rate, 4), "games": shared.games}
    return figures


def differences(path: Path, figures: Figures) -> list[str]:
    """Where the card says a rate that the games do not bear out."""
    stated = read_card(path).get("measured", {})
    found = []
    for name, seen in figures["measured"].items():
        rate = stated.get(name, {}).get("rate")
        spread = 2 * (0.25 / min(seen["games"], stated.get(name, {}).get("games", 1))) ** 0.5
        if rate is None or abs(rate - seen["rate"]) > spread:
            found.append(f"against {name} the card says {rate}, the games say {seen['rate']}")
    return found


def read_card(path: Path) -> dict[str, Any]:
    card: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    return card


def write_card(path: Path, figures: Figures) -> None:
    write_durably(path.with_suffix(".json"), card_text(read_card(path) | figures))


if __name__ == "__main__":
    main()
