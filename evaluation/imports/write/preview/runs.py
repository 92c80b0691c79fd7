"""The dry run of a file of runs: which records are new, changed or there already, and how they would score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.exchange.write.samples import count_issues
from annotation.importers.interface import Position
from annotation.models import ImportRecord
from annotation.schema import Issue
from evaluation.common.saving.batches import digest, repeat_issue
from evaluation.common.saving.images import assumed_present, image_histories
from evaluation.common.saving.judgments import about_of, place_of, said_of
from evaluation.common.saving.merge_task_records import merge_records
from evaluation.imports.read.days import RECORDED_ON, begin_of_day
from evaluation.imports.read.gold import GoldShare, gold_column
from evaluation.imports.read.mappings import read_by
from evaluation.imports.write.preview.again import Key, ReimportPreview
from evaluation.imports.write.preview.boxes import BoxTally
from evaluation.imports.write.preview.reservoir import ReservoirSample, raw_rows
from evaluation.imports.write.preview.scores import shown_trajectories
from evaluation.imports.write.runs import RunsSaver
from evaluation.imports.write.upload import path_of
from evaluation.metrics.extraction import Tally
from evaluation.models import Intervention, Judgement, RolloutGroup, Run, Trajectory
from evaluation.models.querysets.runs import with_counts
from evaluation.schema import AboutAnswer
from evaluation.schema import Intervention as InterventionRecord
from evaluation.schema import Judgement as JudgementRecord
from evaluation.schema import RolloutGroup as RolloutGroupRecord
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.scoring.settings import settings_of

Other = InterventionRecord | JudgementRecord | RolloutGroupRecord

RUNS_SHOWN = 50


class RunReading(RunsSaver):
    """Takes records as the import takes them, and counts what it would write."""

    def __init__(self, record: ImportRecord, tell: Callable[[Issue], None]) -> None:
        day = begin_of_day(record.options.get(RECORDED_ON, ""))
        super().__init__(None, record.benchmark, record, answers=Tally(settings_of(record.benchmark)), day=day)
        self.result.counts = Counter()
        self.tell = tell
        self.boxes = BoxTally(self.sizes)
        self._there = {
            (run.model.name, run.setting): run
            for run in with_counts(Run.objects.filter(benchmark=record.benchmark).select_related("model"))
        }
        self._again = ReimportPreview(record)
        self._written: dict[int, int] = {}
        """Digest of each trajectory that this file has written so far, by its key. 64 bits of each suffice."""
        self._others_written: dict[int, int] = {}
        self._now_assumed: list[TrajectoryRecord] = []
        self._records: Counter[tuple[str, str]] = Counter()
        self._sampled: set[str] = set()
        self._draw: ReservoirSample[TrajectoryRecord] = ReservoirSample()
        column = gold_column(record.format, record.options.get("mapping"))
        self._gold = GoldShare(record.benchmark, column) if column else None

    def _flush(self, position: Position | None) -> None:
        """Counts one batch as ``evaluation.common.saving.batches`` writes it."""
        counts = self.result.counts
        self.trajectories = merge_records(self.record.benchmark, self.trajectories)
        read = [record for record in self.trajectories if isinstance(record, TrajectoryRecord)]
        self.issues += self._trajectories(read)
        self._note_assumed(self._now_assumed, is_last=position is None)
        issues = self.issues
        for other in self.others:
            counts[_name(other)] += 1
            outcome = self._other(other)
            if isinstance(outcome, Issue):
                issues.append(outcome)
            else:
                counts[outcome] += 1
        count_issues(issues, counts)
        for issue in issues:
            self.tell(issue)
        self.trajectories, self.others, self.issues = [], [], []

    def _trajectories(self, batch: Sequence[TrajectoryRecord]) -> list[Issue]:
        latest: dict[Key, TrajectoryRecord] = {}
        repeated = []
        for record in batch:
            key = _key(record)
            if key in latest:
                repeated.append(record)
            latest[key] = record
            self._note(key, record)
        stored = self._stored(latest)
        counts = self.result.counts
        written: list[tuple[int, TrajectoryRecord]] = []
        for key, record in latest.items():
            mark = _short(digest(record))
            ours = self._written.get(hash(key))
            if ours is not None:
                repeated.append(record)
            before = ours or stored.get(key)
            outcome = "new" if before is None else "unchanged" if before == mark else "changed"
            counts[outcome] += 1
            self._again.count(key, outcome)
            if outcome != "unchanged":
                self._written[hash(key)] = mark
                written.append((self.book.samples[key[2]], record))
        histories = image_histories({sample for sample, _ in written})
        self._now_assumed = assumed_present(written, histories, self.book.at)
        counts.update(
            trajectories=len(batch),
            repeated=len(repeated),
            failed=sum(1 for r in batch if r.error),
            steps=sum(len(r.steps) for r in batch),
        )
        return [repeat_issue(record) for record in repeated]

    def _note(self, key: Key, record: TrajectoryRecord) -> None:
        self._again.take(key)
        self._records[key[:2]] += 1
        self._sampled.add(record.sample_id)
        self._draw.take(key, record)
        self.boxes.take(record)
        if self._gold:
            self._gold.take(record)

    def _stored(self, keys: Mapping[Key, TrajectoryRecord]) -> dict[Key, int]:
        runs = {run.pk: name for name in {key[:2] for key in keys} if (run := self._there.get(name))}
        if not runs:
            return {}
        samples = {self.book.samples[key[2]] for key in keys}
        rows = Trajectory.objects.filter(run_id__in=runs, sample_id__in=samples).values_list(
            "run_id", "sample__key", "rollout", "condition", "digest"
        )
        return {(*runs[run], *place): _short(mark) for run, *place, mark in rows}  # type: ignore[misc]  # four of them

    def _other(self, record: Other) -> str | Issue:
        """new, changed or unchanged, as ``save_others`` counts it, or why it is rejected."""
        place, values = _place(record)
        before = self._others_written.get(hash(place))
        if before is None:
            stored = self._stored_other(record)
            if isinstance(stored, Issue):
                return stored
            before = None if stored is None else _mark(stored)
        mark = _mark(values)
        self._others_written[hash(place)] = mark
        if not isinstance(record, RolloutGroupRecord):
            self._records[record.model, record.setting] += 0
        outcome = "new" if before is None else "unchanged" if before == mark else "changed"
        self._again.count(place, outcome)
        return outcome

    def _stored_other(self, record: Other) -> Any:
        if isinstance(record, RolloutGroupRecord):
            group = RolloutGroup.objects.filter(benchmark=self.record.benchmark, group_id=record.group_id).first()
            if group is None:
                return None
            rollouts = group.rollouts.values_list("image_tokens", "acc", "format", "sufficient")
            return [group.alpha, group.extra, list(rollouts)]
        run = self._there.get((record.model, record.setting))
        of = {"run": run, "sample__key": record.sample_id}
        row: Any
        if isinstance(record, InterventionRecord):
            row = Intervention.objects.filter(**of, condition=record.condition).first()
            return row and [row.correct, row.answer, row.extra]
        if record.about is None:
            row = Judgement.objects.filter(**of, kind=record.kind.value, judge=record.judge, trajectory=None).first()
            return row and [row.verdict, row.answer, row.extra]
        if hash(_judged(record, record.about)) in self._written:
            # The text of a trajectory that this file changes is compared once it is stored.
            row = Judgement.objects.filter(**of, **about_of(record, record.about)).first()
        else:
            found = place_of(run, self.book.samples[record.sample_id], record, record.about)
            if isinstance(found, Issue):
                return found
            row = found[1]
        return row and [getattr(row, name) for name in said_of(record, record.about)]

    def runs(self) -> list[dict[str, Any]]:
        """The runs the file would make or add to."""
        return [
            {
                "model": model,
                "setting": setting,
                "records": count,
                "there": getattr(self._there.get((model, setting)), "trajectories_n", None),
            }
            for (model, setting), count in self._records.most_common(RUNS_SHOWN)
        ]

    def counts(self) -> dict[str, int]:
        """Return the counts of the import."""
        counts = self.result.counts.copy()
        counts.update(self._again.corrections(self._records))
        return dict(+counts)

    def again(self) -> dict[str, Any]:
        """The earlier reading of this file under other choices, if there is one."""
        return self._again.as_dict(self._records)

    def gold(self) -> dict[str, Any]:
        """Notes on answers that are read from a column of gold answers."""
        return self._gold.as_dict() if self._gold else {}

    def samples_without_a_record(self) -> int:
        return len(self.book.samples.keys() - self._sampled)

    def shown(self) -> list[dict[str, Any]]:
        """The drawn trajectories, scored, as the page shows them."""
        drawn = self._draw.records()
        mapped = read_by(self.record.format, self.record.options.get("mapping")).get("keys")
        places = [(r.file, r.row or r.line, r.sample_id) for r in drawn]
        raws = raw_rows(path_of(self.record), places, self.record.format, mapped)
        return shown_trajectories(self.record.benchmark, drawn, raws)


def _key(record: TrajectoryRecord) -> Key:
    return record.model, record.setting, record.sample_id, record.rollout, str(record.condition)


def _judged(record: JudgementRecord, about: AboutAnswer) -> Key:
    """The key of the trajectory that a record judges."""
    return record.model, record.setting, record.sample_id, about.rollout, str(about.condition)


def _short(digest: str) -> int:
    return int(digest[:16], 16)


def _mark(values: list[Any]) -> int:
    return hash(json.dumps(values, sort_keys=True, default=str))


def _name(record: Other) -> str:
    return {InterventionRecord: "interventions", JudgementRecord: "judgements"}.get(type(record), "rollout_groups")


def _place(record: Other) -> tuple[Any, list[Any]]:
    """Return the identity of such a record, and the values that are compared."""
    place: tuple[Any, ...]
    match record:
        case InterventionRecord():
            place = ("intervention", record.model, record.setting, record.sample_id, str(record.condition))
            return place, [record.correct, record.answer, dict(record.extra)]
        case JudgementRecord(about=AboutAnswer() as about):
            whose = "" if about.decides else record.judge
            named = ("answer", record.model, record.setting, record.sample_id)
            place = (*named, about.rollout, about.condition, record.kind.value, whose, about.decides)
            return place, list(said_of(record, about).values())
        case JudgementRecord():
            place = ("judgement", record.model, record.setting, record.sample_id, record.kind.value, record.judge)
            return place, [record.verdict, record.answer, dict(record.extra)]
        case RolloutGroupRecord():
            rows = [(r.image_tokens, r.acc, r.format, r.sufficient) for r in record.rollouts]
            return ("group", record.group_id), [record.alpha, dict(record.extra), rows]
