"""Datasets as files: parts while they grow, one Parquet or NumPy file when they are whole, and a card beside it.

A part holds some games and reaches the disk whole. The parts lie in a folder beside the file; the same call again goes
on after the last of them. Memory holds one part at a time, whatever the number of games.
"""

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from spielwerk.border import quoted
from spielwerk.datasets.recipe import Columns, Recipe, columns_of, play_game
from spielwerk.durable import replaced_durably, write_durably
from spielwerk.extras import need
from spielwerk.games import Game, make
from spielwerk.machine import describe

FORMAT_VERSION = 1
SUFFIXES = (".npz", ".parquet")
PART_BYTES = 32_000_000
MAX_CARD_BYTES = 1_000_000
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal datasets are equal files


def make_dataset(
    path: str | Path,
    recipe: Recipe,
    games: int,
    *,
    command: str = "",
    advance: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Plays the games, writes the file and its card, and returns the card; goes on where an earlier call stopped."""
    path = Path(path)
    require_format(path)
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    parts = _Parts(path.with_name(f"{path.name}.parts"), recipe, games)
    parts.open()
    parts.play(advance or (lambda more: None))
    card = _card(recipe, parts, command)
    with replaced_durably(path) as temporary:
        (_write_parquet if path.suffix == ".parquet" else _write_npz)(temporary, recipe.made, parts, card)
        card["sha256"] = _digest_of_file(temporary)
    write_durably(_card_path(path), (json.dumps(card, indent=2, ensure_ascii=False) + "\n").encode())
    shutil.rmtree(parts.folder)
    return card


def read_card(path: str | Path) -> dict[str, Any]:
    """What is known about a dataset; ValueError where there is no card beside it."""
    card_path = _card_path(Path(path))
    try:
        with card_path.open("rb") as file:
            card = json.loads(file.read(MAX_CARD_BYTES))
        if card["spielwerk_dataset"] != FORMAT_VERSION:
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{quoted(str(card_path), 200)} is no card of a dataset") from None
    return dict(card)


def read_dataset(path: str | Path) -> Columns:
    """Every column as an array ``[positions, …]``; ValueError where the file is none, or not the one of its card."""
    path = Path(path)
    require_format(path)
    card = read_card(path)
    if _digest_of_file(path) != card.get("sha256"):
        raise ValueError(f"{quoted(str(path), 200)} is not the dataset its card describes: their sha256 differ")
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    return _read_parquet(path, make(card["game"], **card["rules"]))


def require_format(path: Path) -> None:
    """ValueError for other kinds of files, or where the package for this one is missing."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a dataset ends in {' or '.join(SUFFIXES)}, not '{quoted(path.name[-40:], 40)}'")
    if path.suffix == ".parquet":
        need("pyarrow")


# -- parts -----------------------------------------------------------------------------------------


class _Parts:
    """The games so far: `part-FIRST-NEXT.npz` has those from FIRST up to but not including NEXT."""

    def __init__(self, folder: Path, recipe: Recipe, games: int) -> None:
        self.folder, self.recipe, self.games = folder, recipe, games
        self.positions, self.proved = 0, 0
        self._content = hashlib.sha256()

    def open(self) -> None:
        """Makes the folder, or takes up the one of an earlier call."""
        about = json.dumps({**self.recipe.to_json(), "games": self.games}, sort_keys=True)
        note = self.folder / "recipe.json"
        self.folder.mkdir(parents=True, exist_ok=True)
        if note.exists() and note.read_text(encoding="utf-8") != about:
            raise ValueError(f"{self.folder} is the beginning of another dataset; remove it, or write to another file")
        write_durably(note, about.encode())

    def play(self, advance: Callable[[int], None]) -> None:
        """Plays what is missing, part by part."""
        done = max((following for _, following, _ in self._found()), default=0)
        advance(done)
        while done < self.games:
            done = self._play_part(done, advance)
        for columns in self:
            self._count(columns)

    def _play_part(self, first: int, advance: Callable[[int], None]) -> int:
        number, size = first, 0
        games: list[Columns] = []
        while number < self.games and size < PART_BYTES:
            games.append(play_game(self.recipe, number))
            size += sum(array.nbytes for array in games[-1].values())
            number += 1
            advance(1)
        data = io.BytesIO()
        np.savez(data, **{name: np.concatenate([game[name] for game in games]) for name in games[0]})  # type: ignore[arg-type]
        write_durably(self.folder / f"part-{first:09}-{number:09}.npz", data.getvalue())
        return number

    def _found(self) -> list[tuple[int, int, Path]]:
        paths = sorted(self.folder.glob("part-*-*.npz"))
        return [(int(path.stem.split("-")[1]), int(path.stem.split("-")[2]), path) for path in paths]

    def __iter__(self) -> Iterator[Columns]:
        for _, _, path in self._found():
            with np.load(path, allow_pickle=False) as arrays:
                yield {name: arrays[name] for name in arrays.files}

    def column(self, name: str) -> Iterator[NDArray[Any]]:
        """One column, part by part."""
        for _, _, path in self._found():
            with np.load(path, allow_pickle=False) as arrays:
                yield arrays[name]

    def _count(self, columns: Columns) -> None:
        self.positions += len(columns["game"])
        self.proved += int(np.isfinite(columns["exact"]).sum())
        for name, array in columns.items():
            texts = "\n".join(array.tolist()).encode() if name == "position" else array.tobytes()
            self._content.update(name.encode() + texts)

    @property
    def digest(self) -> str:
        """Of what is in the columns, whatever the kind of the file."""
        return self._content.hexdigest()


