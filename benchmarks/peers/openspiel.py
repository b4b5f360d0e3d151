"""OpenSpiel: C++ games driven from Python, and its C++ playouts and MCTS as far as Python can start them."""

# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import random
from importlib.metadata import version

import pyspiel
from measure import Stretch
from open_spiel.python.observation import make_observation
from worker import serve

GAMES_PER_STRETCH = 50
GAMES_FOR_MEAN_LENGTH = 1000
ROLLOUTS_PER_STRETCH = 1000
SIMULATIONS_PER_STRETCH = 2000
MCTS_MEMORY_MB = 64


def driven_from_python(game_name: str) -> Stretch:
    game = pyspiel.load_game(game_name)
    return Stretch(lambda: sum(_random_game(game) for _ in range(GAMES_PER_STRETCH)))


def driven_with_observation(game_name: str) -> Stretch:
    """Observations go into OpenSpiel's reusable NumPy buffer, which is faster than its list of floats."""
    game = pyspiel.load_game(game_name)
    observation = make_observation(game)
    uniform = random.random

    def play_game() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            observation.set_from(state, state.current_player())
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(uniform() * len(legal))])
            steps += 1
        return steps

    return Stretch(lambda: sum(play_game() for _ in range(GAMES_PER_STRETCH)))


def playouts_in_cpp(game_name: str) -> Stretch:
    """An MCTS bot with one simulation does nothing but its evaluator's random rollouts from the root.

    It does not report their length, so the plies are rollouts times the mean length of a random game.
    """
    game = pyspiel.load_game(game_name)
    bot = _mcts_bot(game, rollouts=ROLLOUTS_PER_STRETCH, simulations=1)
    state = game.new_initial_state()
    mean_plies = sum(_random_game(game) for _ in range(GAMES_FOR_MEAN_LENGTH)) / GAMES_FOR_MEAN_LENGTH
    plies_per_stretch = round(ROLLOUTS_PER_STRETCH * mean_plies)

    def play() -> int:
        bot.step(state)
        return plies_per_stretch

    return Stretch(play)


def mcts_simulations(game_name: str) -> Stretch:
    game = pyspiel.load_game(game_name)
    bot = _mcts_bot(game, rollouts=1, simulations=SIMULATIONS_PER_STRETCH)
    state = game.new_initial_state()

    def search() -> int:
        bot.step(state)
        return SIMULATIONS_PER_STRETCH

    return Stretch(search)


def _mcts_bot(game: pyspiel.Game, *, rollouts: int, simulations: int) -> pyspiel.MCTSBot:
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 0)
    return pyspiel.MCTSBot(
        game,
        evaluator,
        uct_c=1.4,
        max_simulations=simulations,
        max_memory_mb=MCTS_MEMORY_MB,
        solve=False,
        seed=0,
        verbose=False,
    )


def _random_game(game: pyspiel.Game) -> int:
    uniform = random.random
    state = game.new_initial_state()
    steps = 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[int(uniform() * len(legal))])
        steps += 1
    return steps


if __name__ == "__main__":
    random.seed(0)
    serve(
        "OpenSpiel",
        version("open_spiel"),
        {
            "playouts": playouts_in_cpp,
            "state": driven_from_python,
            "state-observe": driven_with_observation,
            "mcts": mcts_simulations,
        },
    )
