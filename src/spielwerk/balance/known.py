"""What is known about rules without playing a game."""

from collections.abc import Sequence

from spielwerk.games import Game
from spielwerk.render.description import Fact, description_of


def known_facts(game: Game) -> Sequence[Fact]:
    """What is certain about a game under these very rules."""
    return description_of(game.name).known_facts(game)
