"""Reads typed values from untrusted JSON objects, and reports an issue for every invalid value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

from annotation.schema import Issue, Severity, shortened

MAX_NAME = 255
"""The longest name or id, in characters."""
NO_AMOUNT = "It must be a number of 0 or more (tokens: a whole number). The value is unknown."
"""The message for an invalid count, time or price."""

Number4 = tuple[float, float, float, float]

_NUMBERS = frozenset({int, float})


class RowRefused(Exception):
    """The row is rejected. Carries the issue with the reason."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(issue.done)
        self.issue = issue


class Report:
    """Collects the issues of one row: ``line`` of ``file``, or number ``row`` of a list in it."""

    __slots__ = ("_digest", "_written", "file", "issues", "line", "row")

    def __init__(self, file: str, line: int | None, digest: bytes = b"", row: str = "") -> None:
        self.file, self.line, self._digest, self.row = file, line, digest, row
        self.issues: list[Issue] = []
        self._written: dict[str, tuple[str, tuple[object, ...]]] = {}

    def stands_for(self, field: str, theirs: str, *found: object) -> None:
        """Record that ``field`` is named ``theirs`` in the file, and ``found``, the value in the file if the field was
        derived from it. Issues then quote the file.
        """
        self._written[field] = theirs, found

    def called(self, field: str) -> str:
        """Return the file's name of a field, or of the field that contains it: ``bbox[2]`` for ``gold_boxes[2]``."""
        if field in self._written:
            return self._written[field][0]
        head = min((at for sign in "[." if (at := field.find(sign)) > 0), default=len(field))
        return self._written[field[:head]][0] + field[head:] if field[:head] in self._written else field

    @property
    def row_digest(self) -> bytes:
        """Return the digest used to skip unchanged rows. It is empty if the row has an issue, which must be reported
        again.
        """
        return b"" if self.issues else self._digest

    def noted(self, rule: str, field: str, found: object, done: str) -> None:
        self.issues.append(self._issue(Severity.NOTED, rule, field, found, done))

    def repaired(self, rule: str, field: str, found: object, done: str) -> None:
        self.issues.append(self._issue(Severity.REPAIRED, rule, field, found, done))

    def refuse(self, rule: str, field: str, found: object, done: str) -> NoReturn:
        """Raises ``RowRefused``."""
        raise RowRefused(self._issue(Severity.REFUSED, rule, field, found, done))

    def _issue(self, severity: Severity, rule: str, field: str, found: object, done: str) -> Issue:
        if self._written:
            found = next(iter(self._written.get(field, ("", ()))[1]), found)
            field = self.called(field)
        return Issue(severity, rule, self.file, self.line, field, shortened(found), done, self.row)


def is_number(value: object) -> bool:
    """Return whether ``value`` is a finite number. Booleans are not numbers."""
    if type(value) not in _NUMBERS:
        return False
    try:
        return isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def four_numbers(value: object) -> Number4 | None:
    """Return ``value`` as four finite numbers in their order, or None if it is anything else."""
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    a, b, c, d = value
    if not (type(a) in _NUMBERS and type(b) in _NUMBERS and type(c) in _NUMBERS and type(d) in _NUMBERS):
        return None
    try:
        finite = isfinite(a) and isfinite(b) and isfinite(c) and isfinite(d)
    except OverflowError:  # an integer beyond the range of floats
        return None
    return (a, b, c, d) if finite else None


def two_numbers(value: object) -> tuple[float, float] | None:
    """Return ``value`` as two finite numbers in their order, or None if it is anything else."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    found = four_numbers([*value, 0, 0])
    return None if found is None else (float(found[0]), float(found[1]))


def name(value: object, field: str, report: Report, *, default: str = "") -> str:
    """Read a name or id: a text, or a whole number as text. Rejects the row if it is missing, too long or neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        value = default
    said = report.called(field)
    if value is not None and not isinstance(value, str):
        done = f"{said} is neither a text nor a whole number, so the row was rejected. Correct it."
        report.refuse("not-a-name", field, value, done)
    if not value or not value.strip():
        report.refuse("missing-field", field, value, f"The row was rejected because it has no {said}. Add it.")
    return _short_enough(value, field, report)


def label(value: object, field: str, report: Report, *, default: str = "") -> str:
    """Read a label like ``name``, but allow it to be missing."""
    return default if value is None or value == "" else name(value, field, report)


def _short_enough(value: str, field: str, report: Report) -> str:
    if len(value) > MAX_NAME:
        done = f"{report.called(field)} is longer than {MAX_NAME} characters, so the row was rejected. Shorten it."
        report.refuse("too-long", field, value[:60], done)
    return value


def word_in(value: object) -> str:
    """Return a name as text, with whole numbers without a decimal point; "" if the value is not a name."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).strip()


def text(value: object, field: str, report: Report) -> str:
    """Read a text of any length; "" if missing. Numbers become text; other values become JSON and are reported."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        report.repaired("not-text", field, value, f"{report.called(field)} is not a text; its JSON was kept as text.")
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def truth(value: object, field: str, report: Report) -> bool | None:
    """Read True, False or None. 0 and 1 are accepted; any other value is reported and becomes None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    done = f"{report.called(field)} is not true, false or null, so it is unknown."
    report.repaired("not-a-truth-value", field, value, done)
    return None


def mapping(value: object, field: str, report: Report) -> dict[str, Any]:
    """Read an object. A missing value is empty; any other value is reported and becomes empty."""
    if isinstance(value, dict):
        return value
    if value is not None:
        report.repaired("not-an-object", field, value, f"{report.called(field)} is not an object; it was ignored.")
    return {}


def items(value: object, field: str, report: Report) -> list[Any]:
    """Read a list. A missing value is empty; any other value rejects the row."""
    if value is None:
        return []
    if not isinstance(value, list):
        done = f"{report.called(field)} is not a list, so the row was rejected. Write it as a list."
        report.refuse("not-a-list", field, value, done)
    return value


def names(value: object, field: str, report: Report) -> tuple[str, ...]:
    """Read a list of names and keep repetitions and order. A single text is trimmed, loses final periods and is split
    at commas.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        parts = (part.strip() for part in value.strip().rstrip(".").split(","))
        return tuple(part for part in parts if part)
    found = []
    for index, item in enumerate(items(value, field, report)):
        if isinstance(item, str):
            found.append(item)
        else:
            report.repaired("not-a-name", f"{field}[{index}]", item, "This is not a name. The entry was ignored.")
    return tuple(found)


def pictures(value: object, field: str, report: Report) -> str | tuple[str, ...] | None:
    """Read one image id or several; None if missing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    done = f"{report.called(field)} is neither an image id nor a list of them; the row was rejected. Correct it."
    report.refuse("not-a-picture-id", field, value, done)


def extra(data: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return the entries of ``data`` with unknown keys."""
    return {key: value for key, value in data.items() if key not in known}
