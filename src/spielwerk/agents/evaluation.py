"""Evaluation networks of alpha-beta (NNUE): the files that hold their weights; cpp/search/nnue.hpp has the network."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from spielwerk import _core
from spielwerk.agents.regions import REGIONS, places_of
from spielwerk.agents.weights_file import SHIPPED, StoredNetwork
from spielwerk.border import quoted
from spielwerk.games import Game, make

SUFFIX = ".nnue.safetensors"
HIDDEN, HALVES, SECOND = 32, 2, 16
ONE, CEILING = 64, 127  # what stands for 1, and the highest activation
MOST_WEIGHT = 32_000  # of a number with 16 bits
SURE = 4  # the logit beyond which positions are no longer told apart


@dataclass(frozen=True)
class Evaluation(StoredNetwork):
    """An evaluation network in whole numbers."""

    what = "evaluation network"
    kinds: ClassVar = {
        "anchors": "I32",
        "rows_of": "I16",
        "table": "I8",
        "first_bias": "I16",
        "second": "I16",
        "second_bias": "I32",
        "last": "I16",
        "scalars": "I32",  # rows, bias of the last layer, weight of the heuristic
    }

    @property
    def any_size(self) -> bool:
        """Whether it learnt on boards of several sizes: its rows belong to planes and regions, not to cells."""
        return bool(self.card.get("mix"))

    def on(self, game: Game) -> "Evaluation":
        """The network as the board of a game needs it."""
        if not self.any_size:
            return self
        rows, planes = self.parts["rows_of"], self.parts["rows_of"].size // REGIONS
        if rows.size % REGIONS or planes not in (_core.evaluation_planes(game), game.observation_shape[0]):
            raise ValueError(f"the evaluation network of {quoted(str(self.card.get('game')), 60)} has other planes")
        rows_of = np.take_along_axis(rows.reshape(planes, REGIONS), places_of(game, planes), axis=1)
        return replace(self, parts=self.parts | {"rows_of": rows_of.reshape(-1)})

    def with_heuristic(self, times: float) -> "Evaluation":
        """The same network beside a heuristic that counts for so many times what it does now."""
        rows, last_bias, weight = self.parts["scalars"].tolist()
        scalars = np.array([rows, last_bias, round(np.clip(weight * times, -MOST_WEIGHT, MOST_WEIGHT))])
        learnt = self.card.get("config", {})
        config = learnt | {"heuristic": times * learnt.get("heuristic", 1.0)}
        return replace(self, parts=self.parts | {"scalars": scalars}, card=self.card | {"config": config})

    def network(self) -> _core.EvaluationNetwork:
        """For `_core.alphabeta`."""
        rows, last_bias, heuristic_weight = (int(number) for number in self.parts["scalars"])
        arrays = {name: self.parts[name] for name in self.kinds if name not in ("anchors", "scalars")}
        return _core.EvaluationNetwork(
            anchors=self.parts["anchors"].tolist(),
            rows=rows,
            last_bias=last_bias,
            heuristic_weight=heuristic_weight,
            **arrays,
        )


def evaluation_path(name: str, game: Game) -> Path:
    """The file that `model=` names: `shipped` is the one that comes with this release for the ruleset."""
    return SHIPPED / f"{game.name}{SUFFIX}" if name == "shipped" else Path(name)


def shipped_evaluations() -> list[str]:
    """The rulesets that a network comes with."""
    return sorted(file.relative_to(SHIPPED).as_posix().removesuffix(SUFFIX) for file in SHIPPED.glob(f"*/*{SUFFIX}"))


def load_evaluation(path: Path) -> Evaluation:
    """The network in a file; ValueError where there is none."""
    try:
        return Evaluation.read(path)
    except OSError:
        known = ", ".join(shipped_evaluations()) or "none"
        raise ValueError(f"there is no evaluation network {quoted(str(path), 200)}; shipped are: {known}") from None


def evaluation_for(name: str, game: Game) -> _core.EvaluationNetwork:
    """The network for a game; ValueError if it is another game's."""
    path = evaluation_path(name, game)
    found = load_evaluation(path)
    trained = make(str(found.card.get("game")), **found.card.get("rules", {}))
    fits = found.any_size or trained.observation_shape == game.observation_shape
    if trained.name != game.name or not fits:
        raise ValueError(f"the evaluation network {quoted(str(path), 200)} is for {trained!r}, not {game!r}")
    return found.on(game).network()
