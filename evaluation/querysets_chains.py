"""Which tools a trajectory calls, as conditions of the database."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.apps import apps
from django.db.models import Exists, OuterRef, Q

from evaluation.metrics.chains import BETWEEN, pair_word
from evaluation.metrics.names import canonical_name
from evaluation.query.syntax import DEFINED, UNDEFINED


def called(value: str, **only: Any) -> Q:
    """Before the answer: calls after it count nowhere. A JSON list names several, any of which is meant."""
    steps = apps.get_model("evaluation", "Step").objects.filter(**only).exclude(flag="post_answer")
    return _holds(steps.filter(trajectory=OuterRef("pk")), value)


def referred(value: str) -> Q:
    """In the reference toolchain that the trajectory is held against, by canonical name: in a pair that scoring has
    written."""
    if value in (UNDEFINED, DEFINED):
        return Q(score__isnull=False, score__reference_calls__isnull=value == UNDEFINED)
    return Q(score__aligned__contains="\n" + pair_word(canonical_name(value), ""))


def pair_of(path: str) -> Callable[[str], Q]:
    """``one>other`` by canonical names, either side may be empty: a word among those that scoring has written."""

    def query(value: str) -> Q:
        if value in (UNDEFINED, DEFINED):
            return Q(score__isnull=False) & (Q(**{path: ""}) if value == UNDEFINED else ~Q(**{path: ""}))
        first, between, second = value.partition(BETWEEN)
        word = pair_word(canonical_name(first), canonical_name(second))
        return Q(**{f"{path}__contains": f"\n{word}\n"}) if between else Q(pk__in=[])

    return query


def _holds(calls: Any, value: str) -> Q:
    if value == UNDEFINED:
        return ~Q(Exists(calls))
    return Q(Exists(calls if value == DEFINED else calls.filter(tool__in=names_of(value))))


def names_of(value: str) -> list[str]:
    """The tools that a value of the field means."""
    with suppress(ValueError, RecursionError):
        listed = json.loads(value) if value.startswith("[") else None
        if isinstance(listed, list):
            return [str(name) for name in listed]
    return [value]
