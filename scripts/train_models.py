"""Trains the models that are shipped, by self-play, and says how strong they are.

PYTHONPATH=src python scripts/train_models.py OUT pferdeaepfel/trail ludo/ffa --device cuda

Without rulesets, all of them. Every model comes with a card that names this command, the seed and the figures.
"""

import argparse
import json
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch

import spielwerk as sw
from spielwerk.training.config import PpoConfig
from spielwerk.training.evaluation import score_by_seat
from spielwerk.training.export import export_model
from spielwerk.training.players import greedy_player, network_player, random_player
from spielwerk.training.ppo import Ppo, Progress

BOARD = PpoConfig(
    steps=10**12,
    seconds=100.0,
    opponent="self",
    network="residual",
    channels=32,
    blocks=5,
    n_envs=8192,
    rollout=32,
    epochs=2,
    minibatch=8192,
    learning_rate=1e-3,
    entropy=0.01,
    threads=8,
    device="cuda",
    compile=True,
    seed=1,
)
# Where luck or length hides what an action was worth, the heuristic shows the way at first.
DICE = replace(BOARD, blocks=2, rollout=64, minibatch=16_384, discount=0.99, trace=0.7, shaping=10.0)
LANDS = replace(BOARD, shaping=2.0, trace=0.9)
RECIPES = dict.fromkeys(sw.games(), BOARD) | {"ludo/ffa": DICE, "ludo/teams": DICE, "diavolo/standard": LANDS}


def main() -> None:
    options = _options()
    torch.set_num_threads(1)  # more of them get into each other's way at these sizes
    for name in options.rulesets or sw.games():
        changes = {key: value for key, value in vars(options).items() if key in _settings() and value is not None}
        train(sw.make(name), replace(RECIPES[name], **changes), options.out / name, options.games)


def train(game: sw.Game, config: PpoConfig, path: Path, games: int) -> None:
    """One model: trained until its steps or its time are spent, scored, exported."""
    run = Ppo(game, config)
    start = told = time.perf_counter()
    for progress in run.updates():
        if time.perf_counter() - told > config.seconds / 6:
            told = time.perf_counter()
            _tell(game, progress, run.steps / (told - start))
    seconds = time.perf_counter() - start
    player = network_player(run.network.eval())
    figures: dict[str, str] = {}
    for name, anchor in (("random", random_player), ("greedy", greedy_player)):
        scores = score_by_seat(game, player, anchor, games, seed=3, threads=config.threads)
        figures |= {f"seat {seat} against {name}": str(score) for seat, score in enumerate(scores)}
    print(game.name, f"{run.steps / seconds / 1e6:.2f} M steps/s", json.dumps(figures, ensure_ascii=False), flush=True)
    facts = {
        "command": f"PYTHONPATH=src python scripts/train_models.py OUT {' '.join(sys.argv[2:])}",
        "config": {field.name: getattr(config, field.name) for field in fields(config)},
        "seed": config.seed,
        "steps": run.steps,
        "seconds": round(seconds, 1),
        "device": torch.cuda.get_device_name() if config.device == "cuda" else "cpu",
        "figures": figures,
    }
    export_model(path, run.network, game, facts)


def _tell(game: sw.Game, progress: Progress, speed: float) -> None:
    losses = {key: round(value, 4) for key, value in progress.losses.items()}
    print(game.name, f"{progress.steps / 1e6:.1f} M", f"{speed / 1e6:.2f} M steps/s", losses, flush=True)


def _settings() -> dict[str, Any]:
    return {field.name: field.default for field in fields(PpoConfig)}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("rulesets", nargs="*", metavar="RULESET")
    parser.add_argument("--games", type=int, default=2000, help="games on each seat for each figure")
    for name, default in _settings().items():
        if isinstance(default, bool):
            parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction)
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(default))
    return parser.parse_args()


if __name__ == "__main__":
    main()
