"""What a dataset is made from, and the positions of one of its games.

Games are numbered, and each depends on the recipe and its number alone: a dataset that was interrupted goes on as if it
had not been. Dice are drawn here, so that agents see no stream they could look ahead in.
"""

import random
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from spielwerk.agents import Agent, Analysis
from spielwerk.arena.players import check_player, seat_agent
from spielwerk.games import CHANCE, Game, State, game_seed, make
from spielwerk.solver import Solver

Columns = dict[str, NDArray[Any]]

OPENING = 2
NODES = 10_000
MEGABYTES = 16  # of the solver


class Column(NamedTuple):
    """What every position has: a value or an array of this type and shape."""

    dtype: DTypeLike
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Recipe:
    """Who plays what. `agents` are one for all seats, or one for each seat."""

    game: str
    rules: dict[str, bool | int | str]
    agents: tuple[str, ...]
    seed: int = 0
    opening: int = OPENING  # random actions that every game begins with; their positions are left out
    nodes: int = NODES  # of the solver for a position; 0 proves nothing

    @classmethod
    def of(cls, game: Game, agents: tuple[str, ...], **further: int) -> "Recipe":
        """ValueError when these agents cannot play the game, or not on so many seats."""
        if len(agents) not in (1, game.num_players):
            raise ValueError(f"{game.name} takes one agent for all seats or {game.num_players}, not {len(agents)}")
        for spec in agents:
            check_player(spec, game)
        recipe = cls(game.name, dict(game.rules), agents, **further)
        if recipe.opening < 0 or recipe.nodes < 0:
            raise ValueError("opening and nodes must not be negative")
        return recipe

    @property
    def made(self) -> Game:
        return make(self.game, **self.rules)

    @property
    def repeatable(self) -> bool:
        """Whether the same recipe gives the same positions again: limits of time and several threads do not."""
        made = (seat_agent(spec, 0) for spec in self.agents)
        return all(
            agent.kind != "engine" and not getattr(agent, "ms", 0) and getattr(agent, "threads", 1) == 1
            for agent in made
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"agents": list(self.agents), "rules_version": self.made.rules_version}


def columns_of(game: Game) -> dict[str, Column]:
    """Everything a position has, in order."""
    actions, seats = (game.num_actions,), (game.num_players,)
    return {
        "game": Column(np.int64, (), "number of the game, from 0"),
        "ply": Column(np.int32, (), "decisions before this one, forced ones included"),
        "seat": Column(np.int8, (), "the seat to act"),
        "position": Column(np.str_, (), "the position's text, for game.from_text"),
        "observation": Column(np.uint8, game.observation_shape, "what the seat to act sees"),
        "mask": Column(np.uint8, actions, "1 for each legal action"),
        "action": Column(np.int32, (), "what was played"),
        "policy": Column(
            np.float32,
            actions,
            "shares of a search's visits or a network's probabilities; from other agents 1 for what was played",
        ),
        "value": Column(np.float32, (), "what the agent expects for the seat to act, from -1 to 1"),
        "exact": Column(np.float32, (), "the same with best play of both, proved: 1, 0 or -1; NaN where not proved"),
        "returns": Column(np.float32, seats, "how the game ended, by seat"),
        "points": Column(np.int32, seats, "the points at its end, by seat"),
    }


def play_game(recipe: Recipe, number: int) -> Columns:
    """The positions of one game in which its agents had a choice."""
    game = recipe.made
    rows, states = _played(recipe, game, number)
    exact = _exact_values(game, states[:-1], recipe.nodes)
    outcome = states[-1]
    whole = {
        "game": [number] * len(rows),
        "exact": exact,
        "returns": [outcome.returns] * len(rows),
        "points": [outcome.points] * len(rows),
    }
    kinds = columns_of(game)
    named = {name: whole[name] if name in whole else [row[name] for row in rows] for name in kinds}
    return {
        name: np.array(values, kinds[name].dtype).reshape(len(rows), *kinds[name].shape)
        for name, values in named.items()
    }


def _played(recipe: Recipe, game: Game, number: int) -> tuple[list[dict[str, Any]], list[State]]:
    """What the agents were shown and did; their positions, and the one at the end."""
    seed = game_seed(recipe.seed, number)
    draw = random.Random(seed)
    agents = _seated(recipe, game, seed)
    state = game.start(seed=seed, chance="explicit")
    rows: list[dict[str, Any]] = []
    states: list[State] = []
    ply = 0
    while (seat := state.player) is not None:
        if seat == CHANCE:
            actions, chances = zip(*state.outcomes, strict=True)
            state.play(draw.choices(actions, chances)[0])
            continue
        legal = state.legal_actions
        if ply < recipe.opening or len(legal) == 1:
            action = draw.choice(legal)
        else:
            action, analysis = agents[seat].decide(state.clone())
            rows.append({"ply": ply, **_row(state, seat, action, analysis)})
            states.append(state.clone())
        state.play(action)
        ply += 1
    return rows, [*states, state]


def _seated(recipe: Recipe, game: Game, seed: int) -> list[Agent]:
    specs = recipe.agents * game.num_players if len(recipe.agents) == 1 else recipe.agents
    return [seat_agent(spec, game_seed(seed, seat)) for seat, spec in enumerate(specs)]


def _row(state: State, seat: int, action: int, analysis: Analysis) -> dict[str, Any]:
    observation, mask = state.observe(seat)
    return {
        "seat": seat,
        "position": state.to_text(),
        "observation": observation,
        "mask": mask,
        "action": action,
        "policy": _policy(state, action, analysis),
        "value": analysis.lines[0].value,
    }


def _policy(state: State, action: int, analysis: Analysis) -> NDArray[np.float32]:
    weights = np.zeros(state.game.num_actions, np.float32)
    for line in analysis.lines:
        weights[state.parse(line.actions[0])] = line.visits
    if weights.sum() == 0:
        weights[action] = 1
    shares: NDArray[np.float32] = weights / weights.sum(dtype=np.float32)
    return shares


def _exact_values(game: Game, states: list[State], nodes: int) -> list[float]:
    """From the end, where proofs are easy and make those before them easier."""
    if nodes == 0 or game.num_players != 2 or game.has_chance:
        return [np.nan] * len(states)
    solver = Solver(game, MEGABYTES)
    return [_proved(solver, state, nodes) for state in reversed(states)][::-1]


def _proved(solver: Solver, state: State, nodes: int) -> float:
    verdict = solver.solve(state, distance=False, nodes=nodes).verdict
    return {"win": 1.0, "draw": 0.0, "loss": -1.0}.get(verdict, np.nan)
