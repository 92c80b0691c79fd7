"""Bodies of the background jobs of this half; each calls one action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from annotation.exchange.write.records import note_stopped
from annotation.importers.interface import Progress
from evaluation.imports.write import commit as dry_run_commit
from evaluation.imports.write import undo as undo_action
from evaluation.imports.write.preview import file as dry_run_action
from evaluation.imports.write.sessions import close_idle_sessions
from evaluation.scoring.queue import score_in_parts
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts, each_hour, job


@job("evaluation.dry_run", title=gettext_noop("Preview of %(file)s"), stopped=note_stopped)
def dry_run(context: JobContext, record_id: int) -> dict[str, Any]:
    return dict(dry_run_action.dry_run(record_id, _in_kilobytes(context)))


@job("evaluation.import", title=gettext_noop("Import of %(file)s"), stopped=note_stopped)
def import_record(context: JobContext, record_id: int) -> dict[str, Any] | Parts:
    return dry_run_commit.import_record(
        actor=context.job.created_by,
        record_id=record_id,
        report=_in_kilobytes(context),
        checkpoint=context.checkpoint,
        warn=context.warn,
        score=lambda benchmark: score_in_parts(context, benchmark),
    )


@job("evaluation.undo_import", title=gettext_noop("Undo import of %(file)s"), stopped=note_stopped)
def undo_import(context: JobContext, record_id: int) -> dict[str, Any]:
    return undo_action.undo_import(
        record_id=record_id,
        report=lambda done, total: context.progress(done, total, unit=gettext_noop("rows")),
        checkpoint=context.checkpoint,
    )


@each_hour
def idle_sessions(now: datetime) -> int:
    return close_idle_sessions(now)


def _in_kilobytes(context: JobContext) -> Callable[[Progress], None]:
    """Report the progress of a file in kilobytes, because bytes would not fit the columns of a job."""

    def report(progress: Progress) -> None:
        total = max(1, progress.bytes_total // 1000)
        context.progress(min(total, progress.bytes_read // 1000), total, unit="kB")

    return report
