"""The text of an email with notifications. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST_LINE = 300
MOST_OF_GROUP = 25
"""Entries of one benchmark that are written out; the inbox has the others."""
MOST_BYTES = 50_000
"""Of the entries. With head and foot, an email stays below 60 kB."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry: under which heading, what it says, and the address of what it is about; its number of ``events``."""

    group: str
    words: str
    link: str = ""
    events: int = 1


def subject_of(lines: Sequence[Line]) -> str:
    """The sentence of a single entry, else how many there are."""
    if len(lines) == 1:
        return _short(lines[0].words.rstrip("."), 120)
    return f"{sum(line.events for line in lines)} notifications"


def body_of(lines: Sequence[Line], *, inbox: str, settings: str) -> str:
    """All entries by heading, in their order. Where there are too many, it says how many the inbox has."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    written: list[str] = []
    left_out, size = 0, 0
    for group, members in groups.items():
        block: list[str] = []
        for line in members[:MOST_OF_GROUP]:
            text = "\n".join(_entry(line))
            size += len(text.encode())
            if size > MOST_BYTES:
                break
            block.append(text)
        left_out += len(members) - len(block)
        if block:
            written += [_short(group, LONGEST_LINE), *block, ""] if group else [*block, ""]
    if left_out:
        written += [f"{left_out} more are in your inbox.", ""]
    return "\n".join([*written, f"Inbox: {inbox}", f"Choose what is sent to you: {settings}", ""])


def _entry(line: Line) -> Iterable[str]:
    yield f"- {_short(line.words, LONGEST_LINE)}"
    if line.link:
        yield f"  {line.link}"


def _short(text: str, most: int) -> str:
    """One line of at most ``most`` characters. Line breaks would let a title write further headers or entries."""
    one = " ".join(text.split())
    return one if len(one) <= most else one[: most - 1] + "…"