# -- whole files -----------------------------------------------------------------------------------


def _card(recipe: Recipe, parts: _Parts, command: str) -> dict[str, Any]:
    game = recipe.made
    return {
        "spielwerk_dataset": FORMAT_VERSION,
        **recipe.to_json(),
        "games": parts.games,
        "positions": parts.positions,
        "proved": parts.proved,
        "repeatable": recipe.repeatable,
        "columns": {
            name: {"dtype": np.dtype(column.dtype).name, "shape": list(column.shape), "meaning": column.meaning}
            for name, column in columns_of(game).items()
        },
        "planes": [plane.name for plane in game.planes],
        "actions": [game.start(seed=0).text(action) for action in range(game.num_actions)],
        "command": command,
        "versions": describe(),
        "content": parts.digest,
    }


def _write_npz(path: Path, game: Game, parts: _Parts, card: dict[str, Any]) -> None:
    """Column by column, so that no array is ever whole in memory."""
    del card
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for name, column in columns_of(game).items():
            longest = max((array.dtype.itemsize for array in parts.column(name)), default=4)
            dtype = np.dtype(f"<U{longest // 4}") if column.dtype is np.str_ else np.dtype(column.dtype)
            entry = zipfile.ZipInfo(f"{name}.npy", _ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                _write_header(file, dtype, (parts.positions, *column.shape))
                for array in parts.column(name):
                    file.write(array.astype(dtype).tobytes())


def _write_header(file: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(file, header)


def _write_parquet(path: Path, game: Game, parts: _Parts, card: dict[str, Any]) -> None:
    """A row group for each part; the card is in the file's metadata, too."""
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    columns = columns_of(game)
    fields = [arrow.field(name, _arrow_type(arrow, column)) for name, column in columns.items()]
    schema = arrow.schema(fields, metadata={"spielwerk": json.dumps(card, ensure_ascii=False)})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in parts:
            arrays = [_arrow_array(arrow, part[name], column) for name, column in columns.items()]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _arrow_type(arrow: Any, column: Any) -> Any:
    kind = arrow.string() if column.dtype is np.str_ else arrow.from_numpy_dtype(column.dtype)
    return arrow.list_(kind, int(np.prod(column.shape))) if column.shape else kind


def _arrow_array(arrow: Any, values: NDArray[Any], column: Any) -> Any:
    if not column.shape:
        return arrow.array(values.tolist(), arrow.string()) if column.dtype is np.str_ else arrow.array(values)
    return arrow.FixedSizeListArray.from_arrays(arrow.array(values.reshape(-1)), int(np.prod(column.shape)))


def _read_parquet(path: Path, game: Game) -> Columns:
    table = need("pyarrow.parquet").read_table(path)
    found: Columns = {}
    for name, column in columns_of(game).items():
        if column.dtype is np.str_:
            found[name] = np.array(table[name].to_pylist(), np.str_)
            continue
        chunks = table[name].combine_chunks()
        flat = (chunks.flatten() if column.shape else chunks).to_numpy(zero_copy_only=False)
        found[name] = np.asarray(flat, column.dtype).reshape(len(table), *column.shape)
    return found


def _card_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
