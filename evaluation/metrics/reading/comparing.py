"""Texts for comparing: one form for equal ones (docs/metrics.md#open-ended-answers)."""

from __future__ import annotations

import re
from functools import lru_cache

QUOTES = "\"'`“”‘’«»„「」『』"
"""Quotation marks, straight and typographic."""
OUTER = ".,;:!?…()[]{}*_-–—。，；：！？、【】《》〈〉" + QUOTES + " \n"
"""Characters that are ignored at the ends of a text."""

_SIGNED = re.compile(r"[-–—]?\.?\d")
_ARTICLE = re.compile(r"(?:an?|the) (?=\S)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑](?=\w)|(?<=\w)[-‐‑](?=[^\W\d_])")
_SIDE = re.compile(r"\bto the (?=(?:left|right) of\b)")
_APOSTROPHES = str.maketrans("’‘“”‐‑", "''\"\"--")


def trimmed(words: str) -> str:
    """Remove outer punctuation, except a sign or decimal point before a digit. Text that is only punctuation
    stays."""
    bare = words.strip(OUTER)
    if not bare:
        return words.strip()
    if bare[0].isdigit() and words[0] != bare[0]:
        start = words.index(bare)
        while start and words[start - 1] in "-–—." and _SIGNED.match(words, start - 1):
            start -= 1
        return words[start : start + len(words[start:].rstrip(OUTER))]
    return bare


def exact_form(words: str) -> str:
    """``words`` casefolded, spaces collapsed, outer punctuation removed.

    >>> exact_form(' "Light  Blue." '), exact_form("-5"), exact_form("?")
    ('light blue', '-5', '?')
    """
    return trimmed(" ".join(words.casefold().split()))


def folded(words: str) -> str:
    """``exact_form`` without a leading article, a hyphen next to a letter as a space, "to the left of" as "left of".

    >>> folded("The T-Shirt."), folded("12-30"), folded("A. cup")
    ('t shirt', '12-30', 'a. cup')
    """
    text = exact_form(words if words.isascii() else words.translate(_APOSTROPHES))
    if found := _ARTICLE.match(text):
        text = text[found.end() :]
    if "-" in text:
        text = _HYPHEN.sub(" ", text)
    return _SIDE.sub("", text) if "to the " in text else text


def flat(text: str) -> str:
    """``text`` in lower case, with hyphens next to a letter as spaces, character by character: of the same length."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    if not lower.isascii():
        lower = lower.translate(_APOSTROPHES)
    return _HYPHEN.sub(" ", lower) if "-" in lower else lower


known_fold = lru_cache(maxsize=65_536)(folded)
"""``folded`` for the texts of samples, which many answers are compared with."""
