"""Questions that name directions: a turned, flipped or cut image may make them untrue."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORDS = (
    "left", "leftmost", "right", "rightmost", "above", "below", "top", "topmost", "bottom", "bottommost", "upper",
    "lower", "uppermost", "lowermost", "upside", "clockwise", "counterclockwise", "anticlockwise", "horizontal",
    "horizontally", "vertical", "vertically", "north", "south", "east", "west", "northeast", "northwest", "southeast",
    "southwest", "corner", "upward", "upwards", "downward", "downwards", "leftward", "leftwards", "rightward",
    "rightwards", "underneath", "beneath",
)  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def directions_in(texts: Iterable[str]) -> list[str]:
    """The words for directions in these texts, each once, in the order of their first use."""
    found = (word for text in texts for word in _WORD.findall(text.lower()) if word in WORDS)
    return list(dict.fromkeys(found))
