"""Brush masks of Label Studio: a run-length code of bits, of the four channels of each pixel.

Source: ``decode_rle`` of label_studio_sdk.converter.brush, and the decoder of thi.ng/rle-pack that writes it.
"""

from __future__ import annotations

import numpy as np

MOST_PIXELS = 50_000_000
MOST_BYTES = 8_000_000
"""Of a code: enough for 2,000,000 painted pixels without a repetition."""
MOST_RUNS = 1_000_000
_CHANNELS = 4

Mask = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
"""A mask by row and column, True where it is painted."""


class MaskError(ValueError):
    """A code that is no mask, of Label Studio or of COCO."""


class ScatteredMask(MaskError):
    """A mask with too many separate parts to be shapes."""


class _Bits:
    """Reads a sequence of bytes bit by bit, the highest bit first."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _next(self, count: int) -> tuple[int, int]:
        begin, end = self._at, self._at + count
        if end > len(self._data) * 8:
            raise MaskError("The code of a brush mask is incomplete.")
        self._at = end
        return begin, end

    def read(self, count: int) -> int:
        begin, end = self._next(count)
        last = (end + 7) // 8
        return (int.from_bytes(self._data[begin // 8 : last], "big") >> (last * 8 - end)) & ((1 << count) - 1)

    def painted(self, count: int, word: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether each of ``count`` values of ``word`` bits has one of its lowest 8 bits."""
        begin, end = self._next(count * word)
        data = np.frombuffer(self._data, np.uint8, (end + 7) // 8 - begin // 8, begin // 8)
        bits = np.unpackbits(data)[begin % 8 : begin % 8 + count * word].reshape(count, word)
        return np.asarray(bits[:, -8:].any(axis=1))


def read_brush(code: object, width: int, height: int) -> Mask:
    """Return the mask of a code for an image of this size in pixels: painted is a pixel with an alpha above 0.

    It takes at most a few bytes for each pixel, and a second or two. Raises ``MaskError`` for a code of another size,
    a mask without paint, one of more than ``MOST_PIXELS``, and a code of more than ``MOST_BYTES`` or ``MOST_RUNS``.
    """
    if not (min(width, height) > 0 and width * height <= MOST_PIXELS):
        raise MaskError(f"A brush mask has from 1 to {MOST_PIXELS:,} pixels.")
    if not isinstance(code, list) or len(code) > MOST_BYTES:
        raise MaskError(f"The code of a brush mask is a list of at most {MOST_BYTES:,} bytes.")
    if not all(isinstance(one, int) and 0 <= one <= 255 for one in code):
        raise MaskError("The code of a brush mask is a list of bytes.")
    mask = _decoded(bytes(code), width * height).reshape(height, width)
    if not mask.any():
        raise MaskError("A brush mask has no paint.")
    return mask


def _decoded(code: bytes, pixels: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The alpha channel alone, so that the others take no memory: value 4 i + 3 is that of pixel i."""
    bits, length = _Bits(code), pixels * _CHANNELS
    if bits.read(32) != length:
        raise MaskError("A brush mask has another size than its image.")
    word = bits.read(5) + 1
    sizes = [bits.read(4) + 1 for _ in range(4)]
    found = np.zeros(pixels, np.bool_)
    at = runs = 0
    while at < length:
        runs += 1
        repeated = bits.read(1)
        end = at + 1 + bits.read(sizes[bits.read(2)])
        if end > length or runs > MOST_RUNS:
            problem = "has another size than its image" if end > length else f"has more than {MOST_RUNS:,} runs"
            raise MaskError(f"A brush mask {problem}.")
        first, last = at // _CHANNELS, end // _CHANNELS
        if repeated:
            found[first:last] = bits.read(word) & 255
        else:
            values = bits.painted(end - at, word)
            found[first:last] = values[_CHANNELS * first + _CHANNELS - 1 - at :: _CHANNELS][: last - first]
        at = end
    return found
