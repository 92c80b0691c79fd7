"""Keys taken out of what endpoints answer, and out of every message about it."""

from __future__ import annotations

import base64
import re
from typing import Any

from annotation.outgoing.sealing import LEAST_KEY

REMOVED = "[key]"
_ESCAPES = ("\\u00", "\\/", "%", "&#")
"""Prefixes of escapes. Without any, a fast search for the plain key is sufficient."""


class Redactor:
    """Replaces one key wherever an endpoint repeats it: plain, escaped as in JSON, URLs and HTML, or as Base64.

    A key has no characters that JSON or HTML must escape (``checked_key``), but they may escape any. Without a key
    nothing changes.
    """

    def __init__(self, key: str) -> None:
        coded = [base64.b64encode(text.encode()).decode().rstrip("=") for text in (key, f"Bearer {key}")]
        password = key.partition(":")[2]
        if len(password) >= LEAST_KEY:
            coded.append(password)
        self._marks = (key, *coded, *_ESCAPES) if key else ()
        pattern = "|".join([_in_any_form(key), *map(re.escape, coded)])
        self._text = re.compile(pattern)
        self._data = re.compile(pattern.encode())

    def __repr__(self) -> str:
        return "Redactor()"

    def text(self, text: str) -> str:
        return self._text.sub(REMOVED, text) if any(mark in text for mark in self._marks) else text

    def data(self, data: bytes) -> bytes:
        found = any(mark.encode() in data for mark in self._marks)
        return self._data.sub(REMOVED.encode(), data) if found else data

    def value(self, value: Any) -> Any:
        """Return a JSON value with every text redacted, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(one) for name, one in value.items()}
        return value


def _in_any_form(key: str) -> str:
    """A pattern in which each character may be escaped."""
    return "".join(
        (r"(?:\\*" if char == "/" else "(?:")
        + rf"{re.escape(char)}|\\+u00(?i:{ord(char):02x})|%(?i:{ord(char):02x})"
        + rf"|&#0*{ord(char)};|&#[xX]0*(?i:{ord(char):02x});)"
        for char in key
    )
