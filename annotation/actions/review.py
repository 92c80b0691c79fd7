"""Reviewing: the next one, the blind answer, and the decision. Nobody reviews what they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.actions.access import require
from annotation.actions.changes import content_changed
from annotation.actions.checks_of import checks_of
from annotation.actions.content_json import content_from_json, content_to_json
from annotation.actions.handed import is_handed
from annotation.actions.move import move
from annotation.actions.pause import require_going_on
from annotation.actions.quality_rules import rules_of
from annotation.actions.queue import AT_ONCE
from annotation.actions.queue_leases import REVIEW, queue_of, release, renew, take
from annotation.actions.revisions import add_revision, content_of, make_gold
from annotation.actions.submit import ChecksFailed, once
from annotation.checks import blocking
from annotation.models import Annotation, Benchmark, BenchmarkQueue, BlindAnswer, Gold, Image, Review, Revision, Sample
from annotation.quality import BlindRule, Condition, blind_step
from annotation.querysets import SampleQuerySet
from annotation.schema import AnswerType, SampleContent
from annotation.workflow import Right, SampleState, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

LONGEST_WAIT = 24 * 3600.0
"""A blind answer that took longer, in seconds, was a page left open; so much is kept."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer says: the kind, reason codes, words, and for fix_and_accept the content as it should be."""

    kind: str
    reasons: Sequence[str] = ()
    comment: str = ""
    content: Mapping[str, Any] | None = None


def next_to_review(*, actor: User, benchmark: Benchmark) -> Sample | None:
    """The next sample for this reviewer, theirs under a lease from now on; None when nothing waits for them."""
    require(actor, benchmark, Right.REVIEW)
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(actor)
    tried: set[int] = set()
    while True:
        waiting = in_order_of_review(actor, queues)
        samples = list(waiting.exclude(pk__in=tried).select_related("benchmark")[:AT_ONCE])
        for sample in samples:
            tried.add(sample.pk)
            with transaction.atomic():
                if take(actor, sample.pk, REVIEW, queues[0].lasts) and _still_waits(sample):
                    start_review(actor, sample)
                    return sample
        if not samples:
            return None


def in_order_of_review(actor: User, queues: Sequence[BenchmarkQueue]) -> SampleQuerySet:
    """What waits for this reviewer, in the order in which it is handed out."""
    waiting = Sample.objects.to_review_by(actor, queues)
    disputed = any(queue.order == BenchmarkQueue.Order.DISAGREEMENT for queue in queues)
    return waiting.most_disagreement_first() if disputed else waiting.order_by("key")


def _still_waits(sample: Sample) -> bool:
    return Sample.objects.filter(pk=sample.pk, state=SampleState.IN_REVIEW).exists()


def under_review(actor: User, sample: Sample) -> tuple[Annotation, Revision]:
    """The annotation that waits for a reviewer, and its last revision. Raises ``NotAllowed`` for who annotates the
    sample or wrote that revision, and ``Conflict`` when nothing waits."""
    annotations = Annotation.objects.filter(sample=sample)
    if annotations.filter(author=actor).exists() or is_handed(actor, sample):
        raise NotAllowed(f"You annotated {sample.key} yourself. Somebody else reviews it.", code="own_work")
    annotation = annotations.to_review().select_related("author").first()
    if annotation is None:
        raise Conflict(f"{sample.key} does not wait for a review (any more).", code="wrong_state")
    annotation.sample = sample
    revision = last_revision(annotation)
    if revision is None or revision.author_id == actor.pk:
        raise NotAllowed(f"You wrote this revision of {sample.key}. Somebody else reviews it.", code="own_work")
    return annotation, revision


def last_revision(annotation: Annotation) -> Revision | None:
    """The newest submitted revision with its parts."""
    found = Revision.objects.filter(annotation=annotation, submitted_at__isnull=False).with_content()
    return found.select_related("annotation__sample", "author").order_by("-number").first()


def start_review(actor: User, sample: Sample) -> tuple[Annotation, Revision]:
    """Sit down on the reviewer's seat of this sample. Call inside a transaction; raises ``Conflict`` when it is
    another's, and what ``under_review`` raises."""
    require(actor, sample.benchmark, Right.REVIEW)
    annotation, revision = under_review(actor, sample)
    if not _sit_down(actor, sample):
        raise Conflict(f"Somebody else reviews {sample.key} at the moment. Take the next one.", code="lease_lost")
    if annotation.state == State.SUBMITTED:
        move(actor=actor, annotation=annotation, name="start_review")
    return annotation, revision


