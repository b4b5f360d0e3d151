"""Drawing actions from a policy: the one sampler there is, for NumPy arrays and PyTorch tensors alike.

It draws by the inverse of the distribution function, with one random number a row. What comes out is legal by
construction, whatever the weights are: running sums need not be monotone (those that a GPU computes in parallel are
not), and a network may answer NaN. The weights only choose among legal actions, and whole numbers decide in the end.
"""

from typing import Any


def draw_actions(weights: Any, legal: Any, uniform: Any) -> Any:
    """One legal action per row, ``[n]``, drawn in proportion to the weights.

    weights ``[n, actions]``, not negative; legal ``[n, actions]`` uint8 with at least a 1 in every row; uniform
    ``[n, 1]`` above 0 and at most 1. A row whose weights are no numbers gets its first legal action.
    """
    cumulative = (weights * legal).cumsum(-1)
    reached = cumulative >= uniform * cumulative[:, -1:]
    return (legal + legal * reached).argmax(-1)  # 0 illegal, 1 legal, 2 where the sum is reached: the first of those
