"""What is learnt: PPO against random players, then gated self-play from there.

PYTHONPATH=src python benchmarks/learning.py pferdeaepfel/trail ludo/ffa diavolo/standard:side=5

For each ruleset: 10 M steps against random players, the score on every seat; then self-play through the gate, and a
sequential test of the best network it found against the one it started from.
"""

import argparse
import copy
import time
from typing import Any

import torch

import spielwerk as sw
from spielwerk.training.config import CUDA_DEFAULTS, PpoConfig, SelfPlayConfig
from spielwerk.training.evaluation import score_by_seat
from spielwerk.training.networks import Network
from spielwerk.training.players import greedy_player, network_player, random_player
from spielwerk.training.ppo import Ppo
from spielwerk.training.selfplay import SelfPlay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="+", metavar="RULESET[:rule=value]")
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--selfplay-steps", type=int, default=10_000_000)
    parser.add_argument("--win-threshold", type=float, default=0.55, help="of the gate, and of the test at the end")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting of PpoConfig")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for target in options.rulesets:
        name, _, rules = target.partition(":")
        game = sw.make(
            name, **{key: int(value) for key, value in (rule.split("=") for rule in rules.split(",") if rule)}
        )
        config = PpoConfig(steps=options.steps, seed=options.seed, **settings(options.set))
        network = learnt(game, config, options.games)
        through_the_gate(game, network, config, options.selfplay_steps, options.win_threshold)


def settings(changes: list[str]) -> dict[str, Any]:
    """Device defaults and what the command line changes of them."""
    words = dict(change.split("=", 1) for change in changes)
    types = {name: type(value) for name, value in vars(PpoConfig()).items()}
    given = {name: value == "True" if types[name] is bool else types[name](value) for name, value in words.items()}
    return (CUDA_DEFAULTS["ppo"] if given.get("device") == "cuda" else {}) | given


def learnt(game: sw.Game, config: PpoConfig, games: int) -> Network:
    run = Ppo(game, config)
    start = time.perf_counter()
    for _ in run.updates():
        pass
    seconds = time.perf_counter() - start
    print(f"{game!r}: {run.steps:,} steps against random in {seconds:.0f} s ({run.steps / seconds:,.0f}/s)", flush=True)
    for name, anchor in (("random", random_player), ("greedy", greedy_player)):
        scores = score_by_seat(game, network_player(run.averaged), anchor, games, seed=3)
        print(f"  against {name}: {'; '.join(map(str, scores))}", flush=True)
    return run.averaged


def through_the_gate(game: sw.Game, network: Network, ppo: PpoConfig, steps: int, threshold: float) -> None:
    changes = {"learning_rate": 0.0, "steps": steps, "eval_freq": max(1, steps // 20), "win_threshold": threshold}
    config = SelfPlayConfig(**vars(ppo) | changes)
    run = SelfPlay(game, config, copy.deepcopy(network))
    for _ in run.updates():
        pass
    test = run.against_start(20_000)["verdict"]
    print(
        f"  self-play, {run.steps:,} steps, {run.promotions} promotions; the best against the start: {test}", flush=True
    )
    print(f"  the best against random: {'; '.join(map(str, scores_against_random(game, run.best)))}", flush=True)


def scores_against_random(game: sw.Game, network: Network) -> list[object]:
    return list(score_by_seat(game, network_player(network), random_player, 1000, seed=5))


if __name__ == "__main__":
    main()
