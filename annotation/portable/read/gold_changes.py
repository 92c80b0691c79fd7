"""How the samples of two portable files differ, field by field, in two passes over the tables of each file.

The first pass keeps a sum over the rows of each sample. The second one writes the rows of the samples that differ to a
temporary database, because the rows of one sample are far apart in a file. So memory grows by a few numbers for each
sample.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from django.db import models

from annotation.models import (
    AcceptedChain,
    FacetValue,
    GoldBox,
    GoldShape,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
)
from annotation.portable.read.columns import checked
from annotation.project_file import Kind, Line, Reader, line_of
from annotation.schema import outline_of

FIELDS = (
    "state", "image", "question", "answer_type", "options", "answers", "unanswerable", "evidence", "toolchain",
    "accepted_toolchains", "plan", "ordered", "facets",
)  # fmt: skip
"""What two samples are compared by, in the order of pages."""
SIZE = "size"
"""Width and height of the image: kept to draw evidence on it, and not compared, because they follow from the image."""
Values = dict[str, Any]
Part = tuple[int, str, Any]
"""The number of a sample, a field, and its value or one entry of its list."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table with rows of samples or of their gold: the field that they fill, and their columns."""

    model: type[models.Model]
    field: str
    columns: tuple[str, ...]

    @property
    def table(self) -> str:
        return str(self.model._meta.model_name)

    def values(self, line: Line) -> Values:
        return {name: _checked(self.model, name, line) for name in self.columns}


