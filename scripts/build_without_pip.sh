#!/usr/bin/env bash
# Builds the core where nothing can be installed: CMake, Ninja, a compiler and Python are enough, with the nanobind
# package (a wheel, unpacked) in the folder named by the first argument. Afterwards PYTHONPATH=src finds everything.
set -euo pipefail
cd "$(dirname "$0")/.."
nanobind=${1:?usage: scripts/build_without_pip.sh FOLDER_WITH_NANOBIND}
python=$(command -v python3)
cmake -S . -B build/bare -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$python" \
  -DCMAKE_PREFIX_PATH="$(realpath "$nanobind")/nanobind/cmake" "-DSPIELWERK_LEVELS=${SPIELWERK_LEVELS:-avx2}" >/dev/null
cmake --build build/bare
cmake --install build/bare --prefix src >/dev/null
# What an installer would leave behind, so that commands can say which release they are.
"$python" - <<'METADATA'
import pathlib, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
lines += [f"Requires-Dist: {wanted}" for wanted in project["dependencies"]]
for extra, packages in project["optional-dependencies"].items():
    lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {wanted}; extra == "{extra}"' for wanted in packages)]
folder = pathlib.Path(f"src/{project['name']}-{project['version']}.dist-info")
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text("\n".join(lines) + "\n")
METADATA
PYTHONPATH=src "$python" -c "import spielwerk, spielwerk._core as core; print(len(spielwerk.games()), 'rulesets,', core.build)"
