"""What an ONNX file names besides itself, read off its bytes.

A tensor may lie in another file, which the runtime then reads from wherever the file says. Models here are one file
each, so one that names another is refused before the runtime sees it. The format is protobuf; only the fields that
lead to tensors are followed.
"""

from __future__ import annotations

from collections.abc import Iterator

# For each message, the fields that lead to further messages. Numbers as in onnx.proto.
_FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14
_FIXED_SIZES = {1: 8, 5: 4}
_DEEPEST = 50


def refuse_external_data(data: bytes, name: str) -> None:
    """ValueError when the model is no single file, or no protobuf at all."""
    try:
        external = _is_external(memoryview(data), "model", 0)
    except (IndexError, RecursionError):
        raise ValueError(f"{name} is no ONNX model that can be loaded") from None
    if external:
        raise ValueError(f"{name} keeps data in other files; a model here is a single file")


def _is_external(message: memoryview, kind: str, depth: int) -> bool:
    if depth > _DEEPEST:
        raise RecursionError
    for number, value in _parts(message):
        if kind == "tensor" and (number == _EXTERNAL_DATA or (number == _DATA_LOCATION and value != 0)):
            return True
        inner = _FIELDS[kind].get(number)
        if inner is not None and isinstance(value, memoryview) and _is_external(value, inner, depth + 1):
            return True
    return False


def _parts(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: numbers as they are, everything else as bytes."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        wire = key & 7
        if wire == 0:
            value, place = _number(message, place)
            yield key >> 3, value
            continue
        if wire == 2:
            size, place = _number(message, place)
        else:
            size = _FIXED_SIZES.get(wire, len(message) + 1)  # groups are gone from the format
        if place + size > len(message):
            raise IndexError
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: memoryview, place: int) -> tuple[int, int]:
    """A varint and where it ends."""
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
        if shift > 63:
            raise IndexError
