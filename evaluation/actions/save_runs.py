"""Saving a batch of what models did: new records, changed ones, unchanged ones; one transaction a batch."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from annotation.models import Benchmark, ImportRecord, Sample
from evaluation.models import Intervention, Judgement, Model, Rollout, RolloutGroup, Run, Scoring, Step, Trajectory
from evaluation.schema import Intervention as InterventionRecord
from evaluation.schema import Issue, Severity, Usage, shortened
from evaluation.schema import Judgement as JudgementRecord
from evaluation.schema import RolloutGroup as RolloutGroupRecord
from evaluation.schema import Step as StepRecord
from evaluation.schema import Trajectory as TrajectoryRecord
from webapp.accounts.models import User
from webapp.common.bulk import as_json, insert_rows, refresh_statistics, reserve_ids

Key = tuple[int, int, int, str]
"""(run, sample, rollout, condition): what there is one trajectory of."""


class RunBook:
    """The runs and samples of a benchmark by name, each looked up once per import; runs are made as they are met."""

    def __init__(self, benchmark: Benchmark, actor: User | None) -> None:
        self.benchmark, self.actor = benchmark, actor
        self.samples: dict[str, int] = dict(Sample.objects.filter(benchmark=benchmark).values_list("key", "pk"))
        self._runs: dict[tuple[str, str], Run] = {}

    def run(self, model: str, setting: str) -> Run:
        key = (model, setting)
        if key not in self._runs:
            named, _ = Model.objects.get_or_create(name=model)
            self._runs[key], _ = Run.objects.get_or_create(
                benchmark=self.benchmark, model=named, setting=setting, defaults={"created_by": self.actor}
            )
        return self._runs[key]

    @property
    def runs(self) -> list[Run]:
        return list(self._runs.values())


@dataclass(frozen=True)
class SavedBatch:
    """What became of a batch: counts by outcome, and an issue for every record that came twice in this import."""

    counts: Counter[str]
    issues: list[Issue]


def save_trajectories(book: RunBook, records: Sequence[TrajectoryRecord], source: ImportRecord | None) -> SavedBatch:
    """Write one batch inside the caller's transaction; the last of two records of one key wins."""
    latest: dict[Key, TrajectoryRecord] = {}
    repeated: list[TrajectoryRecord] = []
    for record in records:
        key = (
            book.run(record.model, record.setting).pk,
            book.samples[record.sample_id],
            record.rollout,
            record.condition,
        )
        if key in latest:
            repeated.append(record)
        latest[key] = record
    there = _there(latest)
    if source is not None:
        repeated += [latest[key] for key in latest if key in there and there[key][2] == source.pk]
    digests = {key: digest(record) for key, record in latest.items()}
    changed = [key for key in latest if key in there and there[key][1] != digests[key]]
    if changed:
        Trajectory.objects.filter(pk__in=[there[key][0] for key in changed]).delete()
    wanted = [key for key in latest if key not in there] + changed
    ids = list(reserve_ids(Trajectory, len(wanted)))
    insert_rows(
        Trajectory,
        _TRAJECTORY,
        [_trajectory_row(pk, key, latest[key], digests[key], source) for pk, key in zip(ids, wanted, strict=True)],
    )
    insert_rows(
        Step,
        _STEP,
        [
            _step_row(pk, position, step)
            for pk, key in zip(ids, wanted, strict=True)
            for position, step in enumerate(latest[key].steps)
        ],
    )
    if wanted:
        Scoring.objects.filter(run_id__in={key[0] for key in wanted}).update(stale=True)
    counts = Counter(
        trajectories=len(records),
        new=len(wanted) - len(changed),
        changed=len(changed),
        unchanged=len(latest) - len(wanted),
        repeated=len(repeated),
        failed=sum(1 for r in records if r.error),
        steps=sum(len(r.steps) for r in records),
    )
    return SavedBatch(counts, [repeat_issue(record) for record in repeated])


def repeat_issue(record: TrajectoryRecord) -> Issue:
    """What is said of a record whose key came before in the same import."""
    done = "The sample has a record of this model in the file already; the last one is kept."
    return Issue(
        Severity.REPAIRED, "duplicate-record", record.file, record.line, "sample_id", shortened(record.sample_id), done
    )


def _there(keys: Iterable[Key]) -> dict[Key, tuple[int, str, int | None]]:
    wanted = set(keys)
    names = ("run_id", "sample_id", "rollout", "condition")
    # Each part of the key by itself: every combination is asked for, but no rollout beyond those of the batch.
    parts = {f"{name}__in": {key[i] for key in wanted} for i, name in enumerate(names)}
    rows = Trajectory.objects.filter(**parts).order_by().values_list("pk", "digest", "source_id", *names)
    return {
        (run, sample, rollout, condition): (pk, digest, source)
        for pk, digest, source, run, sample, rollout, condition in rows
        if (run, sample, rollout, condition) in wanted
    }


def tables_grew() -> None:
    """Tell the database that many trajectories were added, so that it finds the next ones by their index."""
    refresh_statistics(Trajectory, Step)


