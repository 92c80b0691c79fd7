"""Columns found in the first bytes of a file, and rows whose nested objects become columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.importers.forms import TELLING, Form, Layout, beginning_of, layout_of
from annotation.importers.reading import is_lines
from annotation.importers.record_stream import KEY, LIST, columns_of_place, free_name
from annotation.importers.sources import HEAD_BYTES
from annotation.importers.storable import storable
from annotation.importers.tables import delimiter_of

DEPTH = 3
NATIVE = frozenset({"samples", "trajectories", "interventions", "judgements", "rollout_groups"})
"""Lists of the native format, which its own reader imports."""


def heading(head: bytes, name: str) -> list[str]:
    """Return the columns in the first bytes; for JSON, those of the first records. ``name`` includes its folders if the
    file is one of several, so that its location also gives columns.
    """
    if head.startswith(b"PAR1\n"):
        return head.decode("utf-8", "replace").split("\n", 1)[1].split("\t")
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if text[:1] in ("{", "["):
        around = list(columns_of_place(name)) if "/" in name else []
        lines = text[0] == "{" and is_lines(head, name)
        own = _of_lines(text) if lines else _of_document(head, one_of_many=bool(around))
        return [storable(column) for column in [*around, *own]] if own else []
    if not name.lower().endswith((".csv", ".tsv", ".tab", ".xlsx")):
        return []
    first = text.split("\n", 1)[0].rstrip("\r")
    try:
        return [storable(cell.strip()) for cell in next(csv.reader([first], delimiter=delimiter_of(first)), [])]
    except csv.Error:
        return []


def _of_lines(text: str) -> list[str]:
    try:
        row, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return []
    return list(flat(row)) if isinstance(row, dict) else []


def _of_document(head: bytes, *, one_of_many: bool) -> list[str]:
    """Return the columns of the records of a document and those given by its layout; none if it contains no table."""
    beginning = head[:HEAD_BYTES]
    layout = layout_of(beginning)
    alone = layout.form is Form.RECORD and not one_of_many and not TELLING & set(layout.fields)
    if alone or NATIVE & set(layout.path[:1]):
        return []
    if layout.form is Form.KEYED:
        rows = [layout.fields] if layout.scalars else _first_records(beginning, layout)
        return [free_name(KEY, layout.fields), *_together(rows)]
    if layout.form is Form.LISTS:
        several = [free_name(LIST, layout.fields)] if len(layout.paths) > 1 else []
        return [*several, *_together(_first_records(beginning, layout))]
    if layout.form in (Form.LIST, Form.RECORD):
        return _together(_first_records(beginning, layout))
    return [*([KEY] if layout.named else []), *layout.fields]


def _first_records(beginning: bytes, layout: Layout) -> list[Sequence[str]]:
    """Return the columns of the first few records."""
    value = beginning_of(beginning.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    for key in layout.path:
        value = value.get(key) if isinstance(value, dict) else None
    items = value if isinstance(value, list) else [value] if layout.form is Form.RECORD else None
    if items is None:
        items = list(value.values()) if isinstance(value, dict) else []
    return [list(flat(item)) for item in items[:5] if isinstance(item, dict)]


def _together(rows: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def flat(row: Mapping[str, Any], depth: int = DEPTH) -> dict[str, Any]:
    """Return a row in which the keys of nested objects are columns.

    >>> flat({"id": 1, "usage": {"cost": 0.5}})
    {'id': 1, 'usage.cost': 0.5}
    """
    if not any(type(value) is dict for value in row.values()):
        return dict(row)
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and depth > 1:
            found |= {f"{key}.{inner}": item for inner, item in flat(value, depth - 1).items()}
        else:
            found[key] = value
    return found
