"""Files that hold the weights of the core's own networks.

A file is in the safetensors format: flat arrays, and in its metadata a card with the game and how the network came to
be. It is read here with NumPy alone, so that nothing in a file can run and nothing need be installed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spielwerk.border import quoted

SHIPPED = Path(__file__).parent.parent / "models"
MAX_BYTES = 64_000_000

_LENGTH = 8  # bytes that say how long the header is
_TYPES = {"I8": np.int8, "I16": np.int16, "I32": np.int32, "F32": np.float32}
Parts = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class StoredNetwork:
    """The numbers of a network, by name, and its card. Each kind of network says what its parts are."""

    what: ClassVar[str]
    kinds: ClassVar[Mapping[str, str]]
    parts: Parts
    card: dict[str, Any]

    def to_bytes(self) -> bytes:
        """The file."""
        return weights_bytes(self.parts, self.kinds, self.card)

    @property
    def weights(self) -> bytes:
        """Its numbers alone, whatever its card tells."""
        return weights_bytes(self.parts, self.kinds, {})

    @classmethod
    def from_bytes(cls, data: bytes, source: str) -> Self:
        """The network in a file; ValueError where it is none."""
        try:
            return cls(*read_weights(data, cls.kinds))
        except ValueError:
            raise ValueError(f"{quoted(source, 200)} is no {cls.what}") from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """The network in a file, read once for every time it has changed; OSError where there is none."""
        network = _read(cls, path, _stamp_of(path))  # type: ignore[arg-type]  # a class is hashable; mypy doubts Self
        assert isinstance(network, cls)
        return network


@lru_cache(maxsize=16)
def _read(kind: type[StoredNetwork], path: Path, changed: int) -> StoredNetwork:
    return kind.from_bytes(path.read_bytes(), str(path))


def weights_bytes(parts: Parts, kinds: Mapping[str, str], card: dict[str, Any]) -> bytes:
    """The file with these parts, each of its kind, in the order of `kinds`."""
    header: dict[str, Any] = {"__metadata__": {"card": json.dumps(card, ensure_ascii=False)}}
    body = b""
    for name, kind in kinds.items():
        data = np.ascontiguousarray(parts[name], _TYPES[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": [parts[name].size], "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text + body


def read_weights(data: bytes, kinds: Mapping[str, str]) -> tuple[Parts, dict[str, Any]]:
    """The parts and the card of a file; ValueError where it is none of such parts."""
    try:
        length = int.from_bytes(data[:_LENGTH], "little")
        header = json.loads(data[_LENGTH : _LENGTH + length])
        card = json.loads(header["__metadata__"]["card"])
        if not isinstance(card, dict):
            raise TypeError("the card is no object")
        body = memoryview(data)[_LENGTH + length :]
        return {name: _part(header[name], kind, body) for name, kind in kinds.items()}, card
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no file of weights: {error}") from None


def _stamp_of(path: Path) -> int:
    """When a file was changed last; OSError where there is none, ValueError where it is too large."""
    facts = path.stat()
    if facts.st_size > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES} bytes")
    return facts.st_mtime_ns


def _part(entry: dict[str, Any], kind: str, body: memoryview) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    if entry["dtype"] != kind or not 0 <= begin <= end <= len(body):
        raise ValueError("a part of another kind")
    return np.frombuffer(body[begin:end], _TYPES[kind]).copy()
