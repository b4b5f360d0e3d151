"""PPO in one file: PyTorch, many games inside the core, nothing else. One seat learns against a random opponent.

pip install torch && python examples/ppo_in_one_file.py --steps 2000000
"""

import argparse

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import spielwerk.envs  # noqa: F401 (makes the environments known to Gymnasium)

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--game", default="spielwerk/pferdeaepfel-trail-v0")
parser.add_argument("--steps", type=int, default=2_000_000, help="decisions in all games together")
parser.add_argument("--games", type=int, default=256, help="side by side")
parser.add_argument("--rollout", type=int, default=32, help="decisions of each game between updates")
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--entropy", type=float, default=0.01, help="weight of the entropy bonus")
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--minibatches", type=int, default=8)
args = parser.parse_args()
torch.manual_seed(0)

envs = gymnasium.make_vec(args.game, num_envs=args.games, seat="random", observation="flat")
inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)


class Network(nn.Module):
    """Two hidden layers shared by policy and value."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy = nn.Linear(256, actions)
        self.value = nn.Linear(256, 1)

    def forward(self, observation, mask):
        hidden = self.body(observation)
        return Categorical(logits=self.policy(hidden).masked_fill(~mask, -1e9)), self.value(hidden).squeeze(-1)


network = Network()
optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
shape = (args.rollout, args.games)
kept = {
    "observation": torch.zeros(*shape, inputs),
    "mask": torch.zeros(*shape, actions, dtype=torch.bool),
    "action": torch.zeros(shape, dtype=torch.long),
    "log_prob": torch.zeros(shape),
}
values, rewards, ends = (torch.zeros(shape) for _ in range(3))


def seen(observation, info):
    return torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool()


observation, mask = seen(*envs.reset(seed=0))
for update in range(max(1, args.steps // (args.rollout * args.games))):
    finished = []
    with torch.no_grad():
        for t in range(args.rollout):
            policy, values[t] = network(observation, mask)
            action = policy.sample()
            step = {"observation": observation, "mask": mask, "action": action, "log_prob": policy.log_prob(action)}
            for name, value in step.items():
                kept[name][t] = value
            observation, reward, terminated, truncated, info = envs.step(action.numpy())
            observation, mask = seen(observation, info)
            rewards[t] = torch.from_numpy(reward)
            ends[t] = torch.from_numpy(terminated | truncated)
            finished += reward[terminated | truncated].tolist()
        last_value = network(observation, mask)[1]

    # Generalised advantage estimation without discount: games end by themselves.
    advantage, running = torch.zeros(shape), torch.zeros(args.games)
    for t in reversed(range(args.rollout)):
        following = last_value if t == args.rollout - 1 else values[t + 1]
        goes_on = 1 - ends[t]
        running = rewards[t] + following * goes_on - values[t] + args.gae_lambda * goes_on * running
        advantage[t] = running
    data = {name: value.flatten(0, 1) for name, value in kept.items()}
    targets, advantage = (advantage + values).flatten(), advantage.flatten()

    for _ in range(args.epochs):
        for rows in torch.randperm(len(targets)).chunk(args.minibatches):
            policy, value = network(data["observation"][rows], data["mask"][rows])
            ratio = (policy.log_prob(data["action"][rows]) - data["log_prob"][rows]).exp()
            weight = (advantage[rows] - advantage[rows].mean()) / (advantage[rows].std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(ratio * weight, clipped * weight).mean()
            value_loss = (value - targets[rows]).square().mean() / 2
            loss = policy_loss + 0.5 * value_loss - args.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
    mean = sum(finished) / max(1, len(finished))
    print(f"{(update + 1) * args.rollout * args.games:>10} decisions: mean return {mean:+.2f} in {len(finished)} games")
