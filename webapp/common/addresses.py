"""Keys of samples in addresses: ``<key:key>`` holds any text and returns it unchanged.

A key is any name in a file: ``next``, ``a/draft``, ``../b``, a name with a line break. Addresses put the action before
the key (``annotate/draft/<key:key>/``), so that no key is read as an action. A tilde encodes what browsers and proxies
would change or cannot carry: ``~0A`` is a line break, ``~2E~2E`` two dots alone, ``~7E`` the tilde, and ``~`` alone an
empty part between two slashes.
"""

from __future__ import annotations

import re

from django.urls import register_converter

_UNSAFE = re.compile(r"[\x00-\x1f\x7f~]")
_ESCAPED = re.compile(r"(?:[^~]|~[0-9A-F]{2})+")
_CODE = re.compile(r"~([0-9A-F]{2})")


class KeyConverter:
    """Any text as the last part of an address; slashes stay slashes."""

    regex = ".+"

    def to_python(self, value: str) -> str:
        return "/".join(_read(part) for part in value.split("/"))

    def to_url(self, value: str) -> str:
        return "/".join(_written(part) for part in value.split("/"))


def _written(part: str) -> str:
    if part in ("", ".", ".."):
        return part.replace(".", "~2E") or "~"
    return _UNSAFE.sub(lambda found: f"~{ord(found[0]):02X}", part)


def _read(part: str) -> str:
    """Raises ``ValueError`` for what ``_written`` never writes, so that a sample has one address."""
    if part == "~":
        return ""
    if not _ESCAPED.fullmatch(part):
        raise ValueError(f"{part!r} is no part of a key's address.")
    return _CODE.sub(lambda found: chr(int(found[1], 16)), part)


register_converter(KeyConverter, "key")

KEY = "<key:key>"
"""A key in a pattern of addresses."""
