"""SVG to pixels. resvg answers with a PNG file; the few lines that read it back spare an image library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from spielwerk.extras import need

Pixels = NDArray[np.uint8]


def png(svg: str, background: str | None = None) -> bytes:
    """The picture as a PNG file, as large as the SVG says it is."""
    resvg_py = need("resvg_py")  # loaded when used: `import spielwerk` stays light
    # No fonts: searching the system for them is slow, and pictures would differ between machines.
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, background=background, skip_system_fonts=True))


def rgb(svg: str, background: str) -> Pixels:
    """The picture as uint8 [height, width, 3]."""
    return _decoded(png(svg, background))


def _decoded(png: bytes) -> Pixels:
    """The colours of an opaque PNG file as resvg writes it: 8-bit RGBA, not interlaced."""
    chunks = list(_chunks(png))
    width, height, depth, colour_type, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if (depth, colour_type, interlaced) != (8, 6, 0):
        raise ValueError("expected an 8-bit RGBA picture without interlacing from resvg")
    packed = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    lines = np.frombuffer(packed, np.uint8).reshape(height, 1 + width * 4)
    return _unfiltered(lines[:, 0], lines[:, 1:].reshape(height, width, 4)[:, :, :3])


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = 8
    while start < len(png):
        (length,) = struct.unpack_from(">I", png, start)
        yield png[start + 4 : start + 8], png[start + 8 : start + 8 + length]
        start += 12 + length


def _unfiltered(filters: Pixels, residuals: Pixels) -> Pixels:
    """Undoes PNG's five line filters; uint8 arithmetic wraps around as the format asks."""
    pixels = np.empty_like(residuals, order="C")
    above = np.zeros_like(residuals[0])
    for row, (kind, residual) in enumerate(zip(filters.tolist(), residuals, strict=True)):
        match kind:
            case 0:
                pixels[row] = residual
            case 1:
                pixels[row] = np.add.accumulate(residual, axis=0, dtype=np.uint8)
            case 2:
                pixels[row] = residual + above
            case _:
                # Each byte depends on the one to its left: no array operation does that.
                undo = _averages_undone if kind == 3 else _paeth_undone
                for channel in range(3):
                    pixels[row, :, channel] = undo(residual[:, channel].tolist(), above[:, channel].tolist())
        above = pixels[row]
    return pixels


def _averages_undone(residual: list[int], above: list[int]) -> list[int]:
    line = []
    left = 0
    for difference, up in zip(residual, above, strict=True):
        left = (difference + (left + up) // 2) & 255
        line.append(left)
    return line


def _paeth_undone(residual: list[int], above: list[int]) -> list[int]:
    """The prediction is whichever of left, up and corner is nearest to left + up - corner."""
    line = []
    left = corner = 0
    for difference, up in zip(residual, above, strict=True):
        from_left, from_up, from_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        if from_left > from_up or from_left > from_corner:
            left = up if from_up <= from_corner else corner
        left = (left + difference) & 255
        line.append(left)
        corner = up
    return line
