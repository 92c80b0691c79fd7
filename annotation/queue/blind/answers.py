"""Blind answers of people to a sample, given before the gold is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.common.rules import rules_of
from annotation.content.revisions import content_of
from annotation.models import Annotation, BlindAnswer, Image, Revision, Sample
from annotation.queue.leases import queue_of
from annotation.schema import AnswerType, SampleContent
from annotation.work_rules import BlindRule, Condition, blind_step
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def next_condition(actor: User, sample: Sample, revision: Revision) -> Condition | None:
    """The condition of this reviewer's next blind answer; None if they have given all of them.

    Reviewers who answered for an earlier revision know the sample, so crops show nothing new to them."""
    mine = BlindAnswer.objects.filter(revision__annotation__sample=sample, reviewer=actor)
    answers = list(mine.values_list("revision", "condition"))
    known = any(number != revision.pk for number, _ in answers)
    image = sample.image
    ready = image is not None and image.state == Image.State.READY and bool(revision.evidence)
    return blind_step(
        BlindRule(queue_of(sample.benchmark).blind),
        [Condition(condition) for number, condition in answers if number == revision.pk],
        crops=ready and not known,
        draw=f"{rules_of(sample.benchmark).seed} {actor.pk} {sample.pk}",
    )


def answered_blind(actor: User, sample: Sample, revision: Revision) -> BlindAnswer | None:
    """Return this person's answer from the image; None if the benchmark asks for no blind answer. Raises ``Conflict``
    with the code ``blind_first`` if it is still to be given.
    """
    kept: BlindAnswer | None = BlindAnswer.objects.from_the_picture().filter(revision=revision, reviewer=actor).first()
    if kept is None and queue_of(sample.benchmark).blind != BlindRule.OFF:
        raise Conflict(
            gettext("Answer the question of %(key)s yourself before you decide.") % {"key": sample.key},
            code="blind_first",
        )
    return kept


def keep_blind(
    actor: User, annotation: Annotation, revision: Revision, sample: Sample, said: Mapping[str, Any]
) -> BlindAnswer:
    """Keep ``said`` (answer, unsure, seconds, condition) as a blind answer to the revision. Call inside a
    transaction, once the person has their seat."""
    if not said["answer"] and not said["unsure"]:
        raise InvalidInput(gettext("Answer the question, or select “not sure”."), field="answer")
    if said["seconds"] < 0:
        raise InvalidInput(gettext("seconds must be a number of 0 or more."), field="seconds")
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
    """The source of an answer: the next one, or one that was already used."""
    following = next_condition(actor, sample, revision)
    known = BlindAnswer.objects.filter(revision=revision, reviewer=actor)
    condition = condition or following or known.from_the_picture().values_list("condition", flat=True).first()
    if condition is None:
        raise Conflict(
            gettext("%(key)s is reviewed without a blind answer. Reload the page.") % {"key": sample.key},
            code="wrong_state",
        )
    if condition != following and not known.filter(condition=condition).exists():
        raise Conflict(gettext("This page is older than your answer. Reload the page."), code="wrong_state")
    return condition


def is_right(content: SampleContent, answer: str) -> bool | None:
    """Return whether a blind answer equals the gold answer; None if undecidable: no answer, or different words for an
    open question.
    """
    said = " ".join(answer.split()).casefold()
    if not said:
        return None
    same = said in {" ".join(accepted.split()).casefold() for accepted in content.answers}
    return same if same or content.answer_type is AnswerType.MULTIPLE_CHOICE else None


LONGEST_WAIT = 24 * 3600.0
"""A blind answer that took longer, in seconds, was a page left open; so much is kept."""
