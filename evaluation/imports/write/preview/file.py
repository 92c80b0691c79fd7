"""The dry run: the whole file through the same reader and the same checks as the import, writing no row of it.

What it counts is what the import will count: batches end at the same places, and a record that comes twice is treated
as the import treats it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from django.db import transaction

from annotation.importers import IMPORTERS as SAMPLE_FORMATS
from annotation.importers.interface import ImportProblem, Progress
from annotation.importers.interface import ReadOptions as SampleOptions
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.importers.shapes import shape_of
from annotation.models import ImportRecord
from annotation.schema import Issue, Severity
from evaluation.importers import IMPORTERS as RUN_FORMATS
from evaluation.importers.interface import BoxSpace, ReadOptions, SampleIndex
from evaluation.imports.read.detectors import THRESHOLD, least_score
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import KEYS, columns_in, read_by
from evaluation.imports.read.samples import sample_index
from evaluation.imports.write.preview.runs import RunReading
from evaluation.imports.write.preview.samples import SampleReading
from evaluation.imports.write.upload import holds_runs_alone, path_of, pictures_of
from evaluation.metrics.settings import MetricSettings
from evaluation.scoring.settings import settings_of

Report = Callable[[Progress], None]
State, Kind = ImportRecord.State, ImportRecord.Kind

LINES = 200
"""Lines named of one kind of issue; all are counted."""
EXAMPLES = 3
SOON = 0.8
"""Seconds after which the first records are shown while the rest is read."""
STRANGERS = 30
"""Number of unknown sample names that are shown. They are the most frequent among at most this number of names:"""
NAMES = 5000
CUT = 200
"""From this number of characters on, an issue may not contain the whole name."""
ORDER = (Severity.REFUSED, Severity.REPAIRED, Severity.NOTED)


class IssueCollector:
    """Issues by severity and rule: how many, the first of each in full, the first lines."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str], dict[str, Any]] = {}
        self._unknown: Counter[str] = Counter()

    def take(self, issue: Issue) -> None:
        key = (issue.severity.value, issue.rule)
        group = self.groups.setdefault(
            key,
            {
                "severity": key[0],
                "rule": key[1],
                "count": 0,
                "done": issue.done,
                "lines": [],
                "rows": [],
                "examples": [],
            },
        )
        group["count"] += 1
        if (
            issue.rule in ("unknown-sample", "number-alone")
            and 0 < len(issue.found) < CUT
            and (issue.found in self._unknown or len(self._unknown) < NAMES)
        ):
            self._unknown[issue.found] += 1
        if issue.row and len(group["rows"]) < LINES:
            group["rows"].append(issue.row)
        elif issue.line is not None and len(group["lines"]) < LINES:
            group["lines"].append(issue.line)
        if len(group["examples"]) < EXAMPLES:
            example = {
                "place": issue.place,
                "file": issue.file,
                "field": issue.field,
                "found": issue.found,
                "done": issue.done,
            }
            group["examples"].append(example)

    def unknown_samples(self, samples: SampleIndex) -> list[dict[str, Any]]:
        """Names that no sample has, the most frequent first: how many rows, and the samples that have one like it."""
        names = self._unknown.most_common(STRANGERS)
        return [{"name": name, "rows": rows, "near": list(samples.near(name))} for name, rows in names]

    def as_list(self) -> list[dict[str, Any]]:
        """The worst first, then the most frequent."""
        order = {severity.value: place for place, severity in enumerate(ORDER)}
        return sorted(self.groups.values(), key=lambda group: (order[group["severity"]], -group["count"]))


def dry_run(record_id: int, report: Report) -> Mapping[str, Any]:
    """Read the file of a record that waits for it and keep what was found. Choices that changed meanwhile are obeyed:
    the file is read again. Returns the counts."""
    while True:
        record = ImportRecord.objects.select_related("benchmark").get(pk=record_id)
        if record.state != State.READING:
            return dict(record.preview.get("counts", {}))
        found = _read(record, report)
        if found["problem"] and not found.get("counts") and holds_runs_alone(record):
            continue
        if _change(record, found, State.PREVIEW):
            return dict(found.get("counts", {}))


