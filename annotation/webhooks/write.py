"""Adding and changing webhooks, and sending what is due.

A delivery is counted and postponed before it is sent. A worker that vanishes in between therefore repeats it, with the
same id, and loses none.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_disabled
from annotation.common.reports import DELIVER, KINDS, TEST, keep_event
from annotation.models import Benchmark, Webhook, WebhookDelivery
from annotation.outgoing.addresses import Address, AddressRejected
from annotation.outgoing.posting import send
from annotation.outgoing.sealing import SealBroken, Sealer, SealingUnavailable
from annotation.outgoing.webhooks import TRIES, delay_after, headers, new_secret
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.actions import enqueue_on_commit

VARIABLE = "SIGHTLINE_WEBHOOK_HOSTS"
MOST = 20
"""Webhooks of one benchmark."""
KEEP = timedelta(days=30)
GONE = 410
"""The receiver asks for no more messages."""
State = WebhookDelivery.State


def address_of(url: str) -> Address:
    """The address of a webhook, checked as text, without its query. Raises ``AddressRejected``."""
    return Address(url.split("?")[0], tuple(settings.WEBHOOK_HOSTS), VARIABLE)


def add_webhook(
    *, actor: User | None, benchmark: Benchmark, url: str, format: str, kinds: Collection[str]
) -> tuple[Webhook, str]:
    """Add a webhook. The second is its secret, which is shown once. Raises ``InvalidInput`` naming the field."""
    require(actor, benchmark, Right.MANAGE)
    if format not in Webhook.Format.values:
        raise InvalidInput(gettext("Choose a format."), field="format")
    _check(url.strip(), kinds)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        if benchmark.webhooks.count() >= MOST:
            raise Conflict(gettext("A benchmark can have at most %(most)s webhooks.") % {"most": MOST})
        made = Webhook.objects.create(
            benchmark=benchmark, url=url.strip(), format=format, kinds=sorted(set(kinds)), created_by=actor
        )
        secret = _renew(made)
        _note(actor, made, "add", {"host": address_of(made.url).origin, "kinds": made.kinds, "format": format})
    return made, secret


def _check(url: str, kinds: Collection[str]) -> None:
    try:
        address_of(url)
    except AddressRejected as rejected:
        raise InvalidInput(str(rejected), field="url") from rejected
    if not kinds or set(kinds) - set(KINDS):
        raise InvalidInput(gettext("Choose at least one kind of event."), field="kinds")


def _renew(webhook: Webhook) -> str:
    secret = new_secret()
    try:
        sealed = Sealer(settings.SEAL_KEY).seal(secret, owner=_owner(webhook), address=address_of(webhook.url))
    except SealingUnavailable as error:
        raise InvalidInput(gettext("Webhooks need SIGHTLINE_SEAL_KEY on the server. Ask an administrator.")) from error
    Webhook.objects.filter(pk=webhook.pk).update(secret=sealed)
    webhook.secret = sealed
    return secret


def _owner(webhook: Webhook) -> str:
    return f"webhook {webhook.pk}"


def change_webhook(
    *,
    actor: User | None,
    webhook: Webhook,
    url: str | None = None,
    kinds: Collection[str] | None = None,
    active: bool | None = None,
) -> list[str]:
    """Change the address or the events, or enable or disable the webhook; the names of what changed. The secret stays,
    and what waits to be sent goes to the new address."""  # fmt: skip
    require(actor, webhook.benchmark, Right.MANAGE)
    wanted: dict[str, Any] = {}
    if url is not None:
        wanted["url"] = url.strip()
    if kinds is not None:
        wanted["kinds"] = sorted(set(kinds))
    if wanted:
        _check(wanted.get("url", webhook.url), wanted.get("kinds", webhook.kinds))
    if active is not None:
        wanted["active"] = active
    with transaction.atomic():
        stored = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
        changed = {name: value for name, value in wanted.items() if getattr(stored, name) != value}
        if changed:
            resealed = {"secret": _resealed(stored, changed["url"])} if "url" in changed else {}
            Webhook.objects.filter(pk=webhook.pk).update(**changed, **resealed, **({"problem": ""} if active else {}))
            # The path of an address may be a password.
            moved = {"host": address_of(changed["url"]).origin} if "url" in changed else {}
            said = {name: value for name, value in changed.items() if name != "url"}
            _note(actor, webhook, "change", said | moved)
            enqueue_on_commit(DELIVER, payload={}, actor=None, key=DELIVER)
    webhook.refresh_from_db()
    return list(changed)


def _resealed(webhook: Webhook, url: str) -> str:
    """The secret of a webhook, sealed for another address."""
    sealer, owner = Sealer(settings.SEAL_KEY), _owner(webhook)
    try:
        secret = sealer.open(webhook.secret, owner=owner, address=address_of(webhook.url))
        return sealer.seal(secret, owner=owner, address=address_of(url))
    except (AddressRejected, SealBroken) as error:
        raise InvalidInput(gettext("The secret of this webhook cannot be read. Create a new secret first.")) from error
    except SealingUnavailable as error:
        raise InvalidInput(gettext("Webhooks need SIGHTLINE_SEAL_KEY on the server. Ask an administrator.")) from error


def renew_secret(*, actor: User | None, webhook: Webhook) -> str:
    """A new secret in place of the old one, shown once."""
    require(actor, webhook.benchmark, Right.MANAGE)
    with transaction.atomic():
        secret = _renew(webhook)
        _note(actor, webhook, "secret", {})
    return secret


def remove_webhook(*, actor: User | None, webhook: Webhook) -> None:
    """Delete a webhook with its deliveries."""
    require(actor, webhook.benchmark, Right.MANAGE)
    with transaction.atomic():
        _note(actor, webhook, "remove", {"host": webhook.url.split("?")[0].split("/")[2]})
        webhook.delete()


def send_test(*, actor: User | None, webhook: Webhook) -> WebhookDelivery:
    """Send a test event. Raises ``Conflict`` while the webhook is disabled."""
    require(actor, webhook.benchmark, Right.MANAGE)
    _require_active(webhook)
    with transaction.atomic():
        [made] = keep_event(TEST, webhook.benchmark, [webhook], "This is a test.")
        _note(actor, webhook, "test", {"event": made.event})
    return made


def send_again(*, actor: User | None, delivery: WebhookDelivery) -> None:
    """Try a delivery again from the beginning, with its id. Raises ``Conflict`` while the webhook is disabled."""
    webhook = delivery.webhook
    require(actor, webhook.benchmark, Right.MANAGE)
    _require_active(webhook)
    with transaction.atomic():
        WebhookDelivery.objects.filter(pk=delivery.pk).update(
            state=State.WAITING, attempts=0, not_before=timezone.now(), status=None, error="", delivered_at=None
        )
        _note(actor, webhook, "send_again", {"event": delivery.event})
        enqueue_on_commit(DELIVER, payload={}, actor=None, key=DELIVER)


def _require_active(webhook: Webhook) -> None:
    if not Webhook.objects.filter(pk=webhook.pk, active=True).exists():
        raise Conflict(gettext("This webhook is disabled. Enable it first."))


def deliver_due(checkpoint: Callable[[], None], transport: Any = None) -> int:
    """Send what is due, oldest first; how many were delivered. After a failure, a webhook gets nothing more for now:
    one server that does not answer keeps the others waiting for one timeout only."""
    delivered, failed = 0, set[int]()
    while True:
        due = WebhookDelivery.objects.due().exclude(webhook__in=failed)
        one = due.select_related("webhook__benchmark").first()
        if one is None:
            return delivered
        checkpoint()
        if not _claimed(one):
            continue
        if _sent(one, transport):
            delivered += 1
        else:
            failed.add(one.webhook_id)


def _claimed(one: WebhookDelivery) -> bool:
    """Count the try, and set the time of the next one; whether no other worker did."""
    wait = timedelta(seconds=delay_after(one.attempts + 1, random.random()))
    found = WebhookDelivery.objects.filter(pk=one.pk, state=State.WAITING, attempts=one.attempts)
    if not found.update(attempts=one.attempts + 1, not_before=from_now(wait)):
        return False
    one.attempts += 1
    return True


def _sent(one: WebhookDelivery, transport: Any) -> bool:
    status, error = post(one, transport)
    rows = WebhookDelivery.objects.filter(pk=one.pk, state=State.WAITING)
    if not error:
        now = timezone.now()
        rows.update(state=State.DELIVERED, not_before=None, status=status, error="", delivered_at=now)
        return True
    with transaction.atomic():
        rows.update(status=status, error=error[:300])
        if one.attempts >= TRIES or status == GONE:
            rows.update(state=State.FAILED, not_before=None)
            _disable(one.webhook, error)
    return False


def _disable(webhook: Webhook, error: str) -> None:
    if Webhook.objects.filter(pk=webhook.pk, active=True).update(active=False, problem=error):
        _note(None, webhook, "disable", {"error": error})
        notify_disabled(webhook.benchmark, webhook.pk, address_of(webhook.url).host)


def post(one: WebhookDelivery, transport: Any = None) -> tuple[int | None, str]:
    """Send a delivery now: the status of the response, and "" or the error."""
    webhook = one.webhook
    try:
        address = address_of(webhook.url)
        secret = Sealer(settings.SEAL_KEY).open(webhook.secret, owner=_owner(webhook), address=address)
    except (AddressRejected, SealBroken, SealingUnavailable) as error:
        return None, str(error)
    body = one.body.encode()
    signed = headers(secret, one.event, int(time.time()), body)
    return send(address, webhook.url, body, signed, transport=transport)


def delete_old(now: datetime) -> int:
    """Delete deliveries that ended long ago; how many."""
    ended = WebhookDelivery.objects.exclude(state=State.WAITING).filter(created_at__lt=now - KEEP)
    return ended.delete()[0]


def _note(actor: User | None, webhook: Webhook, verb: str, data: dict[str, Any]) -> None:
    audit.record(actor, f"webhook.{verb}", webhook, webhook.benchmark.slug, data=data)
