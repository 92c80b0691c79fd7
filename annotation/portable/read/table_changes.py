"""How the other tables of two portable files differ: those that people read row by row, the others in numbers.

A row names other rows by their numbers, which are other ones in another file. So references are replaced by what the
row that they name is known by: two rows are equal if their values and what they name are.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import models

from annotation.models import Image
from annotation.portable.read.people import uids_in, verified_in
from annotation.portable.read.tables import TABLES
from annotation.project_file import Difference, Kind, Line, Reader, line_of
from webapp.accounts.models import User

PERSON, IMAGE = "person", "image"
KNOWN_BY = {
    "sample": ("key",), "annotation": ("sample", "author", "kind"), "banktool": ("name",),
    "benchmarkschema": ("number",), "builditem": ("number",), "guideline": ("number",),
    "revision": ("annotation", "created_at", "digest"), "version": ("number",),
}  # fmt: skip
"""What a row is known by where another row names it, if that is less than all of it."""
READ = {
    "benchmark": ("title", "description", "licence", "marks_open", "remove_metadata"),
    "benchmarkschema": ("state", "note", "content"), "guideline": ("note", "must_read", "body"),
    "banktool": ("state", "segment", "reason"), "version": ("note", "checksum"), PERSON: ("name", "email", "verified"),
}  # fmt: skip
"""Tables that are compared row by row, with the columns."""
NAMED_BY = {"benchmarkschema": "number", "guideline": "number", "banktool": "name", "version": "number"}
LONGEST_TEXT = 4000
"""Characters of a value that are kept, around its first change."""
AROUND = 200
Texts = dict[str, str]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that two files do not have alike. ``fields``: each with its texts in the two files."""

    table: str
    name: str
    kind: Kind
    fields: Mapping[str, tuple[str, str]]

    def __str__(self) -> str:
        alone = {Kind.ADDED: "only in the second", Kind.REMOVED: "only in the first"}
        return f"{self.table} {self.name}: {alone.get(self.kind, ', '.join(self.fields))}"


def rows_apart(first: Reader, second: Reader) -> Iterator[RowChange]:
    """The rows of the tables that people read, by table and name. Of a version and a working state only rows that both
    have, because a version leaves out others."""
    mixed = is_mixed(first, second)
    for table, columns in READ.items():
        if table not in first.tables or table not in second.tables or (mixed and table == PERSON):
            continue
        if table == PERSON and not all(_has_names(file) for file in (first, second)):
            columns = ("verified",)
        before, after = (_rows(file, table, columns) for file in (first, second))
        for known in sorted(before.keys() | after.keys()):
            a, b = before.get(known), after.get(known)
            if a is None or b is None:
                only = a or b
                if only is not None and not mixed:
                    yield RowChange(table, only.name, Kind.ADDED if a is None else Kind.REMOVED, {})
            elif a.texts != b.texts:
                apart = {key: _around(a.texts[key], b.texts[key]) for key in columns if a.texts[key] != b.texts[key]}
                yield RowChange(table, b.name, Kind.CHANGED, apart)


def is_mixed(first: Reader, second: Reader) -> bool:
    """Whether one of the files has a version and the other a working state."""
    return ("version" in first.manifest.about) != ("version" in second.manifest.about)


def counts_apart(first: Reader, second: Reader) -> list[Difference]:
    """How many rows each file has alone, of all tables but those of runs. None for a version and a working state."""
    if is_mixed(first, second):
        return []
    names = all(_has_names(file) for file in (first, second))
    a, b = (_sums(file, names=names) for file in (first, second))
    found = []
    for table in a.keys() & b.keys():
        own, other = (np.frombuffer(one[table], np.uint64) for one in (a, b))
        found.append(Difference(table, len(np.setdiff1d(own, other)), len(np.setdiff1d(other, own))))
    order = [PERSON, IMAGE, *(table.name for table in TABLES)]
    return sorted((one for one in found if one.first or one.second), key=lambda one: order.index(one.table))


