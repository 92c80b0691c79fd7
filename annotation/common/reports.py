"""Events of a benchmark for its webhooks. Call inside the transaction of the act; a job sends them.

Everyone who reads a channel of a chat sees what is sent to it, and annotators may be among them. Reports therefore name
no author of an annotation, and say nothing of gold checks, of single acceptances, or of the pause of one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from annotation.models import Benchmark, Webhook, WebhookDelivery
from annotation.outgoing.webhooks import body_of, new_id
from webapp.accounts.links import on_site
from webapp.jobs.actions import enqueue_on_commit

DELIVER = "annotation.deliver_webhooks"
KINDS = (
    "assigned", "returned", "dispute", "reply", "mention", "deadline", "pause", "guideline", "invitation", "import",
    "freeze",
)  # fmt: skip
"""Of ``webapp.notifications.kinds.Kind``, those that webhooks can get."""
TEST = "test"


def report(
    kind: str, benchmark: Benchmark, text: str, *, path: str = "", data: Mapping[str, Any] | None = None
) -> None:
    """Store an event for the webhooks of the benchmark that want this kind. ``text`` is English. One query if there is
    no webhook.
    """
    webhooks = [one for one in Webhook.objects.filter(benchmark=benchmark, active=True) if kind in one.kinds]
    if webhooks:
        keep_event(kind, benchmark, webhooks, text, path=path, data=data)


def keep_event(
    kind: str, benchmark: Benchmark, webhooks: list[Webhook], text: str, *, path: str = "",
    data: Mapping[str, Any] | None = None,
) -> list[WebhookDelivery]:  # fmt: skip
    """Keep an event for these webhooks, under one id, and have it sent after the commit."""
    now, event = timezone.now(), new_id()
    about_it = {"benchmark": benchmark.slug, "title": benchmark.title, **(data or {})}
    if path:
        about_it["url"] = on_site(path)
    words = f"{benchmark.title}: {text}"
    made = WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(
                webhook=one, event=event, kind=kind, not_before=now,
                body=body_of(one.format, kind, now.isoformat(timespec="seconds"), words, about_it),
            )
            for one in webhooks
        ]
    )  # fmt: skip
    enqueue_on_commit(DELIVER, payload={}, actor=None, key=DELIVER)
    return made
