"""The map in CONTRIBUTING.md is true: it misses no file, and each room knows only itself and those above it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "spielwerk"

MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = sorted(path for path in (ROOT / "cpp").rglob("*") if path.is_file())

# The compiled core calls back into Python for pictures, errors and replay; the map has no place above and below.
CALLED_BY_THE_CORE = PACKAGE / "_core"


def exists(place: str) -> bool:
    return (ROOT / place).is_dir() if place.endswith("/") else (ROOT / place).is_file()


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def rooms() -> list[list[str]]:
    """The first column of the map's table, row by row: paths from the root of the repository."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## The map of the house")[2].partition("\n## ")[0].partition("\n\nWhy ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [re.findall(r"`([^`]+)`", row) for row in rows]


@cache
def room_of(path: Path) -> int | None:
    """The row that names the file, or the nearest folder it lies in."""
    named = {place: number for number, row in enumerate(rooms()) for place in row}
    candidates = [name(path), *(f"{name(folder)}/" for folder in path.parents if folder.is_relative_to(ROOT))]
    return next((named[place] for place in candidates if place in named), None)


def imported(module: Path) -> Iterator[Path]:
    """Every module of ours that this one imports, anywhere in it: lazily and for type checks as well."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(module)} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            names = [node.value]  # a module that is loaded by its name
        else:
            continue
        yield from filter(None, map(_file_of, names))


def _file_of(dotted: str) -> Path | None:
    """The module's file, also for a name inside the module."""
    if not re.fullmatch(r"spielwerk(\.\w+)*", dotted):
        return None
    steps = dotted.split(".")[1:]
    for length in range(len(steps), -1, -1):
        place = PACKAGE.joinpath(*steps[:length])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def included(source: Path) -> Iterator[Path]:
    """Every header of ours that this file includes."""
    for header in re.findall(r'^#include "([^"]+)"', source.read_text(encoding="utf-8"), re.MULTILINE):
        found = [folder / header for folder in (source.parent, ROOT / "cpp") if (folder / header).is_file()]
        if found:  # all_games.hpp is written by the build
            yield found[0].resolve()


def test_everything_on_the_map_exists() -> None:
    assert len(rooms()) > 20
    places = [place for row in rooms() for place in row]
    assert len(places) == len(set(places)), "a place is named twice"
    missing = [place for place in places if not exists(place)]
    assert not missing


def test_everything_is_on_the_map() -> None:
    assert not [name(path) for path in [*MODULES, *CORE] if room_of(path) is None]


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_module_imports_only_from_rooms_above(module: Path) -> None:
    mine = room_of(module)
    assert mine is not None
    beyond = {name(other) for other in imported(module) if (room_of(other) or 0) > mine}
    assert module.is_relative_to(CALLED_BY_THE_CORE) or not beyond


@pytest.mark.parametrize("source", CORE, ids=name)
def test_a_source_includes_only_from_rooms_above(source: Path) -> None:
    mine = room_of(source)
    assert mine is not None
    assert not {name(other) for other in included(source) if (room_of(other) or 0) > mine}


def test_the_map_is_read_from_top_to_bottom() -> None:
    game, command_line = room_of(PACKAGE / "games.py"), room_of(PACKAGE / "cli" / "parsing.py")
    assert game is not None
    assert command_line is not None
    assert game < command_line


def test_imports_inside_functions_are_seen() -> None:
    lazily = set(imported(PACKAGE / "cli" / "commands" / "analyse.py"))
    assert PACKAGE / "records.py" not in lazily
    assert PACKAGE / "agents" / "specs.py" in lazily
    assert PACKAGE / "cli" / "output.py" in lazily
    assert PACKAGE / "batch.py" in set(imported(PACKAGE / "__init__.py"))
