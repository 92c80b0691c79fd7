"""Jobs of imports: starts them, and stores their numbers in the records."""

from __future__ import annotations

from annotation.common.notices import notify_imported
from annotation.models import ImportRecord
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.models import Job
from webapp.jobs.parts import STOPPED_BY_A_PERSON

State = ImportRecord.State
WORKING = (State.READING, State.RUNNING, State.UNDOING)
"""States in which a job works on an import."""


def start_job(record: ImportRecord, kind: str, *, actor: User, key: str) -> None:
    """Start a job of ``kind`` for ``record``; call inside a transaction. If a job with the same ``key`` is live for
    this record, it is kept and none is added.
    """
    job = enqueue_on_commit(
        kind,
        payload={"record_id": record.pk},
        actor=actor,
        values={"file": record.file_name},
        benchmark=record.benchmark.slug,
        key=f"{key}:{record.pk}",
    )
    record.job_id, record.error = str(job.pk), ""
    record.save(update_fields=["job_id", "error"])


def has_stopped(record: ImportRecord, job: Job | None) -> bool:
    """Return whether an unfinished import needs a person. ``job``: the one of the record, None if it was pruned."""
    return record.state in WORKING and (not job.is_live if job else bool(record.error))


def note_stopped(sentence: str, *, record_id: int) -> None:
    """Store in an unfinished import the reason why its job stopped; "": its job is running again."""
    record = ImportRecord.objects.filter(pk=record_id, state__in=WORKING).select_related("benchmark").first()
    if record is None:
        return
    ImportRecord.objects.filter(pk=record_id).update(error=sentence)
    if sentence and sentence != STOPPED_BY_A_PERSON and record.state != State.UNDOING:
        notify_imported(record, stopped=True)
