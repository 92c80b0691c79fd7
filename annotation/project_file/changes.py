"""What two portable files do not share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from annotation.project_file.members import Reader, line_of


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of one table that two files do not share: how many the first and the second have alone."""

    table: str
    first: int
    second: int


def differences(first: Reader, second: Reader) -> list[Difference]:
    """The tables and images that differ, with how many rows each file has alone."""
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


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A sample that two files do not have alike. ``fields``: what differs; empty: only one file has it, the ``second``
    or the first."""

    key: str
    fields: tuple[str, ...] = ()
    second: bool = False

    def __str__(self) -> str:
        where = "only in the second" if self.second else "only in the first"
        return f"{self.key}: {', '.join(self.fields) or where}"


FIELDS = ("question", "answer_type", "options", "answers", "ordered", "facets")
"""Of a gold revision."""
PARTS = {"goldbox": "evidence", "goldshape": "evidence", "referencecall": "toolchain", "plantool": "plan"}
"""Tables of a gold revision, and what their rows are together."""


def changes(first: Reader, second: Reader) -> list[SampleChange]:
    """The samples added, removed or changed in state, image or gold, by their keys."""
    before, after = _samples(first), _samples(second)
    found = [SampleChange(key, second=True) for key in after.keys() - before.keys()]
    found += [SampleChange(key) for key in before.keys() - after.keys()]
    for key in before.keys() & after.keys():
        a, b = before[key], after[key]
        if fields := tuple(name for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)):
            found.append(SampleChange(key, fields))
    return sorted(found, key=lambda one: one.key)


def _samples(file: Reader) -> dict[str, dict[str, Any]]:
    """Each sample by its key: state, image, and the content of its gold. Without withdrawn ones."""
    images = [line.text("sha256") for line in file.lines("image")]
    samples: list[tuple[str, dict[str, Any]]] = []
    withdrawn: set[int] = set()
    for line in file.lines("sample"):
        image = line.reference_or_none("image", len(images))
        if line.row.get("deleted_at"):
            withdrawn.add(len(samples))
        samples.append((line.text("key"), {"state": line.row.get("state"), "image": image and images[image - 1]}))
    of_revision: dict[int, dict[str, Any]] = {}
    for line in file.lines("gold"):
        sample = line.reference("sample", len(samples))
        of_revision[line.reference("revision", file.tables.get("revision", 0))] = samples[sample - 1][1]
    for line in file.lines("revision"):
        if line.number in of_revision:
            of_revision[line.number].update({name: line.row.get(name) for name in FIELDS})
    for table, name in PARTS.items():
        for line in file.lines(table):
            revision = line.reference("revision", file.tables.get("revision", 0))
            if revision in of_revision:
                rest = {key: value for key, value in line.row.items() if key != "revision"}
                of_revision[revision].setdefault(name, []).append(rest)
    return dict(one for place, one in enumerate(samples) if place not in withdrawn)
