"""Bodies of the background jobs of this half; each calls one action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from annotation.actions.import_jobs import note_stopped
from annotation.importers.interface import Progress
from evaluation.actions import dry_run as dry_run_action
from evaluation.actions import dry_run_commit
from evaluation.actions import undo_import as undo_action
from evaluation.actions.delete_run import KIND as DELETE_RUN
from evaluation.actions.delete_run import delete_run as delete_run_action
from evaluation.actions.keep_run_replays import KIND as REPLAY_RUN
from evaluation.actions.keep_run_replays import keep_run_replays
from evaluation.actions.queue_scoring import KIND as SCORE
from evaluation.actions.queue_scoring import PART as SCORE_RUN
from evaluation.actions.queue_scoring import score_in_job, score_in_parts, score_part
from evaluation.store.files import sweep_files
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts, each_hour, job


@job(SCORE, title="Score")
def score(context: JobContext, benchmark_id: int) -> dict[str, Any] | Parts:
    return score_in_job(context, benchmark_id=benchmark_id)


@job(SCORE_RUN, title="Score")
def score_run(context: JobContext, run_id: int, revision: int) -> None:
    """``revision``: of the run when the part was handed out."""
    score_part(context, run_id=run_id)


@job("evaluation.dry_run", title="Read", stopped=note_stopped)
def dry_run(context: JobContext, record_id: int) -> dict[str, Any]:
    return dict(dry_run_action.dry_run(record_id, _in_kilobytes(context)))


@job("evaluation.import", title="Import", stopped=note_stopped)
def import_record(context: JobContext, record_id: int) -> dict[str, Any] | Parts:
    return dry_run_commit.import_record(
        actor=context.job.created_by,
        record_id=record_id,
        report=_in_kilobytes(context),
        checkpoint=context.checkpoint,
        warn=context.warn,
        score=lambda benchmark: score_in_parts(context, benchmark),
    )


@job("evaluation.undo_import", title="Undo", stopped=note_stopped)
def undo_import(context: JobContext, record_id: int) -> dict[str, Any]:
    return undo_action.undo_import(
        record_id=record_id,
        report=lambda done, total: context.progress(done, total, unit="rows"),
        checkpoint=context.checkpoint,
    )


@job(DELETE_RUN, title="Delete")
def delete_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return delete_run_action(context, run_id=run_id)


@job(REPLAY_RUN, title="Replay")
def replay_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return keep_run_replays(context, run_id=run_id)


def _in_kilobytes(context: JobContext) -> Callable[[Progress], None]:
    """How far a file is read; bytes themselves would not fit the columns of a job."""

    def report(progress: Progress) -> None:
        total = max(1, progress.bytes_total // 1000)
        context.progress(min(total, progress.bytes_read // 1000), total, unit="kB")

    return report


@each_hour
def unnamed_files(now: datetime) -> int:
    return sweep_files(now)
