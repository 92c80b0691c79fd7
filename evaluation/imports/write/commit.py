"""The import of a committed record: through the same actions as the commands, then its scores if they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.common.access import allowed
from annotation.exchange.write.samples import WITH_RUNS, Checkpoint, import_samples
from annotation.importers.interface import ImportProblem, Progress
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Right
from evaluation.imports.write.both import runs_after_samples
from evaluation.imports.write.runs import import_runs
from evaluation.imports.write.upload import path_of, pictures_of
from evaluation.scoring.settings import change_settings
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError
from webapp.jobs.registry import Parts

State, Kind = ImportRecord.State, ImportRecord.Kind

Report = Callable[[Progress], None]
Score = Callable[[Benchmark], Parts | None]
"""Returns the runs to score as parts of the job, until none is left."""
Warn = Callable[[str], None]


def import_record(
    *,
    actor: User | None,
    record_id: int,
    report: Report,
    checkpoint: Checkpoint,
    warn: Warn,
    score: Score,
) -> dict[str, Any] | Parts:
    """Import the content of the dry run. After a crash it continues after the last saved batch; a completed record is
    only scored. Raises ``ApplicationError`` if nothing can be read.
    """
    record = ImportRecord.objects.select_related("benchmark").get(pk=record_id)
    if record.state != State.DONE:
        settings = _import(actor, record, report, checkpoint)
        if settings:
            _take_settings(actor, record, settings, warn)
        record.refresh_from_db()
    if record.options.get(WITH_RUNS):
        _import_runs_too(actor, record, report, checkpoint)
    if record.preview.get("choices", {}).get("score"):
        if actor is None or allowed(actor, record.benchmark, Right.SCORE):
            return score(record.benchmark) or dict(record.counts)
        warn("Not scored: your roles don't allow scoring. Ask the lead.")
    return dict(record.counts)


def _import(actor: User | None, record: ImportRecord, report: Report, checkpoint: Checkpoint) -> dict[str, Any]:
    path = path_of(record)
    try:
        if record.kind == Kind.SAMPLES:
            return import_samples(
                actor=actor, benchmark=record.benchmark, path=path, format=record.format, images=pictures_of(record),
                mapping=record.options.get("mapping"), coordinates=record.options.get("coordinates", ""),
                report=report, checkpoint=checkpoint, record=record,
            )[1].settings  # fmt: skip
        return import_runs(
            actor=actor, benchmark=record.benchmark, path=path, format=record.format, report=report,
            checkpoint=checkpoint, record=record, **record.options,
        )[1].settings  # fmt: skip
    except ImportProblem as problem:
        raise ApplicationError(str(problem), code="unreadable_file") from problem


def _import_runs_too(actor: User | None, record: ImportRecord, report: Report, checkpoint: Checkpoint) -> None:
    """Import the results of models from the same file as the samples."""
    named = {name: str(record.options.get(name, "")) for name in ("model", "setting", "coordinates", "lineage", "step")}
    try:
        runs_after_samples(
            actor=actor, record=record, path=path_of(record), report=report, checkpoint=checkpoint, **named
        )
    except ImportProblem as problem:
        raise ApplicationError(str(problem), code="unreadable_file") from problem


def _take_settings(actor: User | None, record: ImportRecord, values: dict[str, Any], warn: Warn) -> None:
    """The metric settings a native file carries become the benchmark's, as with the commands."""
    try:
        change_settings(actor=actor, benchmark=record.benchmark, values=values)
    except ApplicationError as error:
        warn(f"The metric settings of the file were ignored. {error.message}")
