"""Detects the kind of table from the beginning of a JSON document: records by id, lists under keys, columns, or one
record.

Only the beginning is read here; ``annotation.importers.shapes`` reads further.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

BEGINNING = 1 << 18
"""The number of bytes that are enough to detect the form of a document."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*("?)|[\[\]{},]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_DIGIT = re.compile(r"\d")
MANY = 10
"""From this many texts under separate keys on, they are records by id, whatever the keys look like."""
TELLING = frozenset({
    "question", "query", "problem", "prompt", "messages", "conversations", "answer", "prediction", "predicted_answer",
    "pred", "response", "model_output", "output", "model_response", "completion", "image", "image_path", "images",
    "sample_id", "question_id", "qid", "text", "response_list", "tool_list", "dialogs",
})  # fmt: skip
"""Keys of a sample or a trajectory. An object with one of them is a record and not a table."""


class Form(StrEnum):
    """The arrangement of the records in a document."""

    LIST = "list"
    LISTS = "lists"
    KEYED = "keyed"
    COLUMNS = "columns"
    SPLIT = "split"
    RECORD = "record"
    TEXTS = "texts"
    EMPTY = "empty"
    OTHER = "other"


Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The keys that lead to the records of a document.

    ``path``: the keys that lead to the container of the records, or to the first of several lists. ``paths``: the keys
    to each list or column. ``fields``: the keys of the first records. ``scalars``: most values by id are texts;
    ``talks``: they are lists of messages. ``named``: rows of columns have names and not only numbers.
    """

    form: Form
    path: Path = ()
    paths: tuple[Path, ...] = ()
    fields: tuple[str, ...] = ()
    scalars: bool = False
    talks: bool = False
    named: bool = False


def layout_of(beginning: bytes) -> Layout:
    """Return the layout of a document with this beginning."""
    text = beginning.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    value, whole = _parsed(text)
    return _layout(value, whole=whole)


def beginning_of(text: str) -> Any:
    """Parse the intact beginning of a JSON text that is cut off or damaged later; return None if it is not JSON.

    >>> beginning_of('{"a": [1, 2, {"b": 3, "c')
    {'a': [1, 2, {'b': 3}]}
    """
    return _parsed(text)[0]


def _parsed(text: str) -> tuple[Any, bool]:
    """Return the parsed value, and whether the text is complete."""
    try:
        return json.loads(text), True
    except json.JSONDecodeError as error:
        end = error.pos
    except (ValueError, RecursionError):
        return None, False
    for attempt in (end, max(0, end - 1)):
        try:
            return json.loads(_closed(text, attempt)), False
        except (ValueError, RecursionError):
            continue
    return None, False


def _closed(text: str, end: int) -> str:
    """Return ``text`` up to the last comma before ``end`` (or to its first brackets if there is no comma), with its
    brackets closed.
    """
    stack: list[str] = []
    cut, closing = 0, ""
    for match in _TOKEN.finditer(text, 0, end):
        token = match[0]
        if token in "[{":
            stack.append(token)
            cut, closing = match.end(), "".join(_CLOSING[one] for one in reversed(stack))
        elif token in "]}":
            if not stack:
                break
            stack.pop()
            cut, closing = match.end(), "".join(_CLOSING[one] for one in reversed(stack))
        elif token == ",":
            cut, closing = match.start(), "".join(_CLOSING[one] for one in reversed(stack))
    return text[:cut] + closing


def _layout(value: Any, *, whole: bool) -> Layout:
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return Layout(Form.OTHER)
    if not value:
        return Layout(Form.EMPTY)
    found = _split(value) or _columns(value) or _keyed(value, (), whole=whole) or _lists(value) or _keyed_below(value)
    return found or Layout(Form.RECORD, fields=tuple(value))


def _of_list(items: Sequence[Any]) -> Layout:
    if not items:
        return Layout(Form.EMPTY)
    if objects := [item for item in items if isinstance(item, dict)]:
        return Layout(Form.LIST, fields=_fields(objects))
    return Layout(Form.OTHER if any(isinstance(item, list) for item in items) else Form.TEXTS)


def _fields(objects: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the keys of the first few objects in order of appearance."""
    return tuple(dict.fromkeys(key for item in objects[:20] for key in item))


def _split(value: Mapping[str, Any]) -> Layout | None:
    """``{"columns": [names], "data": [[values], …]}``, as pandas writes it."""
    names, data = value.get("columns"), value.get("data", [])
    named = isinstance(names, list) and names and all(isinstance(name, str | int | float) for name in names)
    # Some writers add more: the types of the columns, the number of rows.
    if not named or not isinstance(names, list) or any(TELLING & {name.casefold()} for name in value):
        return None
    if not isinstance(data, list) or any(isinstance(row, dict) for row in data):
        return None
    index = value.get("index")
    named = isinstance(index, list) and index != list(range(len(index)))
    return Layout(Form.SPLIT, ("data",), fields=tuple(map(str, names)), named=named)


