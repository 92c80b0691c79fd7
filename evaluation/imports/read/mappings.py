"""Finds and saves mappings for the columns of a table, or the keys of a log in no known format: the chosen one, else
the one saved for the same columns or keys; for a table, else a guess by their names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importers.any_table import Column, columns_of, first_rows
from annotation.importers.column_mapping import ColumnMapping
from annotation.importers.interface import ImportProblem
from annotation.importers.mapping import header_digest
from annotation.importers.record_stream import FILE, FOLDERS, LIST
from annotation.importers.record_stream import KEY as RECORD_KEY
from annotation.importers.table_heading import flat
from annotation.models import Benchmark, ImportRecord
from evaluation.importers.cells import is_truth
from evaluation.importers.mapped.mapping import KeyMapping, mapping_from
from evaluation.importers.mapped.outline import digest_of, outline_of
from evaluation.importers.mapped.proposals import propose
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.matching import SampleIndex
from evaluation.imports.forms.choices import FIELDS
from evaluation.imports.read.samples import sample_index
from evaluation.models import SavedMapping
from webapp.common.errors import InvalidInput

FORMAT = "table"
KEYS = "mapped"
"""The format of JSON that is read by its keys."""
MAPPED = (FORMAT, KEYS)
PLACES = (RECORD_KEY, LIST, FILE, *FOLDERS)
"""Columns with the position of a record: any of them may be its id."""


def columns_in(path: Path, only: str = "") -> list[Column]:
    """The columns of a table; none for other files, whose error is reported by reading. ``only``: the list to read."""
    try:
        return columns_of(path, only)
    except ImportProblem:
        return []


def saved_for(benchmark: Benchmark, kind: str, columns: Iterable[str]) -> SavedMapping | None:
    """The mapping that was saved for a table of these columns, read as samples or as runs."""
    return benchmark.column_mappings.select_related("saved_by").filter(header=header_of(kind, columns)).first()


def header_of(kind: str, columns: Iterable[str]) -> str:
    return header_digest(columns, "" if kind == ImportRecord.Kind.RUNS else kind)


def is_of(format: str, mapping: Mapping[str, Any]) -> bool:
    """Whether a mapping is one for files of this format."""
    return format in MAPPED and ("columns" in mapping) == (format == FORMAT)


def shape_digest(path: Path) -> str:
    """Return a digest that is equal for files with the same keys; "" if the file can't be inspected."""
    try:
        return header_digest([digest_of(outline_of(path).tree())], KEYS)
    except ImportProblem:
        return ""


def proposed_for(path: Path) -> KeyMapping:
    """The mapping of keys that the values of a file suggest. Raises ``ImportProblem``."""
    return propose(outline_of(path))


def saved_for_keys(benchmark: Benchmark, path: Path) -> SavedMapping | None:
    """The mapping that was saved for a file with these keys."""
    return benchmark.column_mappings.select_related("saved_by").filter(header=shape_digest(path)).first()


def options_for(
    benchmark: Benchmark, kind: str, path: Path, options: Mapping[str, Any], format: str = FORMAT
) -> dict[str, Any]:
    """The options of a table or a mapped file: what was chosen stays; what was not comes from the saved mapping, else,
    of a table, from the names."""
    if options.get("mapping"):
        return dict(options)
    if format == KEYS:
        known = saved_for_keys(benchmark, path)
        return {**options, "mapping": known.mapping} if known else dict(options)
    names = [column.name for column in columns_in(path)]
    if saved := saved_for(benchmark, kind, names):
        return {**options, "mapping": saved.mapping, "coordinates": options["coordinates"] or saved.coordinates}
    guessed = FIELDS[kind].guessed(names)
    if kind == ImportRecord.Kind.RUNS:
        guessed = with_sample_column(guessed, path, names, sample_index(benchmark))
        guessed = with_verdict_column(guessed, path)
    else:
        guessed = without_repeated_id(guessed, path)
    return {**options, "mapping": guessed.as_dict()}


