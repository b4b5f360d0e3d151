"""OpenSpiel's MCTS plays one of our games, with the dice as chance nodes.

pip install open_spiel && python examples/openspiel_mcts.py spielwerk_ludo_ffa
"""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import spielwerk.adapters.openspiel  # noqa: F401 (makes our games known to OpenSpiel)

name = sys.argv[1] if len(sys.argv) > 1 else "spielwerk_pferdeaepfel_trail"
simulations = int(sys.argv[2]) if len(sys.argv) > 2 else 100

game = pyspiel.load_game(name)
source = np.random.RandomState(7)
bot = mcts.MCTSBot(game, 1.4, simulations, mcts.RandomRolloutEvaluator(1, source), random_state=source)

state = game.new_initial_state()
while not state.is_terminal():
    if state.is_chance_node():
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        action = int(source.choice(actions, p=probabilities))
    else:
        action = bot.step(state)
    print(state.action_to_string(state.current_player(), action), end=" ", flush=True)
    state.apply_action(action)
print("\nreturns:", state.returns())
