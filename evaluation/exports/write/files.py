"""Writing a portable file in a job, and keeping it for a day."""

from __future__ import annotations

import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark, Version
from annotation.portable.read.project import export_project, portable_name
from annotation.portable.read.version import version_numbered
from annotation.project_file import Manifest
from annotation.workflow import Right
from evaluation.exports.read.runs import RunsInFile
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, NotFound
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

KIND = "evaluation.portable_export"
PREFIX = "portable"
KEPT = timedelta(days=1)
"""How long a written file can be downloaded."""


def start_export(*, actor: User, benchmark: Benchmark, number: int | None, named: bool, with_runs: bool = False) -> Job:
    """Have a job write the portable file of the working state, or of the version ``number``. ``with_runs`` needs the
    permission to export results. Raises ``NotFound``, ``NotAllowed``."""
    require(actor, benchmark, Right.MANAGE)
    if with_runs:
        require(actor, benchmark, Right.EXPORT)
    if number is not None:
        version_numbered(benchmark, number)
    with transaction.atomic():
        return enqueue_on_commit(
            KIND,
            payload={"slug": benchmark.slug, "number": number, "named": named, "with_runs": with_runs},
            actor=actor,
            values={"title": benchmark.title},
            benchmark=benchmark.slug,
            key=f"portable:{benchmark.pk}:{number or 0}:{named}:{with_runs}:{actor.pk}",
        )


def write_export(context: JobContext, *, slug: str, number: int | None, named: bool, with_runs: bool) -> dict[str, Any]:
    """Write the file to the object store under the number of the job."""
    benchmark: Benchmark = Benchmark.objects.get(slug=slug)
    version = None if number is None else version_numbered(benchmark, number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with path.open("wb") as out:
            manifest = export_file(
                actor=context.job.created_by, benchmark=benchmark, out=out, named=named, version=version,
                with_runs=with_runs,
            )  # fmt: skip
        objects.put(_name(context.job.pk), path)
        size = path.stat().st_size
    context.result_url = reverse("evaluation:portable-file", args=[slug, context.job.pk])
    return {"file": portable_name(benchmark, version), "bytes": size, "checksum": manifest.checksum}


def export_file(
    *,
    actor: User | None,
    benchmark: Benchmark,
    out: IO[bytes],
    named: bool,
    version: Version | None = None,
    with_runs: bool = False,
) -> Manifest:
    """Write the portable file to ``out``. ``with_runs``: with the finished runs that ``actor`` may read. Raises
    ``NotAllowed`` for an actor who judges its results at the moment."""
    if with_runs:
        require(actor, benchmark, Right.EXPORT)
    runs = RunsInFile(benchmark, actor, version) if with_runs else None
    return export_project(actor=actor, benchmark=benchmark, out=out, named=named, version=version, further=runs)


def export_of(benchmark: Benchmark, job_id: UUID) -> Job:
    """The job that writes a file of this benchmark. Raises ``NotFound``."""
    job = Job.objects.filter(pk=job_id, kind=KIND, benchmark=benchmark.slug).first()
    if job is None:
        raise NotFound(gettext("No such export of %(title)s.") % {"title": benchmark.title})
    return job


def written_file(job: Job) -> tuple[str, Any]:
    """The name and the open file of an export. Raises ``Conflict`` while the job runs, ``NotFound`` afterward."""
    if job.is_live:
        raise Conflict(gettext("The file is still being written. Ask for the job first."), code="not_ready")
    if job.state != Job.State.DONE or not objects.exists(_name(job.pk)):
        raise NotFound(gettext("This file was not written, or it was deleted after a day. Export it again."))
    return str(job.result["file"]), objects.open_object(_name(job.pk))


def delete_old_files(now: datetime) -> int:
    """Delete files that were written more than a day ago."""
    gone = 0
    for name in list(objects.names(PREFIX)):
        written = objects.modified(name)
        if written is not None and written < now - KEPT:
            objects.delete(name)
            gone += 1
    return gone


def _name(job_id: UUID) -> str:
    return f"{PREFIX}/{job_id}.sightline"
