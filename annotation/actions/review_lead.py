"""What a lead may do to work in hand: open it again, send it back, give it to somebody, and set the queue's rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.access import allowed, require
from annotation.actions.move import move, settle
from annotation.actions.queue_leases import ANNOTATE
from annotation.actions.revisions import revision_json
from annotation.actions.skip import drop_draft
from annotation.models import (
    Annotation,
    Assignment,
    Benchmark,
    BenchmarkQueue,
    Draft,
    Lease,
    Review,
    Revision,
    Sample,
    Skip,
)
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def reopen(*, actor: User, sample: Sample, reason: str, to: User | None = None) -> Annotation:
    """Make a settled sample a draft again, of its author or of ``to``, beginning from what was accepted.

    The gold stands until a new revision is accepted. Raises ``Conflict`` when nothing of the sample is settled, or
    ``to`` has an annotation of their own on it.
    """
    require(actor, sample.benchmark, Right.MANAGE)
    if not reason:
        raise InvalidInput("Say why the sample is opened again: its author reads it.", field="reason")
    settled = Annotation.objects.filter(sample=sample, state__in=[State.ACCEPTED, State.DISCARDED])
    with transaction.atomic():
        annotation = settled.order_by("state", "-changed_at").select_related("author").first()
        if annotation is None:
            raise Conflict(f"{sample.key} is neither accepted nor discarded; there is nothing to reopen.")
        annotation.sample = sample
        _hand_over(annotation, to or annotation.author or actor)
        move(actor=actor, annotation=annotation, name="reopen", reason=reason)
        _draft_again(annotation)
    return annotation


def _hand_over(annotation: Annotation, to: User) -> None:
    """The annotation is this person's from now on; its revisions keep who wrote them."""
    sample = annotation.sample
    _require_annotator(to, sample.benchmark)
    others = Annotation.objects.filter(sample=sample).exclude(pk=annotation.pk)
    if others.filter(author=to).exists():
        raise Conflict(f"{to} has an annotation of their own on {sample.key}. Choose somebody else.", field="to")
    place = annotation.place
    if place is None:
        taken = set(others.filter(place__isnull=False).values_list("place", flat=True))
        place = next(number for number in range(len(taken) + 1) if number not in taken)
    Annotation.objects.filter(pk=annotation.pk).update(author=to, place=place)
    annotation.author, annotation.place = to, place


def _draft_again(annotation: Annotation) -> None:
    revision = (
        Revision.objects.filter(annotation=annotation)
        .with_content()
        .select_related("annotation__sample")
        .order_by("-number")
        .first()
    )
    if revision is not None:
        Draft.objects.update_or_create(annotation=annotation, defaults={"content": revision_json(revision)})


def send_back(*, actor: User, benchmark: Benchmark, keys: Sequence[str], reason: str) -> int:
    """Return submitted samples to their authors, all or none; how many. Raises ``Conflict`` naming the first that is
    not waiting for a review."""
    require(actor, benchmark, Right.MANAGE)
    if not reason:
        raise InvalidInput("Say why the samples go back: their authors read it.", field="reason")
    with transaction.atomic():
        samples = {s.key: s for s in Sample.objects.filter(benchmark=benchmark, key__in=keys)}
        for key in keys:
            _send_back(actor, samples.get(key), key, reason)
    return len(keys)


def _send_back(actor: User, sample: Sample | None, key: str, reason: str) -> None:
    waiting = list(Annotation.objects.filter(sample=sample).to_review()) if sample else []
    if sample is None or not waiting:
        raise Conflict(f"{key} does not wait for a review, so nothing was sent back. Leave it out.", field="keys")
    Lease.objects.filter(sample=sample, seat=Lease.Seat.REVIEW).delete()
    for annotation in waiting:
        annotation.sample = sample
        revision = Revision.objects.filter(annotation=annotation).order_by("-number").first()
        if revision is not None and revision.author_id != actor.pk:
            Review.objects.update_or_create(
                revision=revision, reviewer=actor,
                defaults={
                    "revision_author": revision.author, "decision": Review.Decision.RETURN,
                    "reasons": [Review.Reason.OTHER.value], "comment": reason,
                },
            )  # fmt: skip
        move(actor=actor, annotation=annotation, name="send_back", reason=reason)


def assign(*, actor: User, benchmark: Benchmark, keys: Sequence[str], to: User) -> int:
    """Give samples that nobody has submitted to one person: they are handed to them next and to nobody else. What
    others had begun is taken away, its content kept in the audit log. Returns how many."""
    require(actor, benchmark, Right.MANAGE)
    _require_annotator(to, benchmark)
    with transaction.atomic():
        samples = list(Sample.objects.filter(benchmark=benchmark, key__in=keys, state__in=["to_do", "draft"]))
        if len(samples) != len(set(keys)):
            raise Conflict("Some of these samples are submitted or settled, so nothing was assigned. Leave them out.")
        for sample in samples:
            _assign(actor, sample, to)
    return len(samples)


def _assign(actor: User, sample: Sample, to: User) -> None:
    data: dict[str, Any] = {"to": str(to)}
    for annotation in Annotation.objects.filter(sample=sample).exclude(author=to).select_related("author"):
        if annotation.author is not None:
            data |= drop_draft(annotation.author, sample)
    Lease.objects.filter(sample=sample, seat=ANNOTATE).exclude(user=to).delete()
    Skip.objects.filter(sample=sample, user=to, seat=ANNOTATE).delete()
    Assignment.objects.update_or_create(sample=sample, defaults={"user": to, "created_at": timezone.now()})
    settle(sample)
    audit.record(actor=actor, action="sample.assign", subject=sample, benchmark=sample.benchmark.slug, data=data)


def set_queue(
    *, actor: User, benchmark: Benchmark, order: str, facet: str = "", overlap: int = 1, review_share: float = 1.0
) -> BenchmarkQueue:
    """How the benchmark hands out its samples from now on. What is submitted stays as it is."""
    require(actor, benchmark, Right.MANAGE)
    if order not in BenchmarkQueue.Order.values:
        raise InvalidInput("The order is one of " + ", ".join(BenchmarkQueue.Order.values) + ".", field="order")
    if order == BenchmarkQueue.Order.FACET and not facet:
        raise InvalidInput("Name the facet that sorts the samples.", field="facet")
    if not 1 <= overlap <= 20:
        raise InvalidInput("Between 1 and 20 people annotate each sample.", field="overlap")
    if not 0 <= review_share <= 1:
        raise InvalidInput("The share to review is from 0 to 1.", field="review_share")
    values: dict[str, Any] = {"order": order, "facet": facet, "overlap": overlap, "review_share": review_share}
    with transaction.atomic():
        queue, _ = BenchmarkQueue.objects.update_or_create(benchmark=benchmark, defaults=values)
        benchmark.queue = queue
        audit.record(actor=actor, action="benchmark.queue", subject=benchmark, benchmark=benchmark.slug, data=values)
    return queue


def _require_annotator(user: User, benchmark: Benchmark) -> None:
    if not allowed(user, benchmark, Right.ANNOTATE):
        raise InvalidInput(f"{user} does not annotate {benchmark.title}. Give them the role first.", field="to")
