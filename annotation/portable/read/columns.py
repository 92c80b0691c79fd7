"""Values of a portable file as the columns of the database take them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations

from annotation.project_file import in_utc, invalid, is_storable
from webapp.common.bulk import as_json

Shape = Callable[[Any], bool]


def in_column(one: models.Field[Any, Any], value: Any, table: str, line: int) -> Any:
    """The value as its column takes it, JSON as text. Raises ``InvalidFileError`` that names table, line and field."""
    found = checked(one, value, table, line)
    return as_json(found) if isinstance(one, models.JSONField) else found


def checked(one: models.Field[Any, Any], value: Any, table: str, line: int) -> Any:
    """The value of a field of the model. A file has the type that the export writes: no number as a text, and no text
    as a number. Raises ``InvalidFileError`` that names table, line and field."""
    if value is None:
        if not one.null:
            raise invalid(table, line, one.name, "is missing")
        return None
    try:
        found = _json(one, value, table) if isinstance(one, models.JSONField) else _plain(one, value)
    except (ValidationError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise invalid(table, line, one.name) from error
    if isinstance(found, datetime):
        if found.tzinfo is None:
            raise invalid(table, line, one.name, "is a time without a zone")
        try:
            in_utc(found)
        except ValueError as error:
            raise invalid(table, line, one.name) from error
    return found


def _plain(one: models.Field[Any, Any], value: Any) -> Any:
    of_numbers = isinstance(one, models.IntegerField | models.FloatField)
    wanted: type | tuple[type, ...] = str
    if isinstance(one, models.BooleanField):
        wanted = bool
    elif of_numbers:
        wanted = int if isinstance(one, models.IntegerField) else (int, float)
    if not isinstance(value, wanted) or (of_numbers and isinstance(value, bool)):
        raise ValueError
    found = one.to_python(value)
    if isinstance(found, str) and ((one.max_length and len(found) > one.max_length) or not is_storable(found)):
        raise ValueError
    empty = found == "" and one.blank
    if one.choices and not empty and found not in {key for key, _ in one.flatchoices}:
        raise ValueError
    if isinstance(one, models.IntegerField):
        # The same range for each database: SQLite has none.
        least, most = BaseDatabaseOperations.integer_field_ranges[one.get_internal_type()]
        if not least <= found <= most:
            raise ValueError
    elif isinstance(found, float) and not math.isfinite(found):
        raise ValueError
    return found


def _json(one: models.JSONField[Any, Any], value: Any, table: str) -> Any:
    fits = SHAPES.get((table, one.name))
    if fits is None and one.default in (dict, list):
        kind = one.default
        fits = lambda given: isinstance(given, kind)  # noqa: E731
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if (fits is not None and not fits(value)) or not is_storable(text) or "\\u0000" in text:
        raise ValueError
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("tool"), str)


def _list_of(fits: Shape) -> Shape:
    return lambda value: isinstance(value, list) and all(fits(one) for one in value)


def _dict_of(fits: Shape) -> Shape:
    return lambda value: isinstance(value, dict) and all(fits(one) for one in value.values())


def _is_point(value: Any) -> bool:
    return _list_of(_is_number)(value) and len(value) == 2


SHAPES: Mapping[tuple[str, str], Shape] = {
    ("acceptedchain", "calls"): _list_of(_is_call),
    ("benchmarkschema", "content"): _is_row,
    ("builditem", "distractors"): _list_of(_is_call),
    ("builditem", "either"): _list_of(_is_text),
    ("builditem", "rendered"): _is_row,
    ("builditem", "steps"): _list_of(lambda value: value is None or _is_number(value)),
    ("builditem", "targets"): _list_of(_is_text),
    ("draft", "content"): _is_row,
    ("goldshape", "points"): _list_of(_is_point),
    ("imagevariant", "recipe"): _is_row,
    ("itemaudit", "findings"): _list_of(_is_row),
    ("referencecall", "image_in"): lambda value: _is_text(value) or _list_of(_is_text)(value),
    ("review", "reasons"): _list_of(_is_text),
    ("revision", "answers"): _list_of(_is_text),
    ("revision", "facets"): _dict_of(lambda value: isinstance(value, list)),
    ("revision", "options"): _dict_of(_is_text),
    ("revision", "provenance"): _dict_of(_is_row),
    ("skippeddraft", "content"): _is_row,
    ("versionentry", "accepted_chains"): _list_of(
        lambda value: _is_row(value) and isinstance(value.get("digest"), str)
    ),
}
"""The shape of the JSON of a column. Another column has a list or an object, as its default value."""
