"""Reviews: the next sample, the blind answer and the decision. People never review their own work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require, roles_of
from annotation.common.idempotency import run_idempotent
from annotation.common.reasons import require_reasons
from annotation.content.changes import content_changed
from annotation.content.checks import ChecksFailed, obstacles_to_gold, validate_gold
from annotation.content.drawn_on import require_shown
from annotation.content.guidelines import require_read
from annotation.content.json import content_from_json, content_to_json
from annotation.content.revisions import add_revision, make_gold
from annotation.content.tools import lock_bank_for
from annotation.content.transitions import apply_transition, lock_sample
from annotation.models import (
    Annotation,
    Benchmark,
    BlindAnswer,
    Gold,
    Guideline,
    ImageVariant,
    Review,
    Revision,
    Sample,
)
from annotation.queue.assignment import AT_ONCE
from annotation.queue.blind.answers import answered_blind, keep_blind
from annotation.queue.handed import is_handed
from annotation.queue.leases import REVIEW, queue_of, release, renew, take
from annotation.queue.pauses import require_not_paused
from annotation.queue.places import in_order_of_review
from annotation.queue.rounds import several_submitted
from annotation.task_schema import ReasonFor
from annotation.validation import blocking
from annotation.workflow import Right, Role, SampleState, State
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a reviewer: the kind, reason codes, a comment, and for fix_and_accept the corrected content."""

    kind: str
    reasons: Sequence[str] = ()
    comment: str = ""
    content: Mapping[str, Any] | None = None


def next_to_review(*, actor: User, benchmark: Benchmark) -> Sample | None:
    """The next sample for this reviewer, theirs under a lease from now on; None when nothing waits for them. Raises
    ``Conflict`` while they have guidelines to read."""
    require(actor, benchmark, Right.REVIEW)
    require_read(actor, benchmark)
    return next_after_decision(actor, benchmark)


def next_after_decision(actor: User, benchmark: Benchmark) -> Sample | None:
    """The same without a check of permissions; None while they have guidelines to read."""
    if Guideline.objects.to_read_by(actor, benchmark).exists():
        return None
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(actor)
    tried: set[int] = set()
    while True:
        waiting = in_order_of_review(Sample.objects.to_review_by(actor, queues), queues)
        samples = list(waiting.exclude(pk__in=tried).select_related("benchmark")[:AT_ONCE])
        for sample in samples:
            tried.add(sample.pk)
            with transaction.atomic():
                lock_sample(sample)
                if take(actor, sample.pk, REVIEW, queues[0].lasts) and _still_waits(sample):
                    start_review(actor, sample)
                    return sample
                # Also release its locks, because a person who waits for this sample may have locked the next one.
                transaction.set_rollback(True)
        if not samples:
            return None


def _still_waits(sample: Sample) -> bool:
    return Sample.objects.filter(pk=sample.pk, state__in=[SampleState.IN_REVIEW, SampleState.DISPUTED]).exists()


def under_review(actor: User, sample: Sample) -> tuple[Annotation, Revision]:
    """The annotation that waits for a reviewer, and its last revision. Raises ``NotAllowed`` for who annotates the
    sample or wrote that revision, and ``Conflict`` when nothing waits."""
    annotations = Annotation.objects.filter(sample=sample)
    roles = roles_of(actor, sample.benchmark)
    if Role.ANNOTATOR in roles and Role.LEAD not in roles and ImageVariant.objects.filter(sample=sample).exists():
        message = gettext("%(key)s is a variant. People who annotate do not review variants.")
        raise NotAllowed(message % {"key": sample.key}, code="variant")
    if annotations.filter(author=actor).exists() or is_handed(actor, sample):
        raise NotAllowed(
            gettext("You annotated %(key)s yourself. Another reviewer must review it.") % {"key": sample.key},
            code="own_work",
        )
    annotation = annotations.to_review().select_related("author").first()
    if annotation is None:
        raise Conflict(gettext("%(key)s is not waiting for review.") % {"key": sample.key}, code="wrong_state")
    annotation.sample = sample
    revision = last_revision(annotation)
    if revision is None or revision.author_id == actor.pk:
        raise NotAllowed(
            gettext("You wrote this revision of %(key)s. Another reviewer must review it.") % {"key": sample.key},
            code="own_work",
        )
    return annotation, revision


def last_revision(annotation: Annotation) -> Revision | None:
    """The newest submitted revision with its parts."""
    found = Revision.objects.filter(annotation=annotation, submitted_at__isnull=False).with_content()
    return found.select_related("annotation__sample", "author").order_by("-number").first()


def start_review(actor: User, sample: Sample) -> tuple[Annotation, Revision]:
    """Sit down on the reviewer's seat of this sample: all its annotations are under review. Call inside a transaction;
    raises ``Conflict`` when the seat is another's, and what ``under_review`` raises."""
    require(actor, sample.benchmark, Right.REVIEW)
    lock_sample(sample)
    annotation, revision = under_review(actor, sample)
    if not _sit_down(actor, sample):
        raise Conflict(
            gettext("Another reviewer has %(key)s. Take the next sample.") % {"key": sample.key}, code="lease_lost"
        )
    for waiting in Annotation.objects.filter(sample=sample, state=State.SUBMITTED).to_review():
        waiting.sample = sample
        apply_transition(actor=actor, annotation=waiting, name="start_review")
    annotation.state = State.IN_REVIEW.value
    return annotation, revision


