"""Saves results of models in batches: new, changed and unchanged records; one transaction per batch."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import F

from annotation.models import Benchmark, ImportRecord, Sample
from evaluation.common.judging.write import drop_questions
from evaluation.common.lineage.write import Place, note_training, place_run, recorded_place, recorded_training
from evaluation.common.saving.images import assumed_present, image_histories, image_numbers
from evaluation.common.saving.judgments import save_judgement
from evaluation.common.saving.marks import collect_user_marks, restore_user_marks
from evaluation.common.saving.merge_task_records import MergedTrajectory
from evaluation.detections import DETECTOR, detections_in
from evaluation.importers.unchanged_rows import Stored, Unchanged
from evaluation.models import (
    Intervention,
    Judgement,
    Model,
    Rollout,
    RolloutGroup,
    Run,
    Scoring,
    Step,
    ToolList,
    Trajectory,
)
from evaluation.schema import AboutAnswer, Issue, Severity, Usage, shortened
from evaluation.schema import Intervention as InterventionRecord
from evaluation.schema import Judgement as JudgementRecord
from evaluation.schema import RolloutGroup as RolloutGroupRecord
from evaluation.schema import Step as StepRecord
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.scoring.rewards import keep_rewards
from evaluation.scoring.settings import settings_of
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common.bulk import as_json, insert_rows, reserve_ids, update_rows

Key = tuple[int, int, int, str]
"""(run, sample, rollout, condition): identifies one trajectory."""


class RunRegistry:
    """The runs and samples of a benchmark by name, each looked up once per import. Missing runs are created.

    ``staged_for``: the import whose runs are filled out of sight, see ``evaluation.imports.write.replacement``.
    ``place``: the lineage step of all runs; without it, records may name theirs. ``samples``: keys with primary keys,
    if not all of the benchmark need to be read. ``at``: when the file arrived; its crops are on the images of then.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        actor: User | None,
        staged_for: ImportRecord | None = None,
        place: Place | None = None,
        samples: Mapping[str, int] | None = None,
        at: datetime | None = None,
    ) -> None:
        self.benchmark, self.actor, self.staged_for, self.place = benchmark, actor, staged_for, place
        self.at = at
        if samples is None:
            samples = dict(Sample.objects.filter(benchmark=benchmark).values_list("key", "pk"))
        self.samples = samples
        self._runs: dict[tuple[str, str], Run] = {}

    def run(self, model: str, setting: str) -> Run:
        key = (model, setting)
        if key not in self._runs:
            named, _ = Model.objects.get_or_create(name=model)
            run, _ = Run.everything.get_or_create(
                benchmark=self.benchmark, model=named, setting=setting, staged_for=self.staged_for, deleted_at=None,
                defaults={"created_by": self.actor, "number": self.next_number},  # type: ignore[misc]  # Django calls it
            )  # fmt: skip
            self._keep(key, run)
        return self._runs[key]

    def _keep(self, key: tuple[str, str], run: Run) -> None:
        self._runs[key] = run
        if self.place is not None:
            place_run(actor=self.actor, run=run, place=self.place)

    def begin_runs(self, named: Iterable[tuple[str, str]]) -> None:
        """Find or add the runs of these models and settings; new ones are numbered in this order. For new ones the
        benchmark is locked first, because a run takes its next number. Then the models, which imports into other
        benchmarks may add too: in one order, so that no two of them wait for each other."""
        wanted = [key for key in dict.fromkeys(named) if key not in self._runs]
        if not wanted:
            return
        rows = Run.everything.filter(benchmark=self.benchmark, staged_for=self.staged_for, deleted_at=None)
        rows = rows.filter(model__name__in={model for model, _ in wanted}).select_related("model")
        there = {(run.model.name, run.setting): run for run in rows}
        for key in wanted:
            if key in there:
                self._keep(key, there[key])
        new = [key for key in wanted if key not in there]
        if not new:
            return
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=self.benchmark.pk)
        for name in sorted({model for model, _ in new}):
            Model.objects.get_or_create(name=name)
        for model, setting in new:
            self.run(model, setting)

    def next_number(self) -> int | None:
        """Return a number that no run of the benchmark has had. Simultaneous requests wait for each other."""
        if self.staged_for is not None:
            return None
        benchmark = Benchmark.objects.filter(pk=self.benchmark.pk)
        benchmark.update(runs_numbered=F("runs_numbered") + 1)
        return benchmark.values_list("runs_numbered", flat=True).get()

    def key(self, record: TrajectoryRecord | Stored) -> Key:
        run = self.run(record.model, record.setting)
        return run.pk, self.samples[record.sample_id], record.rollout, record.condition

    @property
    def runs(self) -> list[Run]:
        return list(self._runs.values())

    def note_detector(self, record: TrajectoryRecord) -> None:
        """Mark the run of a record with detections as that of a detector, with its threshold."""
        detections = detections_in(record.extra)
        run = self.run(record.model, record.setting)
        if detections is not None and run.detector_threshold != detections.threshold:
            run.extra = {**run.extra, DETECTOR: {"threshold": detections.threshold}}
            Run.everything.filter(pk=run.pk).update(extra=run.extra)

    def note_place(self, record: TrajectoryRecord) -> None:
        """Put the run of a record at the step that the record names, and store its facts about the training. A chosen
        place takes precedence.
        """
        if self.place is None and (place := recorded_place(record.extra)) is not None:
            run = place_run(actor=self.actor, run=self.run(record.model, record.setting), place=place)
            if (said := recorded_training(record.extra)) and run.lineage is not None:
                note_training(actor=self.actor, lineage=run.lineage, said=said)


