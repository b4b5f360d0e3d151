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
PYTHONPATH=src "$python" -c "import spielwerk, spielwerk._core as core; print(len(spielwerk.games()), 'rulesets,', core.build)"
