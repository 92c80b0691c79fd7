"""Importing what models did: read, check, save in batches, remember where each batch ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.common.access import require
from annotation.exchange.write.samples import Checkpoint, fail_record, finish_record, keep_issues, open_record, remember
from annotation.models import Benchmark, ImportRecord, Sample
from annotation.workflow import Right
from evaluation.common.extraction.read import answer_keys
from evaluation.common.lineage.write import Place, place_of
from evaluation.common.saving.batches import WRITTEN, RunRegistry, save_others, save_trajectories
from evaluation.common.saving.merge_task_records import merge_records
from evaluation.detections import detections_in
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import (
    BoxSpace,
    ImportProblem,
    Position,
    Progress,
    ReadOptions,
    RunSummary,
    Settings,
    Unchanged,
)
from evaluation.imports.read.days import RECORDED_ON, begin_of_day
from evaluation.imports.read.detectors import THRESHOLD, DetectorRuns, least_score
from evaluation.imports.read.mappings import read_by
from evaluation.imports.read.samples import sample_index
from evaluation.imports.read.stored import recogniser
from evaluation.imports.write.preview.boxes import Size, boxes_outside
from evaluation.imports.write.replacement import (
    REPLACE,
    REPLACES,
    discard_staged_runs,
    require_replaceable,
    swap_in_staged_runs,
)
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.extraction import Tally
from evaluation.metrics.records import VERDICTS
from evaluation.models import Judgement as JudgementRow
from evaluation.models import Run
from evaluation.schema import Condition, Intervention, Issue, Judgement, RolloutGroup, Severity, Trajectory, shortened
from webapp.accounts.models import User
from webapp.common.bulk import StatisticsRefresher
from webapp.common.errors import Conflict
from webapp.common.garbage_collection import collect_recent, gc_paused

BATCH = 1000
ASSUMED = "image_assumed"
"""Counts trajectories that count as recorded on the present image although their sample had others."""
NAME, CONDITION = 200, 40
LARGEST_ROLLOUT = 2_000_000_000

Report = Callable[[Progress], None]


@dataclass
class Imported:
    """The result of an import of runs: counts by outcome, the affected runs, the first issues, its settings."""

    counts: Counter[str] = field(default_factory=Counter)
    runs: list[Run] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    summary: RunSummary | None = None


@gc_paused()
def import_runs(
    *,
    actor: User | None,
    benchmark: Benchmark,
    path: Path,
    format: str,
    model: str = "",
    setting: str = "",
    coordinates: str = "",
    threshold: str = "",
    mapping: Mapping[str, Any] | None = None,
    replace: bool = False,
    replaces: int = 0,
    lineage: str = "",
    step: int | str | None = None,
    recorded_on: str = "",
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
    record: ImportRecord | None = None,
    answers: Tally | None = None,
) -> tuple[ImportRecord, Imported]:
    """Import trajectories and related rows. Restartable and idempotent: importing the same file again changes nothing.

    ``threshold``: for a detector, the minimum score. ``mapping``: the fields of the columns of a table, for
    ``RUN_FIELDS``, or of the keys of a mapped file. ``replace``: rows of the file imported with other choices are
    replaced by the new ones, all at once; ``replaces``: so are the rows of the import with this number, whatever its
    file; see ``replace_runs``. ``lineage``, ``step``: those of the runs. ``recorded_on``: as of ``begin_of_day``.

    Raises ``ImportProblem`` if nothing of the file can be read; the record then also contains the reason.
    """
    require(actor, benchmark, Right.IMPORT_RUNS)
    space = BoxSpace.parse(coordinates) if coordinates else None
    score, chosen = least_score(format, threshold), read_by(format, mapping)
    options: dict[str, Any] = {"model": model, "setting": setting, "coordinates": coordinates}
    options.update(("mapping", one.as_dict()) for one in chosen.values())
    options |= {} if score is None else {THRESHOLD: threshold}
    if day := begin_of_day(recorded_on):
        options[RECORDED_ON] = recorded_on
    choices, place = dict(options), place_of(lineage, step)
    options |= {} if place is None else {"lineage": place.lineage, "step": place.step}
    if replaces:
        options[REPLACES] = require_replaceable(benchmark, replaces).pk
    if replace := replace or bool(replaces):
        options[REPLACE] = True
    record = record or open_record(
        actor=actor, benchmark=benchmark, kind=ImportRecord.Kind.RUNS, path=path, format=format, options=options
    )
    samples, start = sample_index(benchmark, record.created_at), Position(**(record.checkpoint or {}))
    reading = ReadOptions(model=model, setting=setting, coordinates=space, threshold=score, start=start, **chosen)
    known = recogniser(benchmark, IMPORTERS[format], choices, samples, anew=replace)
    saver = RunsSaver(
        actor, benchmark, record, replace=replace, checkpoint=checkpoint, answers=answers, place=place, day=day
    )
    try:
        saver.take_all(IMPORTERS[format].read(path, reading, samples, known), report)
    except ImportProblem as problem:
        discard_staged_runs(record)
        fail_record(record, problem)
        raise
    return record, saver.finish(replaces=replace)


class RunsSaver:
    """Collects records into batches; each batch is one transaction with its issues and its place in the file."""

    def __init__(
        self,
        actor: User | None,
        benchmark: Benchmark,
        record: ImportRecord,
        *,
        replace: bool = False,
        checkpoint: Checkpoint | None = None,
        answers: Tally | None = None,
        place: Place | None = None,
        samples: Sequence[Sample] | None = None,
        day: datetime | None = None,
        may_be_empty: bool = False,
    ) -> None:
        """``samples``: those that records can name, if the record is of a session and not of a file; ``day``: of the
        images that records without a statement are on, by default the arrival of the file; ``may_be_empty``: no row
        needs to be readable."""
        self.record, self.checkpoint, self._samples, self._may_be_empty = record, checkpoint, samples, may_be_empty
        keys = None if samples is None else {sample.key: sample.pk for sample in samples}
        at = day or (record.created_at if samples is None else None)
        self.book = RunRegistry(benchmark, actor, record if replace else None, place, keys, at)
        self.result = Imported(Counter(record.counts))
        self.trajectories: list[Trajectory | Unchanged] = []
        self.others: list[Intervention | Judgement | RolloutGroup] = []
        self.issues: list[Issue] = []
        self.growth = StatisticsRefresher(*WRITTEN)
        self.answers = answers
        self._people: dict[tuple[Any, ...], tuple[Any, ...]] | None = None
        self._detectors = DetectorRuns(benchmark, replaces=replace)
        self._assumed: Trajectory | None = None

    def take_all(self, stream: Iterator[Any], report: Report | None) -> None:
        for item in stream:
            match item:
                case Trajectory() | Intervention() | Judgement() | RolloutGroup():
                    self._take(item)
                case Unchanged():
                    self.trajectories.append(item)
                case Issue():
                    self.issues.append(item)
                case Settings():
                    self.result.settings |= dict(item.values)
                case RunSummary():
                    self.result.summary = item
                case Progress():
                    if len(self.trajectories) + len(self.others) + len(self.issues) >= BATCH:
                        self._flush(item.position)
                    if report:
                        report(item)
        if self.book.staged_for and not self._may_be_empty and not self._read_anything():
            raise ImportProblem("The file can't be read with these choices. Its earlier import is unchanged.")
        self._flush(None)

    def finish(self, *, replaces: bool) -> Imported:
        """End the import after its last batch. ``replaces``: its runs take their place now."""
        actor, counts = self.book.actor, self.result.counts
        if replaces:
            self.result.runs = swap_in_staged_runs(actor=actor, record=self.record, counts=counts)
        else:
            finish_record(actor, self.record, counts)
            self.result.runs = self.book.runs
        return self.result

    @cached_property
    def sizes(self) -> dict[str, Size]:
        """Width and height of the image of each sample."""
        if self._samples is not None:
            return {one.key: (one.width, one.height) for one in self._samples}
        rows = Sample.objects.filter(benchmark=self.book.benchmark).values_list("key", "width", "height")
        return {key: (width, height) for key, width, height in rows}

    def _read(self, item: Trajectory) -> None:
        """Count how the answer is read. A detector gives none."""
        if self.answers is None or item.condition != Condition.NONE or detections_in(item.extra) is not None:
            return
        if key := self._keys.get(item.sample_id):
            self.answers.take(item.answer, key, VERDICTS[item.judge_correct])

    @cached_property
    def _keys(self) -> dict[str, AnswerKey]:
        return answer_keys(self.book.benchmark)

    def _read_anything(self) -> bool:
        counts = self.result.counts
        return bool(self.trajectories or self.others or counts["new"] or counts["unchanged"])

    def _take(self, item: Trajectory | Intervention | Judgement | RolloutGroup) -> None:
        problem = self._misfit(item)
        if problem:
            self.issues.append(problem)
        elif isinstance(item, Judgement) and self._said_here(item):
            self.result.counts.update(judgements=1, unchanged=1)
        elif isinstance(item, Trajectory):
            self.issues += boxes_outside(item, self.sizes.get(item.sample_id, (None, None)))
            self.trajectories.append(item)
            self._read(item)
        else:
            self.others.append(item)

    def _misfit(self, item: Trajectory | Intervention | Judgement | RolloutGroup) -> Issue | None:
        if isinstance(item, Judgement) and (said := self._said_here(item)) and said != _said_by(item):
            done = "A person has already judged this under that name. Give the judge in the file another name."
            return Issue(
                Severity.REFUSED,
                "judge-is-a-person",
                item.file,
                item.line,
                "judge",
                shortened(item.judge),
                done,
                item.row,
            )
        if isinstance(item, RolloutGroup):
            checks = [("group_id", item.group_id, len(item.group_id) <= NAME, f"at most {NAME} characters are kept")]
        else:
            rollout = getattr(item, "rollout", 0)
            condition = getattr(item, "condition", "")
            if about := getattr(item, "about", None):
                rollout, condition = about.rollout, about.condition
            checks = [
                ("sample_id", item.sample_id, item.sample_id in self.book.samples, "the benchmark has no such sample"),
                ("model", item.model, 0 < len(item.model) <= NAME, f"a model name must have 1 to {NAME} characters"),
                ("setting", item.setting, len(item.setting) <= NAME, f"at most {NAME} characters are kept"),
                ("condition", condition, len(condition) <= CONDITION, f"at most {CONDITION} characters are kept"),
                ("rollout", str(rollout), 0 <= rollout <= LARGEST_ROLLOUT, f"0 to {LARGEST_ROLLOUT} are allowed"),
            ]
        for name, value, fits, rule in checks:
            if not fits:
                done = f"Rejected: {rule}. Correct the file and import it again."
                kind = "unknown-sample" if name == "sample_id" else "does-not-fit"
                return Issue(Severity.REFUSED, kind, item.file, item.line, name, shortened(value), done, item.row)
        return self._detectors.misfit(item) if isinstance(item, Trajectory) else None

    def _said_here(self, item: Judgement) -> tuple[Any, ...] | None:
        """Return a person's judgment here on the subject of a judgment without a trajectory, under its judge's name."""
        if item.about:
            return None
        if self._people is None:
            told = JudgementRow.objects.of(self.book.benchmark).given().filter(person__isnull=False).of_evaluated()
            about = ("run__model__name", "run__setting", "sample__key", "kind", "judge")
            rows = told.values_list(*about, "verdict", "answer", "extra")
            self._people = {row[: len(about)]: row[len(about) :] for row in rows}
        return self._people.get((item.model, item.setting, item.sample_id, item.kind.value, item.judge))

    def _note_assumed(self, records: Sequence[Trajectory], *, is_last: bool) -> None:
        """Count trajectories whose image is assumed. The last batch adds one issue about all of them."""
        counts = self.result.counts
        if records:
            counts[ASSUMED] += len(records)
            self._assumed = self._assumed or records[0]
        if is_last and (n := counts[ASSUMED]):
            place = (self._assumed.file, self._assumed.line) if self._assumed else ("", None)
            words = "1 row is on a sample" if n == 1 else f"{n:,} rows are on samples"
            done = (
                f"{words} whose image was replaced, without a statement of the image. The present one is assumed. If "
                "it is another one, state image_size or image_sha256, or choose the day on which they were recorded."
            )
            self.issues.append(Issue(Severity.NOTED, "image-assumed", *place, "image_size", "", done))

    def _flush(self, position: Position | None) -> None:
        self.trajectories = merge_records(self.book.benchmark, self.trajectories)
        try:
            self._save(position)
        except Conflict as conflict:
            raise ImportProblem(str(conflict.message)) from conflict

    def _save(self, position: Position | None) -> None:
        counts = self.result.counts
        with transaction.atomic():
            saved = save_trajectories(self.book, self.trajectories, self.record)
            counts.update(saved.counts)
            self.issues += saved.issues
            self._note_assumed(saved.assumed, is_last=position is None)
            others = save_others(self.book, self.others, self.record)
            counts.update(others.counts)
            self.issues += others.issues
            keep_issues(self.record, self.issues, counts)
            remember(self.record, position, counts, self.checkpoint)
        self.growth.add(saved.counts["new"] + saved.counts["changed"])
        room = 1000 - len(self.result.issues)
        self.result.issues += self.issues[: max(0, room)]
        self.trajectories, self.others, self.issues = [], [], []
        collect_recent()


def _said_by(item: Judgement) -> tuple[Any, ...]:
    return item.verdict, item.answer, dict(item.extra)