def _columns(value: Mapping[str, Any]) -> Layout | None:
    """Detect a column under each key: a list of values, or an object of values by row number."""
    columns = list(value.values())
    if not columns or _numbered(value):
        return None
    if all(isinstance(column, list) for column in columns):
        plain = not any(isinstance(item, dict) for column in columns for item in column)
        lengths = {len(column) for column in columns[:-1]}
        ours = plain and len(columns) > 1 and len(lengths) == 1 and any(columns)
        return _of_columns(value) if ours else None
    if not all(isinstance(column, dict) and column for column in columns):
        return None
    keys = [list(column) for column in columns]
    counted = keys[0] == [str(n) for n in range(len(keys[0]))] and all(names[0] == "0" for names in keys)
    told = len(keys) > 1 and TELLING & set(value) and all(names == keys[0][: len(names)] for names in keys)
    scalar = not any(isinstance(item, dict) for column in columns for item in column.values())
    return _of_columns(value, named=not counted) if scalar and (counted or told) else None


def _of_columns(value: Mapping[str, Any], *, named: bool = False) -> Layout:
    return Layout(Form.COLUMNS, paths=tuple((name,) for name in value), fields=tuple(value), named=named)


def _numbered(names: Collection[str]) -> bool:
    """Return whether every name contains a digit, as ids usually do."""
    return bool(names) and all(_DIGIT.search(name) for name in names)


def _keyed(value: Mapping[str, Any], path: Path, *, whole: bool = True) -> Layout | None:
    """Detect records by id: objects with similar keys or numeric ids, or texts."""
    if TELLING & {name.casefold() for name in value}:
        return None
    # If only some names have a number, the others describe the whole file: a model, a date, a score.
    records = {name: item for name, item in value.items() if _DIGIT.search(name)} or value
    objects = [item for item in records.values() if isinstance(item, dict)]
    plain = [item for item in records.values() if not isinstance(item, dict | list)]
    if objects and len(objects) >= len(plain) and (records is not value or len(objects) >= len(plain) * 2 - 1):
        fields = _fields(objects)
        alike = len(objects) > 1 and any(all(name in item for item in objects[:20]) for name in fields)
        only_lists = all(_list_of_objects(item) for one in objects for item in one.values())
        keyed = not only_lists and (alike or _numbered(records))
        return Layout(Form.KEYED, path, (path,), fields) if keyed else None
    if all(isinstance(item, list) and item and _is_talk(item) for item in value.values()) and _numbered(value):
        return Layout(Form.KEYED, path, (path,), ("messages",), talks=True)
    enough = len(records) > 1 or path or not whole
    if 2 * len(plain) > len(records) and enough and (_numbered(value) or len(plain) >= MANY):
        return Layout(Form.KEYED, path, (path,), ("value",), scalars=True)
    return None


def _keyed_below(value: Mapping[str, Any]) -> Layout | None:
    """Detect records by id under one key of the document."""
    if TELLING & set(value):
        return None
    below = (_keyed(item, (name,)) for name, item in value.items() if isinstance(item, dict) and len(item) > 1)
    return next((layout for layout in below if layout), None)


def _lists(value: Mapping[str, Any]) -> Layout | None:
    """Detect lists of objects under keys, or one level deeper. A document that is itself a record has none."""
    found = {path: items for path, items in _lists_in(value) if _list_of_objects(items)}
    scalars = {name.casefold() for name, item in value.items() if not isinstance(item, dict | list)}
    if not found or TELLING & scalars or any(_is_talk(items) for items in found.values()):
        return None
    first = next(iter(found))
    objects = [item for item in found[first] if isinstance(item, dict)]
    return Layout(Form.LISTS, first, tuple(found), _fields(objects))


def _lists_in(value: Mapping[str, Any]) -> Iterator[tuple[Path, Sequence[Any]]]:
    for name, item in value.items():
        if isinstance(item, list):
            yield (name,), item
        elif isinstance(item, dict):
            yield from (((name, inner), below) for inner, below in item.items() if isinstance(below, list))


def _list_of_objects(value: object) -> bool:
    """Return whether a value is a list of objects. The first item decides; a damaged later item is reported and does
    not hide the list.
    """
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _is_talk(items: Sequence[Any]) -> bool:
    """Return whether a list contains the messages of a dialog, which are turns of one record."""
    first = items[0]
    return isinstance(first, dict) and (("role" in first and "content" in first) or {"from", "value"} <= set(first))
