"""sb3-contrib's MaskablePPO learns one seat against a random opponent, 256 games at once inside the core.

pip install sb3-contrib && python examples/maskable_ppo.py 200000
"""

import sys

import numpy as np
from sb3_contrib import MaskablePPO

from spielwerk.adapters.sb3 import SeatVecEnv

RULESET = "pferdeaepfel/trail"
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
games = int(sys.argv[2]) if len(sys.argv) > 2 else 256

env = SeatVecEnv(RULESET, num_envs=games, seat="random", opponent="random")
model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, seed=0, device="cpu")
model.learn(steps)

observation, returns = env.reset(), []
while len(returns) < 200:
    actions, _ = model.predict(observation, action_masks=env.envs.action_masks(), deterministic=True)
    observation, rewards, done, _ = env.step(actions)
    returns += rewards[done].tolist()
print(f"mean return after {model.num_timesteps} steps: {np.mean(returns):+.2f} ({len(returns)} games)")
