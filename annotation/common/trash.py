"""The time for which deleted objects stay in the trash."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings


def gone_at(deleted_at: datetime) -> datetime:
    """When something that was deleted at this time is purged."""
    return deleted_at + timedelta(days=settings.TRASH_DAYS)


def deleted_before(now: datetime) -> datetime:
    """The latest time of deletion of objects that are purged now, exclusive."""
    return now - timedelta(days=settings.TRASH_DAYS)
