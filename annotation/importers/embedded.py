"""Images in a cell or a message: their name, or the image itself as a data URL."""

from __future__ import annotations

import base64
import binascii
import re

from annotation.importers.fields import Report
from annotation.importers.storable import storable

_PICTURES = (
    (b"\xff\xd8\xff", "jpeg"), (b"\x89PNG", "png"), (b"RIFF", "webp"), (b"II*\x00", "tiff"), (b"MM\x00*", "tiff"),
    (b"GIF8", "gif"),
)  # fmt: skip
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")
_LOOKED_AT = 64
"""The number of characters that are decoded to see a header."""
SHORTEST = 24
"""The minimum length of an image in base64, in characters."""


def kind_in_base64(text: str) -> str:
    """Return the kind of image in a base64 text without a URL prefix; "" if it is not an image.

    >>> kind_in_base64("iVBORw0KGgoAAAANSUhEUgAAAAE="), kind_in_base64("images/kettle.jpg")
    ('png', '')
    """
    if len(text) < SHORTEST or not _BASE64.fullmatch(beginning := text[:_LOOKED_AT]):
        return ""
    letters = "".join(beginning.split()).rstrip("=")
    try:
        head = base64.b64decode(letters[: len(letters) // 4 * 4])
    except (binascii.Error, ValueError):
        return ""
    kind = next((kind for start, kind in _PICTURES if head.startswith(start)), "")
    return "" if kind == "webp" and head[8:12] != b"WEBP" else kind


def picture_in(value: object, field: str, report: Report) -> str | None:
    """Return an image (``bytes`` and ``path``, bytes alone, or a name) as text; the first of a list. None without an
    image.
    """
    if isinstance(value, list):
        if len(value) > 1:
            report.noted("several-pictures", field, len(value), "A sample has one image. The first one was used.")
        value = value[0] if value else None
    name = ""
    if isinstance(value, dict):
        name, value = str(value.get("path") or ""), value.get("bytes")
    if isinstance(value, bytes):
        kind = next((kind for start, kind in _PICTURES if value.startswith(start)), "")
        if kind and kind != "gif":
            return f"data:image/{kind};base64,{base64.b64encode(value).decode('ascii')}"
        report.noted("no-picture", field, value[:8].hex(" "), "Not a JPEG, PNG, WebP or TIFF. Ignored.")
        return name or None
    if isinstance(value, str) and (kind := kind_in_base64(value)):
        return f"data:image/{kind};base64,{''.join(value.split())}"
    return (str(storable(value)) if isinstance(value, str) else name) or None
