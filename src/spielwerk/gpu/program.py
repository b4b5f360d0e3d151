"""The kernels of a game as PTX, NVIDIA's portable assembly, which every driver finishes for its own GPU.

A wheel may carry it (`scripts/build_ptx.py` makes it), so that users need no compiler. Where it does not, the kernels
are compiled when they are first used and kept in the user's cache. Both ways name the file after a digest of the very
sources it came from: kernels can never be older than the rules.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from spielwerk.durable import write_durably
from spielwerk.gpu.driver import THREADS_PER_BLOCK, GpuError

KERNELS = ("reset", "step", "place", "random_action", "greedy_choice", "evaluate")

_CORE = Path(__file__).parents[1] / "_core"
_PACKAGED = _CORE / "ptx"
_SOURCE_FOLDERS = (_CORE / "include", Path(__file__).parents[3] / "cpp")

# Older GPUs than these are no longer known to NVIDIA's compiler. Contracted multiply-adds would round otherwise than
# the processor does.
_FLAGS = (
    "-ptx", "-O3", "-std=c++20", "-arch=compute_75", "--expt-relaxed-constexpr", "-fmad=false", "-diag-suppress=20012",
)  # fmt: skip

_PTX_VERSION = "8.3"  # of CUDA 12.3: drivers from 545 on read it, and what the compilers of today write needs it


def ptx_of(family: str, game_type: str) -> bytes:
    """The kernels of one C++ game type, whose header is `games/<family>.hpp`."""
    name = file_name(family, game_type)
    for folder in (_PACKAGED, _cache_folder()):
        if (folder / name).is_file():
            return (folder / name).read_bytes()
    print(f"compiling the kernels of {family} for the GPU (once)", file=sys.stderr)
    ptx = compiled(family, game_type)
    _keep(name, ptx)
    return ptx


def file_name(family: str, game_type: str) -> str:
    """What the PTX of a game type is called, in the package and in the cache."""
    digest = hashlib.sha256()
    for text in (_unit(family, game_type), *_FLAGS, _PTX_VERSION):
        digest.update(text.encode() + b"\0")
    for path in _headers():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{family}-{digest.hexdigest()[:24]}.ptx"


def compiled(family: str, game_type: str) -> bytes:
    """Runs NVIDIA's compiler; GpuError in one line where there is none or it fails."""
    with tempfile.TemporaryDirectory() as folder:
        unit, out = Path(folder) / "unit.cu", Path(folder) / "unit.ptx"
        unit.write_text(_unit(family, game_type))
        command = [find_compiler(), *_FLAGS, f"-I{sources()}", str(unit), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            first = next((line for line in lines if "error" in line), lines[0])
            raise GpuError(f"the kernels of {family} do not compile: {first}")
        return _for_older_drivers(out.read_bytes())


def _for_older_drivers(ptx: bytes) -> bytes:
    """Compilers name their own version of the language, and drivers refuse those they do not know, used or not."""
    return re.sub(rb"^\.version .*$", f".version {_PTX_VERSION}".encode(), ptx, count=1, flags=re.M)


@cache
def find_compiler() -> str:
    """nvcc from the PATH, a CUDA folder, or the PyPI packages; GpuError says how to get one."""
    for folder in _compiler_folders():
        if found := shutil.which("nvcc", path=str(folder)):
            return found
    raise GpuError(
        "this installation carries no kernels for this game and finds no nvcc to compile them; install CUDA's"
        " compiler, or: pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl"
    )


def sources() -> Path:
    """The headers of the core, in an installed package or in a clone."""
    for folder in _SOURCE_FOLDERS:
        if (folder / "gpu" / "kernels.cuh").is_file():
            return folder
    raise GpuError("this installation lacks the headers of the core, which the kernels are made of")


def _headers() -> list[Path]:
    """Those that an installed package has, too: other sources of the core never reach a GPU."""
    return sorted(path for path in sources().rglob("*.*") if path.suffix in (".hpp", ".cuh"))


def _compiler_folders() -> list[Path]:
    folders = [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    folders += [Path(os.environ[name]) / "bin" for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders.append(Path("/usr/local/cuda/bin"))
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    return folders + [found.parent for package in packages for found in package.glob("*/bin/nvcc*")]


def _unit(family: str, game_type: str) -> str:
    player = f"spielwerk::gpu::Player<{game_type}>"
    kernels = "\n".join(
        f'extern "C" __global__ __launch_bounds__({THREADS_PER_BLOCK}, {player}::kResidentBlocks) void'
        f" {name}(const __grid_constant__ spielwerk::gpu::Arguments arguments) {{ {player}(arguments).{name}(); }}"
        for name in KERNELS
    )
    return f'#include "games/{family}.hpp"\n#include "gpu/kernels.cuh"\n{kernels}\n'


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spielwerk" / "ptx"


def _keep(name: str, ptx: bytes) -> None:
    """Without a place to keep it, the next process compiles again: no reason to fail."""
    try:
        _cache_folder().mkdir(parents=True, exist_ok=True)
        write_durably(_cache_folder() / name, ptx)
    except OSError:
        return
