"""Receipts: what was answered to a request, so that the same request again changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Receipt, Sample
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput
from webapp.common.locks import lock_rows

RETENTION = timedelta(days=7)
"""The time for which a repeated request is recognized."""

TIDY_EVERY = 50
"""Older receipts are removed with each so-many-th new one."""


def receipt_of(actor: User, key: str, about: str) -> Receipt | None:
    """The stored response to this request. Raises ``InvalidInput`` for a key that was used for another request."""
    found = Receipt.objects.filter(user=actor, key=key).first() if key else None
    if found is not None and found.about != about:
        raise InvalidInput(gettext("This Idempotency-Key was used for another request. Reload the page."))
    return found


def new_receipt(actor: User, key: str, about: str) -> Receipt:
    """Call inside the transaction of what it is for."""
    receipt = Receipt.objects.create(user=actor, key=key, about=about)
    if receipt.pk % TIDY_EVERY == 0:
        old = Receipt.objects.filter(created_at__lt=timezone.now() - RETENTION)
        Receipt.objects.filter(pk__in=lock_rows(old)).delete()
    return receipt


def note_answer(receipt: Receipt, answer: dict[str, Any]) -> None:
    """Keep what was answered."""
    receipt.answer = answer
    Receipt.objects.filter(pk=receipt.pk).update(answer=answer)


def answer_once(actor: User, key: str, about: str, work: Callable[[], dict[str, Any]]) -> Receipt:
    """Do ``work`` in one transaction and keep what it answers; a request with this key is worked on only once."""
    known = receipt_of(actor, key, about)
    if known is not None:
        return known
    try:
        with transaction.atomic():
            receipt = new_receipt(actor, key, about)
            note_answer(receipt, work())
    except IntegrityError:
        # The same request came earlier on another connection: its result counts.
        known = receipt_of(actor, key, about)
        if known is None:
            raise
        return known
    return receipt


def run_idempotent(
    actor: User, key: str, about: str, work: Callable[[], None], then: Callable[[], Sample | None]
) -> Sample | None:
    """Do ``work`` in one transaction, ``then`` find what comes next; a request with this key is worked on only once."""
    known = None
    try:
        with transaction.atomic():
            if key:
                known = new_receipt(actor, key, about)
            work()
    except IntegrityError:
        # The same request came earlier, or comes now on another connection: its result counts.
        known = receipt_of(actor, key, about)
        if known is None:
            raise
    if known is not None and "next" in known.answer:
        return Sample.objects.filter(pk=known.answer["next"]).select_related("benchmark").first()
    with transaction.atomic():
        following = then()
        if known is not None:
            note_answer(known, {"next": following.pk if following else None})
    return following
