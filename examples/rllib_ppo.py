"""RLlib's PPO with its own action masking learns one seat against a greedy opponent.

pip install "ray[rllib]" torch && python examples/rllib_ppo.py 10
"""

import sys

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from spielwerk.adapters import rllib

iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 10
batch = int(sys.argv[2]) if len(sys.argv) > 2 else 4000

ray.init(address="local", _node_ip_address="127.0.0.1", include_dashboard=False)  # not somebody else's cluster
rllib.register()
config = (
    PPOConfig()
    .environment("spielwerk", env_config={"game": "pferdeaepfel/trail", "seat": "random", "opponent": "greedy"})
    .env_runners(num_env_runners=0)
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    .training(train_batch_size_per_learner=batch, minibatch_size=min(batch, 256), num_epochs=4, gamma=1.0)
)
algorithm = config.build_algo()
for iteration in range(iterations):
    result = algorithm.train()
    mean = result["env_runners"].get("episode_return_mean", float("nan"))
    print(f"iteration {iteration}: mean return {mean:+.2f}")
algorithm.stop()
