"""Many games in which the caller has one seat and a network plays the others, all of them at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents import agent
from spielwerk.agents.network import NetworkAgent
from spielwerk.games import Game, State, game_seed
from spielwerk.sampling import draw_actions

MOST_GAMES = 2**24
# A game that the network ends before the seat's first decision is no episode: another one is begun.
_BEGINNINGS = 100


class GamesAgainstNetwork:
    """Has the arrays and calls of a batch of the core whose opponents play inside it; `seat` -1 is drawn for each game.

    The network is asked about every game in which it is to act in one call. Actions without a choice are played without
    asking. The first game in place i is `game.start(seed=game_seed(seed, i))`, and later ones follow from that seed.
    """

    def __init__(
        self, game: Game, num_envs: int, opponent: str, seat: int, skip_forced: bool, illegal_loses: bool
    ) -> None:
        player = agent(opponent)
        assert isinstance(player, NetworkAgent)
        self._agent = player
        if not player.plays(game):
            raise ValueError(f"{opponent} does not play {game!r}")
        if not 1 <= num_envs <= MOST_GAMES:
            raise ValueError(f"num_envs must be from 1 to {MOST_GAMES}, not {num_envs}")
        self.game, self.num_envs = game, num_envs
        self._wanted_seat = seat
        self._skip_forced, self._illegal_loses = skip_forced, illegal_loses
        self._states: list[State] = []
        self._seeds = [0] * num_envs
        self._draw = np.random.default_rng()
        self.observation = np.zeros((num_envs, *game.observation_shape), np.uint8)
        self.final_observation = np.zeros_like(self.observation)
        self.mask = np.zeros((num_envs, game.num_actions), np.uint8)
        self.reward = np.zeros((num_envs, game.num_players), np.float32)
        self.points = np.zeros((num_envs, game.num_players), np.int32)
        self.terminated, self.truncated = np.zeros(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self.seat = np.zeros(num_envs, np.int32)

    def reset(self, seed: int | None = None) -> None:
        """Starts every game and plays it up to the seat's first decision."""
        self._draw = np.random.default_rng(None if seed is None else seed % 2**64)
        first = int(self._draw.integers(2**63)) if seed is None else seed
        self._seeds = [game_seed(first, place) for place in range(self.num_envs)]
        self._states = [self.game.start(seed=own) for own in self._seeds]
        for place in range(self.num_envs):
            self.seat[place] = self._drawn_seat()
        self._play_on(list(range(self.num_envs)))
        self._clear()

    def step(self, actions: NDArray[Any]) -> None:
        """Plays for the seat in every game, then for the network up to the seat's next decision."""
        self._require_reset()
        chosen = self._checked(actions)
        self._clear()
        for place, action in enumerate(chosen):
            if action is None:
                self._end(place, forfeited=True)
            else:
                self._states[place].play(action)
        self._play_on(list(range(self.num_envs)))

    def random_actions(self, seed: int | None = None) -> NDArray[np.int32]:
        """A random legal action for every game."""
        self._require_reset()
        uniform = 1 - np.random.default_rng(None if seed is None else seed % 2**64).random((self.num_envs, 1))
        return np.asarray(draw_actions(self.mask.astype(np.float64), self.mask, uniform), np.int32)

    def state(self, index: int) -> State:
        """A copy of one game's position."""
        self._require_reset()
        return self._states[index].clone()

    # -- one step ------------------------------------------------------------------------------

    def _checked(self, actions: NDArray[Any]) -> list[int | None]:
        """The actions; None where an illegal one loses. ValueError before anything has happened where it does not."""
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions must have the shape ({self.num_envs},), not {actions.shape}")
        known = (actions >= 0) & (actions < self.game.num_actions)
        legal = known & (self.mask[np.arange(self.num_envs), np.where(known, actions, 0)] == 1)
        if not legal.all() and not self._illegal_loses:
            place = int(np.flatnonzero(~legal)[0])
            raise ValueError(f"action {actions[place]} is illegal in game {place} of the batch; no game was stepped")
        return [int(action) if fine else None for action, fine in zip(actions, legal, strict=True)]

    def _clear(self) -> None:
        self.reward[:], self.terminated[:], self.truncated[:] = 0, False, False

    def _play_on(self, places: list[int]) -> None:
        """Lets the network and necessity act until the seat has a decision in each of these games."""
        begun = dict.fromkeys(places, 0)
        waiting = places
        while waiting:
            asked = []
            for place in waiting:
                if self._states[place].over:
                    self._end(place)
                    begun[place] += 1
                    if begun[place] > _BEGINNINGS:
                        raise ValueError(f"seat {self.seat[place]} never acts: the network ends the game before it can")
                if not self._show(place):
                    asked.append(place)
            self._ask(asked)
            waiting = asked

    def _show(self, place: int) -> bool:
        """Whether the seat is to decide; its view is then in the arrays, else that of whoever is to act."""
        state = self._states[place]
        while state.player is not None and len(legal := state.legal_actions) == 1:
            if state.player == self.seat[place] and not self._skip_forced:
                break
            state.play(legal[0])
        if state.player is None:
            return False
        self.observation[place], self.mask[place] = state.observe(state.player)
        return bool(state.player == self.seat[place])

    def _ask(self, places: list[int]) -> None:
        """One call of the network for all games in which it has a choice."""
        acting = [place for place in places if not self._states[place].over]
        seed = int(self._draw.integers(2**63))
        answers = self._agent.act_many(self.game, self.observation[acting], self.mask[acting], seed)
        for place, action in zip(acting, answers, strict=True):
            self._states[place].play(int(action))

    def _end(self, place: int, *, forfeited: bool = False) -> None:
        """Pays out, unless the game ended before the seat could act, and begins the next one."""
        state, seat = self._states[place], int(self.seat[place])
        if not (self.terminated[place] or self.truncated[place]):
            self.final_observation[place] = state.observation(seat)
            self.truncated[place] = state.truncated and not forfeited
            self.terminated[place] = not self.truncated[place]
            self.points[place] = 0 if forfeited else state.points
            self.reward[place] = 0 if forfeited else state.returns
            if forfeited:
                self.reward[place, seat] = -1
        self._seeds[place] = game_seed(self._seeds[place], 1)
        self._states[place] = self.game.start(seed=self._seeds[place])
        self.seat[place] = self._drawn_seat()

    def _drawn_seat(self) -> int:
        return int(self._draw.integers(self.game.num_players)) if self._wanted_seat < 0 else self._wanted_seat

    def _require_reset(self) -> None:
        if not self._states:
            raise ValueError("call reset() before stepping")
