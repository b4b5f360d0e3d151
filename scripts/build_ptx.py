"""Compiles the GPU's kernels of every game into the package, where a wheel takes them up: python scripts/build_ptx.py

Needs the built package and nvcc, and no GPU.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import spielwerk as sw
from spielwerk import _core
from spielwerk.gpu import program

FOLDER = Path(__file__).parents[1] / "src/spielwerk/_core/ptx"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    families = {name.partition("/")[0].replace("-", "_") for name in sw.games()}
    wanted = {
        program.file_name(family, kind): (family, kind)
        for family in families
        for kind in _core.gpu_types()
        if family in kind.lower()
    }
    for old in set(FOLDER.glob("*.ptx")) - {FOLDER / name for name in wanted}:
        old.unlink()
    with ThreadPoolExecutor() as pool:
        for name, ptx in zip(wanted, pool.map(lambda both: program.compiled(*both), wanted.values()), strict=True):
            (FOLDER / name).write_bytes(ptx)
            print(f"{name} {len(ptx) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
