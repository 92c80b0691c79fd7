"""Converts texts and values to a storable form: PostgreSQL accepts neither NUL nor lone surrogates, JSON no
infinity.
"""

from __future__ import annotations

import math
import re
from typing import Any

LONE = re.compile("[\ud800-\udfff]")
"""Half a character."""


def storable(value: Any) -> Any:
    """``value``, read from a text inside a row, as JSON that can be stored."""
    kind = type(value)
    if kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else str(value)
    if kind is str:
        return clean(value)
    if kind is dict:
        return {clean(str(key)): storable(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [storable(item) for item in value]
    return str(value)


def clean(text: str) -> str:
    """``text`` without NUL, and with the replacement character for each half of one."""
    if text.isascii() and "\x00" not in text:
        return text
    return LONE.sub("\ufffd", text.replace("\x00", ""))
