"""Games from positions that are proved to be won, played on by an agent against others: none should be lost.

    python benchmarks/won_positions.py --agent solver:ms=100 --games 1000

The positions are those of the sets that travel with the package (docs/mistakes.md), so far as their board is solved;
each is played against every opponent in turn until there are as many games as wanted. Prints Markdown.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import spielwerk as sw
from spielwerk.mistakes import PositionSet, ProvedPosition, shipped_set

SOLVED: tuple[tuple[str, dict[str, int]], ...] = (
    ("pferdeaepfel/trail", {}),
    ("pferdeaepfel/classic", {"size": 5}),
    ("pferdeaepfel/free", {"size": 5}),
    ("diavolo/standard", {"side": 4}),
)
OPPONENTS = ("random", "greedy:errs=0.1", "alphabeta:nodes=20000")


def games(positions: PositionSet) -> Iterator[tuple[ProvedPosition, str, int]]:
    """A won position, an opponent, and the game's number: every opponent first, then further seeds."""
    won = [position for position in positions.positions if position.won]
    number = 0
    while won:
        for opponent in OPPONENTS:
            for position in won:
                yield position, opponent, number
                number += 1


def played(positions: PositionSet, position: ProvedPosition, specs: tuple[str, str]) -> tuple[str, str]:
    """The result for the side that had won, and how the game went."""
    state = positions.card.made.from_text(position.position)
    hero, opponent = (sw.agent(spec) for spec in specs)
    went = [position.position]
    while not state.over:
        action = (hero if state.player == position.player else opponent).act(state)
        went.append(state.text(action))
        state.play(action)
    return {1: "won", 0: "drawn", -1: "lost"}[round(state.returns[position.player])], " ".join(went)


def main() -> None:
    """Plays the games and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="solver:ms=100", metavar="SPEC")
    parser.add_argument("--games", type=int, default=1000, help="of every board")
    options = parser.parse_args()
    print("| board | games | different ones | won | drawn | lost |\n|---|---:|---:|---:|---:|---:|")
    for name, rules in SOLVED:
        positions = shipped_set(sw.make(name, **rules))
        assert positions is not None, f"no positions of {name} are shipped"
        results: Counter[str] = Counter()
        ways = set()
        for position, opponent, number in islice(games(positions), options.games):
            seeded = f"{opponent}{',' if ':' in opponent else ':'}seed={number}"
            result, way = played(positions, position, (options.agent, seeded))
            results[result] += 1
            ways.add(way)
        board = " ".join([name, *(f"{rule}={value}" for rule, value in rules.items())])
        counts = (results.total(), len(ways), *(results[kind] for kind in ("won", "drawn", "lost")))
        print(f"| `{board}` | {' | '.join(map(str, counts))} |", flush=True)


if __name__ == "__main__":
    main()
