"""Networks that judge positions before a die (afterstates), for expectimax: the files that hold their weights."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from spielwerk import _core
from spielwerk.agents.weights_file import SHIPPED, Parts, read_weights, stamp_of, weights_bytes
from spielwerk.border import quoted
from spielwerk.games import Game

SUFFIX = ".td.safetensors"
HIDDEN = 64
_PARTS = {"rows": "F32", "bias": "F32", "last": "F32", "scalars": "F32"}  # scalars: last bias, weight of the heuristic


def family_of(game: Game) -> str:
    """One network serves all rulesets of a family."""
    return game.name.partition("/")[0]


@dataclass(frozen=True)
class AfterstateModel:
    """The numbers of a network, by name, and its card."""

    parts: Parts
    card: dict[str, Any]

    def to_bytes(self) -> bytes:
        """The file."""
        return weights_bytes(self.parts, _PARTS, self.card)

    @classmethod
    def from_bytes(cls, data: bytes, source: str) -> "AfterstateModel":
        """The network in a file; ValueError where it is none."""
        try:
            return cls(*read_weights(data, _PARTS))
        except ValueError:
            raise ValueError(f"{quoted(source, 200)} is no network of afterstates") from None

    def network(self) -> _core.AfterstateNetwork:
        """For `_core.expectimax`."""
        last_bias, heuristic_weight = (float(number) for number in self.parts["scalars"])
        arrays = {name: self.parts[name] for name in _PARTS if name != "scalars"}
        return _core.AfterstateNetwork(last_bias=last_bias, heuristic_weight=heuristic_weight, **arrays)


def afterstates_for(name: str, game: Game) -> _core.AfterstateNetwork:
    """The network that `model=` names, a file or `shipped`; ValueError where there is none or it is another game's."""
    path = SHIPPED / f"{family_of(game)}{SUFFIX}" if name == "shipped" else Path(name)
    try:
        found = _read(path, stamp_of(path))
    except OSError:
        raise ValueError(f"there is no network of afterstates {quoted(str(path), 200)}") from None
    if found.card.get("family") != family_of(game):
        made_for = quoted(str(found.card.get("family")), 40)
        raise ValueError(f"the network {quoted(str(path), 200)} is for {made_for}, not {game.name}")
    return found.network()


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> AfterstateModel:
    """Once for every time the file has changed."""
    return AfterstateModel.from_bytes(path.read_bytes(), str(path))
