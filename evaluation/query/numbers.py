"""The meaning of a comparison with a number: bounds, with the tolerance of docs/metrics.md#equality."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from annotation.marking import Sentence, gettext_noop
from evaluation.query.syntax import DEFINED, UNDEFINED, QueryError, Term

TOLERANCE = 1e-9
"""Numbers this close are equal."""
LARGEST = 1e15
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?"
_RANGE = re.compile(rf"({_NUMBER})?\.\.({_NUMBER})?")
_FROM = re.compile(rf"({_NUMBER})\+")
_ONE = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True)
class Bounds:
    """low < x < high, both beyond what is meant by the tolerance or short of it; ``defined`` false: only undefined."""

    low: float = -math.inf
    high: float = math.inf
    defined: bool = True


def bounds(term: Term) -> Bounds:
    """The numbers that a comparison holds for: ``3``, ``3+``, ``2..5``, ``..5``, ``none``, ``any``, ``< 0.05%``."""
    value = term.value.strip()
    if term.sign == ":":
        return _within(term, value)
    if not _ONE.fullmatch(value):
        raise _no_number(term)
    number = _number(value, term)
    return {
        "<": Bounds(high=number - TOLERANCE),
        "<=": Bounds(high=number + TOLERANCE),
        ">": Bounds(low=number + TOLERANCE),
        ">=": Bounds(low=number - TOLERANCE),
    }[term.sign]


def _within(term: Term, value: str) -> Bounds:
    if value in (UNDEFINED, DEFINED):
        return Bounds(defined=value == DEFINED)
    if (between := _RANGE.fullmatch(value)) and (between[1] or between[2]):
        low = _number(between[1], term) - TOLERANCE if between[1] else -math.inf
        return Bounds(low, _number(between[2], term) + TOLERANCE if between[2] else math.inf)
    if from_on := _FROM.fullmatch(value):
        return Bounds(low=_number(from_on[1], term) - TOLERANCE)
    if not _ONE.fullmatch(value):
        raise _no_number(term)
    number = _number(value, term)
    return Bounds(number - TOLERANCE, number + TOLERANCE)


def _number(text: str, term: Term) -> float:
    number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if abs(number) > LARGEST:
        raise _no_number(term)
    return number


def _no_number(term: Term) -> QueryError:
    message = Sentence(
        gettext_noop('%(field)s is a number, "%(value)s" is not. Enter a number, a range 2..5, none or any.'),
        field=term.field,
        value=term.value[:40],
    )
    return QueryError(message, term.column)
