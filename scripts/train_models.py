"""Trains the models that are shipped, by self-play, and says how strong they are.

PYTHONPATH=src python scripts/train_models.py OUT pferdeaepfel/trail diavolo/standard:side=5 --steps 200_000_000
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch

import spielwerk as sw
from spielwerk.training.evaluation import network_player, random_player, score_by_seat
from spielwerk.training.export import export_model
from spielwerk.training.ppo import Ppo, PpoConfig


def main() -> None:
    options = _options()
    for target in options.rulesets:
        name, _, rules = target.partition(":")
        game = sw.make(
            name, **{key: int(value) for key, value in (rule.split("=") for rule in rules.split(",") if rule)}
        )
        config = PpoConfig(
            steps=options.steps,
            seconds=options.seconds,
            opponent=options.opponent,
            network=options.network,
            channels=options.channels,
            blocks=options.blocks,
            n_envs=options.n_envs,
            rollout=options.rollout,
            epochs=options.epochs,
            minibatch=options.minibatch,
            learning_rate=options.learning_rate,
            entropy=options.entropy,
            discount=options.discount,
            trace=options.trace,
            threads=options.threads,
            device=options.device,
            compile=options.device == "cuda",
            seed=options.seed,
        )
        train(game, config, options.out / name, options.games)


def train(game: sw.Game, config: PpoConfig, path: Path, games: int) -> None:
    """One model: trained until its steps or its time are spent, scored against random, exported."""
    run = Ppo(game, config)
    start = told = time.perf_counter()
    for progress in run.updates():
        now = time.perf_counter()
        if now - told > config.seconds / 5:
            told = now
            losses = {key: round(value, 4) for key, value in progress.losses.items()}
            print(
                game.name, progress.steps, f"{progress.steps / (now - start) / 1e6:.2f} M steps/s", losses, flush=True
            )
    elapsed = time.perf_counter() - start
    player = network_player(run.network, seed=1, temperature=0.0)
    scores = score_by_seat(game, player, random_player(2), games, seed=3, threads=config.threads)
    print(game.name, [str(score) for score in scores], flush=True)
    figures = {f"seat {seat} against random": str(score) for seat, score in enumerate(scores)}
    export_model(path, run.network, game, _facts(config, run.steps, elapsed, figures))


def _facts(config: PpoConfig, steps: int, seconds: float, figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "command": "PYTHONPATH=src python scripts/train_models.py " + " ".join(sys.argv[1:]),
        "seed": config.seed,
        "steps": steps,
        "seconds": round(seconds, 1),
        "device": torch.cuda.get_device_name() if config.device == "cuda" else "cpu",
        "figures": figures,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("rulesets", nargs="+")
    defaults = PpoConfig()
    parser.add_argument("--opponent", default="self")
    parser.add_argument("--network", default="residual")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60.0, help="the most time for one model, compiling included")
    parser.add_argument("--learning-rate", type=float, default=defaults.learning_rate)
    parser.add_argument("--entropy", type=float, default=defaults.entropy)
    parser.add_argument("--discount", type=float, default=defaults.discount)
    parser.add_argument("--trace", type=float, default=defaults.trace)
    numbers = {"steps": 200_000_000, "channels": 48, "blocks": 4, "n_envs": 16_384, "rollout": 32, "epochs": 2}
    for name, default in (numbers | {"minibatch": 16_384, "threads": 16, "seed": 1}).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    return parser.parse_args()


if __name__ == "__main__":
    main()
