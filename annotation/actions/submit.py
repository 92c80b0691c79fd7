"""Submitting: the checks are asked, the content becomes a revision that never changes, the seat is given back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.actions.access import require
from annotation.actions.check_work import check_of, hand_in, require_version
from annotation.actions.content_json import content_from_json, content_to_json
from annotation.actions.draft import current_content, draft_of, own_annotation
from annotation.actions.move import move
from annotation.actions.queue import hand_out, queue_of
from annotation.actions.queue_leases import ANNOTATE, release
from annotation.actions.revisions import add_revision, make_gold
from annotation.actions.second_opinions import weigh
from annotation.actions.stale_draft import StaleDraft
from annotation.checks import Check, blocking, check
from annotation.models import Annotation, Assignment, BenchmarkQueue, Draft, Receipt, Revision, Sample
from annotation.quality import chance
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError, InvalidInput

KEPT = timedelta(days=7)
"""How long a repeated request is known as one."""

TIDY_EVERY = 50
"""Older receipts are taken away with each so-many-th new one."""


class ChecksFailed(ApplicationError):
    """Errors of the checks stand in the way; ``extra`` holds all findings."""

    status = 422
    code = "checks"
    title = "Something is missing or wrong"

    def __init__(self, checks: list[Check]) -> None:
        errors = blocking(checks)
        super().__init__(" ".join(one.text for one in errors[:3]), field=errors[0].field)
        self.extra = {"checks": [asdict(one) for one in checks]}


def submit(*, actor: User, sample: Sample, version: int, content: object, key: str = "") -> Sample | None:
    """Submit ``content``, written over version ``version`` of the draft, and hand out the next sample (None: all done).

    The same request again, told by its ``key``, makes no second revision. Raises ``ChecksFailed``, and what
    ``save_draft`` raises.
    """
    require(actor, sample.benchmark, Right.ANNOTATE)
    parsed, labels, facets = content_from_json(content)

    whole = content_to_json(parsed, labels, facets)

    def work() -> None:
        answer = check_of(actor, sample)
        if answer is not None:
            require_version(actor, answer, sample, version)
            _require_passing(check(parsed, sample.width, sample.height))
            hand_in(actor, answer, sample, whole)
            return
        annotation = own_annotation(actor, sample)
        _check_version(annotation, version)
        _require_passing(check(parsed, sample.width, sample.height))
        _hand_in(actor, annotation, whole)

    def then() -> Sample | None:
        return hand_out(actor, sample.benchmark)

    return once(actor, key, f"submit:{sample.pk}", work, then)


def _require_passing(checks: list[Check]) -> None:
    if blocking(checks):
        raise ChecksFailed(checks)


def once(
    actor: User, key: str, about: str, work: Callable[[], None], then: Callable[[], Sample | None]
) -> Sample | None:
    """Do ``work`` in one transaction, ``then`` find what comes next; a request with this key is worked on only once."""
    known = _receipt(actor, key, about)
    if known is None:
        try:
            with transaction.atomic():
                if key:
                    known = _new_receipt(actor, key, about)
                work()
        except IntegrityError:
            # The same request, a moment earlier, on another connection: what it did stands.
            known = _receipt(actor, key, about)
            if known is None:
                raise
    if known is not None and "next" in known.answer:
        return Sample.objects.filter(pk=known.answer["next"]).select_related("benchmark").first()
    following = then()
    if known is not None:
        Receipt.objects.filter(pk=known.pk).update(answer={"next": following.pk if following else None})
    return following


def _new_receipt(actor: User, key: str, about: str) -> Receipt:
    receipt = Receipt.objects.create(user=actor, key=key, about=about)
    if receipt.pk % TIDY_EVERY == 0:
        Receipt.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return receipt


def _receipt(actor: User, key: str, about: str) -> Receipt | None:
    found = Receipt.objects.filter(user=actor, key=key).first() if key else None
    if found is not None and found.about != about:
        raise InvalidInput("This Idempotency-Key was used for another request. Load the page again.")
    return found


def _check_version(annotation: Annotation, version: int) -> None:
    draft = draft_of(annotation)
    stored = draft.version if draft else 0
    if stored != version:
        raise StaleDraft(annotation.sample.key, stored, current_content(annotation, draft))


def _hand_in(actor: User, annotation: Annotation, content: Mapping[str, Any]) -> None:
    revision = add_revision(actor=actor, annotation=annotation, content=content)
    move(actor=actor, annotation=annotation, name="submit", data={"revision": revision.number})
    Draft.objects.filter(annotation=annotation).delete()
    Assignment.objects.filter(sample=annotation.sample, user=actor).delete()
    release(actor, annotation.sample_id, ANNOTATE)
    queue = queue_of(annotation.sample.benchmark)
    weigh(annotation.sample, queue.overlap)
    _accept_unreviewed(actor, annotation, revision, queue)


def _accept_unreviewed(actor: User, annotation: Annotation, revision: Revision, queue: BenchmarkQueue) -> None:
    """Where the lead has only a share reviewed, what falls outside it is accepted at once; with overlap nothing is,
    since somebody has to choose between the annotations."""
    sample = annotation.sample
    if queue.overlap > 1 or is_drawn(sample, queue.review_share):
        return
    reason = f"Outside the share of {queue.review_share:.0%} that is reviewed."
    move(actor=actor, annotation=annotation, name="accept_unreviewed", reason=reason)
    make_gold(revision)


def is_drawn(sample: Sample, share: float) -> bool:
    """Whether this sample is among the share to review: the same answer each time, and none that an author chooses."""
    return chance(f"review {sample.benchmark_id} {sample.pk}") < share
