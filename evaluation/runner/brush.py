"""The bounding box of a brush mask of Label Studio: a run-length code of bits, of the four channels of each pixel.

Source: ``decode_rle`` of label_studio_sdk.converter.brush, and the decoder of thi.ng/rle-pack that writes it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_PIXELS = 50_000_000
_CHANNELS = 4


class BrushError(ValueError):
    """A code that is no brush mask."""


class _Bits:
    """Reads a sequence of bytes bit by bit, the highest bit first."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, count: int) -> int:
        begin, end = self._at, self._at + count
        if end > len(self._data) * 8:
            raise BrushError("The code of a brush mask is incomplete.")
        self._at = end
        last = (end + 7) // 8
        return (int.from_bytes(self._data[begin // 8 : last], "big") >> (last * 8 - end)) & ((1 << count) - 1)


def brush_box(code: object, width: int, height: int) -> tuple[int, int, int, int]:
    """Return x1, y1, x2, y2 of the painted pixels of a mask of this size, in its pixels, behind the last one. Raises
    ``BrushError`` for a code of another size, a mask without paint, or one of more than ``MOST_PIXELS``."""
    if not 0 < width * height <= MOST_PIXELS:
        raise BrushError(f"A brush mask has from 1 to {MOST_PIXELS:,} pixels.")
    if not isinstance(code, list) or not all(isinstance(one, int) and 0 <= one <= 255 for one in code):
        raise BrushError("The code of a brush mask is a list of bytes.")
    alpha = _decoded(code, width * height * _CHANNELS)[_CHANNELS - 1 :: _CHANNELS].reshape(height, width)
    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    if not len(rows):
        raise BrushError("A brush mask has no paint.")
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _decoded(code: Sequence[int], length: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    bits = _Bits(bytes(code))
    if bits.read(32) != length:
        raise BrushError("A brush mask has another size than its image.")
    word = bits.read(5) + 1
    sizes = [bits.read(4) + 1 for _ in range(4)]
    found = np.zeros(length, np.uint8)
    at = 0
    while at < length:
        repeated = bits.read(1)
        end = at + 1 + bits.read(sizes[bits.read(2)])
        if end > length:
            raise BrushError("A brush mask has another size than its image.")
        if repeated:
            found[at:end] = bits.read(word) & 255
        else:
            found[at:end] = [bits.read(word) & 255 for _ in range(end - at)]
        at = end
    return found