def _has_names(file: Reader) -> bool:
    return file.manifest.about.get("people") == "named"


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    texts: Texts


def _rows(file: Reader, table: str, columns: tuple[str, ...]) -> dict[str, _Row]:
    """Each row by what it is known by in both files. Rows with one name are counted."""
    found: dict[str, _Row] = {}
    for line in file.lines(table):
        name = _text(line.row.get("name" if table == PERSON else NAMED_BY.get(table, "")))
        known = _person(line) if table == PERSON else name
        while known in found:
            known += "*"
        found[known] = _Row(name, {key: _text(line.row.get(key)) for key in columns})
    return found


def _person(line: Line) -> str:
    uid, known_as = uids_in(line)
    return str(known_as or uid or line.text("email", default="") or line.text("name", default="") or line.number)


def _text(value: Any) -> str:
    """A value as a text that any page can show."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else line_of({"": value}).decode()[4:-2]
    return text.encode("utf-8", "replace").decode().replace("\0", "�")


def _around(before: str, after: str) -> tuple[str, str]:
    """Both texts, shortened to what is around their first change."""
    if max(len(before), len(after)) <= LONGEST_TEXT:
        return before, after
    same = next(
        (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = max(0, same - AROUND)
    return _piece(before, start), _piece(after, start)


def _piece(text: str, start: int) -> str:
    end = start + LONGEST_TEXT
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


LINKS: Mapping[str, Mapping[str, str]] = {
    table.name: {
        one.name: PERSON if one.related_model is User else IMAGE if one.related_model is Image
        else str(one.related_model._meta.model_name)
        for one in table.fields
        if isinstance(one, models.ForeignKey)
    }
    for table in TABLES
}  # fmt: skip
NUMBERED = {table.name: {name for name, _ in table.revisions_in} for table in TABLES}
"""Columns whose JSON names revisions by their numbers. They are not compared."""
OF_ONE_SERVER = {"changed_at", "held_until"}
"""Columns that change without work: they are not compared."""


def _sums(file: Reader, *, names: bool) -> dict[str, array[int]]:
    """A hash of each row with its references replaced, by table; eight bytes for each row are kept."""
    known: dict[str, array[int]] = {PERSON: array("Q"), IMAGE: array("Q")}
    found: dict[str, array[int]] = {PERSON: array("Q"), IMAGE: array("Q")}
    for line in file.lines(PERSON):
        known[PERSON].append(_hash(_person(line)))
        own = [line.row.get(key) for key in ("name", "email") if names]
        found[PERSON].append(_hash([_person(line), verified_in(line), *own]))
    for line in file.lines(IMAGE):
        known[IMAGE].append(_hash(line.text("sha256")))
        found[IMAGE].append(_hash(line.row))
    for table in (one.name for one in TABLES):
        if table not in file.tables:
            continue
        known[table], found[table] = array("Q"), array("Q")
        for line in file.lines(table):
            row = _resolved(line, known)
            found[table].append(_hash(row))
            known[table].append(
                _hash([row.get(key) for key in KNOWN_BY[table]]) if table in KNOWN_BY else found[table][-1]
            )
    return found


def _resolved(line: Line, known: Mapping[str, array[int]]) -> dict[str, Any]:
    """The row with hashes in place of the numbers of other rows. Rows of the same table are not compared."""
    row: dict[str, Any] = {}
    for name, value in line.row.items():
        target = LINKS[line.table].get(name)
        if target is None:
            if name not in NUMBERED[line.table] | OF_ONE_SERVER and value is not None:
                row[name] = value
        elif target != line.table and target in known:
            number = line.reference_or_none(name, len(known[target]))
            row[name] = None if number is None else known[target][number - 1]
    return row


def _hash(value: Any) -> int:
    return int.from_bytes(hashlib.blake2b(line_of({"": value}), digest_size=8).digest())
