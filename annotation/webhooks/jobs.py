"""Deliveries are sent by a job, after an act or when they are due; old ones are deleted each hour."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from annotation.common.reports import DELIVER
from annotation.models import WebhookDelivery
from annotation.webhooks.write import delete_old, deliver_due
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, each_minute, job


@job(DELIVER, title=gettext_noop("Deliveries of webhooks"))
def deliver(context: JobContext) -> dict[str, Any]:
    return {"delivered": deliver_due(context.checkpoint)}


@each_minute
def due_deliveries(now: datetime) -> int:
    """Send what is due again, and deliveries that a job missed in its last moments."""
    if not WebhookDelivery.objects.due().exists():
        return 0
    enqueue_on_commit(DELIVER, payload={}, actor=None, key=DELIVER)
    return 1


@each_hour
def old_deliveries(now: datetime) -> int:
    return delete_old(now)
