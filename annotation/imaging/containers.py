"""Reads facts about an image file before a pixel is decoded: format, completeness, animation, EXIF.

Only markers and chunk headers are read. The formats are detected by their first bytes, never by the file's name.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from annotation.imaging.problems import PictureProblem

ACCEPTED = "Use a JPEG, PNG, WebP or TIFF file."

SUFFIXES = {
    ".jpg": "JPEG", ".jpeg": "JPEG", ".jpe": "JPEG", ".jfif": "JPEG", ".png": "PNG", ".webp": "WEBP",
    ".tif": "TIFF", ".tiff": "TIFF", ".gif": "GIF", ".bmp": "BMP", ".svg": "SVG", ".heic": "HEIC", ".avif": "AVIF",
}  # fmt: skip
"""The endings that name an image format. Any other ending is accepted."""

_OTHERS = ((b"GIF8", "GIF"), (b"BM", "BMP"), (b"%PDF", "PDF"), (b"8BPS", "Photoshop"), (b"\x00\x00\x01\x00", "icon"))


@dataclass(frozen=True, slots=True)
class Structure:
    """``complete``: the end of the container was found. ``exif``: the EXIF block if found, else empty."""

    complete: bool
    animated: bool = False
    exif: bytes = b""


def format_of(head: bytes) -> str:
    """Return JPEG, PNG, WEBP or TIFF by the first bytes (64 or more). Raises ``PictureProblem`` for other files."""
    if not head:
        raise PictureProblem("empty-file", "The file is empty (0 bytes). Export or upload it again.")
    if head.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "WEBP"
    if head[:4] in (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"):
        return "TIFF"
    raise _refusal(head)


def _refusal(head: bytes) -> PictureProblem:
    if b"<svg" in head.lower():
        return PictureProblem(
            "svg", f"This is an SVG drawing: it has no pixels to annotate. Export it as PNG. {ACCEPTED}"
        )
    found = next((name for start, name in _OTHERS if head.startswith(start)), "")
    if head[4:8] == b"ftyp":
        found = "AVIF" if head[8:12] in (b"avif", b"avis") else "HEIC"
    if found:
        return PictureProblem(
            "format-not-accepted", f"The format of this file is {found}. Convert it first. {ACCEPTED}"
        )
    return PictureProblem(
        "not-an-image", f"This is not an image: its first bytes belong to no known format. {ACCEPTED}"
    )


def check_name(name: str, found: str) -> None:
    """Reject a file whose ending names another format than its content."""
    suffix = Path(name).suffix.lower()
    named = SUFFIXES.get(suffix, found)
    if named != found:
        raise PictureProblem(
            "wrong-extension",
            f"The name ends in {suffix} but the content is {found}. Rename the file to its real format, "
            "or export it again.",
        )


def structure_of(kind: str, file: IO[bytes]) -> Structure:
    """Read the container of a JPEG, PNG or WebP file. A TIFF is checked by its strip table, see ``decoding``."""
    if kind == "PNG":
        return _png(file)
    if kind == "WEBP":
        return _webp(file)
    return Structure(complete=kind != "JPEG" or _jpeg_has_end(file))


def webp_size(head: bytes) -> tuple[int, int]:
    """Return the declared width and height of a WebP file from its first 30 bytes; (0, 0) if they are missing."""
    kind = head[12:16]
    if len(head) < 30:
        return 0, 0
    if kind == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _png(file: IO[bytes]) -> Structure:
    file.seek(8)
    animated, exif = False, b""
    while len(header := file.read(8)) == 8:
        length, kind = struct.unpack(">I4s", header)
        if kind == b"IEND":
            return Structure(complete=True, animated=animated, exif=exif)
        animated = animated or kind == b"acTL"
        if kind == b"eXIf":
            exif = file.read(length)
            length = 0
        file.seek(length + 4, 1)
    return Structure(complete=False, animated=animated, exif=exif)


def _webp(file: IO[bytes]) -> Structure:
    file.seek(0)
    head = file.read(30)
    declared = int.from_bytes(head[4:8], "little") + 8
    animated = head[12:16] == b"VP8X" and len(head) > 20 and bool(head[20] & 2)
    return Structure(complete=file.seek(0, 2) >= declared, animated=animated)


def _jpeg_has_end(file: IO[bytes]) -> bool:
    """Return whether an end marker follows the first scan. Earlier ones belong to thumbnails inside the header."""
    scan = _jpeg_scan(file)
    if not scan:
        return False
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.rfind(b"\xff\xd9", scan) >= 0


def _jpeg_scan(file: IO[bytes]) -> int:
    """Return the position of the first scan; 0 if the file ends before it."""
    file.seek(2)
    while len(marker := file.read(2)) == 2 and marker[0] == 0xFF:
        if marker[1] == 0xFF:  # a fill byte: the marker starts one byte later
            file.seek(-1, 1)
            continue
        if marker[1] == 0xDA:
            return file.tell()
        length = file.read(2)
        if len(length) < 2:
            break
        file.seek(max(int.from_bytes(length, "big") - 2, 0), 1)
    return 0
