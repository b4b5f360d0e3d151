"""Two agents against each other on rulesets of two seats, in pairs with the seats exchanged, after random openings.

    python benchmarks/engines.py mcts:ms=20 greedy
    python benchmarks/engines.py --train networks alphabeta:ms=100,model={network} alphabeta:ms=100 --workers 16

With --train an evaluation network is trained for each ruleset first and kept in that folder; `{network}` in a spec is
its file. A sequential test of 50 against 55 % ends a match before all games are played, unless --all asks for them.
Needs NumPy, and PyTorch for training, so that it also runs where nothing can be installed.
"""

import argparse
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spielwerk as sw
from spielwerk import _core
from spielwerk.arena.scores import Score
from spielwerk.arena.sprt import Sprt
from spielwerk.arena.workers import Workers, workers_for
from spielwerk.durable import write_durably
from spielwerk.machine import processor

OPENING = 4  # random actions


@dataclass(frozen=True)
class Pair:
    """Two games from one opening, with the seats exchanged."""

    ruleset: str
    players: tuple[str, str]
    number: int


def play_pair(pair: Pair) -> list[tuple[int, float, str]]:
    """For each game the first player's seat, its return, and how the game went."""
    games = []
    for seat in range(2):
        draw = random.Random(f"{pair.ruleset} {pair.number}")
        state = opening(sw.make(pair.ruleset), draw)
        first, second = (sw.agent(seeded(spec, pair.number)) for spec in pair.players)
        went = [state.to_text()]
        while not state.over:
            action = (first if state.player == seat else second).act(state)
            went.append(state.text(action))
            state.play(action)
        games.append((seat, state.returns[seat], " ".join(went)))
    return games


def opening(game: sw.Game, draw: random.Random) -> sw.State:
    while True:
        state = game.start(seed=draw.getrandbits(32))
        for _ in range(OPENING):
            if not state.over:
                state.play(draw.choice(state.legal_actions))
        if not state.over:
            return state


def seeded(spec: str, seed: int) -> str:
    return spec if "seed=" in spec else f"{spec}{',' if ':' in spec else ':'}seed={seed}"


def match(ruleset: str, players: tuple[str, str], options: argparse.Namespace, workers: Workers) -> dict[str, Any]:
    games, scores, ways = options.games, [Score(0, 0, 0), Score(0, 0, 0)], set()
    samples: list[float] = []
    chunk = max(workers.slots, 8)
    for first in range(0, games // 2, chunk):
        pairs = [Pair(ruleset, players, number) for number in range(first, min(first + chunk, games // 2))]
        for future in [workers.submit(play_pair, pair) for pair in pairs]:
            played = future.result()
            samples.append(sum((1 + result) / 4 for _, result, _ in played))
            for seat, result, way in played:
                scores[seat] += Score(int(result > 0), int(result == 0), int(result < 0))
                ways.add(way)
        if Sprt().verdict(samples) and not options.all:
            break
    total = scores[0] + scores[1]
    return {
        "ruleset": ruleset,
        "players": players,
        "score": total.to_json(),
        "by_seat": [score.to_json() for score in scores],
        "distinct": len(ways),
        "test": Sprt().verdict(samples) or "open",
    }


def train(rulesets: list[str], options: argparse.Namespace, workers: Workers) -> None:
    """Networks for those that have none in the folder: one learns while the games of the next are played."""
    from spielwerk.training.launch import chosen_device
    from spielwerk.training.nnue import NnueConfig, gather

    device = chosen_device("auto")
    submit = workers.submit if device == "cpu" else ThreadPoolExecutor(1).submit  # processes share no GPU
    options.train.mkdir(parents=True, exist_ok=True)
    chosen = ("positions", "nodes", "epochs", "teacher", "seed")
    config = NnueConfig(**{name: getattr(options, name) for name in chosen})
    learning = []
    for ruleset in rulesets:
        if not network_of(ruleset, options.train).exists():
            began = time.perf_counter()
            data = gather(sw.make(ruleset), config, workers, lambda count: None)
            print(f"{ruleset}: {len(data)} positions in {time.perf_counter() - began:.0f} s", flush=True)
            learning.append((ruleset, submit(learnt, (ruleset, data, config, device))))
    for ruleset, future in learning:
        file, figures = future.result()
        write_durably(network_of(ruleset, options.train), file)
        print(f"{ruleset}: {figures}", flush=True)


def learnt(about: tuple[str, Any, Any, str]) -> tuple[bytes, dict[str, float]]:
    from spielwerk.training.nnue import learn

    ruleset, data, config, device = about
    evaluation, figures = learn(sw.make(ruleset), data, config, lambda epoch, error, held: None, device)
    return evaluation.to_bytes(), figures


def network_of(ruleset: str, folder: Path) -> Path:
    return folder / f"{ruleset.replace('/', '-')}.nnue.safetensors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs=2, metavar="SPEC")
    parser.add_argument("--ruleset", action="append", help="instead of all of two seats without dice")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--train", type=Path, metavar="FOLDER")
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--teacher", default="", help="judges in the games that are learnt from; see train-nnue")
    parser.add_argument("--seed", type=int, default=0, help="of the training")
    parser.add_argument("--json", type=Path, help="also write all figures to this file")
    options = parser.parse_args()
    every = [name for name in sw.games() if sw.make(name).num_players == 2 and not sw.make(name).has_chance]
    workers = workers_for(options.workers)
    results = []
    try:
        if options.train:
            train(options.ruleset or every, options, workers)
        for ruleset in options.ruleset or every:
            network = network_of(ruleset, options.train) if options.train else ""
            first, second = (spec.replace("{network}", str(network)) for spec in options.players)
            results.append(match(ruleset, (first, second), options, workers))
            print(row(results[-1]), flush=True)
            if options.json is not None:
                write_durably(
                    options.json,
                    json.dumps({"core": _core.build, "processor": processor(), "results": results}, indent=1).encode(),
                )
    finally:
        workers.close()


def row(result: dict[str, Any]) -> str:
    cells = [result["ruleset"], *(f"`{spec}`" for spec in result["players"])]
    cells += [str(result["score"]["games"]), str(result["distinct"])]
    cells += [
        f"{100 * s['rate']:.1f} ({100 * s['interval'][0]:.1f}–{100 * s['interval'][1]:.1f})"
        for s in (result["score"], *result["by_seat"])
    ]
    return "| " + " | ".join([*cells, result["test"]]) + " |"


if __name__ == "__main__":
    main()
