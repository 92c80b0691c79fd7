"""Converts rows with a question and evidence boxes under plain names to keys of the native format.

``options`` are a list or go by letter; ``answer`` is a letter, an option's text or the accepted answers.
``bbox_format`` of a row gives the notation of boxes. Without it they are corners in pixels, or fractions if no number
is above 1, and this interpretation is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.importers import fields
from annotation.importers.boxes import corners, name_boxes
from annotation.importers.fields import Number4, Report

BOXES = ("evidence_boxes", "bbox", "bboxes", "boxes", "evidence")
FORMATS = ("xyxy", "xywh", "normalized", "xywh_normalized")
_READ = frozenset({"bbox_format", "options", "answer", "choices", *BOXES})


def native_from(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Convert one row to native keys. Raises ``RowRefused`` for boxes in an unknown notation."""
    key = next((key for key in BOXES if row.get(key) is not None), "")
    written = fields.items(row.get(key), key, report) if key else []
    single = fields.four_numbers(written) is not None
    written = [written] if single else written
    name_boxes(written, key or "gold_boxes", report, listed=not single)
    size = (row.get("width"), row.get("height"))
    how = row.get("bbox_format") or _guessed(written, key, report)
    if how not in FORMATS:
        done = f"The row was rejected because the format of its boxes is unknown. Known formats: {', '.join(FORMATS)}."
        report.refuse("unknown-box-format", "bbox_format", how, done)
    options = _options(row.get("options", row.get("choices")))
    native = {
        **fields.extra(row, _READ),
        "answer_type": "mc" if options else "open",
        "options": options,
        "answer": letter_of(row.get("answer"), options),
        "gold_boxes": [_corners(box, str(how), size, report) for box in written],
    }
    native.setdefault("id", f"{report.file}:{report.row or report.line}" if row.get("id") is None else row["id"])
    return native


def _guessed(written: Sequence[Any], key: str, report: Report) -> str:
    """Return the notation by its numbers: fractions if none is above 1, else corners in pixels."""
    numbers = [number for box in written for number in fields.four_numbers(box) or ()]
    if numbers and max(numbers) <= 1:
        done = "No number is above 1: read as fractions of the image. Set bbox_format to change this."
        report.noted("taken-as-fractions", key, written[0], done)
        return "normalized"
    return "xyxy"


def _corners(box: Any, how: str, size: tuple[Any, Any], report: Report) -> Any:
    """Return a box as corners in pixels. Invalid boxes stay unchanged and are rejected later, when they are read."""
    box = corners(box) if how.startswith("xywh") else box
    numbers = fields.four_numbers(box)
    if numbers is None:
        return box
    if "normalized" not in how:
        return list(numbers)
    return list(_in_pixels(numbers, size, report))


def _in_pixels(numbers: Number4, size: tuple[Any, Any], report: Report) -> Number4:
    if not all(fields.is_number(side) and side > 0 for side in size):
        done = "The row was rejected because its boxes are fractions and it has no width and height. Add them."
        report.refuse("size-unknown", "width, height", list(size), done)
    wide, high = size
    return numbers[0] * wide, numbers[1] * high, numbers[2] * wide, numbers[3] * high


def _options(given: object) -> dict[str, Any]:
    if isinstance(given, list):
        return {chr(ord("A") + n): text for n, text in enumerate(given[:26])}
    return given if isinstance(given, dict) else {}


def letter_of(given: object, options: Mapping[str, Any]) -> object:
    """The letter of the option with the text of the answer, otherwise the answer unchanged."""
    return next((letter for letter, text in options.items() if given == text and given not in (*options,)), given)
