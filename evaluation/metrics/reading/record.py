"""The record of one reading: the answer, its position, and the rule."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1
"""Of the rules. A score whose answers were read by an earlier version is stale."""

NORMALIZED_LENGTH = 500
"""Characters of the normalized text that a reading keeps."""


WHERES = ("tag", "structured", "box", "text")
RULES = (
    "letter", "text", "number", "lead", "statement", "last_line", "aside", "mention", "yes_no", "contained",
    "first_line", "vtc", "deepeyes", "vlmevalkit",
)  # fmt: skip
CLASSES = ("exact", "stated", "inferred")
REASONS = (
    "none", "refusal", "several", "contradiction", "outside", "withdrawn", "hedged", "negated", "thinking_only", "weak",
    "unit", "unmatched",
)  # fmt: skip
"""The reasons why an answer is unread; the last two: why an open one is undecided. Stored as positions in these lists,
so words are only added at their ends.
"""
FLAGS = ("corrected", "box_overruled", "earlier_tag_differs")
"""Notes on a reading. None is part of another: they are stored and searched as one text."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of one answer.

    Attributes:
        state: "blank" (nothing was said), "read" or "unread".
        letter: multiple choice: the letter of the option, "" where none is read.
        value: open answers: the text that is compared with the accepted ones, "" where there is none.
        where: the region it was read in: "tag", "structured", "box", "text"; "" where nothing is read.
        rule: name of the rule that decided, "" where nothing is read.
        strength: how sure the rule is: "exact", "stated", "inferred"; "" where nothing is read.
        start, end: place of the value in the raw text; 0, 0 where there is none.
        normalized: the text that was read, without marks and thinking; at most ``NORMALIZED_LENGTH`` characters.
        reason: why nothing is read; "" unless ``state`` is "unread".
        flags: what else is to be known, of ``FLAGS``.
    """

    state: str
    letter: str = ""
    value: str = ""
    where: str = ""
    rule: str = ""
    strength: str = ""
    start: int = 0
    end: int = 0
    normalized: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()
