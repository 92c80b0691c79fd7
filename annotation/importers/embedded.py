"""Pictures inside a cell: their name, or the picture itself as an address."""

from __future__ import annotations

import base64

from annotation.importers.fields import Report
from annotation.importers.storable import storable

_PICTURES = (
    (b"\xff\xd8\xff", "jpeg"),
    (b"\x89PNG", "png"),
    (b"RIFF", "webp"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)


def picture_in(value: object, field: str, report: Report) -> str | None:
    """A picture with ``bytes`` and ``path``, its bytes alone, or its name; of a list the first. None without one."""
    if isinstance(value, list):
        if len(value) > 1:
            report.noted("several-pictures", field, len(value), "A sample has one picture; the first was taken.")
        value = value[0] if value else None
    name = ""
    if isinstance(value, dict):
        name, value = str(value.get("path") or ""), value.get("bytes")
    if isinstance(value, bytes):
        kind = next((kind for start, kind in _PICTURES if value.startswith(start)), "")
        if kind:
            return f"data:image/{kind};base64,{base64.b64encode(value).decode('ascii')}"
        report.noted("no-picture", field, value[:8].hex(" "), "These bytes are no JPEG, PNG, WebP or TIFF; left out.")
        return name or None
    return (str(storable(value)) if isinstance(value, str) else name) or None
