"""Three board games to play, train for, measure and prove things about."""

from spielwerk.errors import IllegalAction
from spielwerk.games import CHANCE, Game, State, games, make

__all__ = ["CHANCE", "Game", "IllegalAction", "State", "games", "make"]
