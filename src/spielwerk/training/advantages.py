"""Generalised advantage estimation (GAE) where seats take turns in any order.

What counts for a decision is what its own seat receives until that seat decides again, or the game ends. So the
recursion runs per seat: a seat may act several times in a row, four may take turns, and the final reward reaches
everyone.
"""

import torch
from torch import Tensor

from spielwerk.training.targets import length_target


def estimate_advantages(
    values: Tensor,
    rewards: Tensor,
    dones: Tensor,
    seats: Tensor,
    last_values: Tensor,
    discount: float,
    gae_lambda: float,
) -> tuple[Tensor, Tensor]:
    """Advantages ``[steps, games]`` of every decision, and which of them are known.

    values ``[steps, games]`` of the seat that acts, rewards ``[steps, games, seats]``, dones and seats
    ``[steps, games]``. last_values ``[games, seats]`` are the values after the last step, NaN where unknown: a seat's
    last decision is then left out, and the one before it takes that decision's value for all that follows.
    """
    next_values = last_values.nan_to_num(0.0)
    known = ~last_values.isnan()
    next_advantages = torch.zeros_like(next_values)
    pending = torch.zeros_like(next_values)
    result = torch.zeros_like(values)
    usable = torch.zeros_like(values, dtype=torch.bool)
    for step in range(len(values) - 1, -1, -1):
        done = dones[step, :, None].bool()
        pending = torch.where(done, rewards[step], pending + rewards[step])
        next_values = torch.where(done, 0.0, next_values)
        next_advantages = torch.where(done, 0.0, next_advantages)
        known = known | done
        seat = seats[step, :, None].long()
        value = values[step, :, None]
        td_error = pending.gather(1, seat) + discount * next_values.gather(1, seat) - value
        followed = known.gather(1, seat)
        carried = discount * gae_lambda * next_advantages.gather(1, seat)
        advantage = torch.where(followed, td_error + carried, 0.0)
        result[step] = advantage[:, 0]
        usable[step] = followed[:, 0]
        next_values = next_values.scatter(1, seat, value)
        next_advantages = next_advantages.scatter(1, seat, advantage)
        pending = pending.scatter(1, seat, 0.0)
        known = known.scatter(1, seat, torch.ones_like(followed))
    return result, usable


def forecast_targets(margins: Tensor, dones: Tensor, seats: Tensor) -> Tensor:
    """What the auxiliary head is to foretell, ``[steps, games, 2]``; NaN where the rollout ends before the game.

    First the number of decisions left, on a scale where a hundred is 1; then the acting seat's margin at the end.
    margins ``[steps, games, seats]`` count where a game ended.
    """
    steps, games = dones.shape
    result = torch.full((steps, games, 2), float("nan"), device=dones.device)
    left = torch.full((games,), float("nan"), device=dones.device)
    final = torch.full_like(margins[0], float("nan"))
    for step in range(steps - 1, -1, -1):
        left = torch.where(dones[step], 0.0, left + 1.0)
        final = torch.where(dones[step, :, None], margins[step], final)
        result[step, :, 0] = length_target(left)
        result[step, :, 1] = final.gather(1, seats[step, :, None].long())[:, 0]
    return result