def _sit_down(actor: User, sample: Sample) -> bool:
    if renew(actor, sample.pk, REVIEW):
        return True
    require_going_on(actor, sample.benchmark)
    return take(actor, sample.pk, REVIEW, queue_of(sample.benchmark).lasts)


def leave_review(*, actor: User, sample: Sample) -> None:
    """Give the seat back undecided; the sample waits again."""
    require(actor, sample.benchmark, Right.REVIEW)
    with transaction.atomic():
        held = sample.leases.filter(seat=REVIEW, user=actor).exists()
        annotation = Annotation.objects.filter(sample=sample, state=State.IN_REVIEW).first() if held else None
        if annotation is not None:
            annotation.sample = sample
            move(actor=actor, annotation=annotation, name="stop_review")
        release(actor, sample.pk, REVIEW)


def next_condition(actor: User, sample: Sample, revision: Revision) -> Condition | None:
    """What this reviewer answers from next, before gold is shown; None once nothing is left to answer. Who answered to
    an earlier revision knows the sample: crops tell nothing of it any more."""
    mine = BlindAnswer.objects.filter(revision__annotation__sample=sample, reviewer=actor)
    answers = list(mine.values_list("revision", "condition"))
    known = any(number != revision.pk for number, _ in answers)
    image = sample.image
    ready = image is not None and image.state == Image.State.READY and bool(revision.gold_boxes.all())
    return blind_step(
        BlindRule(queue_of(sample.benchmark).blind),
        [Condition(condition) for number, condition in answers if number == revision.pk],
        crops=ready and not known,
        draw=f"{rules_of(sample.benchmark).seed} {actor.pk} {sample.pk}",
    )


def answered_blind(actor: User, sample: Sample, revision: Revision) -> BlindAnswer | None:
    """What this person answered from the picture; None where the benchmark asks for no blind answer. Raises
    ``Conflict`` with the code ``blind_first`` where it is still to be given."""
    kept: BlindAnswer | None = BlindAnswer.objects.from_the_picture().filter(revision=revision, reviewer=actor).first()
    if kept is None and queue_of(sample.benchmark).blind != BlindRule.OFF:
        raise Conflict(f"Answer the question of {sample.key} yourself before you decide.", code="blind_first")
    return kept


def answer_blind(
    *, actor: User, sample: Sample, answer: str, unsure: bool, seconds: float, condition: str | None = None
) -> BlindAnswer:
    """Keep what the reviewer answers before seeing the gold: from ``condition``, which is what comes next unless said.
    The first answer from each stands. Raises ``Conflict`` for one that is not next."""
    with transaction.atomic():
        annotation, revision = start_review(actor, sample)
        said = {"answer": answer, "unsure": unsure, "seconds": seconds, "condition": condition}
        return keep_blind(actor, annotation, revision, sample, said)


def keep_blind(
    actor: User, annotation: Annotation, revision: Revision, sample: Sample, said: Mapping[str, Any]
) -> BlindAnswer:
    """Keep ``said`` (answer, unsure, seconds, condition) as a blind answer to the revision. Call inside a
    transaction, once the person has their seat."""
    if not said["answer"] and not said["unsure"]:
        raise InvalidInput("Answer the question, or say that you are unsure.", field="answer")
    if said["seconds"] < 0:
        raise InvalidInput("seconds must be a number from 0 on.", field="seconds")
    kept, new = BlindAnswer.objects.get_or_create(
        revision=revision,
        reviewer=actor,
        condition=_seen(actor, sample, revision, said["condition"]),
        defaults={
            "revision_author": revision.author, "answer": said["answer"], "unsure": said["unsure"],
            "seconds": min(said["seconds"], LONGEST_WAIT), "right": is_right(content_of(revision), said["answer"]),
        },
    )  # fmt: skip
    if new:
        audit.record(
            actor=actor, action="annotation.answer_blind", subject=annotation, benchmark=sample.benchmark.slug,
            data={"sample": sample.key, "revision": revision.number, "condition": kept.condition},
        )  # fmt: skip
    return kept


