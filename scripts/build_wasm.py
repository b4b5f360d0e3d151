"""Builds the core for browsers, web/src/engine/spielwerk.wasm, with Emscripten (Debian: emscripten)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from scripts.build_page import WEB, node_environment

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "wasm"
FILE = WEB / "src" / "engine" / "spielwerk.wasm"


def main() -> None:
    """Configures, compiles what has changed, and lays the file where the page's build takes it."""
    environment = node_environment()
    emcmake, cmake = (shutil.which(name, path=environment["PATH"]) for name in ("emcmake", "cmake"))
    if emcmake is None or cmake is None:
        raise SystemExit("error: the core for browsers needs Emscripten (Debian: apt-get install emscripten)")
    places = ["-S", str(ROOT), "-B", str(FOLDER), "-G", "Ninja"]
    configure = [emcmake, cmake, *places, "-DSPIELWERK_WASM=ON", "-DSPIELWERK_STRICT=ON"]
    for command in (configure, [cmake, "--build", str(FOLDER)]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{done.stdout}{done.stderr}error: the core for browsers was not built")
    built = FOLDER / "spielwerk.wasm"
    if not FILE.exists() or FILE.read_bytes() != built.read_bytes():
        shutil.copyfile(built, FILE)
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
