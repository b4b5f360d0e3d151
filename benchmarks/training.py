"""Training speed end to end, play and learn: PYTHONPATH=src python benchmarks/training.py --device cuda."""

import argparse
import time

import torch

import spielwerk as sw
from spielwerk.training.config import PpoConfig
from spielwerk.training.ppo import Ppo


def measured(name: str, config: PpoConfig, seconds: float) -> float:
    """Steps per second after a warm-up of three updates."""
    run = Ppo(sw.make(name), config)
    updates = run.updates()
    for _ in range(3):
        next(updates)
    start, first = time.perf_counter(), run.steps
    while time.perf_counter() - start < seconds:
        next(updates)
    if config.device == "cuda":
        torch.cuda.synchronize()
    return (run.steps - first) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--n-envs", type=int, default=131_072, help="on a GPU")
    parser.add_argument("--minibatch", type=int, default=131_072, help="on a GPU")
    parser.add_argument("--rulesets", nargs="*", default=["pferdeaepfel/trail"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.device == "cuda":
        size = {"n_envs": options.n_envs, "rollout": 16, "epochs": 1, "minibatch": options.minibatch}
        networks = [("mlp", 256, 2), ("residual", 48, 4)]
    else:
        size = {"n_envs": 512, "rollout": 32, "epochs": 4, "minibatch": 512}
        networks = [("mlp", 64, 2)]
    for name in options.rulesets:
        for network, channels, blocks in networks:
            config = PpoConfig(
                steps=10**12,
                opponent="self",
                network=network,
                channels=channels,
                blocks=blocks,
                device=options.device,
                threads=options.threads,
                compile=options.compile,
                **size,
            )
            speed = measured(name, config, options.seconds)
            print(f"{name} {network} {channels}x{blocks} {size}: {speed / 1e6:.3f} M steps/s", flush=True)


if __name__ == "__main__":
    main()
