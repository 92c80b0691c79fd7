"""Text in files that people open in a spreadsheet."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The beginnings of cells that a spreadsheet runs as a formula."""


def guarded(text: str) -> str:
    """``text`` as a spreadsheet shows it: what would run as a formula gets an apostrophe in front.

    >>> guarded("=1+1"), guarded("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def unguarded(text: str) -> str:
    """The text that ``guarded`` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text
