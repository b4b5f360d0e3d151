"""TorchRL's PPO learns one seat against a random opponent; illegal actions are masked.

pip install torchrl && python examples/torchrl_ppo.py 50
"""

import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from spielwerk.adapters.torchrl import masked_env

iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 50
frames = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
torch.manual_seed(0)


def make():
    return masked_env("pferdeaepfel/trail", seat="random", observation="dict-flat")


env = make()
inputs = env.observation_spec["observation"].shape[-1]
policy_net = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, env.action_spec.space.n))
value_net = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 1))
actor = ProbabilisticActor(
    TensorDictModule(policy_net, in_keys=["observation"], out_keys=["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    spec=env.action_spec,
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(value_net, in_keys=["observation"])
advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

collector = Collector(make, actor, frames_per_batch=frames, total_frames=frames * iterations)
for iteration, data in enumerate(collector):
    for _ in range(4):
        advantage(data)
        values = loss(data)
        total = values["loss_objective"] + values["loss_critic"] + values["loss_entropy"]
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
    rewards, done = data["next", "reward"], data["next", "done"]
    print(f"iteration {iteration}: mean return {rewards[done].mean():+.2f} in {int(done.sum())} games")
collector.shutdown()
