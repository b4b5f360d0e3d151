"""Trains the models that are shipped, with the trainer that everybody has, and measures them.

PYTHONPATH=src python scripts/train_models.py OUT pferdeaepfel/trail ludo/ffa --device cuda

Without rulesets, all of them. A model's card is that of its run, whose command trains it again; runs lie in OUT/runs.
"""

import argparse
import shutil
from pathlib import Path
from typing import Any

from measure_models import measure, write_card

import spielwerk as sw

BOARD: dict[str, Any] = {
    "steps": 15_000_000,
    "opponent": "self",
    "network": "residual",
    "channels": 32,
    "blocks": 5,
    "n_envs": 8192,
    "minibatch": 8192,
    "threads": 8,
    "compile": True,
    "seed": 1,
}
# Where luck or length hides what an action was worth, the heuristic shows the way at first.
DICE = BOARD | {
    "steps": 50_000_000, "blocks": 2, "rollout": 64, "minibatch": 16_384, "discount": 0.99, "gae_lambda": 0.7,
    "shaping": 10.0,
}  # fmt: skip
LANDS = BOARD | {"steps": 25_000_000, "shaping": 2.0, "gae_lambda": 0.9}
RECIPES = {"ludo": DICE, "diavolo": LANDS}  # by game; BOARD for all others
NUMBERS = ("steps", "n_envs", "rollout", "minibatch", "channels", "blocks", "threads", "seed")


def main() -> None:
    options = _options()
    given = {name: getattr(options, name) for name in (*NUMBERS, "mix", "device", "compile")}
    changes = {name: value for name, value in given.items() if value is not None}
    for name in options.rulesets or sw.games():
        recipe = RECIPES.get(name.partition("/")[0], BOARD) | changes
        train(name, recipe, options.out, options.games)


def train(name: str, recipe: dict[str, Any], out: Path, games: int) -> None:
    """One model: trained, measured, and laid beside the others."""
    run = sw.train(name, "ppo", runs_dir=out / "runs", **recipe)
    if run.result is None or run.model is None:
        raise SystemExit(f"{run.folder} was interrupted")
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in (".onnx", ".json"):
        shutil.copyfile(run.model.with_suffix(suffix), path.with_suffix(suffix))
    figures = measure(path, games)
    write_card(path, figures)
    print(name, figures["measured"], flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("rulesets", nargs="*", metavar="RULESET")
    parser.add_argument("--games", type=int, default=2000, help="games for each figure")
    for name in NUMBERS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help="instead of the recipe's")
    parser.add_argument("--mix", help="train on several boards in turn, like side=5,8,12")
    parser.add_argument("--device")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction)
    return parser.parse_args()


if __name__ == "__main__":
    main()
