"""Names for the environments in the registries of PettingZoo and Gymnasium.

PettingZoo gets one name per game, like ``spielwerk/pferdeaepfel_v0`` (which it lists with ``-v0``), and Gymnasium
one for the single seat of every ruleset, like ``spielwerk/pferdeaepfel-trail-v0``: `gymnasium.make` gives one game,
`gymnasium.make_vec` many of them inside the core.
"""

import pkgutil
import re
from functools import cache
from pathlib import Path

import gymnasium
import pettingzoo

from spielwerk.games import games

FIRST_VERSION = "v0"
_ROOM = __name__.rpartition(".")[0]


@cache
def game_modules() -> dict[str, str]:
    """The modules of this package that are named after a game and a version, and the game of each."""
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    matches = (re.fullmatch(r"(\w+)_v\d+", name) for name in names)
    return {match[0]: match[1] for match in matches if match}


def register_all() -> None:
    """Tells both libraries what there is."""
    for module in game_modules():
        if hasattr(pettingzoo, "register"):  # releases before 1.27 have no registry
            pettingzoo.register("aec", f"spielwerk/{module}", entry_point=f"{_ROOM}.{module}:env")
    versions = {game: module.removeprefix(f"{game}_") for module, game in game_modules().items()}
    for ruleset in games():
        version = versions.get(ruleset.partition("/")[0], FIRST_VERSION)
        gymnasium.register(
            f"spielwerk/{ruleset.replace('/', '-')}-{version}",
            entry_point=f"{_ROOM}.single_seat:SingleSeat",
            vector_entry_point=f"{_ROOM}.vector_seat:VectorSeat",
            kwargs={"game": ruleset},
        )
