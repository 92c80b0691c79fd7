"""Sends due emails: one email per person with all entries. Called by a job only.

An email is sent before its entries are marked. If a worker fails in between, it is sent again with the same Message-ID,
and none is lost.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from smtplib import SMTPException
from urllib.parse import urlsplit

from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.links import on_site
from webapp.accounts.models import User
from webapp.notifications.links import unsubscribe_path
from webapp.notifications.mail_text import Line, body_of, subject_of
from webapp.notifications.models import Notification
from webapp.notifications.present import shown

logger = logging.getLogger(__name__)
TRY_AGAIN_AFTER = timedelta(minutes=5)
GIVE_UP_AFTER = timedelta(days=3)
"""After this time, an entry that could not be sent stays in the inbox only."""


def send_due(checkpoint: Callable[[], None]) -> int:
    """Send to everyone for whom an email is due; how many emails."""
    sent = 0
    due = Notification.objects.mail_due(timezone.now()).order_by().values_list("person", flat=True).distinct()
    for person in User.objects.filter(pk__in=list(due)).order_by("pk"):
        checkpoint()
        sent += _send_to(person)
    return sent


def _send_to(person: User) -> bool:
    now = timezone.now()
    rows = Notification.objects.of(person).mail_due(now)
    entries = list(rows.select_related("actor").order_by("changed_at", "pk"))
    if not entries:
        return False
    # Entries that change meanwhile are for the next email.
    seen = rows.filter(pk__in=[entry.pk for entry in entries], changed_at__lte=now)
    if not (person.is_active and person.email_verified):
        seen.update(mail_after=None)
        return False
    try:
        message_to(person, entries).send()
    except (SMTPException, OSError):
        logger.warning("An email with %s notifications was not sent; trying again.", len(entries), exc_info=True)
        seen.filter(changed_at__lt=now - GIVE_UP_AFTER).update(mail_after=None)
        seen.update(mail_after=now + TRY_AGAIN_AFTER)
        return False
    seen.update(mail_after=None, mailed_at=now)
    return True


def message_to(person: User, entries: Sequence[Notification]) -> EmailMessage:
    """The email with these entries, in plain text, with one-click unsubscription (RFC 8058)."""
    lines = []
    for entry in entries:
        one = shown(entry)
        group = str(entry.data.get("title", "")) or entry.benchmark
        lines.append(Line(group, one.words, on_site(one.path) if one.path else "", entry.count))
    body = body_of(
        lines, inbox=on_site(reverse("notifications:inbox")), settings=on_site(reverse("notifications:settings"))
    )
    unsubscribe = on_site(unsubscribe_path(person))
    body += f"End all emails of this kind: {unsubscribe}\n"
    named = hashlib.sha256(repr([(entry.pk, entry.count) for entry in entries]).encode()).hexdigest()[:32]
    host = urlsplit(on_site("/")).hostname or "localhost"
    return EmailMessage(
        f"{subject_of(lines)} · Sightline",
        body,
        None,
        [person.email],
        headers={
            "Message-ID": f"<notifications.{named}@{host}>",
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )
