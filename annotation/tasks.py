"""Bodies of the background jobs and sweeps of this half; each calls one action."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from annotation.actions import changes, sweep_uploads, upload_pictures
from annotation.actions import make_tiles as tiles_action
from annotation.actions.import_jobs import note_stopped
from webapp.common import audit
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, job


@job("annotation.tiles", title="Tiles")
def tiles(context: JobContext, image_id: int) -> dict[str, Any]:
    return dict(tiles_action.make_tiles(context, image_id=image_id))


@job("annotation.pictures", title="Upload", stopped=note_stopped)
def pictures(context: JobContext, record_id: int) -> dict[str, Any]:
    return dict(
        upload_pictures.take_pictures(
            record_id=record_id,
            report=lambda done, total: context.progress(done, total, unit="pictures"),
            checkpoint=context.checkpoint,
        )
    )


@each_hour
def audit_seals(now: datetime) -> int:
    return audit.seal()


@each_hour
def folded_changes(now: datetime) -> int:
    return changes.fold_changes()


@each_hour
def abandoned_uploads(now: datetime) -> int:
    return sweep_uploads.sweep_uploads(actor=None, now=now)
