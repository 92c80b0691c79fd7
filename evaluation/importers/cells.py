"""Single values of tables and logs as people write them: names, numbers, verdicts, words for nothing."""

from __future__ import annotations

from annotation.importers import fields
from annotation.importers.fields import Report

_TRUE = frozenset({"true", "yes", "y", "1", "1.0", "correct", "right", "t"})
_FALSE = frozenset({"false", "no", "n", "0", "0.0", "incorrect", "wrong", "f"})
NOTHING = frozenset({"", "none", "null", "nan", "n/a"})
"""Texts of empty cells, in lower case."""
_WENT_WELL = NOTHING | {"ok", "success", "succeeded", "done", "completed", "complete", "finished", "passed"} | {
    "false", "no", "0",
}  # fmt: skip


def truth_in(value: object, field: str, report: Report) -> bool | None:
    """A verdict: as ``fields.truth``, and words such as yes, "wrong", incorrect."""
    if isinstance(value, str):
        said = value.strip().casefold()
        if said in NOTHING:
            return None
        value = True if said in _TRUE else False if said in _FALSE else value
    return fields.truth(value, field, report)


def is_truth(value: object) -> bool:
    """Return whether ``truth_in`` accepts a value as a verdict; an empty one is not accepted."""
    if isinstance(value, str):
        return value.strip().casefold() in _TRUE | _FALSE
    return isinstance(value, bool | int | float) and value in (0, 1)


def number_in(value: object) -> float | None:
    """Return a finite number, or None."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not fields.is_number(value):
        return None
    return float(value)  # type: ignore[arg-type]


def is_empty(value: object) -> bool:
    """Return whether a cell is empty, or contains a text for empty."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in NOTHING)


def is_no(value: object) -> bool:
    """Whether a sign of failure says that nothing failed: nothing there, false, 0, or a word such as ok."""
    if isinstance(value, str):
        return value.strip().casefold() in _WENT_WELL
    return value is None or value is False or value == 0 or value == {} or value == []


def rollout_in(value: object, report: Report) -> int:
    """The index of a rollout, 0 without one. Refuses the row when it is no index."""
    if is_empty(value):
        return 0
    index = number_in(value)
    if index is None or not (0 <= index < 2**31 and index == int(index)):
        done = "The row was rejected because its rollout is not 0, 1, 2 …. Choose another column, or none."
        report.refuse("rollout-not-an-index", "rollout", value, done)
    return int(index)
