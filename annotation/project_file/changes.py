"""What two portable files do not share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from annotation.project_file.members import Reader, line_of


class Kind(StrEnum):
    """The kind of change of a sample between two states of a benchmark."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of one table that two files do not share: how many the first and the second have alone."""

    table: str
    first: int
    second: int


def differences(first: Reader, second: Reader) -> list[Difference]:
    """The tables and images whose bytes differ, with how many rows each file has alone."""
    found = []
    for table in sorted(first.tables.keys() | second.tables.keys()):
        name = f"tables/{table}.jsonl"
        if first.manifest.members.get(name) != second.manifest.members.get(name):
            a, b = ({hashlib.sha256(line_of(row)).digest() for row in one.rows(table)} for one in (first, second))
            found.append(Difference(table, len(a - b), len(b - a)))
    pictures = [set(one.images) for one in (first, second)]
    if pictures[0] != pictures[1]:
        found.append(Difference("images", len(pictures[0] - pictures[1]), len(pictures[1] - pictures[0])))
    return found


FIELDS = ("question", "answer_type", "options", "answers", "ordered", "facets")
"""Of a gold revision."""
