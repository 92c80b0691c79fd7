"""Finding the answer inside what a model wrote, and comparing texts (METRICS 2)."""

from __future__ import annotations

import re
from functools import lru_cache

QUOTES = "\"'`“”‘’«»"
"""Quotation marks, straight and typographic."""

_OUTER = frozenset(".,;:!?…()[]{}*_-–—。，；：！？、" + QUOTES)
_SIGNED_NUMBER = re.compile(r"[-–—]?\.?\d")
_OPEN, _CLOSE, _THINK = "<answer>", "</answer>", "</think>"
_WRAPPERS = (r"\text{", r"\mathrm{", r"\mathbf{", r"\textbf{")


def answer_text(written: str | None) -> str:
    r"""What the answer says: "" when it is missing.

    The inside of the last ``<answer>..</answer>``, else what follows the last ``</think>``, else everything; in it
    the inside of the last closed ``boxed{..}`` or ``boxed(..)``; in it the inside of ``\text{..}`` and its relatives.

    >>> answer_text(r"<answer>so \boxed{\frac{1}{2}}</answer>")
    '\\frac{1}{2}'
    """
    if not written:
        return ""
    text = _answered(written) if "<" in written else written
    if "boxed" in text:
        text = _boxed(text)
    text = text.strip()
    while text.startswith("\\") and (inside := _unwrapped(text)) is not None:
        text = inside
    return text


@lru_cache(maxsize=65_536)
def normalised(text: str) -> str:
    """``text`` for comparing: casefolded, whitespace collapsed, outer punctuation stripped.

    Outer punctuation is that of sentences, quotes, brackets and markdown. What makes a number another number stays:
    a leading minus or decimal point before a digit, a percent or currency sign. A text of punctuation alone is kept.

    >>> normalised(' "Light  Blue." '), normalised("-5"), normalised("?")
    ('light blue', '-5', '?')
    """
    plain = " ".join(text.casefold().split())
    begin, end = 0, len(plain)
    while end > begin and (plain[end - 1] in _OUTER or plain[end - 1] == " "):
        end -= 1
    while begin < end and (plain[begin] in _OUTER or plain[begin] == " "):
        if _SIGNED_NUMBER.match(plain, begin):
            break
        begin += 1
    return plain[begin:end] or plain


def _answered(text: str) -> str:
    begin = text.rfind(_OPEN)
    while begin >= 0:
        if (end := text.find(_CLOSE, begin)) >= 0:
            return text[begin + len(_OPEN) : end]
        begin = text.rfind(_OPEN, 0, begin)
    after = text.rpartition(_THINK)[2] if _THINK in text else ""
    return after if after.strip() else text


def _boxed(text: str) -> str:
    """The inside of the last closed box, else the whole text."""
    begin = len(text)
    while (begin := text.rfind("boxed", 0, begin)) >= 0:
        bracket = text[begin + 5 : begin + 6]
        if bracket in ("{", "(") and (end := _closing(text, begin + 5)) >= 0:
            return text[begin + 6 : end]
    return text


def _closing(text: str, at: int) -> int:
    """Where the bracket at ``at`` closes, counting only brackets of its kind; -1 when it does not."""
    opening, closing = text[at], ")" if text[at] == "(" else "}"
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if depth == 0:
            return place
    return -1


def _unwrapped(text: str) -> str | None:
    for wrapper in _WRAPPERS:
        if text.startswith(wrapper) and _closing(text, len(wrapper) - 1) == len(text) - 1:
            return text[len(wrapper) : -1].strip()
    return None
