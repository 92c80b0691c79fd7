"""Images in logs: distinguished from other texts, left out of stored content, and named for references in calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from annotation.importers import fields
from annotation.importers.storable import storable
from annotation.schema import ORIGINAL
from evaluation.importers.matching import base_name

_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif|tiff?|bmp)\Z", re.IGNORECASE)
_DATA = re.compile(r"\s*(?:data:image/|/9j/|iVBORw0KGgo|UklGR|R0lGOD|SUkqA|TU0AK)")
"""Matches the beginning of image data: a data URI, or the first bytes of JPEG, PNG, WebP, GIF and TIFF in base64."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=_\s-]{40,}\Z")
_ORIGINALS = frozenset(
    {"original", "original_image", "input", "input_image", "image", "img", "source", "full", "query_image"}
)
KEPT = "(image)"
"""The placeholder for image data."""
LONG = 200_000
"""A longer text in arguments is cut."""


def is_image_data(text: str) -> bool:
    """Whether a text is an image itself, as a data URI or in base64."""
    head = text[:4000]
    if head.lstrip().startswith("data:image/"):
        return True
    return bool(_DATA.match(head)) and bool(_BASE64.match(head))


def is_image(text: str) -> bool:
    """Whether a text is an image, or the name of an image file."""
    return is_image_data(text) or (len(text) <= 1000 and "\n" not in text and bool(_SUFFIX.search(text.strip())))


def without_images(value: Any) -> Any:
    """``value`` as JSON that can be stored, image data omitted."""
    if isinstance(value, str):
        return KEPT if is_image_data(value) else storable(value[:LONG])
    if isinstance(value, dict):
        return {storable(str(key)): without_images(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_images(item) for item in value]
    return storable(value)


def texts_in(value: Any) -> tuple[str, bool]:
    """The text of a reply, and whether an image came with it. Of an object without a text its JSON is not read: parts
    of messages (``{"type": "text", "text": ..}``) are joined, images among them are omitted."""
    parts: list[str] = []
    pictured = _collect(value, parts)
    return "\n".join(parts), pictured


def _collect(value: Any, parts: list[str]) -> bool:
    if isinstance(value, str):
        if is_image(value):
            return True
        if value.strip():
            parts.append(storable(value))
        return False
    if isinstance(value, list | tuple):
        found = [_collect(item, parts) for item in value]
        return any(found)
    if isinstance(value, dict):
        found = [_collect(item, parts) for key, item in value.items() if key not in ("type", "role", "id")]
        return any(found)
    if value is not None and not isinstance(value, bool):
        parts.append(str(value))
    return False


class SeenImages:
    """The images of one row: the original and those that calls returned, by the names and numbers a file gives them.
    ``first``: the number of the original. ``is_original``: whether the sample's image has this name."""

    def __init__(self, first: int, is_original: Callable[[str], bool]) -> None:
        self._first, self._is_original = first, is_original
        self._ids = [ORIGINAL]
        self._names: dict[str, str] = {}
        self._begun = False

    def named(self, value: object) -> str | None:
        """Return the id of the image that a call names; None if no image of that name or number is known yet. Any name
        in the first call can only be the original.
        """
        begun, self._begun = self._begun, True
        if value is None or value == "":
            return ORIGINAL
        if isinstance(value, list):
            value = value[0] if value else ORIGINAL
        name = fields.word_in(value)
        if not name or is_image_data(name):
            return None
        if name in self._names:
            return self._names[name]
        if base_name(name) in self._names:
            return self._names[base_name(name)]
        if re.fullmatch(r"\d{1,6}", name):
            index = int(name) - self._first
            return self._ids[index] if 0 <= index < len(self._ids) else None
        if name.casefold() in _ORIGINALS or self._is_original(name):
            return ORIGINAL
        if not begun:
            self._names[name] = self._names[base_name(name)] = ORIGINAL
            return ORIGINAL
        return None

    def made(self, value: object) -> str:
        """The id of a further image, which a call returned under this name (or none)."""
        name = fields.word_in(value)
        own = "" if is_image_data(name) else base_name(name)[: fields.MAX_NAME]
        made = own if own and own not in self._ids else f"crop_{len(self._ids)}"
        self._ids.append(made)
        if own:
            self._names[name] = self._names[own] = made
        return made
