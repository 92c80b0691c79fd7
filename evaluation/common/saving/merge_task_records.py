"""Records that say one of two predicted tool lists alone, joined with the other one: of the same batch, or stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

from annotation.models import Benchmark
from annotation.schema import frozen_record
from evaluation.models import ToolList, Trajectory
from evaluation.schema import Trajectory as TrajectoryRecord

T = TypeVar("T")
Key = tuple[str, str, str, int, str]
"""(model, setting, sample, rollout, condition)."""
_NAMES = ("run__model__name", "run__setting", "sample__key", "rollout", "condition")
_ROW = ("recognition", "recognition_map", "plan", "plan_map", "extra", "source", "line", "pk")
Name = ToolList.Name


class TaskRecord(NamedTuple):
    """One list of names, the other data of its record, and its import and line (None: this import)."""

    names: tuple[str, ...]
    judged: Mapping[str, str | None]
    extra: Mapping[str, Any]
    source: int | None
    line: int | None


@frozen_record(frozen=True, slots=True)
class MergedTrajectory(TrajectoryRecord):
    """A trajectory made whole from two halves. ``halves``: what each of its lists comes from."""

    halves: tuple[tuple[Name, TaskRecord], ...] = ()


def merge_records(benchmark: Benchmark, records: Sequence[TrajectoryRecord | T]) -> list[TrajectoryRecord | T]:
    """The records, with each half completed if its other half is known; all others unchanged."""
    told = [record for record in records if isinstance(record, TrajectoryRecord) and record.half]
    if not told:
        return list(records)
    known = _stored(benchmark, told)
    for record in told:
        name = Name.PLAN if record.recognition is None else Name.RECOGNITION
        names, judged = _list_of(record, name)
        known.setdefault(_key(record), {})[name] = TaskRecord(names or (), judged, record.extra, None, record.line)
    others = [record for record in records if not (isinstance(record, TrajectoryRecord) and record.half)]
    latest = {_key(record): record for record in told}
    return [*others, *(_whole(record, known[key]) for key, record in latest.items())]


def _key(record: TrajectoryRecord) -> Key:
    return record.model, record.setting, record.sample_id, record.rollout, str(record.condition)


def _list_of(record: TrajectoryRecord, name: Name) -> tuple[tuple[str, ...] | None, Mapping[str, str | None]]:
    if name == Name.PLAN:
        return record.plan, record.plan_map
    return record.recognition, record.recognition_map


def _whole(record: TrajectoryRecord, halves: Mapping[Name, TaskRecord]) -> TrajectoryRecord:
    """The record with both lists. The data of the plan's record takes precedence, in any order of the records.

    The same file therefore changes nothing when it is imported again.
    """
    if len(halves) < len(Name):
        return record
    recognition, plan = halves[Name.RECOGNITION], halves[Name.PLAN]
    said = {field.name: getattr(record, field.name) for field in fields(TrajectoryRecord)} | {
        "recognition": recognition.names,
        "recognition_map": recognition.judged,
        "plan": plan.names,
        "plan_map": plan.judged,
        "extra": {**recognition.extra, **plan.extra},
    }
    return MergedTrajectory(**said, halves=tuple(halves.items()))


def _stored(benchmark: Benchmark, told: Iterable[TrajectoryRecord]) -> dict[Key, dict[Name, TaskRecord]]:
    """The stored lists of these records."""
    keys = {_key(record) for record in told}
    parts: dict[str, Any] = {f"{name}__in": {key[place] for key in keys} for place, name in enumerate(_NAMES)}
    rows = Trajectory.objects.of(benchmark).filter(**parts).order_by()
    found = {row[:5]: row[5:] for row in rows.values_list(*_NAMES, *_ROW) if row[:5] in keys}
    apart = ToolList.objects.filter(trajectory__in=[row[-1] for row in found.values()])
    origins = {(pk, Name(name)): origin for pk, name, *origin in apart.values_list(
        "trajectory", "name", "extra", "source", "line"
    )}  # fmt: skip
    known: dict[Key, dict[Name, TaskRecord]] = {}
    for key, (recognition, recognised, plan, planned, *origin, pk) in found.items():
        lists = {Name.RECOGNITION: (recognition, recognised), Name.PLAN: (plan, planned)}
        known[key] = {
            name: TaskRecord(tuple(names), judged, *origins.get((pk, name), origin))
            for name, (names, judged) in lists.items()
            if names is not None
        }
    return known
