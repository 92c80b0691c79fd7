"""The kinds of a webhook as text."""

from __future__ import annotations

from annotation.models import Webhook
from webapp.notifications.kinds import Kind


def kinds_words(webhook: Webhook) -> str:
    """The kinds that it gets, in their order."""
    return ", ".join(str(Kind(kind).label) for kind in Kind.values if kind in webhook.kinds)
