"""The machine and the build that figures and findings belong to."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from spielwerk import _core
from spielwerk._core import cpu


def describe() -> dict[str, str]:
    """What `speed` and `doctor` tell about the machine."""
    return {
        "spielwerk": version("spielwerk"),
        "core": _core.build,
        "compiler": cpu.compiler(),
        "processor": processor(),
        "instruction_set": cpu.level(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def version_line() -> str:
    """Package, build of the core, processor's instruction set and Python, for reports."""
    facts = describe()
    core = f"core {facts['core']} by {facts['compiler']}, C++20"
    return f"spielwerk {facts['spielwerk']} ({core}; processor {facts['instruction_set']}; {facts['python']})"


def processor() -> str:
    """The processor's name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