def _seen(actor: User, sample: Sample, revision: Revision, condition: str | None) -> str:
    """What an answer is given from: what is next, or what was answered from already."""
    following = next_condition(actor, sample, revision)
    known = BlindAnswer.objects.filter(revision=revision, reviewer=actor)
    condition = condition or following or known.from_the_picture().values_list("condition", flat=True).first()
    if condition is None:
        raise Conflict(f"{sample.key} is reviewed without a blind answer. Load the page again.", code="wrong_state")
    if condition != following and not known.filter(condition=condition).exists():
        raise Conflict("This page is older than what you answered. Load it again.", code="wrong_state")
    return condition


def is_right(content: SampleContent, answer: str) -> bool | None:
    """Whether a blind answer is the gold one; None where the words do not decide: none given, or other words for an
    open question."""
    said = " ".join(answer.split()).casefold()
    if not said:
        return None
    same = said in {" ".join(accepted.split()).casefold() for accepted in content.answers}
    return same if same or content.answer_type is AnswerType.MULTIPLE_CHOICE else None


def decide(*, actor: User, sample: Sample, decision: Decision, key: str = "") -> Sample | None:
    """Accept, fix and accept, return or discard; then the next sample to review (None: all done).

    Raises ``Conflict`` with the code ``blind_first`` before the blind answer, ``ChecksFailed`` for a fix that does not
    pass, ``InvalidInput`` for a decision without what it needs, and what ``start_review`` raises.
    """
    _check(decision)

    def work() -> None:
        annotation, revision = start_review(actor, sample)
        _decide(actor, annotation, revision, decision)
        release(actor, sample.pk, REVIEW)

    def then() -> Sample | None:
        return next_to_review(actor=actor, benchmark=sample.benchmark)

    return once(actor, key, f"decide:{sample.pk}", work, then)


def _check(decision: Decision) -> None:
    if decision.kind not in Review.Decision.values:
        raise InvalidInput("A decision is one of " + ", ".join(Review.Decision.values) + ".", field="decision")
    unknown = [reason for reason in decision.reasons if reason not in Review.Reason.values]
    if unknown:
        raise InvalidInput(f"{unknown[0]} is no reason. Known: {', '.join(Review.Reason.values)}.", field="reasons")
    wants_why = decision.kind in (Review.Decision.RETURN, Review.Decision.DISCARD)
    if wants_why and not (decision.reasons or decision.comment):
        raise InvalidInput(f"Say why you {decision.kind} it: a reason, or a comment.", field="reasons")
    if (decision.content is None) == (decision.kind == Review.Decision.FIX_AND_ACCEPT):
        raise InvalidInput(
            "fix_and_accept comes with the content as it should be, the others without.", field="content"
        )


def _decide(actor: User, annotation: Annotation, revision: Revision, decision: Decision) -> None:
    sample = annotation.sample
    blind = answered_blind(actor, sample, revision)
    fixed = _fix(actor, annotation, decision.content) if decision.content is not None else None
    Review.objects.create(
        revision=revision, revision_author=revision.author, reviewer=actor, decision=decision.kind,
        reasons=list(decision.reasons), comment=decision.comment,
        blind_answer=blind.answer if blind else None, blind_seconds=blind.seconds if blind else None,
    )  # fmt: skip
    data = {"revision": revision.number, "reasons": list(decision.reasons)}
    if fixed is not None:
        data["fixed_as"] = fixed.number
    move(actor=actor, annotation=annotation, name=decision.kind, reason=decision.comment, data=data)
    if annotation.state == State.ACCEPTED:
        make_gold(fixed or revision)
    elif annotation.state == State.DISCARDED:
        Gold.objects.filter(sample=sample, revision__annotation=annotation).delete()
        content_changed(sample.benchmark_id)


def _fix(actor: User, annotation: Annotation, content: Mapping[str, Any]) -> Revision:
    parsed, names, facets = content_from_json(content)
    checks = checks_of(annotation.sample, parsed)
    if blocking(checks):
        raise ChecksFailed(checks)
    return add_revision(actor=actor, annotation=annotation, content=content_to_json(parsed, names, facets))
