"""Tianshou's DQN learns one seat of a PettingZoo environment against a random player.

pip install tianshou && python examples/tianshou_dqn.py 5
"""

import sys

import numpy as np
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import spielwerk as sw

GAMES = 4
epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5000


def make() -> PettingZooEnv:
    return PettingZooEnv(sw.envs.pferdeaepfel_v0.env(ruleset="trail", size=5, observation="dict-flat"))


env = make()
shape = env.observation_space["observation"].shape
net = Net(state_shape=shape, action_shape=env.action_space.n, hidden_sizes=[128, 128])
policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1, eps_inference=0.0)
learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=320)
opponent = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner, opponent], env=env)

training_envs, test_envs = (DummyVectorEnv([make for _ in range(GAMES)]) for _ in range(2))
collector = Collector(algorithm, training_envs, VectorReplayBuffer(20_000, GAMES), exploration_noise=True)
collector.reset()
collector.collect(n_step=64 * GAMES)
result = algorithm.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        test_collector=Collector(algorithm, test_envs),
        max_epochs=epochs,
        epoch_num_steps=steps,
        collection_step_num_env_steps=64,
        test_step_num_episodes=50,
        batch_size=64,
        update_step_num_gradient_steps_per_sample=0.1,
        multi_agent_return_reduction=lambda returns: returns[:, 0],
        show_progress=False,
        verbose=False,
    )
)
assert np.isfinite(result.best_score)
print(f"best mean return of player_0: {result.best_score:+.2f}")