class StoredRow(NamedTuple):
    """The stored values of a key."""

    pk: int
    digest: str
    source_id: int | None
    row_digest: bytes | None


@dataclass(frozen=True)
class SavedBatch:
    """The result of a batch: counts by outcome, and an issue for every record that is repeated in this import, or that
    matches nothing here; ``assumed``: written trajectories that count as recorded on the present image, see
    ``assumed_present``.
    """

    counts: Counter[str]
    issues: list[Issue]
    assumed: list[TrajectoryRecord] = field(default_factory=list)


def save_trajectories(
    book: RunRegistry, records: Sequence[TrajectoryRecord | Unchanged], source: ImportRecord | None
) -> SavedBatch:
    """Write one batch inside the caller's transaction; of two records with one key, the last one wins."""
    latest: dict[Key, TrajectoryRecord | Unchanged] = {}
    repeated: list[TrajectoryRecord | Unchanged] = []
    told = [record.stored if isinstance(record, Unchanged) else record for record in records]
    book.begin_runs((one.model, one.setting) for one in told)
    for record, one in zip(records, told, strict=True):
        key = book.key(one)
        if key in latest:
            repeated.append(record)
        latest[key] = record
    read = {key: record for key, record in latest.items() if isinstance(record, TrajectoryRecord)}
    there = stored_of(read)
    if source is not None:
        repeated += [record for key, record in latest.items() if _written_by(record, there.get(key)) == source.pk]
    wanted, changed, assumed = _write(read, there, source, book.at)
    # Runs are changed after the questions about their trajectories.
    for record in read.values():
        book.note_detector(record)
        book.note_place(record)
    counts = Counter(
        trajectories=len(records),
        new=wanted - changed,
        changed=changed,
        unchanged=len(latest) - wanted,
        repeated=len(repeated),
        failed=sum(r.stored.failed if isinstance(r, Unchanged) else bool(r.error) for r in records),
        steps=sum(r.stored.steps if isinstance(r, Unchanged) else len(r.steps) for r in records),
    )
    return SavedBatch(counts, [repeat_issue(record) for record in repeated], assumed)


def _written_by(record: TrajectoryRecord | Unchanged, there: StoredRow | None) -> int | None:
    """Return the import that wrote the stored row of a record."""
    if isinstance(record, Unchanged):
        return record.stored.source
    return there.source_id if there else None