def digest(record: TrajectoryRecord) -> str:
    """128 bits over everything a record says, but not where it was read."""
    said = (*_SAID(record), _USAGE(record.usage), [_STEP_SAID(step) for step in record.steps])
    return hashlib.blake2b(json.dumps(said).encode("ascii"), digest_size=16).hexdigest()


_UNSAID = {"sample_id", "rollout", "condition", "usage", "steps", "file", "line"}
_SAID = attrgetter(*(field.name for field in fields(TrajectoryRecord) if field.name not in _UNSAID))
_USAGE = attrgetter(*(field.name for field in fields(Usage)))
_STEP_SAID = attrgetter(*(field.name for field in fields(StepRecord)))

_TRAJECTORY = [
    "id", "run", "sample", "rollout", "condition", "answer", "judge_correct", "final_image", "recognition", "plan",
    "recognition_map", "plan_map", "error", "input_tokens", "output_tokens", "seconds", "usd", "extra", "digest",
    "source", "line",
]  # fmt: skip
_STEP = [
    "trajectory", "position", "tool", "arguments", "x1", "y1", "x2", "y2", "executed_x1", "executed_y1",
    "executed_x2", "executed_y2", "bbox_raw", "coords", "image_in", "image_out", "out_width", "out_height", "ok",
    "text", "observation", "label", "flag", "extra",
]  # fmt: skip
_NO_BOX = (None, None, None, None)


def _trajectory_row(
    pk: int, key: Key, record: TrajectoryRecord, digest: str, source: ImportRecord | None
) -> tuple[Any, ...]:
    usage = record.usage
    return (
        pk, *key, record.answer, record.judge_correct, record.final_image, as_json(record.recognition),
        as_json(record.plan), as_json(record.recognition_map), as_json(record.plan_map), record.error,
        usage.input_tokens, usage.output_tokens, usage.seconds, usage.usd, as_json(record.extra), digest,
        source.pk if source else None, record.line,
    )  # fmt: skip


def _step_row(trajectory: int, position: int, step: StepRecord) -> tuple[Any, ...]:
    return (
        trajectory, position, step.tool, as_json(step.arguments), *(step.bbox or _NO_BOX),
        *(step.executed_bbox or _NO_BOX), as_json(step.bbox_raw), step.coords.value, as_json(step.image_in),
        step.image_out, *(step.out_size or (None, None)), step.ok, step.text, step.observation, step.label,
        step.flag.value, as_json(step.extra),
    )  # fmt: skip


def save_others(
    book: RunBook,
    records: Sequence[InterventionRecord | JudgementRecord | RolloutGroupRecord],
    source: ImportRecord | None,
) -> Counter[str]:
    """Interventions, judgements and rollout groups: few and small, one row at a time; equal rows are left alone."""
    counts: Counter[str] = Counter()
    for record in records:
        match record:
            case InterventionRecord():
                counts["interventions"] += 1
                counts += _put(
                    Intervention,
                    _place(book, record) | {"condition": record.condition},
                    {"correct": record.correct, "answer": record.answer, "extra": dict(record.extra)},
                    source,
                )
            case JudgementRecord():
                counts["judgements"] += 1
                counts += _put(
                    Judgement,
                    _place(book, record) | {"kind": record.kind.value, "judge": record.judge},
                    {"verdict": record.verdict, "answer": record.answer, "extra": dict(record.extra)},
                    source,
                )
            case RolloutGroupRecord():
                counts["rollout_groups"] += 1
                counts += _put_group(book, record, source)
    return counts  # fmt: skip


def _place(book: RunBook, record: InterventionRecord | JudgementRecord) -> dict[str, Any]:
    return {"run": book.run(record.model, record.setting), "sample_id": book.samples[record.sample_id]}


def _put(table: Any, key: Mapping[str, Any], values: Mapping[str, Any], source: ImportRecord | None) -> Counter[str]:
    row, new = table.objects.get_or_create(**key, defaults={**values, "source": source})
    if new:
        outcome = "new"
    elif any(getattr(row, name) != value for name, value in values.items()):
        table.objects.filter(pk=row.pk).update(**values, source=source)
        outcome = "changed"
    else:
        return Counter(unchanged=1)
    if "run" in key:
        Scoring.objects.filter(run=key["run"]).update(stale=True)
    return Counter({outcome: 1})


def _put_group(book: RunBook, record: RolloutGroupRecord, source: ImportRecord | None) -> Counter[str]:
    values = {"alpha": record.alpha, "extra": dict(record.extra)}
    counts = _put(RolloutGroup, {"benchmark": book.benchmark, "group_id": record.group_id}, values, source)
    group = RolloutGroup.objects.get(benchmark=book.benchmark, group_id=record.group_id)
    rows = [(r.image_tokens, r.acc, r.format, r.sufficient) for r in record.rollouts]
    if list(group.rollouts.values_list("image_tokens", "acc", "format", "sufficient")) != rows:
        group.rollouts.all().delete()
        Rollout.objects.bulk_create(
            Rollout(group=group, position=i, image_tokens=t, acc=a, format=f, sufficient=s)
            for i, (t, a, f, s) in enumerate(rows)
        )
        counts = counts if counts["new"] else Counter(changed=1)
    return counts
