"""Training speed end to end, play and learn.

PYTHONPATH=src python benchmarks/training.py --device cuda --compile --threads 16 --rulesets all
python benchmarks/training.py --peers        # beside sb3-contrib's MaskablePPO, on one processor thread

A step is a decision that is learnt from. Every figure is the median of `--rounds`; with `--peers` the rounds alternate.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

import spielwerk as sw
from spielwerk.training.config import USUAL_SIZES, PpoConfig
from spielwerk.training.ppo import Ppo

# Plays and learns for about so many seconds; tells how many steps per second.
Measure = Callable[[float], float]


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    if options.peers:
        beside_the_peer(options.seconds, options.rounds)
        return
    names = sw.games() if options.rulesets == ["all"] else options.rulesets
    on_gpu = options.device == "cuda"
    size = {"n_envs": options.n_envs, "rollout": 16, "epochs": 1, "minibatch": options.minibatch} if on_gpu else {}
    networks = [*((kind, *size) for kind, size in USUAL_SIZES.items()), ("residual", 32, 5)]
    for name in names:
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
                games=options.games,
                **size,
            )
            torch._dynamo.reset()  # or it gives up compiling after a few of them
            measure = ours(name, config)
            speed = median(measure(options.seconds) for _ in range(options.rounds))
            print(f"{name} {network} {channels}x{blocks} {size}: {speed / 1e6:.3f} M steps/s", flush=True)


def ours(name: str, config: PpoConfig) -> Measure:
    run = Ppo(sw.make(name), config)
    updates = run.updates()
    for _ in range(3):
        next(updates)

    def measure(seconds: float) -> float:
        start, first = time.perf_counter(), run.steps
        while time.perf_counter() - start < seconds:
            next(updates)
        if config.device == "cuda":
            torch.cuda.synchronize()
        return (run.steps - first) / (time.perf_counter() - start)

    return measure


def maskable_ppo(**settings: Any) -> Measure:
    """sb3-contrib on the Gymnasium view of the same core, 16 environments, a random opponent."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from spielwerk.envs.single_seat import SingleSeat

    games = DummyVecEnv([lambda: SingleSeat("pferdeaepfel/trail", seat="random")] * 16)
    model = MaskablePPO("MlpPolicy", games, device="cpu", seed=0, policy_kwargs={"net_arch": [64, 64]}, **settings)
    block = model.n_steps * 16
    model.learn(block)

    def measure(seconds: float) -> float:
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            model.learn(block, reset_num_timesteps=False)
            steps += block
        return steps / (time.perf_counter() - start)

    return measure


def beside_the_peer(seconds: float, rounds: int) -> None:
    same_work = PpoConfig(steps=10**12, opponent="random", channels=64, minibatch=512, epochs=4)
    rows = {
        "sb3-contrib, 64×2, batch 512, 4 epochs": maskable_ppo(n_steps=128, batch_size=512, n_epochs=4),
        "ours, 64×2, batch 512, 4 epochs": ours("pferdeaepfel/trail", same_work),
        "sb3-contrib, its defaults (64×2)": maskable_ppo(),
        "ours, our defaults (256×2)": ours("pferdeaepfel/trail", PpoConfig(steps=10**12)),
    }
    figures: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(rounds):
        for name, measure in rows.items():
            figures[name].append(measure(seconds))
    speeds = {name: median(measured) for name, measured in figures.items()}
    for name, speed in speeds.items():
        print(f"{name:40} {speed:10,.0f} steps/s")
    same, own = list(speeds.values())[:2], list(speeds.values())[2:]
    print(f"same network, batch and epochs: {same[1] / same[0]:.1f} ×; defaults: {own[1] / own[0]:.1f} ×")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--games", default="auto", help="where they are played: auto, cpu or cuda")
    parser.add_argument("--n-envs", type=int, default=131_072, help="on a GPU")
    parser.add_argument("--minibatch", type=int, default=131_072, help="on a GPU")
    parser.add_argument("--rulesets", nargs="*", default=["pferdeaepfel/trail"], help="or all")
    parser.add_argument("--peers", action="store_true", help="beside sb3-contrib's MaskablePPO")
    return parser.parse_args()


if __name__ == "__main__":
    main()
