"""Every ruleset as an OpenSpiel game, dice and all.

    import pyspiel
    import spielwerk.adapters.openspiel

    game = pyspiel.load_game("spielwerk_pferdeaepfel_trail", {"size": 4})

The rule parameters are those of ``sw.make``. Dice and drawn starters are chance nodes, so search and best-response
algorithms see their probabilities.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from spielwerk.games import CHANCE, Game, games, make

# OpenSpiel separates parameters by commas, and a parameter is never empty: texts are written in another way there.
_COMMA = "+"
_EMPTY = "auto"
_DRAWN = "random"
_NOT_BEGUN = "not begun"


def short_name(ruleset: str) -> str:
    """What OpenSpiel calls a ruleset: spielwerk_ludo_ffa for ludo/ffa."""
    return f"spielwerk_{ruleset.replace('/', '_')}"


def as_openspiel(game: Game) -> Any:
    """A Game with its rules as a game of OpenSpiel."""
    return pyspiel.load_game(short_name(game.name), {name: _written(value) for name, value in game.rules.items()})


def _written(value: bool | int | str) -> bool | int | str:
    return (value.replace(",", _COMMA) or _EMPTY) if isinstance(value, str) else value


def _read(value: bool | int | str) -> bool | int | str:
    if value == _EMPTY:
        return ""
    return value.replace(_COMMA, ",") if isinstance(value, str) else value


def beginnings(rules: Game) -> list[Game]:
    """The rules with each value that chance may draw where a choice is ``random``; else just themselves."""
    drawn = [entry for entry in rules.parameters if entry.kind == "choice" and rules.rules[entry.name] == _DRAWN]
    if not drawn:
        return [rules]
    values = [value for value in drawn[0].choices if value != _DRAWN]
    return [make(rules.name, **rules.rules | {drawn[0].name: value}) for value in values]


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A position with explicit chance. What is drawn before the game, as who begins, is its first chance node."""

    def __init__(self, game: Any, rules: Game) -> None:
        super().__init__(game)
        self._beginnings = beginnings(rules)
        self._begun = len(self._beginnings) == 1
        self.position = self._beginnings[0].start(seed=0, chance="explicit")

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's names for chance and the end."""
        seat = self.position.player if self._begun else CHANCE
        if seat is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if seat == CHANCE else seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions if self._begun else list(range(len(self._beginnings)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Actions of chance with their probabilities."""
        if self._begun:
            return self.position.outcomes
        return [(action, 1 / len(self._beginnings)) for action in range(len(self._beginnings))]

    def _apply_action(self, action: int) -> None:
        if self._begun:
            self.position.play(action)
        else:
            self.position = self._beginnings[action].start(seed=0, chance="explicit")
            self._begun = True

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.text(action) if self._begun else f"begin {action}"

    def is_terminal(self) -> bool:
        """Whether the game is over, by its rules or by the limit of plies."""
        return self.position.over

    def returns(self) -> Sequence[float]:
        """By seat; zeros until the game is over."""
        return list(self.position.returns)

    def __str__(self) -> str:
        return self.position.to_text() if self._begun else _NOT_BEGUN


class _Observer:
    """What a seat sees: the planes as float32 from 0 to 1 in `tensor`, the position as text."""

    def __init__(self, rules: Game) -> None:
        maxima = np.array([plane.maximum for plane in rules.planes], np.float32)
        self._scale = 1 / maxima[:, None, None]
        self.tensor = np.zeros(int(np.prod(rules.observation_shape)), np.float32)
        self.dict = {"planes": self.tensor.reshape(rules.observation_shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        self.dict["planes"][...] = state.position.observation(player) * self._scale

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Everyone sees everything."""
        return str(state)


def _register(ruleset: str) -> None:
    kind = _game_type(make(ruleset))

    class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
        """A ruleset with its parameters."""

        def __init__(self, parameters: dict[str, Any] | None = None) -> None:
            self.rules = make(ruleset, **{name: _read(value) for name, value in (parameters or {}).items()})
            super().__init__(kind, _game_info(self.rules), parameters or {})

        def new_initial_state(self) -> OpenSpielState:
            return OpenSpielState(self, self.rules)

        def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> _Observer:
            return _Observer(self.rules)

        def max_chance_nodes_in_history(self) -> int:
            """Chance falls at most once before every decision, and before the first."""
            if self.rules.has_chance:
                return self.rules.max_plies + 1
            return int(len(beginnings(self.rules)) > 1)

    pyspiel.register_game(kind, OpenSpielGame)


def _game_type(game: Game) -> Any:
    modes, utilities = pyspiel.GameType.ChanceMode, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=short_name(game.name),
        long_name=f"{game.name} of spielwerk",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if _chance_outcomes(game) else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=utilities.ZERO_SUM if game.zero_sum else utilities.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={entry.name: _written(entry.default) for entry in game.parameters},
    )


def _game_info(game: Game) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=_chance_outcomes(game),
        num_players=game.num_players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0 if game.zero_sum else None,
        max_game_length=game.max_plies,
    )


def _chance_outcomes(game: Game) -> int:
    """One more than the highest action of chance: OpenSpiel counts them from 0."""
    starts = beginnings(game)
    drawn = len(starts) if len(starts) > 1 else 0
    return max(drawn, _faces(starts[0]))


def _faces(game: Game) -> int:
    """The same for dice alone; a game in which none has fallen for long has none."""
    state = game.start(seed=0, chance="explicit")
    for _ in range(200):
        if state.player is None:
            break
        if state.player == CHANCE:
            return 1 + max(action for action, _ in state.outcomes)
        state.play(state.legal_actions[0])
    return 0


for _ruleset in games():
    _register(_ruleset)
