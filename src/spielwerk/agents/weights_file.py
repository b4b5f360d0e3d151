"""Files that hold the weights of the core's own networks.

A file is in the safetensors format: flat arrays, and in its metadata a card with the game and how the network came to
be. It is read here with NumPy alone, so that nothing in a file can run and nothing need be installed.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHIPPED = Path(__file__).parent.parent / "models"
MAX_BYTES = 64_000_000

_LENGTH = 8  # bytes that say how long the header is
_TYPES = {"I8": np.int8, "I16": np.int16, "I32": np.int32, "F32": np.float32}
Parts = dict[str, NDArray[Any]]


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


def stamp_of(path: Path) -> int:
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
