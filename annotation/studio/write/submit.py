"""Submitting: the checks are asked, the content becomes a revision that never changes, the seat is given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.common.access import require
from annotation.common.idempotency import run_idempotent
from annotation.content.checks import ChecksFailed, validate_content
from annotation.content.drafts import StaleDraft, current_content, draft_of
from annotation.content.json import content_from_json, content_to_json
from annotation.content.revisions import add_revision, make_gold
from annotation.content.transitions import apply_transition, lock_sample
from annotation.models import Annotation, Assignment, BenchmarkQueue, Draft, Revision, Sample
from annotation.queue.assignment import hand_out
from annotation.queue.check_work import check_of, hand_in, require_version
from annotation.queue.extra_annotators import request_if_needed
from annotation.queue.leases import ANNOTATE, queue_of, release
from annotation.queue.qualification import finish_if_done, given_question
from annotation.queue.rounds import settle_submission
from annotation.queue.shared_question import (
    require_answered,
    require_fixed,
    return_others,
    with_fixed,
    without_answer,
)
from annotation.studio.write.draft import own_annotation
from annotation.validation import Check, blocking
from annotation.work_rules import chance
from annotation.workflow import Right, State
from webapp.accounts.models import User


def submit(*, actor: User, sample: Sample, version: int, content: object, key: str = "") -> Sample | None:
    """Submit ``content``, written over version ``version`` of the draft, and assign the next sample (None: all done).

    The same request again, told by its ``key``, makes no second revision. Raises ``ChecksFailed``, and what
    ``save_draft`` raises.
    """
    require(actor, sample.benchmark, Right.ANNOTATE)
    given, names, facets = content_from_json(content)
    parsed = without_answer(given)
    whole = content_to_json(parsed, names, facets)

    def work() -> None:
        answer = check_of(actor, sample)
        if answer is not None:
            require_version(actor, answer, sample, version)
            require_answered(sample, whole)
            _require_passing(validate_content(sample, parsed))
            hand_in(actor, answer, sample, with_fixed(whole, given_question(answer)))
            finish_if_done(answer)
            return
        annotation = own_annotation(actor, sample)
        _check_version(annotation, version)
        require_fixed(actor, sample, whole)
        _require_passing(validate_content(sample, parsed))
        _hand_in(actor, annotation, whole)

    def then() -> Sample | None:
        return hand_out(actor, sample.benchmark)

    return run_idempotent(actor, key, f"submit:{sample.pk}", work, then)


def _require_passing(checks: list[Check]) -> None:
    if blocking(checks):
        raise ChecksFailed(checks)


def _check_version(annotation: Annotation, version: int) -> None:
    draft = draft_of(annotation)
    stored = draft.version if draft else 0
    if stored != version:
        raise StaleDraft(annotation.sample.key, stored, current_content(annotation, draft))


def _hand_in(actor: User, annotation: Annotation, content: Mapping[str, Any]) -> None:
    # One at a time: of two who submit at once the second sees what the first said.
    lock_sample(annotation.sample)
    revision = add_revision(actor=actor, annotation=annotation, content=content)
    apply_transition(actor=actor, annotation=annotation, name="submit", data={"revision": revision.number})
    Draft.objects.filter(annotation=annotation).delete()
    Assignment.objects.filter(sample=annotation.sample_id, user=actor).delete()
    release(actor, annotation.sample_id, ANNOTATE)
    queue = queue_of(annotation.sample.benchmark)
    return_others(actor, annotation, revision, queue)
    request_if_needed(annotation.sample, queue.wanted(annotation.sample_id))
    settle_submission(actor, annotation, queue)
    _accept_unreviewed(actor, annotation, revision, queue)


def _accept_unreviewed(actor: User, annotation: Annotation, revision: Revision, queue: BenchmarkQueue) -> None:
    """Where the lead has only a share reviewed, what falls outside it is accepted at once; with overlap nothing is,
    since a person has to choose between the annotations."""
    sample = annotation.sample
    if annotation.state != State.SUBMITTED:
        return
    if queue.wanted(sample.pk, sample.extra_places) > 1 or is_drawn(sample, queue.review_share):
        return
    reason = f"Outside the share of {queue.review_share:.0%} that is reviewed."
    apply_transition(actor=actor, annotation=annotation, name="accept_unreviewed", reason=reason)
    make_gold(revision)


def is_drawn(sample: Sample, share: float) -> bool:
    """Whether this sample is among the share to review: the same answer each time, and none that an author chooses."""
    return chance(f"review {sample.benchmark_id} {sample.pk}") < share
