"""Emails are sent by a job, after an act or when they are due; old entries are deleted each hour."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_noop

from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, each_minute, job
from webapp.notifications.mail import send_due
from webapp.notifications.models import Notification
from webapp.notifications.write import SEND, delete_old


@job(SEND, title=gettext_noop("Emails with notifications"))
def send(context: JobContext) -> dict[str, Any]:
    return {"emails": send_due(context.checkpoint)}


@each_minute
def due_emails(now: datetime) -> int:
    """Send emails that are due now, and those that a job missed in its last moments."""
    if not settings.SENDS_EMAIL or not Notification.objects.mail_due(now).exists():
        return 0
    enqueue_on_commit(SEND, payload={}, actor=None, key=SEND)
    return 1


@each_hour
def old_notifications(now: datetime) -> int:
    return delete_old(now)
