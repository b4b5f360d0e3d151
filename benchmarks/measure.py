"""The measure that `spielwerk speed` uses as well, for every process of the benchmark.

A peer's environment holds no spielwerk. There the package is only its folder, without the door and the core.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

if find_spec("spielwerk") is None:
    _folder = ModuleType("spielwerk")
    _folder.__path__ = [str(Path(__file__).resolve().parents[1] / "src" / "spielwerk")]
    sys.modules["spielwerk"] = _folder

from spielwerk.speed.aec import random_play
from spielwerk.speed.measure import Figure, Pace, Sample, Stretch, take_sample

__all__ = ["Figure", "Pace", "Sample", "Stretch", "random_play", "take_sample"]
