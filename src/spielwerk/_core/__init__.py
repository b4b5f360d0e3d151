"""The compiled core, in the fastest build this processor can run.

``SPIELWERK_CORE`` (portable, avx2) asks for a particular build.
"""

import importlib
import importlib.util
import os

from spielwerk._core.cpu import level as _cpu_level

_BUILDS = ("portable", "avx2")


def available_builds() -> list[str]:
    """The builds that are installed and that this processor can run, the fastest last."""
    runnable = _BUILDS[: _BUILDS.index(_cpu_level()) + 1]
    return [build for build in runnable if importlib.util.find_spec(f"{__name__}.core_{build}")]


def _choose() -> str:
    builds = available_builds()
    if not builds:
        raise ImportError("spielwerk was installed without a core; install it again")
    wanted = os.environ.get("SPIELWERK_CORE") or builds[-1]
    if wanted not in builds:
        raise ImportError(f"SPIELWERK_CORE={wanted} is not to be had here; there are: {', '.join(builds)}")
    return wanted


build = _choose()
_module = importlib.import_module(f"{__name__}.core_{build}")
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})
