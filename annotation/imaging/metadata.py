"""Removes metadata about people and places from image files: EXIF with the location, XMP, IPTC, comments, previews.

Nothing is decoded or encoded again, so that the pixels stay exact. Data that colors and orientation depend on are kept:
color profiles, palettes, gamma, and the orientation from EXIF. Data after the end of an image are also removed, because
cameras store second images with their own EXIF there.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from zlib import crc32

from annotation.imaging.decoding import PictureInfo, inspect
from annotation.imaging.opening import damaged
from annotation.imaging.problems import PictureProblem
from annotation.imaging.tiff_parts import tiff_without_metadata

_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""Matches the next marker in or after the data of a scan, except stuffed bytes and restarts."""
_PNG_KEPT = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs cICP mDCV cLLI hIST sPLT".split())
_WEBP_KEPT = frozenset((b"VP8X", b"ICCP", b"ALPH", b"VP8 ", b"VP8L"))
_WEBP_SAYS_EXIF, _WEBP_SAYS_XMP = 0x08, 0x04


@contextmanager
def without_metadata(source: Path | bytes, info: PictureInfo) -> Iterator[tuple[Path | bytes, PictureInfo]]:
    """Yield the image without metadata, and the result of ``inspect`` for it; the source itself if it has none.

    Raises ``PictureProblem`` if the metadata cannot be removed without changing the pixels.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    try:
        pieces = _PIECES[info.format](data, info.orientation)
    except (LookupError, struct.error) as error:
        raise damaged(info.format) from error
    if pieces is None:
        yield source, info
        return
    with NamedTemporaryFile(prefix="picture-") as copy:
        for piece in pieces:
            copy.write(piece)
        copy.flush()
        cleaned = inspect(Path(copy.name), "")
        if _seen(cleaned) != _seen(info):
            raise PictureProblem(
                "metadata-stays",
                f"The metadata of this {info.format} can't be removed without changing its pixels. Export it again "
                "without metadata.",
            )
        yield Path(copy.name), cleaned


def _seen(info: PictureInfo) -> tuple[object, ...]:
    return info.format, info.width, info.height, info.orientation, info.mode


def _exif(orientation: int) -> bytes:
    """Return an EXIF block with the orientation only."""
    return struct.pack("<4sIHHHIHHI", b"II*\0", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


Pieces = list[bytes | memoryview]


def _jpeg(data: bytes, orientation: int) -> Pieces | None:
    view, changed, at = memoryview(data), False, 2
    exif = b"" if orientation == 1 else b"Exif\0\0" + _exif(orientation)
    own = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif if exif else b""
    kept: Pieces = [view[:2]]
    while True:
        while data[at + 1] == 0xFF:  # a fill byte
            at += 1
        marker = data[at + 1]
        if marker == 0xD9:
            kept.append(view[at : at + 2])
            break
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        segment = data[at:end]
        written = _segment(marker, segment)
        if segment == own:
            own = b""
            written = segment
        changed = changed or written != segment
        kept.append(written)
        if marker == 0xDA:
            found = _NEXT_MARKER.search(data, end)
            if found is None:
                raise IndexError("no end of the image")
            kept.append(view[end : found.start()])
            end = found.start()
        at = end
    if own:
        kept.insert(2 if data[2:4] == b"\xff\xe0" else 1, own)
    return kept if changed or own or at + 2 < len(data) else None


def _segment(marker: int, segment: bytes) -> bytes:
    """Return a segment of a JPEG as stored; empty if it is removed."""
    says = segment[4:]
    if marker == 0xE0:  # with the size of a thumbnail, 0 × 0
        return segment[:2] + b"\x00\x10" + segment[4:16] + b"\0\0" if says.startswith(b"JFIF\0") else b""
    if marker == 0xE2:
        return segment if says.startswith(b"ICC_PROFILE\0") else b""
    if marker == 0xEE:
        return segment if says.startswith(b"Adobe") else b""
    return b"" if 0xE1 <= marker <= 0xEF or marker == 0xFE else segment


def _png(data: bytes, orientation: int) -> Pieces | None:
    view, changed, at = memoryview(data), False, 8
    body = b"" if orientation == 1 else _exif(orientation)
    own = _chunk(b"eXIf", body) if body else b""
    kept: Pieces = [view[:8]]
    while True:
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if kind in _PNG_KEPT or (own and data[at:end] == own):
            kept.append(view[at:end])
            own = own if kind != b"eXIf" else b""
        else:
            changed = True
        at = end
        if kind == b"IEND":
            break
    if own:
        kept.insert(2, own)
    return kept if changed or own or at < len(data) else None


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc32(kind + body))


def _webp(data: bytes, orientation: int) -> Pieces | None:
    view, changed, at = memoryview(data), False, 12
    declared = min(len(data), 8 + int.from_bytes(data[4:8], "little"))
    body = b"" if orientation == 1 else _exif(orientation)
    own = b"EXIF" + struct.pack("<I", len(body)) + body if body else b""
    kept: Pieces = []
    while at + 8 <= declared:
        kind, length = struct.unpack_from("<4sI", data, at)
        end = at + 8 + length + length % 2
        piece = data[at:end]
        if kind == b"VP8X":
            flags = piece[8] & ~(_WEBP_SAYS_EXIF | _WEBP_SAYS_XMP) | (_WEBP_SAYS_EXIF if own else 0)
            changed = changed or flags != piece[8]
            kept.append(piece[:8] + bytes([flags]) + piece[9:])
        elif kind in _WEBP_KEPT or piece == own:
            kept.append(view[at:end])
            own = b"" if piece == own else own
        else:
            changed = True
        at = end
    if own:
        kept.append(own)
    if not (changed or own or declared < len(data)):
        return None
    return [b"RIFF", struct.pack("<I", 4 + sum(map(len, kept))), b"WEBP", *kept]


_PIECES: dict[str, Callable[[bytes, int], Pieces | None]] = {
    "JPEG": _jpeg,
    "PNG": _png,
    "WEBP": _webp,
    # Its orientation is one of its tags.
    "TIFF": lambda data, orientation: tiff_without_metadata(data),
}
