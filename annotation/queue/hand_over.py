"""From a submission to its review: at once, or after the time in which its author can take it back.

Until then only its author sees a submission, as a draft, and a gold check is not compared with gold: to their authors
both look the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.checks import obstacles_to_gold, validate_content
from annotation.content.drafts import draft_of
from annotation.content.json import content_from_json, content_to_json
from annotation.content.revisions import add_revision, make_gold
from annotation.content.tools import lock_bank_for
from annotation.content.transitions import apply_transition, lock_sample
from annotation.models import Annotation, BenchmarkQueue, CheckAnswer, Draft, Revision, Sample
from annotation.queue.check_work import check_of, score_held, take_check_back
from annotation.queue.extra_annotators import request_if_needed
from annotation.queue.leases import acquire_author_lease, queue_of
from annotation.queue.rounds import process_submission
from annotation.queue.shared_question import answers_another, fixed_question, return_others, without_answer
from annotation.validation import blocking
from annotation.work_rules import chance
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import ApplicationError, Conflict

logger = logging.getLogger(__name__)
AT_ONCE = 500
"""The number of submissions that one sweep submits for review; the next one continues."""


def hold(annotation: Annotation, version: int, content: Mapping[str, Any], queue: BenchmarkQueue) -> None:
    """Keep what was submitted over version ``version`` of the draft as the draft, until its author can no longer take
    it back. Call inside the transaction of the submission."""
    draft = draft_of(annotation)
    if draft is None:
        Draft.objects.create(annotation=annotation, content=dict(content))
    elif draft.content != content:
        Draft.objects.filter(pk=draft.pk).update(version=version + 1, key="", content=dict(content))
    Annotation.objects.filter(pk=annotation.pk).update(held_until=from_now(queue.take_back))


def next_number(annotation: Annotation) -> int:
    """The number that its next revision will have."""
    return (Revision.objects.filter(annotation=annotation).aggregate(last=Max("number"))["last"] or 0) + 1


def begin_review(actor: User | None, annotation: Annotation, revision: Revision, queue: BenchmarkQueue) -> None:
    """Process a final submission: the others' question, extra annotators, the comparison, and acceptance without a
    review. Call inside a transaction. ``actor`` None: its time is over.
    """
    return_others(actor, annotation, revision, queue)
    request_if_needed(annotation.sample, queue.wanted(annotation.sample_id))
    process_submission(actor, annotation, queue)
    _accept_unreviewed(actor, annotation, revision, queue)


def _accept_unreviewed(actor: User | None, annotation: Annotation, revision: Revision, queue: BenchmarkQueue) -> None:
    """Accept a revision outside the share that the lead has reviewed at once. With overlap none is, because a person
    must choose between the annotations.
    """
    sample = annotation.sample
    if annotation.state != State.SUBMITTED:
        return
    if queue.wanted(sample.pk, sample.extra_places) > 1 or is_drawn(sample, queue.review_share):
        return
    if obstacles_to_gold(revision):
        # A reviewer adds what its author does not give, such as facets.
        return
    reason = f"Outside the share of {queue.review_share:.0%} that is reviewed."
    apply_transition(actor=actor, annotation=annotation, name="accept_unreviewed", reason=reason)
    make_gold(revision)


def is_drawn(sample: Sample, share: float) -> bool:
    """Whether this sample is among the share to review: the same answer each time, and none that an author chooses."""
    return chance(f"review {sample.benchmark_id} {sample.pk}") < share


def take_back(*, actor: User, sample: Sample) -> None:
    """Make the submission of this person a draft again, unchanged and under their lease. Raises ``Conflict`` with the
    code ``too_late`` once its time is over."""
    require(actor, sample.benchmark, Right.ANNOTATE)
    with transaction.atomic():
        lock_sample(sample)
        answer = check_of(actor, sample)
        if answer is not None:
            if not take_check_back(actor, answer, sample):
                raise _too_late(sample)
            return
        annotation = _held(actor, sample)
        if not Annotation.objects.filter(pk=annotation.pk, held_until__gt=Now()).exists():
            raise _too_late(sample)
        apply_transition(actor=actor, annotation=annotation, name="take_back")
        acquire_author_lease(actor, sample, annotation)


def hand_in_now(*, actor: User, sample: Sample) -> None:
    """Submit finally, without waiting. Raises ``Conflict`` if that happened already."""
    require(actor, sample.benchmark, Right.ANNOTATE)
    with transaction.atomic():
        answer = check_of(actor, sample)
        done = (
            score_held(CheckAnswer.objects.filter(pk=answer.pk))
            if answer is not None
            else _hand_over(actor, _held(actor, sample).pk)
        )
        if not done:
            raise _too_late(sample)


def hand_over_due() -> int:
    """Hand over every submission whose time is over, by the database's clock; how many. Each alone: one that cannot be
    handed over does not keep the others."""
    there = Q(sample__benchmark__isnull=False, sample__benchmark__deleted_at=None)
    annotations = Annotation.objects.held().filter(there, held_until__lte=Now()).order_by("held_until", "pk")
    there = Q(check_of__sample__benchmark__isnull=False, check_of__sample__benchmark__deleted_at=None)
    answers = CheckAnswer.objects.held().filter(there, held_until__lte=Now()).order_by("held_until", "pk")
    acts = [partial(_hand_over, None, number) for number in annotations.values_list("pk", flat=True)[:AT_ONCE]]
    acts += [
        partial(score_held, CheckAnswer.objects.filter(pk=number, held_until__lte=Now()))
        for number in answers.values_list("pk", flat=True)[:AT_ONCE]
    ]
    return sum(_alone(act) for act in acts)


def _alone(act: Callable[[], bool]) -> bool:
    try:
        with transaction.atomic():
            return act()
    except ApplicationError:
        logger.warning("A submission could not be handed over; trying again.", exc_info=True)
        return False


def _held(actor: User, sample: Sample) -> Annotation:
    found = Annotation.objects.held().filter(sample=sample, author=actor).first()
    if found is None:
        raise _too_late(sample)
    found.sample = sample
    return found


def _too_late(sample: Sample) -> Conflict:
    message = gettext("%(key)s is submitted for good, or was never submitted. Reload the page.")
    return Conflict(message % {"key": sample.key}, code="too_late")


def _hand_over(actor: User | None, number: int) -> bool:
    """Make the held draft a revision and begin its review; whether it was still held. ``actor`` None: only if its time
    is over."""
    held = Annotation.objects.held().filter(pk=number)
    held = held if actor else held.filter(held_until__lte=Now())
    waiting = held.select_related("sample__benchmark", "draft").first()
    if waiting is None:
        return False
    lock_bank_for(waiting.sample.benchmark, waiting.draft.content)
    # Others who submit or decide wait, and then see these changes.
    lock_sample(waiting.sample)
    # Of a person who takes it back and the end of its time, one wins.
    if not held.update(held_until=None):
        return False
    annotation = Annotation.objects.select_related("sample__benchmark__queue", "author", "draft").get(pk=number)
    content = annotation.draft.content
    if reason := _obstacle(annotation, content):
        apply_transition(actor=None, annotation=annotation, name="send_back", reason=reason)
        return True
    parsed, names, facets = content_from_json(content)
    whole = content_to_json(without_answer(parsed), names, facets)
    revision = add_revision(
        actor=annotation.author, annotation=annotation, content=whole, submitted_at=annotation.changed_at
    )
    Draft.objects.filter(annotation=annotation).delete()
    audit.record(
        actor=actor, action="annotation.hand_in", subject=annotation, benchmark=annotation.sample.benchmark.slug,
        before=State.SUBMITTED.value, after=State.SUBMITTED.value,
        data={"sample": annotation.sample.key, "revision": revision.number},
    )  # fmt: skip
    begin_review(actor, annotation, revision, queue_of(annotation.sample.benchmark))
    return True


def _obstacle(annotation: Annotation, content: Mapping[str, Any]) -> str:
    """Return why a submission goes back to its author: it was valid when it was submitted, and no longer is."""
    sample, author = annotation.sample, annotation.author
    fixed = fixed_question(author, sample) if author is not None else None
    if answers_another(content, fixed):
        return gettext("The question was fixed by another submission. Answer that question.")
    if fixed is None and content.get("unanswerable") is not None:
        return gettext("The question is no longer fixed. Write your own.")
    try:
        parsed, _, facets = content_from_json(content, sample.width, sample.height)
    except ApplicationError as error:
        logger.warning("The submission of %s cannot be handed over: %s", sample.key, error)
        return str(error)
    if blocking(validate_content(sample, without_answer(parsed), facets)):
        return gettext("Validation finds errors now. Fix them and submit again.")
    return ""
