"""Submitting: the content is validated, the reservation released, and the content becomes an immutable revision: at
once, or when its author can no longer withdraw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotation.common.access import require
from annotation.common.idempotency import run_idempotent
from annotation.content.checks import ChecksFailed, validate_content
from annotation.content.clicks import record_clicks
from annotation.content.drafts import StaleDraft, current_content, draft_of
from annotation.content.drawn_on import require_shown
from annotation.content.json import content_from_json, content_to_json
from annotation.content.planted import adopted_in, checks_of, disclosure, note_adoption
from annotation.content.proposals import NOTHING, OfferReport, record_uses
from annotation.content.revisions import add_revision
from annotation.content.tools import lock_bank_for
from annotation.content.transitions import apply_transition, lock_sample
from annotation.models import Annotation, Assignment, Draft, Proposal, ProposalUse, Sample
from annotation.queue.assignment import hand_out
from annotation.queue.check_work import check_of, hand_in, require_version
from annotation.queue.editor import offer_of, planted_of
from annotation.queue.hand_over import begin_review, hold, next_number
from annotation.queue.image_questions import questions_on_image
from annotation.queue.leases import ANNOTATE, queue_of, release
from annotation.queue.qualification import finish_if_done, given_question
from annotation.queue.shared_question import (
    fixed_question,
    refuse_other,
    require_answered,
    require_fixed,
    with_fixed,
    without_answer,
)
from annotation.schema import SampleContent
from annotation.studio.write.draft import own_annotation
from annotation.validation import Check, blocking
from annotation.workflow import Right
from webapp.accounts.models import User


def submit(
    *, actor: User, sample: Sample, version: int, content: object, key: str = "", report: OfferReport = NOTHING,
    image: str = "",
) -> Sample | None:  # fmt: skip
    """Submit ``content``, written over version ``version`` of the draft, and assign the next sample (None: all done).

    ``report``: what the page says about drafts of models; ``image``: as of ``save_draft``. The same request again,
    recognized by its ``key``, makes no second revision. Raises ``ChecksFailed``, and what ``save_draft`` raises.
    """
    require(actor, sample.benchmark, Right.ANNOTATE)
    given, names, facets = content_from_json(content)
    parsed = without_answer(given)
    whole = content_to_json(parsed, names, facets)

    def work() -> None:
        lock_bank_for(sample.benchmark, whole)
        # Before other rows, as in a review: of two at once one waits, and then sees what the other said.
        lock_sample(sample)
        require_shown(sample, image)
        beside = questions_on_image(actor, sample).beside(sample)
        answer = check_of(actor, sample)
        if answer is not None:
            require_version(actor, answer, sample, version)
            require_answered(sample, whole)
            if answer.attempt_id is None:
                # As on samples that are no checks.
                refuse_other(sample, whole, given_question(answer))
            _require_passing(validate_content(sample, parsed, facets, beside))
            _refuse_adopted(planted_of(actor, sample, answer), parsed)
            hand_in(actor, answer, sample, with_fixed(whole, given_question(answer)))
            finish_if_done(answer)
            return
        annotation = own_annotation(actor, sample)
        _check_version(annotation, version)
        require_fixed(actor, sample, whole)
        _require_passing(validate_content(sample, parsed, facets, beside))
        # The first submission fixes a shared question, also for its author.
        fixed = fixed_question(actor, sample)
        offer = None if fixed else offer_of(actor, sample, annotation)
        planted = [] if fixed else planted_of(actor, sample, annotation)
        _refuse_adopted(planted, parsed, is_check=False)
        _hand_in(actor, annotation, version, whole, content_to_json(given, names, facets))
        note_adoption(annotation, planted, [])
        record_uses(annotation, offer, parsed, report)
        record_clicks(actor, sample, report.clicks)

    def then() -> Sample | None:
        return hand_out(actor, sample.benchmark)

    try:
        return run_idempotent(actor, key, f"submit:{sample.pk}", work, then)
    except PlantedErrorAdopted as refused:
        # The sample stays open for its author; what the submission had is noted although it was not taken. Nothing is
        # begun by it, as nothing is on a gold check.
        mine = Annotation.objects.filter(sample=sample, author=actor).first()
        if not refused.is_check and mine is not None:
            mine.sample = sample
            with transaction.atomic():
                note_adoption(mine, refused.planted, refused.adopted)
        raise


class PlantedErrorAdopted(ChecksFailed):
    """The submission has planted errors of drafts. Its author learns it now, and can submit again."""

    def __init__(self, planted: Sequence[Proposal], adopted: Sequence[Proposal], *, is_check: bool) -> None:
        super().__init__(checks_of(adopted))
        self.planted, self.adopted, self.is_check = planted, adopted, is_check


def _refuse_adopted(planted: Sequence[Proposal], content: SampleContent, *, is_check: bool = True) -> None:
    if adopted := adopted_in(planted, content):
        raise PlantedErrorAdopted(planted, adopted, is_check=is_check)


def disclosed_to(user: User, sample: Sample) -> str:
    """The sentence about planted errors after a submission; "" without any. It is the same for gold checks."""
    if not sample.benchmark.has_drafting:
        return ""
    answer = check_of(user, sample)
    if answer is not None:
        return disclosure(sample, planted=bool(planted_of(user, sample, answer)))
    uses = ProposalUse.objects.filter(annotation__sample=sample, annotation__author=user, adopted__isnull=False)
    return disclosure(sample, planted=uses.filter(proposal__withdrawn_at=None).exists())


def _require_passing(checks: list[Check]) -> None:
    if blocking(checks):
        raise ChecksFailed(checks)


def _check_version(annotation: Annotation, version: int) -> None:
    draft = draft_of(annotation)
    stored = draft.version if draft else 0
    if stored != version:
        raise StaleDraft(annotation.sample.key, stored, current_content(annotation, draft))


def _hand_in(
    actor: User, annotation: Annotation, version: int, content: Mapping[str, Any], written: Mapping[str, Any]
) -> None:
    """``written``: the draft, which may hold more than what is submitted."""
    queue = queue_of(annotation.sample.benchmark)
    held = queue.take_back_minutes > 0
    revision = None if held else add_revision(actor=actor, annotation=annotation, content=content)
    number = revision.number if revision else next_number(annotation)
    apply_transition(actor=actor, annotation=annotation, name="submit", data={"revision": number})
    Assignment.objects.filter(sample=annotation.sample_id, user=actor).delete()
    release(actor, annotation.sample_id, ANNOTATE)
    if revision is None:
        hold(annotation, version, written, queue)
    else:
        Draft.objects.filter(annotation=annotation).delete()
        begin_review(actor, annotation, revision, queue)
