"""Removing what was uploaded and never imported: its record, its files, and what an upload that broke off left."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction

from annotation.actions.upload_files import uploads
from annotation.models import ImportRecord
from webapp.accounts.models import User
from webapp.common import audit
from webapp.jobs.models import Job

UNFINISHED = timedelta(days=1)
"""What an upload has not finished after so long, nobody is sending any more."""

State = ImportRecord.State
UNDECIDED = (State.READING, State.PREVIEW)


def sweep_uploads(*, actor: User | None, now: datetime) -> int:
    """Remove uploads that wait for a decision since before ``UPLOAD_KEEP_DAYS``; how many records went.

    Sending the file again begins a new wait. A file that was imported, or whose import has begun, stays.
    """
    before = now - timedelta(days=settings.UPLOAD_KEEP_DAYS)
    waiting = ImportRecord.objects.filter(state__in=UNDECIDED, created_at__lt=before).exclude(upload="")
    dropped = [_drop(actor, pk, before) for pk in waiting.order_by("pk").values_list("pk", flat=True)]
    _remove_files(before, now - UNFINISHED)
    return sum(dropped)


def _drop(actor: User | None, pk: int, before: datetime) -> bool:
    """Delete the record, unless somebody has decided, sent the file again, or has it read just now."""
    with transaction.atomic():
        record = ImportRecord.objects.select_for_update().select_related("benchmark").filter(pk=pk).first()
        if record is None or record.state not in UNDECIDED or _younger(_folder(record.upload), before):
            return False
        if record.job_id and Job.objects.live().filter(pk=record.job_id).exists():
            return False
        audit.record(
            actor=actor, action="import.abandon", subject=record, benchmark=record.benchmark.slug, before=record.state,
            data={"file": record.file_name, "bytes": record.bytes},
        )  # fmt: skip
        record.delete()
    return True


def _remove_files(before: datetime, unfinished: datetime) -> None:
    """Folders that no record needs, and what broke off inside the others."""
    if not uploads().is_dir():
        return
    needed = _needed()
    for path in uploads().iterdir():
        if path.suffix == ".part":
            _remove(path, unfinished)
        elif path.is_dir() and path.name not in needed:
            _remove(path, before)
        elif path.is_dir():
            for part in path.glob("*.part"):
                _remove(part, unfinished)


def _needed() -> set[str]:
    """Names of the folders that records stand on: their own file, or the pictures they still take in."""
    files = set(ImportRecord.objects.exclude(upload="").values_list("upload", flat=True))
    for options in ImportRecord.objects.filter(upload="", state=State.RUNNING).values_list("options", flat=True):
        files.update(options.get("files", []))
    return {_folder(file).name for file in files}


def _folder(upload: str) -> Path:
    return uploads() / upload.partition("/")[0]


def _younger(path: Path, moment: datetime) -> bool:
    return path.exists() and path.stat().st_mtime >= moment.timestamp()


def _remove(path: Path, before: datetime) -> None:
    """Under another name first, so that the same file, sent at this moment, gets a folder of its own."""
    if _younger(path, before):
        return
    if path.is_dir():
        gone = path if path.suffix == ".part" else path.rename(path.with_suffix(".part"))
        shutil.rmtree(gone, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