CONTENT = ("question", "answer_type", "options", "answers", "unanswerable", "ordered")
OF_GOLD = (
    _Rows(GoldBox, "evidence", ("position", "x1", "y1", "x2", "y2", "label")),
    _Rows(GoldShape, "evidence", ("position", "kind", "points", "label")),
    _Rows(ReferenceCall, "toolchain", ("position", "tool", "arguments", "image_in", "image_out")),
    _Rows(PlanTool, "plan", ("position", "tool", "step", "likeness", "either")),
)
OF_SAMPLE = (
    _Rows(AcceptedChain, "accepted_toolchains", ("calls", "note")),
    _Rows(FacetValue, "facets", ("name", "position", "value", "kind")),
)
LISTS = {one.field for one in (*OF_GOLD, *OF_SAMPLE)}
"""Fields with a row for each entry."""


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A sample that two files do not have alike: the fields that differ, and all values in each file; empty where a
    file does not have it."""

    key: str
    kind: Kind
    fields: tuple[str, ...]
    before: Values
    after: Values

    def __str__(self) -> str:
        alone = {Kind.ADDED: "only in the second", Kind.REMOVED: "only in the first"}
        return f"{self.key}: {alone.get(self.kind, ', '.join(self.fields))}"


@dataclass(frozen=True)
class SampleChanges:
    """The samples that differ, by kind and key, and how many are equal."""

    first: SamplesInFile
    second: SamplesInFile
    changed: list[tuple[Kind, str]]
    same: int

    def count(self, kind: Kind) -> int:
        return sum(one is kind for one, _ in self.changed)

    def __iter__(self) -> Iterator[SampleChange]:
        places = {key: place for place, (_, key) in enumerate(self.changed)}
        with closing(_scratch()) as scratch:
            for side, file in enumerate((self.first, self.second)):
                rows = ((places[key], side, field, json.dumps(value)) for key, field, value in file.parts(places))
                scratch.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)
            found = scratch.execute("SELECT place, side, field, value FROM part ORDER BY place, side, rowid")
            for place, of_sample in groupby(found, key=lambda row: int(row[0])):
                kind, key = self.changed[place]
                a, b = _sides(of_sample)
                fields = tuple(name for name in FIELDS if a.get(name) != b.get(name)) if kind is Kind.CHANGED else ()
                yield SampleChange(key, kind, fields, a, b)


def _scratch() -> sqlite3.Connection:
    """An empty table in a temporary file, which SQLite deletes."""
    scratch = sqlite3.connect("", isolation_level=None)
    scratch.execute("CREATE TABLE part (place INTEGER, side INTEGER, field TEXT, value TEXT)")
    scratch.execute("BEGIN")
    return scratch


def _sides(rows: Iterable[tuple[int, int, str, str]]) -> tuple[Values, Values]:
    """The values of a sample in the two files, {} where a file does not have it."""
    sides: tuple[Values, Values] = ({}, {})
    for _, side, field, value in rows:
        if field in LISTS:
            sides[side].setdefault(field, []).append(json.loads(value))
        else:
            sides[side][field] = json.loads(value)
    a, b = (_in_order(values) if values else {} for values in sides)
    return a, b


def changes(first: Reader, second: Reader) -> SampleChanges:
    """The samples added, removed or changed. Withdrawn ones are in no file. Raises ``InvalidFileError``."""
    files = SamplesInFile(first), SamplesInFile(second)
    before, after = (one.sums() for one in files)
    found = [(Kind.ADDED, key) for key in after.keys() - before.keys()]
    found += [(Kind.REMOVED, key) for key in before.keys() - after.keys()]
    common = before.keys() & after.keys()
    found += [(Kind.CHANGED, key) for key in common if before[key] != after[key]]
    order = list(Kind)
    same = len(before.keys() | after.keys()) - len(found)
    return SampleChanges(*files, sorted(found, key=lambda one: (order.index(one[0]), one[1])), same)


class SamplesInFile:
    """The samples of a file with their gold. Reads the tables again for each question."""

    def __init__(self, file: Reader) -> None:
        self.file = file
        self._keys: list[str] = []
        self._withdrawn: set[int] = set()
        known: dict[str, int] = {}
        for line in file.lines("sample"):
            key = line.text("key")
            self._keys.append(key)
            if line.row.get("deleted_at"):
                self._withdrawn.add(line.number)
            elif (other := known.setdefault(key, line.number)) != line.number:
                raise line.error("key", f"is that of the sample in line {other}")
        revisions = file.tables.get("revision", 0)
        self._gold_of: dict[int, int] = {}
        for line in file.lines("gold"):
            self._gold_of[line.reference("revision", revisions)] = line.reference("sample", len(self._keys))

    def sums(self) -> dict[str, int]:
        """A sum over the hashes of all that is compared, by key: equal for equal samples."""
        found = {key: 0 for number, key in enumerate(self._keys, start=1) if number not in self._withdrawn}
        for number, field, value in self._parts():
            if number not in self._withdrawn and field != SIZE:
                digest = hashlib.blake2b(line_of({field: value}), digest_size=16).digest()
                key = self._keys[number - 1]
                found[key] = (found[key] + int.from_bytes(digest)) % (1 << 128)
        return found

    def parts(self, keys: Container[str]) -> Iterator[tuple[str, str, Any]]:
        """The values of these samples, each with the key and the field."""
        wanted = {
            number: key
            for number, key in enumerate(self._keys, start=1)
            if key in keys and number not in self._withdrawn
        }
        for number, field, value in self._parts(wanted):
            yield wanted[number], field, value

    def _parts(self, wanted: Container[int] | None = None) -> Iterator[Part]:
        """The values of all samples, which are checked, or of those with the ``wanted`` numbers."""
        images = [line.text("sha256") for line in self.file.lines("image")]
        for line in self.file.lines("sample"):
            if wanted is None or line.number in wanted:
                image = line.reference_or_none("image", len(images))
                yield line.number, "state", _checked(Sample, "state", line)
                yield line.number, "image", image and images[image - 1]
                yield line.number, SIZE, [_checked(Sample, name, line) for name in ("width", "height")]
        revisions = self.file.tables.get("revision", 0)
        for line in self.file.lines("revision"):
            sample = self._gold_of.get(line.number)
            if sample is not None and (wanted is None or sample in wanted):
                for name in CONTENT:
                    yield sample, name, _checked(Revision, name, line)
        for of_gold in OF_GOLD:
            for line in self.file.lines(of_gold.table):
                sample = self._gold_of.get(line.reference("revision", revisions))
                if sample is not None and (wanted is None or sample in wanted):
                    values = of_gold.values(line)
                    _check_shape(line, values)
                    yield sample, of_gold.field, values
        for of_sample in OF_SAMPLE:
            for line in self.file.lines(of_sample.table):
                sample = line.reference("sample", len(self._keys))
                if wanted is None or sample in wanted:
                    values = of_sample.values(line)
                    if values.get("kind") != FacetValue.Kind.BANK:
                        yield sample, of_sample.field, values


def _checked(model: type[models.Model], name: str, line: Line) -> Any:
    """The value of a column. A file of an earlier release lacks columns that came later."""
    column, default = _column(model, name)
    return checked(column, line.row.get(name, default), line.table, line.number)


@cache
def _column(model: type[models.Model], name: str) -> tuple[models.Field[Any, Any], Any]:
    """A column with its default."""
    column: models.Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]  # concrete
    return column, column.get_default() if column.has_default() else None


def _check_shape(line: Line, values: Mapping[str, Any]) -> None:
    """Evidence has an extent, so that it can be drawn."""
    if "x1" in values and not (values["x1"] < values["x2"] and values["y1"] < values["y2"]):
        raise line.error("x2", "and y2 must be larger than x1 and y1")
    if "points" in values:
        try:
            outline_of(values["kind"], values["points"])
        except (ValueError, IndexError) as error:
            raise line.error("points") from error


def _in_order(values: Values) -> Values:
    """Lists by position; facets by name, each with its values."""
    found = dict(values)
    for name in ("evidence", "toolchain", "plan"):
        rows = sorted(found.get(name, ()), key=lambda row: int(row["position"]))
        found[name] = [{key: value for key, value in row.items() if key != "position"} for row in rows]
    found["accepted_toolchains"] = sorted(found.get("accepted_toolchains", ()), key=line_of)
    facets: dict[str, list[str]] = {}
    for row in sorted(found.get("facets", ()), key=lambda row: (row["name"], row["position"])):
        facets.setdefault(row["name"], []).append(row["value"])
    found["facets"] = facets
    return found
