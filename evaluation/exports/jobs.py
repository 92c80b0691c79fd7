"""Jobs that write portable files, read uploaded ones and import them, and what is deleted of them each hour."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.exports.read.comparison import KIND
from evaluation.exports.write import comparison, files, uploads
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts, each_hour, job


@job(files.KIND, title=gettext_noop("Portable file of %(title)s"))
def write_export(
    context: JobContext, slug: str, number: int | None, named: bool, with_runs: bool = False
) -> dict[str, Any]:
    """``with_runs``: jobs of an earlier release do not have it."""
    return files.write_export(context, slug=slug, number=number, named=named, with_runs=with_runs)


@job(uploads.READ, title=gettext_noop("Check of %(file)s"), stopped=uploads.note_stopped)
def read_upload(context: JobContext, upload_id: str) -> dict[str, Any]:
    return uploads.read_upload(context, upload_id=upload_id)


@job(uploads.CREATE, title=gettext_noop("Benchmark from %(file)s"), stopped=uploads.note_stopped)
def import_upload(context: JobContext, upload_id: str) -> dict[str, Any] | Parts:
    return uploads.import_upload(context, upload_id=upload_id)


@job(uploads.UPDATE, title=gettext_noop("Update from %(file)s"), stopped=uploads.note_stopped)
def run_update(context: JobContext, upload_id: str) -> dict[str, Any] | Parts:
    return uploads.run_update(context, upload_id=upload_id)


@job(KIND, title=gettext_noop("Comparison of %(file)s"), stopped=comparison.note_stopped)
def compare(context: JobContext, slug: str, number: int | None, files: list[str], names: list[str]) -> dict[str, Any]:
    return comparison.compare(context, slug=slug, number=number, files=files, names=names)


@each_hour
def old_files(now: datetime) -> int:
    return files.delete_old_files(now)


@each_hour
def old_uploads(now: datetime) -> int:
    return uploads.delete_old_uploads(now)