def _write(
    records: Mapping[Key, TrajectoryRecord], there: Mapping[Key, StoredRow], source: ImportRecord | None,
    at: datetime | None,
) -> tuple[int, int, list[TrajectoryRecord]]:  # fmt: skip
    """Write new and changed records. Return the number of written ones, of changed ones among them, and those whose
    image is assumed."""
    digests = {key: digest(record) for key, record in records.items()}
    changed = [key for key in records if key in there and there[key].digest != digests[key]]
    marks = collect_user_marks([there[key].pk for key in changed])
    if changed:
        drop_questions([there[key].pk for key in changed], source)
        Trajectory.objects.filter(pk__in=[there[key].pk for key in changed]).delete()
    wanted = [key for key in records if key not in there] + changed
    ids, written = list(reserve_ids(Trajectory, len(wanted))), {key: records[key] for key in wanted}
    histories = image_histories({key[1] for key in wanted})
    images = image_numbers(written, histories, at)
    numbered = list(zip(ids, wanted, strict=True))
    rows = [_trajectory_row(pk, key, records[key], digests[key], source, images[key]) for pk, key in numbered]
    insert_rows(Trajectory, _TRAJECTORY, rows)
    steps = [_step_row(pk, place, step) for pk, key in numbered for place, step in enumerate(records[key].steps)]
    insert_rows(Step, _STEP, steps)
    restore_user_marks(marks, {there[key].pk: pk for pk, key in numbered if key in there})
    insert_rows(ToolList, _TOOL_LIST, _list_rows(numbered, records, source))
    if wanted:
        rows_changed({key[0] for key in wanted})
        Scoring.objects.filter(run_id__in={key[0] for key in wanted}).mark_stale()
    _refresh_row_digests(records, there, set(changed))
    on_samples = ((key[1], record) for key, record in written.items())
    return len(wanted), len(changed), assumed_present(on_samples, histories, at)


def _refresh_row_digests(
    records: Mapping[Key, TrajectoryRecord], there: Mapping[Key, StoredRow], changed: set[Key]
) -> None:
    """Store the current row digest of unchanged records that were read from another row or by other code."""
    same = [(record.row_digest, there[key]) for key, record in records.items() if key in there and key not in changed]
    update_rows(Trajectory, "row_digest", [(row, old.pk) for row, old in same if row and row != old.row_digest])


def repeat_issue(record: TrajectoryRecord | Unchanged) -> Issue:
    """The issue for a record whose key occurred earlier in the same import."""
    done = "The file has several records of this model on this sample. The last one was kept."
    sample = record.stored.sample_id if isinstance(record, Unchanged) else record.sample_id
    place = (record.file, record.line, "sample_id")
    return Issue(Severity.REPAIRED, "duplicate-record", *place, shortened(sample), done, record.row)


def stored_of(keys: Iterable[Key]) -> dict[Key, StoredRow]:
    """The stored rows of these keys, without keys that are not stored."""
    wanted = set(keys)
    names = ("run_id", "sample_id", "rollout", "condition")
    # Each part of the key is filtered separately: this selects every combination, but no rollouts outside the batch.
    parts = {f"{name}__in": {key[i] for key in wanted} for i, name in enumerate(names)}
    rows = Trajectory.objects.filter(**parts).order_by().values_list(*names, *StoredRow._fields)
    return {row[:4]: StoredRow(*row[4:]) for row in rows if row[:4] in wanted}


def digest(record: TrajectoryRecord) -> str:
    """Return 128 bits over all content of a record, but not its position."""
    # Most records state no image, and their digests are those of earlier releases.
    stated = [one for one in (record.image_size, record.image_sha256) if one]
    said = (*_SAID(record), _USAGE(record.usage), [_STEP_SAID(step) for step in record.steps], *stated)
    return hashlib.blake2b(json.dumps(said).encode("ascii"), digest_size=16).hexdigest()


WRITTEN = (Trajectory, Step)
"""The tables that trajectories fill."""

_UNSAID = {
    "sample_id", "rollout", "condition", "usage", "steps", "file", "line", "row", "row_digest", "half", "image_size",
    "image_sha256", "recorded_at",
}  # fmt: skip
_SAID = attrgetter(*(field.name for field in fields(TrajectoryRecord) if field.name not in _UNSAID))
_USAGE = attrgetter(*(field.name for field in fields(Usage)))
_STEP_SAID = attrgetter(*(field.name for field in fields(StepRecord)))

