"""One seat of a game as a Gymnasium environment; agents sit on the others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import gymnasium
import numpy as np
from numpy.typing import NDArray

from spielwerk.agents import Agent, agent
from spielwerk.envs.pictures import FRAMES_PER_SECOND, RENDER_MODES
from spielwerk.envs.single_game import Rule, SingleGame, game_of
from spielwerk.envs.spaces import MASK_TYPE, Mask, View, actions_of
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, State


class Player(Protocol):
    """Any `Agent`, and whatever else chooses actions."""

    def act(self, state: State) -> int:
        """The action to play for the seat that is to act."""


Opponents = str | Player | Sequence[str | Player]

# A game that the others end before the seat's first decision is no episode: another one is begun.
_BEGINNINGS = 100


class SingleSeat(SingleGame, gymnasium.Env[Any, Any]):
    """A seat of a game; agents play the others until it is to act again.

    `game` is a ruleset's name, with rule parameters as further arguments, or a `Game`. `seat` is a number
    or ``"random"``, drawn again for every episode. `opponent` is an agent or its spec, or a list of them,
    one for each other seat in order.

    Observations are uint8 [planes, height, width] as the seat sees the board; `observation` asks for other forms
    (``float``, ``flat``, and ``dict`` with the mask beside the planes; see `spielwerk.envs.spaces`). The mask is in
    the info, too, and `action_masks` gives it to sb3-contrib's MaskablePPO; it is all ones once the game is over.
    Infos have the same keys in every step: ``action_mask``, ``seat``, ``reason`` (why the game ended, empty until
    then) and ``refusal`` (which rule an illegal action broke).

    The reward is the seat's return: zero until the game ends. An illegal action loses the game, with reward -1;
    with ``illegal="raise"`` it raises `IllegalAction`, which names the rule, and changes nothing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        game: str | Game,
        seat: int | str = 0,
        opponent: Opponents = "random",
        render_mode: str | None = None,
        illegal: str = "lose",
        observation: str = "planes",
        **rules: Rule,
    ) -> None:
        SingleGame.__init__(self, game_of(game, rules), render_mode, illegal)
        self._view = View(self.game, observation)
        self.observation_space = self._view.space()
        self.action_space = actions_of(self.game)
        self._wanted_seat = self._checked_seat(seat)
        self._others = _Others(opponent, self.game)
        self._at_the_table: _Others | None = None
        self._seat = 0
        self._players: dict[int, Player] = {}

    # -- playing -------------------------------------------------------------------------------

    def set_opponent(self, opponent: Opponents) -> None:
        """Who plays the other seats from the next reset on."""
        self._others = _Others(opponent, self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins a game and plays it up to the seat's first decision.

        `options` may hold, for this episode, a ``"position"`` to start from, a ``"seat"`` and an
        ``"opponent"``. A seed begins the game that `Game.start` begins with it, and the same seed brings the same
        seat and choices of agents made from a spec; resets without one go on from there.
        """
        if self._closed:
            raise self._out_of_order("reset")
        super().reset(seed=seed)
        options = options or {}
        seat = self._checked_seat(options.get("seat", self._wanted_seat))
        others = _Others(options["opponent"], self.game) if "opponent" in options else self._others
        if seed is not None or others is not self._at_the_table:
            others.reseed(self.np_random)
        self._at_the_table = others
        self._begin(seat, others, options, seed)
        self._show()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays for the seat, then for the others up to its next decision."""
        state = self._running("step")
        if self._over:
            raise IllegalAction("the game is over; reset() starts a new one", "over")
        try:
            state.play(action)
        except IllegalAction as refusal:
            if self.illegal == "raise":
                raise
            self._over = True
            return self._observation(), -1.0, True, False, self._info("illegal", refusal.reason)
        self._over = self._let_others_play(state)
        self._show()
        if not self._over:
            return self._observation(), 0.0, False, False, self._info()
        reward, truncated = state.returns[self._seat], state.truncated
        return self._observation(), reward, not truncated, truncated, self._info(state.reason)

    def _begin(self, seat: int | str, others: "_Others", options: dict[str, Any], seed: int | None) -> None:
        for _ in range(_BEGINNINGS):
            state = self._start(self._draw(2**63) if seed is None else seed, options)
            seed = None
            self._seat = self._draw(self.game.num_players) if isinstance(seat, str) else seat
            self._players = others.seated_around(self._seat)
            self._state = state
            self._over = self._let_others_play(state)
            if not self._over:
                return
        self._state = None
        raise ValueError(f"seat {seat} of {self.game.name} never acts: the others end the game before it can")

    def _let_others_play(self, state: State) -> bool:
        """True when the game is over, False when the seat is to act."""
        while (player := state.player) is not None and player != self._seat:
            try:
                state.play(self._players[player].act(state))
            except IllegalAction as refusal:
                raise RuntimeError(f"the opponent on seat {player} plays an illegal action: {refusal}") from refusal
        return player is None

    def _draw(self, below: int) -> int:
        return int(self.np_random.integers(below))

    # -- looking -------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [num_actions]: where the seat may act now."""
        return self._mask().view(np.bool_)

    def _observation(self) -> Any:
        return self._view.shown(self._running("observation").observation(self._seat), self._mask())

    def _info(self, reason: str = "", refusal: str = "") -> dict[str, Any]:
        return {"action_mask": self._mask(), "seat": self._seat, "reason": reason, "refusal": refusal}

    def _mask(self) -> Mask:
        state = self._running("action_masks")
        return np.ones(self.game.num_actions, MASK_TYPE) if self._over else state.mask.view(MASK_TYPE)

    def _checked_seat(self, seat: object) -> int | str:
        seats = range(self.game.num_players)
        if seat == "random":
            return "random"
        if not isinstance(seat, int | np.integer) or seat not in seats:
            raise ValueError(f"seat must be from 0 to {seats[-1]} or 'random', not {seat!r}")
        return int(seat)


class _Others:
    """Who plays the other seats. Agents made from a spec can be made to repeat their choices."""

    def __init__(self, given: object, game: Game) -> None:
        seats = game.num_players - 1
        each = list(given) if isinstance(given, list | tuple) else [given] * seats
        if len(each) != seats:
            raise ValueError(f"{game.name} has {seats} other seat(s), but {len(each)} opponents are given")
        self._players = [agent(one) if isinstance(one, str) else _checked_player(one) for one in each]
        self._drawing_lots = {
            place: player
            for place, player in enumerate(self._players)
            if isinstance(each[place], str) and isinstance(player, Agent) and hasattr(player, "seed")
        }

    def reseed(self, source: np.random.Generator) -> None:
        """Players that came as objects stay as they are: they belong to the caller."""
        for place, player in self._drawing_lots.items():
            given: int | None = getattr(player, "seed", None)
            seed = int(source.integers(2**63)) if given is None else given
            self._players[place] = replace(player, seed=seed)  # type: ignore[call-arg]

    def seated_around(self, seat: int) -> dict[int, Player]:
        others = (other for other in range(len(self._players) + 1) if other != seat)
        return dict(zip(others, self._players, strict=True))


def _checked_player(given: Any) -> Player:
    if not callable(getattr(given, "act", None)):
        raise ValueError(f"an opponent is an agent or a spec like 'greedy', not {type(given).__name__}")
    player: Player = given
    return player
