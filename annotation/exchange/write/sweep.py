"""Removing what was uploaded and never imported: its record, its objects, and what an upload that broke off left."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from annotation.exchange.write.files import PREFIX, object_name, sha256_of, tidy_scratch
from annotation.models import ImportRecord, PortableUpload
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.jobs.models import Job

UNFINISHED = timedelta(days=1)
"""After this long, an unfinished upload is considered abandoned."""
PREVIEWS = "previews"

State = ImportRecord.State
UNDECIDED = (State.READING, State.PREVIEW)


def preview_folder(record_id: int) -> str:
    """Return the folder in the object store with the images of an import's preview. They are deleted with
    its record.
    """
    return f"{PREVIEWS}/{record_id}"


def sweep_uploads(*, actor: User | None, now: datetime) -> int:
    """Remove uploads that wait for a decision since before ``UPLOAD_KEEP_DAYS``; how many records went.

    Sending the file again begins a new wait. A file that was imported, or whose import has begun, stays.
    """
    before = now - timedelta(days=settings.UPLOAD_KEEP_DAYS)
    there = ImportRecord.objects.filter(benchmark__deleted_at=None)
    waiting = there.filter(state__in=UNDECIDED, created_at__lt=before).exclude(upload="")
    dropped = [_drop(actor, pk, before) for pk in waiting.order_by("pk").values_list("pk", flat=True)]
    _remove_files(before, now - UNFINISHED)
    _remove_previews()
    tidy_scratch(now.timestamp())
    return sum(dropped)


def _drop(actor: User | None, pk: int, before: datetime) -> bool:
    """Delete the record, unless a person has decided, sent the file again, or has it read just now."""
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .filter(pk=pk)
            .first()
        )
        if record is None or record.state not in UNDECIDED:
            return False
        sent = objects.modified(object_name(sha256_of(record.upload)))
        if sent is not None and sent >= before:
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
    """Objects that no record needs, and what broke off while it was written.

    The file that is sent again at this moment is written again, and so is young enough to stay.
    """
    needed = _needed()
    for name in list(objects.names(PREFIX)):
        if name not in needed:
            sent = objects.modified(name)
            if sent is not None and sent < (unfinished if name.endswith(objects.PART) else before):
                objects.delete(name)


def _needed() -> set[str]:
    """Names of the objects that records need: their own file, its images, or the images they are still reading."""
    kept = ImportRecord.objects.exclude(upload="").exclude(state=State.UNDONE)
    found: set[str] = set()
    for upload, options in kept.values_list("upload", "options"):
        found.update((sha256_of(upload), options.get("images", "")))
    for options in ImportRecord.objects.filter(upload="", state=State.RUNNING).values_list("options", flat=True):
        found.update(map(sha256_of, options.get("files", [])))
    found.update(map(sha256_of, PortableUpload.objects.exclude(upload="").values_list("upload", flat=True)))
    return set(map(object_name, found))


def _remove_previews() -> None:
    """Images of previews whose record is gone."""
    there = objects.folders(PREVIEWS)
    kept = set(ImportRecord.objects.filter(pk__in=there).values_list("pk", flat=True))
    for number in there:
        if int(number) not in kept:
            objects.delete_folder(preview_folder(int(number)))
