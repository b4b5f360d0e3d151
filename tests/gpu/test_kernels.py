"""What can be checked of the GPU's kernels on a machine without one."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk import _core
from spielwerk.gpu import program
from spielwerk.gpu.driver import GpuError, blocks_and_threads
from spielwerk.gpu.vector import device_number, games_a_warp

# A function's head up to its opening brace: what stands before its name, and the name.
_FUNCTION = re.compile(
    r"^ *((?:[\w:<>*&,\[\]~]+ +)*?[*&]?)(\w+)\([^;{}]*?\)(?: const)?(?: noexcept)?(?: *-> *[^{;]+)?(?: *:[^{;]*)?\s*\{",
    re.M,
)
_NO_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "else"}
_CANVAS = {"set", "one", "few", "numbers", "everywhere", "lines", "put", "marked", "visit"}  # a GPU has its own


def _functions(source: str) -> Iterator[tuple[bool, str, str]]:
    """Of every function: whether it is constexpr, its name and its body."""
    text = re.sub(r"//[^\n]*", "", source)
    for head in _FUNCTION.finditer(text):
        before, name = head.groups()
        if name in _NO_FUNCTIONS or _NO_FUNCTIONS & set(before.split()):
            continue
        end, depth = head.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield "constexpr" in before, name, text[head.end() : end]


def _headers(path: Path, seen: set[Path]) -> set[Path]:
    """A header of ours and all that it includes."""
    if path not in seen:
        seen.add(path)
        for name in re.findall(r'#include "([^"]+)"', path.read_text()):
            _headers((path.parent / name).resolve(), seen)
    return seen


def test_what_a_gpu_runs_calls_no_function_that_only_the_processor_has() -> None:
    """NVIDIA's compiler drops such calls from templates without a word, and the kernels go wrong in rare positions."""
    included: set[Path] = set()
    for start in (program.sources() / "gpu/kernels.cuh", *(program.sources() / "games").glob("*.hpp")):
        _headers(start.resolve(), included)
    headers = [path for path in included if path.suffix == ".hpp"]
    functions = [found for path in headers for found in _functions(path.read_text())]
    for_gpus = {name for constant, name, _ in functions if constant}
    elsewhere = {name for constant, name, _ in functions if not constant} - for_gpus - _CANVAS
    assert {"to_text", "refusal"} <= elsewhere
    calls = {
        f"{name} calls {called}"
        for constant, name, body in functions
        if constant
        for called in re.findall(r"\b(\w+)\(", body)
        if called in elsewhere
    }
    assert not calls


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("pferdeaepfel/classic", {}),
        ("ludo/teams", {}),
        *[("diavolo/standard", {"side": side}) for side in (8, 9, 17)],  # types of their own
    ],
    ids=str,
)
def test_the_kernels_compile(name: str, rules: dict[str, Any], tmp_path: Path) -> None:
    try:
        program.find_compiler()
    except GpuError as error:
        pytest.skip(f"THE KERNELS ARE NOT COMPILED: {error}")
    image = _core.gpu_image(sw.make(name, **rules))
    assert image is not None
    ptx = program.compiled(name.partition("/")[0], image[0]).decode()
    assert set(re.findall(r"\.entry (\w+)\(", ptx)) == set(program.KERNELS)
    if assembler := shutil.which("ptxas", path=str(Path(program.find_compiler()).parent)):  # knows what a version has
        (tmp_path / "unit.ptx").write_text(ptx)
        subprocess.run([assembler, "-arch=sm_75", str(tmp_path / "unit.ptx"), "-o", "/dev/null"], check=True)


def test_every_ruleset_is_made_for_the_gpu() -> None:
    for name in sw.games():
        image = _core.gpu_image(sw.make(name))
        assert image is not None
        assert image[0] in _core.gpu_types()


@pytest.mark.parametrize("side", [3, 8, 9, 16, 17, 30])
def test_every_side_is_made_for_the_gpu(side: int) -> None:
    assert _core.gpu_image(sw.make("diavolo/standard", side=side)) is not None


def test_positions_travel_as_bytes() -> None:
    for name in sw.games():
        state = sw.make(name).start(seed=5)
        again = _core.position_from_bytes(state.game, *_core.position_bytes(state))
        assert again == state
        again.play(again.legal_actions[0])
        state.play(state.legal_actions[0])
        assert again == state


def test_bytes_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a position of pferdeaepfel/trail has \d+ bytes"):
        _core.position_from_bytes(sw.make("pferdeaepfel/trail"), b"short", 0)


@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "CUDA"])
def test_unknown_devices_are_refused(device: str) -> None:
    with pytest.raises(ValueError, match="device must be"):
        device_number(device)


def test_devices_by_number() -> None:
    assert [device_number(name) for name in ("cuda", "cuda:0", "cuda:3")] == [0, 0, 3]


def test_small_batches_spread_over_more_warps() -> None:
    sizes = (1, 4096, 10_000, 20_000, 40_000, 1 << 20)
    assert [games_a_warp(games, multiprocessors=132) for games in sizes] == [4, 4, 8, 16, 32, 32]
    assert games_a_warp(4096, multiprocessors=10) == 32


def test_few_warps_reach_every_multiprocessor() -> None:
    assert [blocks_and_threads(warps, multiprocessors=132) for warps in (1, 132, 133, 397, 528, 1057)] == [
        (1, 32), (132, 32), (67, 64), (100, 128), (132, 128), (265, 128),
    ]  # fmt: skip


def test_an_installed_package_finds_the_kernels_that_were_made_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its headers are all that it has of the core's sources."""
    made = [program.file_name("ludo", kind) for kind in _core.gpu_types() if "Ludo" in kind]
    for path in (Path(__file__).parents[2] / "cpp").rglob("*.*"):
        if path.suffix in (".hpp", ".cuh"):
            copy = tmp_path / path.relative_to(Path(__file__).parents[2] / "cpp")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(program, "_SOURCE_FOLDERS", (tmp_path,))
    assert [program.file_name("ludo", kind) for kind in _core.gpu_types() if "Ludo" in kind] == made


def test_without_a_gpu_one_line_says_so() -> None:
    try:
        sw.vector("pferdeaepfel/trail", 4, device="cuda")
    except GpuError as error:
        assert "\n" not in str(error)


def test_kernels_are_named_after_their_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    name = program.file_name("ludo", "spielwerk::Ludo<true>")
    assert name != program.file_name("ludo", "spielwerk::Ludo<false>")
    monkeypatch.setattr(program, "_FLAGS", ("-O0",))
    assert name != program.file_name("ludo", "spielwerk::Ludo<true>")
