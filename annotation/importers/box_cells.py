"""Reads boxes from a cell or a text in the notations of people and models: JSON, Python lists, four numbers and
``<box>`` tags.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from annotation.importers.fields import Number4, four_numbers

MAX_BOXES = 200
"""The maximum number of boxes read from one cell. More are a sign of a degenerate text."""
MAX_TEXT = 200_000
MAX_LITERAL = 20_000
_NUMBER = r"[-+]?\d{1,12}(?:\.\d{0,12})?(?:[eE][-+]?\d{1,2})?"
_FOUR = re.compile(
    rf"\s*[\[(]?\s*({_NUMBER})(?:\s*,\s*|\s+)({_NUMBER})(?:\s*,\s*|\s+)({_NUMBER})(?:\s*,\s*|\s+)({_NUMBER})\s*[\])]?\s*"
)
_TAG = re.compile(rf"<box>\s*\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\]\s*</box>")
_KEYS = ("bbox_2d", "bbox", "box", "xyxy")


def tagged_boxes(text: str) -> list[Number4]:
    """Return the boxes in ``<box>[x1,y1,x2,y2]</box>`` tags in their order (TreeBench).

    >>> tagged_boxes("The sign <box>[118,82,262,188]</box> says stop.")
    [(118.0, 82.0, 262.0, 188.0)]
    """
    found = _TAG.finditer(text[:MAX_TEXT])
    return [_numbers(match) for _, match in zip(range(MAX_BOXES), found, strict=False)]


def boxes_in(cell: object) -> tuple[list[Number4], list[Any]]:
    """Return the boxes of a cell in their order, and the parts that are not boxes.

    A cell is empty, a box (four numbers, or an object with ``bbox``), a list of boxes, or a text of these: JSON, a
    Python list, ``x1, y1, x2, y2`` (several separated by ``;`` or ``|``), or a text with ``<box>`` tags.

        >>> boxes_in("10, 20, 30, 40; 1 2 3 4")
        ([(10.0, 20.0, 30.0, 40.0), (1.0, 2.0, 3.0, 4.0)], [])
    """
    if isinstance(cell, str):
        return _in_text(cell.strip())
    if cell is None:
        return [], []
    if (box := _box(cell)) is not None:
        return [box], []
    if not isinstance(cell, list | tuple):
        return [], [cell]
    if cell and not any(isinstance(item, str | list | tuple | dict) for item in cell):
        return [], [cell]  # numbers that form no box are reported once, not once per number
    boxes: list[Number4] = []
    rest: list[Any] = []
    for item in cell[:MAX_BOXES]:
        found, other = boxes_in(item) if isinstance(item, str) else ([b] if (b := _box(item)) else [], [])
        boxes += found
        rest += other if found or other else [item]
    return boxes, rest


def _in_text(text: str) -> tuple[list[Number4], list[Any]]:
    if not text or text.casefold() in {"none", "null", "nan", "[]"}:
        return [], []
    if tagged := tagged_boxes(text):
        return tagged, []
    parts = [part for part in re.split(r"[;|\n]", text[:MAX_TEXT]) if part.strip()][:MAX_BOXES]
    four = [_FOUR.fullmatch(part) for part in parts]
    if parts and all(four):
        return [_numbers(match) for match in four if match], []
    value = value_in(text)
    return ([], [text]) if value is None or isinstance(value, str) else boxes_in(value)


def _numbers(match: re.Match[str]) -> Number4:
    a, b, c, d = (float(part) for part in match.groups())
    return a, b, c, d


def value_in(text: str) -> Any:
    """Parse a text as JSON, else as a Python literal; return None if it is neither."""
    if text[:1] not in "[{(" or len(text) > MAX_TEXT:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text) if len(text) <= MAX_LITERAL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _box(value: object) -> Number4 | None:
    if isinstance(value, dict):
        value = next((value[key] for key in _KEYS if key in value), None)
    if isinstance(value, list | tuple) and len(value) == 4 and all(isinstance(part, str) for part in value):
        try:
            value = [float(part) for part in value]
        except ValueError:
            return None
    return four_numbers(value)