def _sit_down(actor: User, sample: Sample) -> bool:
    if renew(actor, sample.pk, REVIEW):
        return True
    require_not_paused(actor, sample.benchmark)
    return take(actor, sample.pk, REVIEW, queue_of(sample.benchmark).lasts)


def answer_blind(
    *, actor: User, sample: Sample, answer: str, unsure: bool, seconds: float, condition: str | None = None,
    image: str = "",
) -> BlindAnswer:  # fmt: skip
    """Save the reviewer's answer from before they see the gold. Raises ``Conflict`` for a condition that is not next,
    and if the image was replaced.

    ``condition``: by default the next one. The first answer under each condition is kept. ``image``: as of ``decide``.
    """
    with transaction.atomic():
        annotation, revision = start_review(actor, sample)
        require_shown(sample, image)
        _require_one(sample)
        said = {"answer": answer, "unsure": unsure, "seconds": seconds, "condition": condition}
        return keep_blind(actor, annotation, revision, sample, said)


def decide(*, actor: User, sample: Sample, decision: Decision, key: str = "", image: str = "") -> Sample | None:
    """Accept, fix and accept, return or discard; then the next sample to review (None: all done).

    ``image``: the SHA-256 of the image on the page, "" if unknown. Raises ``Conflict`` with the code ``blind_first``
    before the blind answer and ``image_replaced`` for a page with an earlier image, ``ChecksFailed`` for a fix that
    does not pass, ``InvalidInput`` for a decision without what it needs, and what ``start_review`` raises.
    """
    _check(sample.benchmark, decision)

    def work() -> None:
        lock_bank_for(sample.benchmark, decision.content)
        annotation, revision = start_review(actor, sample)
        require_shown(sample, image)
        _require_one(sample)
        _decide(actor, annotation, revision, decision)
        release(actor, sample.pk, REVIEW)

    def then() -> Sample | None:
        return next_after_decision(actor, sample.benchmark)

    return run_idempotent(actor, key, f"decide:{sample.pk}", work, then)


def _require_one(sample: Sample) -> None:
    if several_submitted(sample):
        raise Conflict(
            gettext("%(key)s has several annotations. Adjudicate it: reload the page.") % {"key": sample.key},
            code="several",
        )


def _check(benchmark: Benchmark, decision: Decision) -> None:
    if decision.kind not in Review.Decision.values:
        raise InvalidInput(
            gettext("A decision must be one of %(decisions)s.") % {"decisions": ", ".join(Review.Decision.values)},
            field="decision",
        )
    limited = decision.kind in {one.value for one in ReasonFor}
    require_reasons(benchmark, decision.reasons, ReasonFor(decision.kind) if limited else None)
    wants_why = decision.kind in (Review.Decision.RETURN, Review.Decision.DISCARD)
    if wants_why and not (decision.reasons or decision.comment):
        raise InvalidInput(
            gettext("To %(kind)s a sample, choose a reason or write a comment.") % {"kind": decision.kind},
            field="reasons",
        )
    if (decision.content is None) == (decision.kind == Review.Decision.FIX_AND_ACCEPT):
        raise InvalidInput(
            gettext("fix_and_accept needs the corrected content. The other decisions don't take content."),
            field="content",
        )


def _decide(actor: User, annotation: Annotation, revision: Revision, decision: Decision) -> None:
    sample = annotation.sample
    blind = answered_blind(actor, sample, revision)
    fixed = _fix(actor, annotation, decision.content) if decision.content is not None else None
    if decision.kind == Review.Decision.ACCEPT and (checks := obstacles_to_gold(revision)):
        raise ChecksFailed(checks)
    Review.objects.create(
        revision=revision, revision_author=revision.author, reviewer=actor, decision=decision.kind,
        reasons=list(decision.reasons), comment=decision.comment,
        blind_answer=blind.answer if blind else None, blind_seconds=blind.seconds if blind else None,
    )  # fmt: skip
    data = {"revision": revision.number, "reasons": list(decision.reasons)}
    if fixed is not None:
        data["fixed_as"] = fixed.number
    apply_transition(actor=actor, annotation=annotation, name=decision.kind, reason=decision.comment, data=data)
    if annotation.state == State.ACCEPTED:
        make_gold(fixed or revision)
    elif annotation.state == State.DISCARDED:
        Gold.objects.filter(sample=sample, revision__annotation=annotation).delete()
        content_changed(sample.benchmark.pk, sample.pk)


def _fix(actor: User, annotation: Annotation, content: Mapping[str, Any]) -> Revision:
    given, names, facets = content_from_json(content)
    parsed = replace(given, unanswerable=None)
    checks = validate_gold(annotation.sample, parsed, facets)
    if blocking(checks):
        raise ChecksFailed(checks)
    return add_revision(actor=actor, annotation=annotation, content=content_to_json(parsed, names, facets))
