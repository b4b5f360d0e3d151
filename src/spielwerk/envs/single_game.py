"""What the environments of single games share."""

from collections.abc import Mapping
from typing import Any

from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from spielwerk.envs.pictures import checked_mode, picture
from spielwerk.envs.spaces import Planes
from spielwerk.games import Game, State, make

Rule = bool | int | str

ANSWERS_TO_ILLEGAL = ("lose", "raise")


class UnexpectedKeywordError(TypeError, ValueError):
    """A keyword that is neither an argument of the environment nor a rule parameter.

    Libraries that try arguments out expect a TypeError; `sw.make` promises a ValueError for wrong parameters.
    """


class SingleGame:
    """One game in an environment: its position, its picture, and a clear word for calls out of order."""

    def __init__(self, game: Game, render_mode: str | None, illegal: str) -> None:
        if illegal not in ANSWERS_TO_ILLEGAL:
            raise ValueError(f"illegal must be one of {', '.join(ANSWERS_TO_ILLEGAL)}, not {illegal!r}")
        self.game = game
        self.render_mode = checked_mode(render_mode)
        self.illegal = illegal
        self._state: State | None = None
        self._over = False
        self._closed = False

    @property
    def game_state(self) -> State:
        """A copy of the position, for agents and analysis."""
        return self._running("game_state").clone()

    def render(self) -> str | Planes | None:
        """The position in the environment's render mode; ``human`` shows it and returns nothing."""
        return picture(self._running("render"), self.render_mode)

    def close(self) -> None:
        """Nothing can be done with the environment afterwards."""
        self._state = None
        self._closed = True

    def _start(self, seed: int, options: Mapping[str, Any] | None) -> State:
        """A new game, or the position given as ``options["position"]``."""
        position = options.get("position") if options else None
        if position is None:
            return self.game.start(seed)
        if not isinstance(position, str):
            raise ValueError(f"options['position'] must be a text, not {type(position).__name__}")
        state = self.game.from_text(position, seed)
        if state.over:
            raise ValueError(f"nothing is left to play in the position '{position}': the game is over")
        return state

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _running(self, name: str) -> State:
        if self._state is None:
            raise self._out_of_order(name)
        return self._state

    def _out_of_order(self, name: str) -> Exception:
        if self._closed:
            return ClosedEnvironmentError(f"{name} after close(): make a new environment")
        return ResetNeeded(f"{name} before reset(): call reset() first")


def game_of(game: str | Game, rules: Mapping[str, Rule]) -> Game:
    """The ruleset `game` with its parameters, or the Game that is given."""
    if isinstance(game, Game):
        if rules:
            raise ValueError(f"a Game has its rules already; not wanted: {', '.join(rules)}")
        return game
    known = [parameter.name for parameter in make(game).parameters] if rules else []
    for name in rules:
        if name not in known:
            message = f"got an unexpected keyword argument '{name}'; rule parameters of {game} are: {', '.join(known)}"
            raise UnexpectedKeywordError(message)
    return make(game, **rules)
