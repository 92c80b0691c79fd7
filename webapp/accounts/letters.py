"""Emails. They are sent in the background: the time of a page must not reveal whether an address has an account, and a
mail server that hangs delays no page."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)
DELAY_SECONDS = 1.0
"""Sending at once would slow the answer down by some milliseconds, which can be measured."""
_SENDER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="email")


def send(template: str, to: str, **context: str) -> Future[None]:
    """Send ``accounts/emails/TEMPLATE.txt``, whose first line is the subject."""
    lines = {name: " ".join(value.split()) for name, value in context.items()}
    context = lines | {"email": to, "site": urlsplit(settings.SITE_URL).netloc}
    return _SENDER.submit(_deliver, template, to, context, time.monotonic() + DELAY_SECONDS)


def _deliver(template: str, to: str, context: dict[str, str], due: float) -> None:
    time.sleep(max(0, due - time.monotonic()))
    try:
        subject, _, text = render_to_string(f"accounts/emails/{template}.txt", context).strip().partition("\n")
        send_mail(subject, text.strip() + "\n", None, [to])
    except Exception:
        logger.exception("An email was not sent. Check EMAIL_URL and EMAIL_FROM.")
