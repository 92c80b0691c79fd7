"""Records that say one of two predicted tool lists alone, joined with the other one: of the same batch, or stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from annotation.models import Benchmark
from evaluation.models import Trajectory
from evaluation.schema import Trajectory as TrajectoryRecord

T = TypeVar("T")
Key = tuple[str, str, str, int, str]
"""(model, setting, sample, rollout, condition)."""
_NAMES = ("run__model__name", "run__setting", "sample__key", "rollout", "condition")
_LISTS = ("recognition", "recognition_map", "plan", "plan_map", "extra")


def joined(benchmark: Benchmark, records: Sequence[TrajectoryRecord | T]) -> list[TrajectoryRecord | T]:
    """The records, each half of one made whole as far as its other half is known; all others as they are."""
    halves = [record for record in records if isinstance(record, TrajectoryRecord) and record.half]
    if not halves:
        return list(records)
    stored = _stored(benchmark, halves)
    whole: dict[Key, TrajectoryRecord] = {}
    for half in halves:
        key = _key(half)
        whole[key] = _with(half, whole.get(key) or stored.get(key))
    others = [record for record in records if not (isinstance(record, TrajectoryRecord) and record.half)]
    return [*others, *whole.values()]


def _key(record: TrajectoryRecord) -> Key:
    return record.model, record.setting, record.sample_id, record.rollout, str(record.condition)


def _with(record: TrajectoryRecord, other: TrajectoryRecord | None) -> TrajectoryRecord:
    """The record, with the list it lacks from another one."""
    if other is None:
        return record
    extra = {**other.extra, **record.extra}
    if record.plan is None:
        return replace(record, plan=other.plan, plan_map=other.plan_map, extra=extra)
    if record.recognition is None:
        return replace(record, recognition=other.recognition, recognition_map=other.recognition_map, extra=extra)
    return record


def _stored(benchmark: Benchmark, halves: Iterable[TrajectoryRecord]) -> dict[Key, TrajectoryRecord]:
    """What is stored of these, as records of their two lists."""
    keys = {_key(record) for record in halves}
    parts: dict[str, Any] = {f"{name}__in": {key[place] for key in keys} for place, name in enumerate(_NAMES)}
    rows = Trajectory.objects.filter(run__benchmark=benchmark, run__staged_for=None, **parts).order_by()
    found: dict[Key, TrajectoryRecord] = {}
    for row in rows.values_list(*_NAMES, *_LISTS):
        model, setting, sample, rollout, condition = row[:5]
        recognition, recognition_map, plan, plan_map, extra = row[5:]
        found[row[:5]] = TrajectoryRecord(
            model, sample, setting, rollout, condition, recognition=_names(recognition), plan=_names(plan),
            recognition_map=recognition_map, plan_map=plan_map, extra=extra,
        )  # fmt: skip
    return found


def _names(value: Any) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)