_TRAJECTORY = [
    "id", "run", "sample", "rollout", "condition", "answer", "judge_correct", "final_image", "recognition", "plan",
    "recognition_map", "plan_map", "error", "input_tokens", "output_tokens", "seconds", "usd", "extra", "digest",
    "source", "line", "row_digest", "image_number", "image_width", "image_height",
]  # fmt: skip
_STEP = [
    "trajectory", "position", "tool", "arguments", "x1", "y1", "x2", "y2", "executed_x1", "executed_y1",
    "executed_x2", "executed_y2", "bbox_raw", "coords", "image_in", "image_out", "out_width", "out_height", "ok",
    "text", "observation", "label", "flag", "extra",
]  # fmt: skip
_TOOL_LIST = ["trajectory", "name", "source", "extra", "line"]
_NO_BOX = (None, None, None, None)


def _trajectory_row(
    pk: int, key: Key, record: TrajectoryRecord, digest: str, source: ImportRecord | None, image: int | None
) -> tuple[Any, ...]:
    usage = record.usage
    return (
        pk, *key, record.answer, record.judge_correct, record.final_image, as_json(record.recognition),
        as_json(record.plan), as_json(record.recognition_map), as_json(record.plan_map), record.error,
        usage.input_tokens, usage.output_tokens, usage.seconds, usage.usd, as_json(record.extra), digest,
        source.pk if source else None, record.line, record.row_digest or None, image,
        *(record.image_size or (None, None)),
    )  # fmt: skip


def _list_rows(
    numbered: Iterable[tuple[int, Key]], records: Mapping[Key, TrajectoryRecord], source: ImportRecord | None
) -> list[tuple[Any, ...]]:
    """Return the sources of the two lists of joined trajectories."""
    here = source.pk if source else None
    joined = [(pk, record) for pk, key in numbered if isinstance(record := records[key], MergedTrajectory)]
    return [
        (pk, name.value, half.source or here, as_json(half.extra), half.line)
        for pk, record in joined
        for name, half in record.halves
    ]


def _step_row(trajectory: int, position: int, step: StepRecord) -> tuple[Any, ...]:
    return (
        trajectory, position, step.tool, as_json(step.arguments), *(step.bbox or _NO_BOX),
        *(step.executed_bbox or _NO_BOX), as_json(step.bbox_raw), step.coords.value, as_json(step.image_in),
        step.image_out, *(step.out_size or (None, None)), step.ok, step.text, step.observation, step.label,
        step.flag.value, as_json(step.extra),
    )  # fmt: skip


def save_others(
    book: RunRegistry,
    records: Sequence[InterventionRecord | JudgementRecord | RolloutGroupRecord],
    source: ImportRecord | None,
) -> SavedBatch:
    """Save interventions, judgments and rollout groups: few and small, one row at a time; equal rows stay unchanged."""
    counts: Counter[str] = Counter()
    issues: list[Issue] = []
    changed: list[int] = []
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
            case JudgementRecord(about=AboutAnswer() as about):
                counts["judgements"] += 1
                place = book.run(record.model, record.setting), book.samples[record.sample_id]
                outcome, issue = save_judgement(*place, record, about, source)
                counts += outcome
                issues += [issue] if issue else []
            case JudgementRecord():
                counts["judgements"] += 1
                counts += _put(
                    Judgement,
                    _place(book, record) | {"kind": record.kind.value, "judge": record.judge, "trajectory": None},
                    {"verdict": record.verdict, "answer": record.answer, "extra": dict(record.extra)},
                    source,
                )
            case RolloutGroupRecord():
                counts["rollout_groups"] += 1
                outcome, group = _put_group(book, record, source)
                counts += outcome
                changed += [group] * (not outcome["unchanged"])
    if changed:
        keep_rewards(book.benchmark, settings_of(book.benchmark), changed)
    return SavedBatch(counts, issues)


def _place(book: RunRegistry, record: InterventionRecord | JudgementRecord) -> dict[str, Any]:
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


def _put_group(book: RunRegistry, record: RolloutGroupRecord, source: ImportRecord | None) -> tuple[Counter[str], int]:
    """Return the outcome for the row, and the group; rewards of a new or changed one must be computed."""
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
    if not counts["unchanged"]:
        RolloutGroup.objects.filter(pk=group.pk).update(reward_settings=None)
    return counts, group.pk


def delete_unused_models() -> None:
    """Delete the models that have no run left, except baselines and those that a person described."""
    Model.objects.filter(runs=None, baseline=False, url="").delete()
