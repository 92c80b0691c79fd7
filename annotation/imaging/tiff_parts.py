"""The first image of a TIFF alone: the tags that its pixels depend on, and its unchanged strips or tiles."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from annotation.imaging.problems import PictureProblem

KEPT = frozenset(
    (
        254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 290,
        291, 292, 293, 296, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 332, 334, 336, 338, 339, 340, 341, 347,
        529, 530, 531, 532, 34675,
    )
)  # fmt: skip
"""Size, bits, compression, colors, color profile, orientation, resolution, strips and tiles."""
COMPRESSION, OLD_JPEG = 259, 6
STARTS, LENGTHS = (273, 324), (279, 325)
WIDTHS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Bytes of a value by its type."""
WHOLE = {3: "H", 4: "I", 16: "Q"}


@dataclass(frozen=True, slots=True)
class Form:
    """The format of a TIFF: its byte ``order``, and whether it is a BigTIFF."""

    order: str
    big: bool

    @property
    def head(self) -> int:
        return 16 if self.big else 8

    @property
    def place(self) -> str:
        return f"{self.order}{'Q' if self.big else 'I'}"

    @property
    def room(self) -> int:
        """Bytes of a value within its entry."""
        return 8 if self.big else 4


@dataclass(slots=True)
class Tag:
    number: int
    kind: int
    count: int
    value: bytes


def tiff_without_metadata(data: bytes) -> list[bytes | memoryview] | None:
    """The pieces of the file written again; None where it has one image and none but the tags of it.

    Raises ``LookupError`` or ``struct.error`` for a file whose parts are not there, and ``PictureProblem``.
    """
    form = Form("<" if data[:2] == b"II" else ">", data[2:4] in (b"+\0", b"\0+"))
    tags, following = _read(data, form)
    if any(tag.number == COMPRESSION and _numbers(form, tag) == (OLD_JPEG,) for tag in tags):
        raise PictureProblem(
            "metadata-stays",
            "This TIFF holds an old kind of JPEG, whose metadata can't be removed without changing its pixels. Export "
            "it again as JPEG or PNG.",
        )
    kept = [tag for tag in tags if tag.number in KEPT]
    if len(kept) == len(tags) and not following:
        return None
    return _written(data, form, kept)


def _read(data: bytes, form: Form) -> tuple[list[Tag], int]:
    """The tags of the first image, and where the next one begins."""
    (at,) = struct.unpack_from(form.place, data, form.head - form.room)
    many, entry = (f"{form.order}Q", 20) if form.big else (f"{form.order}H", 12)
    (count,) = struct.unpack_from(many, data, at)
    at += struct.calcsize(many)
    tags = []
    for place in range(at, at + count * entry, entry):
        number, kind = struct.unpack_from(f"{form.order}HH", data, place)
        (values,) = struct.unpack_from(form.place, data, place + 4)
        size = WIDTHS.get(kind, 0) * values
        start = place + 4 + form.room
        if size > form.room:
            (start,) = struct.unpack_from(form.place, data, start)
        if start + size > len(data):
            raise IndexError("a tag beyond the end")
        tags.append(Tag(number, kind, values, data[start : start + size]))
    (following,) = struct.unpack_from(form.place, data, at + count * entry)
    return tags, following


def _numbers(form: Form, tag: Tag) -> tuple[int, ...]:
    return struct.unpack(f"{form.order}{tag.count}{WHOLE[tag.kind]}", tag.value)


def _written(data: bytes, form: Form, tags: list[Tag]) -> list[bytes | memoryview]:
    """Head, tags, values, then the strips or tiles in their order."""
    view = memoryview(data)
    starts, lengths = (next((tag for tag in tags if tag.number in both), None) for both in (STARTS, LENGTHS))
    if starts is None or lengths is None:
        raise IndexError("no strips")
    parts = list(zip(_numbers(form, starts), _numbers(form, lengths), strict=True))
    if any(start + length > len(data) for start, length in parts):
        raise IndexError("a strip beyond the end")
    many, entry = (f"{form.order}Q", 20) if form.big else (f"{form.order}H", 12)
    starts.kind = 16 if form.big else 4
    starts.value = bytes(form.room * starts.count)
    behind = form.head + struct.calcsize(many) + entry * len(tags) + form.room
    places, values = {}, []
    for tag in tags:
        if len(tag.value) > form.room:
            places[tag.number] = behind
            padded = tag.value + b"\0" * (len(tag.value) % 2)
            values.append((tag, len(padded)))
            behind += len(padded)
    offsets = []
    for _, length in parts:
        offsets.append(behind)
        behind += length + length % 2
    starts.value = struct.pack(f"{form.order}{len(offsets)}{'Q' if form.big else 'I'}", *offsets)
    pieces: list[bytes | memoryview] = [data[: form.head - form.room] + struct.pack(form.place, form.head)]
    pieces.append(struct.pack(many, len(tags)))
    for tag in tags:
        inside = struct.pack(form.place, places[tag.number]) if tag.number in places else tag.value
        pieces.append(
            struct.pack(f"{form.order}HH", tag.number, tag.kind)
            + struct.pack(form.place, tag.count)
            + inside.ljust(form.room, b"\0")
        )
    pieces.append(bytes(form.room))
    pieces += [tag.value.ljust(size, b"\0") for tag, size in values]
    for start, length in parts:
        pieces += [view[start : start + length], bytes(length % 2)]
    return pieces
