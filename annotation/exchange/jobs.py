"""Jobs of uploads of images, and the sweep of uploads without an import."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from annotation.exchange.write.pictures import take_pictures
from annotation.exchange.write.records import note_stopped
from annotation.exchange.write.sweep import sweep_uploads
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, job


@job("annotation.pictures", title=gettext_noop("Upload of %(file)s"), stopped=note_stopped)
def pictures(context: JobContext, record_id: int) -> dict[str, Any]:
    return dict(
        take_pictures(
            record_id=record_id,
            report=lambda done, total: context.progress(done, total, unit=gettext_noop("images")),
            checkpoint=context.checkpoint,
        )
    )


@each_hour
def abandoned_uploads(now: datetime) -> int:
    return sweep_uploads(actor=None, now=now)
