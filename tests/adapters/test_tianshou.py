"""Our games inside Tianshou: a whole training through its buffers."""

from collections.abc import Callable
from typing import Any

import pytest

tianshou: Any = pytest.importorskip("tianshou", reason="TIANSHOU IS NOT TESTED: make test-adapters installs it")
pytestmark = pytest.mark.filterwarnings("default")


def test_dqn_trains(example: Callable[..., str]) -> None:
    assert "best mean return of player_0: " in example("tianshou_dqn.py", "1", "500")