def with_sample_column(guessed: ColumnMapping, path: Path, names: list[str], samples: SampleIndex) -> ColumnMapping:
    """Return a mapping of runs whose id column is the one with the most sample ids in its first rows, because columns
    and folders may all have plausible names. The guess by names stays if no column has any.
    """
    try:
        rows = [flat(row) for row in first_rows(path)[1]]
    except ImportProblem:
        return guessed
    first = guessed.columns.get("sample", "")
    order = [first, *(name for name in names if name in PLACES and name != first)]
    order += [name for name in names if name not in order and RUN_FIELDS.means("sample", name)]
    found = {name: sum(_is_id(row.get(name), samples) for row in rows) for name in order if name}
    best = max(found, key=lambda name: found[name], default="")
    if not best or not found[best] or best == first:
        return guessed
    columns = {name: column for name, column in guessed.columns.items() if column != best and name != "sample"}
    return replace(guessed, columns={"sample": best, **columns})


def with_verdict_column(guessed: ColumnMapping, path: Path) -> ColumnMapping:
    """A mapping of runs whose verdict column contains verdicts in its first rows.

    A column named "Correct" may contain the gold answer. In that case the next column with such a name is used, if any.
    """
    try:
        rows = [flat(row) for row in first_rows(path)[1]]
    except ImportProblem:
        return guessed
    first = guessed.columns.get("correct", "")
    if not first or any(is_truth(row.get(first)) for row in rows):
        return guessed
    rest = {name: column for name, column in guessed.columns.items() if name != "correct"}
    free = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in rest.values()]
    named = (name for name in free if RUN_FIELDS.means("correct", name))
    other = next((name for name in named if any(is_truth(row.get(name)) for row in rows)), "")
    return replace(guessed, columns={**rest, "correct": other} if other else rest)


def without_repeated_id(guessed: ColumnMapping, path: Path) -> ColumnMapping:
    """A mapping of samples without a column of ids that come twice in the first rows: several questions are asked of
    one image, say."""
    try:
        ids = [flat(row).get(guessed.columns.get("id", "")) for row in first_rows(path)[1]]
    except ImportProblem:
        return guessed
    said = [str(one) for one in ids if one not in (None, "")]
    if len(set(said)) == len(said):
        return guessed
    return replace(guessed, columns={name: column for name, column in guessed.columns.items() if name != "id"})


def _is_id(value: object, samples: SampleIndex) -> bool:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return bool(text) and (text in samples or bool(samples.accepted(text)))


def read_as(kind: str, mapping: Mapping[str, Any]) -> str:
    """Return the mapping of a table as text: "Read as runs: key → sample, pred → answer."."""
    parts = ", ".join(f"{column} → {name}" for name, column in mapping.get("columns", {}).items())
    return f"Read as {kind}: {parts or 'no column is known by its name'}."


def read_by(format: str, mapping: Mapping[str, Any] | None) -> dict[str, Any]:
    """The mapping among the options of a reader of runs. Raises ``ImportProblem``."""
    if not mapping:
        return {}
    return {"keys": mapping_from(mapping)} if format == KEYS else {"mapping": RUN_FIELDS.mapping_from(mapping)}


def run_mapping_in(text: str) -> dict[str, Any]:
    """The mapping in a text, of a table's columns or of a log's keys, as options keep it. Raises ``ImportProblem``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ImportProblem(f"The mapping is not JSON ({error}). Correct the file.") from error
    if not isinstance(value, Mapping) or not value:
        raise ImportProblem(
            'A mapping is a JSON object: {"columns": {"sample": "id", "answer": "pred"}} of a table, '
            '{"rows": "[*]", "sample": "id", "answer": "pred"} of other JSON.'
        )
    return RUN_FIELDS.mapping_from(value).as_dict() if "columns" in value else mapping_from(value).as_dict()


def checked(kind: str, format: str, value: object) -> dict[str, Any]:
    """A mapping as options keep it. Raises ``InvalidInput``."""
    try:
        if format == KEYS:
            return mapping_from(value).as_dict()
        return FIELDS[kind].mapping_from(value).as_dict()
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field="mapping") from problem
