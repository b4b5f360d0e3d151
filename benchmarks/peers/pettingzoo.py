"""PettingZoo's own classic games, with (`env`) and without (`raw_env`) its standard wrappers."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version

from measure import Stretch, random_play
from worker import serve


def wrapped(game_name: str, sampler: str) -> Stretch:
    return random_play(import_module(f"pettingzoo.classic.{game_name}").env(), sampler)


def raw(game_name: str, sampler: str) -> Stretch:
    return random_play(import_module(f"pettingzoo.classic.{game_name}").raw_env(), sampler)


if __name__ == "__main__":
    serve("PettingZoo", version("pettingzoo"), {"aec-env": wrapped, "aec-raw": raw})
