"""Finds positions whose every action can be proved, in games of random, greedy and searching players.

Games are numbered, and each depends on the seed and its number alone: a collection that was interrupted goes on as
if it had not been. The solver is limited by nodes and not by time, so that every machine finds the same positions.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from spielwerk.agents import agent
from spielwerk.games import Game, State
from spielwerk.mistakes.positions import Card, PositionSet, ProvedPosition
from spielwerk.solver import Solver

NODES = 200_000  # of the solver, for one question
PLAYERS = {"random": "random", "greedy": "greedy:errs=0.1", "self-play": "alphabeta:nodes=1000,memory=1"}
OPENING = 2  # random actions that every game begins with
LOOKED_AT = 8  # positions of a game at most: they are alike


@dataclass
class Collector:
    """Collects positions that are won or critical, and that leave a choice."""

    card: Card
    found: PositionSet = field(init=False)
    next_game: int = 0
    unproved: int = 0
    _known: set[str] = field(init=False, repr=False, default_factory=set)

    def __post_init__(self) -> None:
        self.found = PositionSet(self.card)

    @classmethod
    def of(cls, game: Game, *, seed: int = 0, nodes: int = NODES) -> "Collector":
        """One that has found nothing yet."""
        if game.num_players != 2 or game.has_chance:
            raise ValueError(f"{game.name} cannot be solved: only games of two seats without dice can")
        return cls(Card(game.name, game.rules, game.rules_version, seed, nodes, PLAYERS))

    def resume(self, found: PositionSet) -> None:
        """Goes on from earlier positions; those of the last game are looked for again."""
        if found.card != self.card:
            raise ValueError("these positions were collected with other rules or settings")
        self.next_game = max((position.number for position in found.positions), default=0)
        for position in found.positions:
            if position.number < self.next_game:
                self._keep(position)

    def play(self) -> list[ProvedPosition]:
        """The new positions of the next game."""
        number, self.next_game = self.next_game, self.next_game + 1
        source = list(self.card.players)[number % len(self.card.players)]
        draw = random.Random(f"{self.card.seed} {number}")
        states = _played(self.card.made, self.card.players[source], draw)
        solver = Solver(self.card.made, megabytes=64)
        chosen = draw.sample(range(len(states)), min(len(states), LOOKED_AT))
        fresh = []
        # From the end, where proofs are easy and make those before them easier.
        for place in sorted(chosen, reverse=True):
            proved = self._proved(solver, states[place], source, number)
            if proved is not None and (proved.won or proved.critical) and self._keep(proved):
                fresh.append(proved)
        return fresh

    def _keep(self, position: ProvedPosition) -> bool:
        if position.position in self._known:
            return False
        self._known.add(position.position)
        self.found.positions.append(position)
        return True

    def _proved(self, solver: Solver, state: State, source: str, number: int) -> ProvedPosition | None:
        seat = state.player
        assert seat is not None
        actions = {}
        for action in state.legal_actions:
            value = value_after(solver, state, action, self.card.nodes)
            if value is None:
                self.unproved += 1
                return None
            actions[state.text(action)] = value
        return ProvedPosition(state.to_text(), seat, actions, source, number)


def collect(game: Game, count: int, *, seed: int = 0, nodes: int = NODES) -> PositionSet:
    """So many positions of a game, or what a thousand games in a row without a new one leave."""
    collector = Collector.of(game, seed=seed, nodes=nodes)
    for _ in collecting(collector, count):
        pass
    return collector.found


def collecting(collector: Collector, wanted: int) -> Iterator[list[ProvedPosition]]:
    """The new positions, game by game, until there are as many as wanted or no more are found."""
    barren = 0
    while len(collector.found.positions) < wanted and barren < _GIVE_UP:
        fresh = collector.play()
        barren = 0 if fresh else barren + 1
        surplus = len(collector.found.positions) - wanted
        if surplus > 0:
            del collector.found.positions[wanted:]
            fresh = fresh[:-surplus]
        yield fresh


_GIVE_UP = 1000  # games in a row without a new position


def value_after(solver: Solver, state: State, action: int, nodes: int) -> int | None:
    """What an action is worth for who plays it, 1, 0 or -1; None if that could not be proved."""
    seat, after = state.player, state.clone()
    after.play(action)
    if after.over:
        return round(after.returns[seat or 0])
    solution = solver.solve(after, distance=False, nodes=nodes)
    if not solution.solved:
        return None
    return 0 if solution.winner is None else 1 if solution.winner == seat else -1


def _played(game: Game, spec: str, draw: random.Random) -> list[State]:
    """The positions of a game in which somebody has a choice."""
    player = agent(spec + (",seed=" if ":" in spec else ":seed=") + str(draw.getrandbits(32)))
    state = game.start(seed=draw.getrandbits(32))
    states: list[State] = []
    for ply in count():
        if state.over:
            return states
        if len(state.legal_actions) > 1 and ply >= OPENING:
            states.append(state.clone())
        state.play(draw.choice(state.legal_actions) if ply < OPENING else player.act(state))
    raise AssertionError("every game ends")
