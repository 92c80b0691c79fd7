"""Masks of COCO: lengths of runs down the columns of an image, as numbers or as a text.

Source: ``rleFrString`` and ``rleDecode`` of maskApi.c in cocodataset/cocoapi.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from annotation.imaging.brush import MOST_BYTES, MOST_PIXELS, MOST_RUNS, Mask, MaskError

_FIRST, _VALUES, _MORE, _NEGATIVE = 48, 64, 32, 16
"""The character of 0, the number of characters, and two bits of each: others of the number follow; it is below 0."""
_BITS, _MOST_PARTS = 5, 7
"""Of a number in one character; characters of a number, enough for any number of pixels."""
_MARGIN = 1
"""Pixels without paint that are kept around it, so that outlines are those of the whole mask."""

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]


class PlacedMask(NamedTuple):
    """The painted part of a mask by row and column, its place, and the size of the whole mask in pixels."""

    mask: Mask
    left: int
    top: int
    width: int
    height: int


def read_coco_mask(code: object) -> PlacedMask:
    """Return the painted part of ``{"size": [height, width], "counts": [lengths] or text}``.

    Memory and time grow with the box around the paint and with the code. Raises ``MaskError`` for anything else, for a
    mask without paint, one of more than ``MOST_PIXELS``, and a code of more than ``MOST_BYTES`` or ``MOST_RUNS``.
    """
    given = code if isinstance(code, Mapping) else {}
    size = given.get("size")
    if not (isinstance(size, list) and len(size) == 2 and all(type(side) is int and side > 0 for side in size)):
        raise MaskError("A mask needs its size, [height, width], as two whole numbers above 0.")
    height, width = size
    if height * width > MOST_PIXELS:
        raise MaskError(f"A mask has at most {MOST_PIXELS:,} pixels.")
    ends = _ends(_lengths(given.get("counts")), height * width)
    begins, ends = ends[:-1:2], ends[1::2]
    painted = ends > begins
    return _cut(begins[painted], ends[painted], width, height)


def _lengths(counts: object) -> Numbers:
    """The lengths of the runs, without and with paint in turn."""
    if isinstance(counts, str):
        return _unpacked(counts)
    if not isinstance(counts, list) or len(counts) > MOST_RUNS:
        raise MaskError(f"The counts of a mask are a text, or a list of at most {MOST_RUNS:,} numbers.")
    if not all(type(one) is int and 0 <= one <= MOST_PIXELS for one in counts):
        raise MaskError("The counts of a mask are whole numbers of pixels from 0.")
    return np.array(counts, np.int64)


def _unpacked(text: str) -> Numbers:
    """The numbers of a text. Each is 5 bits in a character, the lowest first; from the fourth on, it is the difference
    from the number two before."""
    if len(text) > MOST_BYTES or not text.isascii():
        raise MaskError(f"The text of a mask has at most {MOST_BYTES:,} ASCII characters.")
    values = np.frombuffer(text.encode(), np.uint8).astype(np.int64) - _FIRST
    last = np.flatnonzero((values & _MORE) == 0)
    if ((values < 0) | (values >= _VALUES)).any() or not last.size or last[-1] != values.size - 1:
        raise MaskError("The text of a mask is damaged.")
    first = np.concatenate(([0], last[:-1] + 1))
    parts = last - first + 1
    if parts.max() > _MOST_PARTS or last.size > MOST_RUNS:
        raise MaskError(f"The text of a mask has at most {MOST_RUNS:,} numbers, each of a possible length.")
    found = np.zeros(last.size, np.int64)
    for part in range(int(parts.max())):
        there = parts > part
        found[there] |= (values[first[there] + part] & (_MORE - 1)) << (_BITS * part)
    negative = (values[last] & _NEGATIVE) != 0
    found[negative] |= np.int64(-1) << (_BITS * parts[negative])
    for begin in (1, 2):
        # Sums of numbers below 2 ** 35 stay far from the end of 64 bits.
        found[begin::2] = np.cumsum(found[begin::2])
    return found


def _ends(lengths: Numbers, pixels: int) -> Numbers:
    """The end of each run, an even number of them. Raises ``MaskError`` unless the runs fill the mask."""
    if (lengths < 0).any() or (lengths > pixels).any() or int(lengths.sum()) != pixels:
        raise MaskError("The counts of a mask do not fill its size.")
    ends = np.cumsum(lengths)
    return ends if ends.size % 2 == 0 else np.append(ends, pixels)


def _cut(begins: Numbers, ends: Numbers, width: int, height: int) -> PlacedMask:
    """The mask of painted runs down the columns, cut to their rows and columns."""
    if not begins.size:
        raise MaskError("A mask has no paint.")
    left, right = int(begins[0]) // height, (int(ends[-1]) - 1) // height + 1
    top, bottom = 0, height
    if (begins // height == (ends - 1) // height).all():
        top, bottom = int((begins % height).min()), int(((ends - 1) % height).max()) + 1
    left, top = max(left - _MARGIN, 0), max(top - _MARGIN, 0)
    right, bottom = min(right + _MARGIN, width), min(bottom + _MARGIN, height)
    # 1 where paint begins and -1 where it ends, down these columns; runs that meet add up to 0.
    changes = np.zeros((right - left) * height + 1, np.int8)
    np.add.at(changes, begins - left * height, np.int8(1))
    np.add.at(changes, ends - left * height, np.int8(-1))
    painted = np.cumsum(changes[:-1], dtype=np.int8).view(np.bool_).reshape(right - left, height)
    return PlacedMask(np.ascontiguousarray(painted[:, top:bottom].T), left, top, width, height)
