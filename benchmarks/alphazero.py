"""How fast self-play under search is, beside the network alone at the same batch, and where the rest of the time goes.

    python benchmarks/alphazero.py                          # what this machine's defaults are
    python benchmarks/alphazero.py ludo/ffa --seconds 20 --set sims=32

On a GPU its busy share is the time that kernels of the network took, by CUDA events, of the time on the clock.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import torch

import spielwerk as sw
from spielwerk.training.alphazero import Actor, AlphaZero, Group
from spielwerk.training.config import CUDA_DEFAULTS, AlphaZeroConfig, kind_of


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", nargs="?", default="pferdeaepfel/classic")
    parser.add_argument("--seconds", type=float, default=20.0, help="of self-play")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any setting of AlphaZeroConfig"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measured(sw.make(options.ruleset), settings(options.set), options.seconds)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:42} {value:,.3f}" if isinstance(value, float) else f"{name:42} {value:,}")


def settings(texts: list[str]) -> AlphaZeroConfig:
    """The defaults for this machine, and what was set."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    values: dict[str, Any] = {"device": device, **(CUDA_DEFAULTS["alphazero"] if device == "cuda" else {})}
    for text in texts:
        name, _, value = text.partition("=")
        kind = kind_of(AlphaZeroConfig, name)
        values[name] = value == "true" if kind is bool else kind(value)
    return AlphaZeroConfig(**values)


def measured(game: sw.Game, config: AlphaZeroConfig, seconds: float) -> dict[str, float]:
    """Evaluations a second of self-play and of the network alone, and the shares of the time."""
    torch.set_num_threads(config.threads if config.device == "cpu" else 1)
    learner = AlphaZero(game, config)
    clock = Clock(learner)
    for _ in learner.play(8):  # compiles, and fills the caches
        pass
    alone = network_rate(learner)
    clock.start()
    begin, decisions = time.perf_counter(), learner.decisions
    while time.perf_counter() - begin < seconds:
        for _ in learner.play(64):
            pass
    _finish(learner)
    spent = time.perf_counter() - begin
    rate = clock.evaluations / spent
    return {
        "games at once": config.n_envs,
        "positions a batch": len(learner.groups[0]),
        "evaluations/s": rate,
        "network alone, evaluations/s": alone,
        "share of the network's own rate": rate / alone,
        "device busy with the network": clock.network_seconds() / spent,
        "searching in the core": clock.searching / spent,
        "waiting for answers": clock.waiting / spent,
        "decisions/s": (learner.decisions - decisions) / spent,
    }


class Clock:
    """Takes the time of what the groups of a learner do."""

    def __init__(self, learner: AlphaZero) -> None:
        self._on_gpu = learner.device.type == "cuda"
        self._groups = learner.groups
        self._events: list[tuple[Any, Any]] = []
        self._plain = 0.0
        self.searching = self.waiting = 0.0
        self.evaluations = 0

    def start(self) -> None:
        """From now on."""
        for group in self._groups:
            group._judge = self._judging(group, group._judge)  # type: ignore[assignment, method-assign]
            group._wait = self._timed("waiting", group._wait)  # type: ignore[method-assign]
            group._search = self._timed("searching", group._search)  # type: ignore[method-assign]

    def network_seconds(self) -> float:
        """The time that the network took."""
        on_gpu: float = sum(first.elapsed_time(last) for first, last in self._events) / 1000
        return self._plain + on_gpu

    def _event(self) -> Any:
        return torch.cuda.Event(enable_timing=True) if self._on_gpu else None  # type: ignore[no-untyped-call]

    def _timed(self, name: str, work: Callable[[], None]) -> Callable[[], None]:
        def timed() -> None:
            begin = time.perf_counter()
            work()
            setattr(self, name, getattr(self, name) + time.perf_counter() - begin)

        return timed

    def _judging(self, group: Group, judge: Callable[[Actor], None]) -> Callable[[Actor], None]:
        def timed(actor: Actor) -> None:
            self.evaluations += len(group)
            begin = time.perf_counter()
            first, last = (self._event() for _ in range(2))
            if first is not None:
                first.record()
            judge(actor)
            if last is not None:
                last.record()
                self._events.append((first, last))
            else:
                self._plain += time.perf_counter() - begin

        return timed


def network_rate(learner: AlphaZero) -> float:
    """Evaluations a second of the network alone, planes and answers staying on the device."""
    group = learner.groups[0]
    rounds = 100 if learner.device.type == "cuda" else 20
    for _ in range(3):
        learner.actor(group.seen)
    _finish(learner)
    begin = time.perf_counter()
    for _ in range(rounds):
        learner.actor(group.seen)
    _finish(learner)
    return rounds * len(group) / (time.perf_counter() - begin)


def _finish(learner: AlphaZero) -> None:
    if learner.device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