def _read(record: ImportRecord, report: Report) -> dict[str, Any]:
    begun = time.monotonic()
    if not record.format or (record.format == KEYS and not record.options.get("mapping")):
        return {"problem": "", "counts": {}}
    issues = IssueCollector()
    read = _read_samples if record.kind == Kind.SAMPLES else _read_runs
    problem = ""
    found: dict[str, Any] = _columns(record)
    try:
        found |= read(record, issues, report)
    except ImportProblem as error:
        problem = str(error)
    return {**found, "problem": problem, "issues": issues.as_list(), "seconds": time.monotonic() - begun}


def _read_samples(record: ImportRecord, issues: IssueCollector, report: Report) -> dict[str, Any]:
    images = pictures_of(record)
    reading = SampleReading(record, images or path_of(record).parent, issues.take)
    chosen = record.options
    options = SampleOptions(
        images=images,
        mapping=SAMPLE_FIELDS.mapping_from(chosen["mapping"]) if chosen.get("mapping") else None,
        coordinates=chosen.get("coordinates", ""),
        polygons=record.benchmark.task.evidence.has_polygons,
    )
    stream = SAMPLE_FORMATS[record.format].read(path_of(record), options)
    reading.take_all(stream, _showing(record, reading, report))
    return {
        "counts": dict(reading.result.counts),
        "records": reading.shown(),
        "pictures": reading.pictures(),
        **_settings(record, reading.result),
    }


def _read_runs(record: ImportRecord, issues: IssueCollector, report: Report) -> dict[str, Any]:
    chosen = record.options
    options = ReadOptions(
        model=chosen["model"],
        setting=chosen["setting"],
        coordinates=BoxSpace.parse(chosen["coordinates"]) if chosen["coordinates"] else None,
        threshold=least_score(record.format, chosen.get(THRESHOLD, "")),
        **read_by(record.format, chosen.get("mapping")),
    )
    reading = RunReading(record, issues.take)
    samples = sample_index(record.benchmark)
    stream = RUN_FORMATS[record.format].read(path_of(record), options, samples)
    reading.take_all(stream, _showing(record, reading, report))
    return {
        "counts": reading.counts(),
        "records": reading.shown(),
        "runs": reading.runs(),
        "strangers": issues.unknown_samples(samples),
        "again": reading.again(),
        "gold": reading.gold(),
        "without": reading.samples_without_a_record(),
        "boxes": reading.boxes.as_dict(),
        "answers": reading.answers.report() if reading.answers else None,
        **_settings(record, reading.result),
    }


def _showing(record: ImportRecord, reading: RunReading | SampleReading, report: Report) -> Report:
    """``report``, and once reading takes longer than a moment, the records so far to look at meanwhile."""
    soon = time.monotonic() + SOON
    shown = False

    def told(progress: Progress) -> None:
        nonlocal shown
        if not shown and time.monotonic() > soon:
            shown = True
            _change(record, {"first": reading.shown()})
        report(progress)

    return told


def _columns(record: ImportRecord) -> dict[str, Any]:
    """Return the kind of a table, and its columns with examples, for the person who maps them."""
    if record.format != TABLE:
        return {}
    path = path_of(record)
    shape = shape_of(path)
    chosen = (record.options.get("mapping") or {}).get("list", "")
    columns = [asdict(column) for column in columns_in(path, chosen)]
    return {"columns": columns, "shape": shape.words, "lists": [name for name, _ in shape.lists]}


def _settings(record: ImportRecord, result: Any) -> dict[str, Any]:
    """Metric settings in the file, and their error."""
    if not result.settings:
        return {}
    try:
        MetricSettings.from_mapping({**settings_of(record.benchmark).changed(), **result.settings})
    except ValueError as error:
        return {"settings": result.settings, "settings_problem": str(error)}
    return {"settings": result.settings}


def _change(record: ImportRecord, found: dict[str, Any], state: ImportRecord.State = State.READING) -> bool:
    """Store what was found so far, or with the state of a preview in the end; unless the choices are others by now."""
    with transaction.atomic():
        now = ImportRecord.objects.select_for_update(no_key=True).get(pk=record.pk)
        if (now.kind, now.format, now.options) != (record.kind, record.format, record.options):
            return False
        now.preview = {"formats": now.preview.get("formats", {}), "choices": now.preview.get("choices", {}), **found}
        now.state = state
        now.save(update_fields=["preview", "state"])
    return True
