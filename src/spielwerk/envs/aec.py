"""Any game of the core as a PettingZoo environment."""

import operator
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from spielwerk.envs.pictures import FRAMES_PER_SECOND, RENDER_MODES
from spielwerk.envs.single_game import Rule, SingleGame, game_of
from spielwerk.envs.spaces import FORMS_WITH_MASK, MASK_TYPE, Mask, View, actions_of
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, State

# What PettingZoo promises once an episode has begun.
_SET_BY_RESET = {"agents", "num_agents", "agent_selection", "infos"}
_SET_BY_RESET |= {"rewards", "_cumulative_rewards", "terminations", "truncations"}


class Observation(TypedDict):
    """What an agent sees, and where it may act."""

    observation: NDArray[Any]
    action_mask: Mask


class GameEnv(SingleGame, AECEnv[str, Any, Any]):
    """The seats of a game as the agents ``player_0``, ``player_1``, …

    Dice fall by themselves: only decisions are asked for, and a turn of several actions is several steps
    of the same agent. Rewards are the game's returns: zero until it ends, then given to every agent.

    The mask is in the observation and in the info alike. It is all zeros for agents that wait for their
    turn, and all ones once the game is over: nothing is left to forbid then, and learners need no special
    case for a position without any action.

    `observation` is ``dict``, ``dict-float`` or ``dict-flat`` (see `spielwerk.envs.spaces`). Infos have the same keys
    in every step: ``action_mask``, ``reason`` (why the game ended, empty until then) and ``refusal`` (which rule an
    illegal action broke).

    Order and legality are checked here, so no wrapper has to. An illegal action ends the game, with -1 for the
    agent that played it and 0 for the others; with ``illegal="raise"`` it raises `IllegalAction`, which names
    the rule, and changes nothing.

    Seats act one after the other, so there is no parallel form of this environment.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it so)
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: Game,
        name: str,
        render_mode: str | None = None,
        illegal: str = "lose",
        observation: str = "dict",
    ) -> None:
        SingleGame.__init__(self, game, render_mode, illegal)
        self.metadata = {"name": name, **type(self).metadata}
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.action_spaces = {agent: actions_of(game) for agent in self.possible_agents}
        self._view = View(game, observation, FORMS_WITH_MASK)
        self.observation_spaces = {agent: self._view.space() for agent in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds = random.Random()

    # -- playing -------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game, from ``options["position"]`` where that is given.

        The same seed brings the same dice and starting player; resets without one go on from there.
        """
        if self._closed:
            raise self._out_of_order("reset")
        self._state = state = self._start(self._game_seed(seed), options)
        self._over = False
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._waiting = {agent: _info(self._mask(0)) for agent in self.agents}
        self._go_on(state)
        self._show()

    def step(self, action: int | None) -> None:
        """Plays for the selected agent. Agents of a finished game step once more, with None."""
        state = self._state
        if state is None:
            raise self._out_of_order("step")
        if self._over:
            self._retire(action)
            return
        if action is None:
            raise IllegalAction(f"{self.agent_selection} is to act; None is for finished agents", "no-action")
        try:
            state.play(action)
        except IllegalAction as refusal:
            if self.illegal == "raise":
                raise
            self._forfeit(refusal)
        else:
            self._go_on(state)
        if self.render_mode == "human":
            self.render()

    def _game_seed(self, seed: int | None) -> int:
        """A seed as given, so that the game is the one `Game.start` begins with it."""
        if seed is None:
            return self._seeds.getrandbits(64)
        seed = operator.index(seed)
        self._seeds = random.Random(seed)
        return seed

    def _go_on(self, state: State) -> None:
        """Asks the agent whose turn it is, or ends the game."""
        seat = state.player
        if seat is None:
            self._end(state.returns, state.truncated, reason=state.reason)
            return
        self.agent_selection = agent = self.possible_agents[seat]
        self.infos = infos = self._waiting.copy()
        infos[agent] = _info(state.mask.view(MASK_TYPE))

    def _forfeit(self, refusal: IllegalAction) -> None:
        returns = [-1.0 if agent == self.agent_selection else 0.0 for agent in self.agents]
        self._end(returns, False, reason="illegal", refusal=refusal.reason)

    def _end(self, returns: Sequence[float], truncated: bool, reason: str, refusal: str = "") -> None:
        self._over = True
        self.rewards = dict(zip(self.agents, returns, strict=True))
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {agent: _info(self._mask(1), reason, refusal) for agent in self.agents}
        self.agent_selection = self.agents[0]

    def _retire(self, action: int | None) -> None:
        """The last step of a finished agent takes it off the lists."""
        if not self.agents:
            raise IllegalAction("the game is over; reset() starts a new one", "over")
        agent, *others = self.agents
        if action is not None:
            raise IllegalAction(f"the game is over for {agent}; its last step is None", "over")
        self.agents = others
        self.rewards = dict.fromkeys(others, 0.0)
        self._cumulative_rewards = {other: self._cumulative_rewards[other] for other in others}
        self.terminations = {other: self.terminations[other] for other in others}
        self.truncations = {other: self.truncations[other] for other in others}
        self.infos = {other: self.infos[other] for other in others}
        if others:
            self.agent_selection = others[0]

    # -- looking -------------------------------------------------------------------------------

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward, termination, truncation and info of the selected agent."""
        agent = self.agent_selection
        if not self.agents:
            raise ResetNeeded("the game is over; reset() starts a new one")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """The position as the agent sees it, with its mask."""
        state = self._state
        if state is None:
            raise self._out_of_order("observe")
        seat = self._seats.get(agent)
        if seat is None:
            raise self._unknown(agent)
        info = self.infos.get(agent)
        return {
            "observation": self._view.formed(state.observation(seat)),
            "action_mask": info["action_mask"] if info else self._mask(1),
        }

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # type: ignore[override]
        """The agents in the order in which they act; each one steps before the next is asked for."""
        asked: Mapping[str, object] = {}
        for _ in range(max_iter):
            if not self.agents:
                return
            if self.infos is asked:  # every step makes new infos
                raise RuntimeError(f"{self.agent_selection} was asked to act, but step() was not called")
            asked = self.infos
            yield self.agent_selection

    def observation_space(self, agent: str) -> Space[Any]:
        """Planes and mask."""
        if agent not in self._seats:
            raise self._unknown(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """All actions of the ruleset, legal or not."""
        if agent not in self._seats:
            raise self._unknown(agent)
        return self.action_spaces[agent]

    def _mask(self, everywhere: int) -> Mask:
        return np.full(self.game.num_actions, everywhere, MASK_TYPE)

    # -- misuse --------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Says why, for names that nothing has set yet."""
        if name in _SET_BY_RESET:
            raise AttributeError(f"{name} is not known before reset()")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _unknown(self, agent: object) -> ValueError:
        return ValueError(f"no agent {agent!r}; there are: {', '.join(self.possible_agents)}")


def _info(mask: Mask, reason: str = "", refusal: str = "") -> dict[str, Any]:
    """The same keys in every step: learners' buffers are made after the first info they see."""
    return {"action_mask": mask, "reason": reason, "refusal": refusal}


def game_env(
    module: str, ruleset: str, render_mode: str | None, illegal: str, observation: str, rules: Mapping[str, Rule]
) -> GameEnv:
    """The environment of a module like ``pferdeaepfel_v0``, which is named after its game."""
    name = module.rpartition(".")[2]
    game = name.rpartition("_v")[0]
    return GameEnv(game_of(f"{game}/{ruleset}", rules), name, render_mode, illegal, observation)
