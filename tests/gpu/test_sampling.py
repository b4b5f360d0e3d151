"""On a GPU: a billion draws, compiled as training compiles them, and every one of them legal.

`make test-gpu` runs these tests; where there is no GPU they are skipped, and say so.
"""

import pytest
import torch

from spielwerk.training.networks import log_probabilities, masked, sample_actions

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="NO GPU: nothing of this was tested")

# Actions and draws. Running sums over more actions go wrong more often.
SIZES = ((64, 600_000_000), (129, 300_000_000), (2300, 100_000_000))


@pytest.mark.parametrize(("actions", "draws"), SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_compiled_draw_is_legal(actions: int, draws: int, dtype: torch.dtype) -> None:
    torch._dynamo.reset()
    torch.manual_seed(actions)

    @torch.compile(dynamic=False)
    def draw(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return sample_actions(log_probabilities(masked(logits, mask)), mask)

    batch = 65_536 if actions < 1000 else 8192
    illegal = torch.zeros((), dtype=torch.long, device="cuda")
    for _ in range(-(-draws // (2 * batch))):  # half of the draws for each type
        logits = 3 * torch.randn(batch, actions, device="cuda", dtype=dtype)
        mask = (torch.rand(batch, actions, device="cuda") < 0.1).to(torch.uint8)
        mask[:, 0] |= 1 - mask.amax(1)
        drawn = draw(logits, mask)
        legal = (drawn >= 0) & (drawn < actions)
        legal &= mask.gather(1, drawn.clamp(0, actions - 1)[:, None])[:, 0] == 1
        illegal += (~legal).sum()
    assert int(illegal) == 0


def test_compiled_draws_follow_their_probabilities() -> None:
    torch._dynamo.reset()
    torch.manual_seed(2)
    probabilities = torch.tensor([0.5, 0.0, 0.3, 0.15, 0.05], device="cuda")
    mask = (probabilities > 0).to(torch.uint8).expand(1_000_000, -1).contiguous()
    log_probs = log_probabilities(masked(probabilities.log().expand(1_000_000, -1), mask))
    drawn = torch.compile(sample_actions, dynamic=False)(log_probs, mask)
    shares = drawn.bincount(minlength=5) / 1_000_000
    assert shares.tolist() == pytest.approx(probabilities.tolist(), abs=0.003)
