"""The sampler: legal by construction, whatever the sums do, for both kinds of arrays."""

from typing import Any

import numpy as np
import pytest
import torch

from spielwerk.sampling import draw_actions

KINDS: list[Any] = [np.asarray, lambda values: torch.from_numpy(np.array(values))]


@pytest.mark.parametrize("array", KINDS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 0.0, -1.0])
def test_weights_that_are_none_still_give_a_legal_action(array: Any, wrong: float) -> None:
    source = np.random.default_rng(1)
    legal = (source.random((500, 40)) < 0.1).astype(np.uint8)
    legal[np.arange(500), source.integers(40, size=500)] = 1
    weights = source.random((500, 40)).astype(np.float32)
    weights[source.random((500, 40)) < 0.3] = wrong
    uniform = 1 - source.random((500, 1)).astype(np.float32)
    with np.errstate(all="ignore"):
        drawn = np.asarray(draw_actions(array(weights), array(legal), array(uniform)))
    assert legal[np.arange(500), drawn].all()


class Crooked(torch.Tensor):
    """Its running sums go up and down, as those of a GPU do, only more."""

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        result = super().__torch_function__(function, types, arguments, keywords or {})  # type: ignore[no-untyped-call]
        if function is torch.Tensor.cumsum:
            return result + 0.2 * torch.randn(result.shape)
        return result


def test_sums_that_are_not_monotone_give_legal_actions() -> None:
    torch.manual_seed(1)
    legal = (torch.rand(20_000, 64) < 0.1).to(torch.uint8)
    legal[:, 5] = 1
    weights = torch.rand(20_000, 64).as_subclass(Crooked)
    drawn = draw_actions(weights, legal, 1 - torch.rand(20_000, 1))
    assert legal[torch.arange(20_000), torch.as_tensor(drawn)].all()


@pytest.mark.parametrize("array", KINDS)
@pytest.mark.parametrize("uniform", [1.0, 1e-30])
def test_the_ends_of_the_unit_interval_give_the_last_and_the_first_legal_action(array: Any, uniform: float) -> None:
    legal = np.array([[0, 1, 1, 0, 1, 0]], np.uint8)
    drawn = draw_actions(array(np.ones((1, 6))), array(legal), array(np.array([[uniform]])))
    assert int(drawn[0]) == (4 if uniform == 1 else 1)
