"""The job that works on an import: put in the queue, and its number kept with the record."""

from __future__ import annotations

from annotation.models import ImportRecord
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit


def start_job(record: ImportRecord, kind: str, *, actor: User, doing: str, key: str) -> None:
    """Have a job of ``kind`` work on ``record``; call inside a transaction. ``doing``: what its title says it does.
    While a job of the same ``key`` is live for this record, that one is kept and none is added."""
    job = enqueue_on_commit(
        kind,
        payload={"record_id": record.pk},
        actor=actor,
        title=f"{doing} of {record.file_name}"[:200],
        benchmark=record.benchmark.slug,
        key=f"{key}:{record.pk}",
    )
    record.job_id = str(job.pk)
    record.save(update_fields=["job_id"])
