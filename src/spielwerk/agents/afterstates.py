"""Networks that judge positions before a die (afterstates), for expectimax: the files that hold their weights."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from spielwerk import _core
from spielwerk.agents.weights_file import SHIPPED, StoredNetwork
from spielwerk.border import quoted
from spielwerk.games import Game

SUFFIX = ".td.safetensors"
HIDDEN = 64


def family_of(game: Game) -> str:
    """One network serves all rulesets of a family."""
    return game.name.partition("/")[0]


@dataclass(frozen=True)
class AfterstateModel(StoredNetwork):
    """A network of afterstates; its scalars are the last bias and the weight of the heuristic."""

    what = "network of afterstates"
    kinds: ClassVar = {"rows": "F32", "bias": "F32", "last": "F32", "scalars": "F32"}

    def network(self) -> _core.AfterstateNetwork:
        """For `_core.expectimax`."""
        last_bias, heuristic_weight = (float(number) for number in self.parts["scalars"])
        arrays = {name: self.parts[name] for name in self.kinds if name != "scalars"}
        return _core.AfterstateNetwork(last_bias=last_bias, heuristic_weight=heuristic_weight, **arrays)


def shipped_families() -> list[str]:
    """The games that a network comes with."""
    return sorted(file.name.removesuffix(SUFFIX) for file in SHIPPED.glob(f"*{SUFFIX}"))


def afterstates_path(name: str, family: str) -> Path:
    """The file that `model=` names: `shipped` is the one that comes with this release for the game."""
    return SHIPPED / f"{family}{SUFFIX}" if name == "shipped" else Path(name)


def load_afterstates(path: Path) -> AfterstateModel:
    """The network in a file; ValueError where there is none."""
    try:
        return AfterstateModel.read(path)
    except OSError:
        known = ", ".join(shipped_families()) or "none"
        raise ValueError(f"there is no network of afterstates {quoted(str(path), 200)}; shipped are: {known}") from None


def afterstates_for(name: str, game: Game) -> _core.AfterstateNetwork:
    """The network for a game; ValueError where there is none or it is another game's."""
    path = afterstates_path(name, family_of(game))
    found = load_afterstates(path)
    if found.card.get("family") != family_of(game):
        made_for = quoted(str(found.card.get("family")), 40)
        raise ValueError(f"the network {quoted(str(path), 200)} is for {made_for}, not {game.name}")
    return found.network()
