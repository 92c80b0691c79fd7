"""Questions that annotators cannot change: that of an imported file where the task takes questions from files, else one
for all annotators of a sample, which the first submission fixes and the others answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext

from annotation.common.access import known_to
from annotation.content.json import blank_content
from annotation.content.revisions import revision_json
from annotation.content.transitions import apply_transition
from annotation.models import Annotation, BenchmarkQueue, Revision, Sample
from annotation.queue.leases import queue_of
from annotation.schema import AnswerType, SampleContent, ToolPlan
from annotation.task_schema import QuestionAuthor
from annotation.workflow import State
from webapp.accounts.models import User
from webapp.common.errors import Conflict

FIXED = ("question", "answer_type", "options")


def fixed_question(user: User, sample: Sample) -> dict[str, Any] | None:
    """Return the question, answer type and options that this person must answer, as content JSON; None if they write
    their own. At most two queries, and none with an overlap of one, except for imported questions.

    People who get gold checks write their own, because a question of another annotator would show that a sample is not
    a check. Imported questions are fixed in both.
    """
    if sample.benchmark.task.question.who is QuestionAuthor.IMPORT:
        return imported_question(sample)
    if known_to(user, sample.benchmark).handed_checks:
        return None
    queue = queue_of(sample.benchmark)
    if queue.overlap_mode != BenchmarkQueue.OverlapMode.SHARED or queue.wanted(sample.pk, sample.extra_places) < 2:
        return None
    submitted = Revision.objects.filter(annotation__sample=sample, submitted_at__isnull=False)
    asked = submitted.filter(annotation__kind=Annotation.Kind.OWN).exclude(annotation__state=State.DISCARDED)
    first = asked.order_by("submitted_at", "pk").select_related("annotation").first()
    if first is None or first.annotation.author_id == user.pk:
        return None
    newest = submitted.filter(annotation=first.annotation).with_content().order_by("-number")
    content = revision_json(newest[0])
    return {name: content[name] for name in FIXED}


def imported_question(sample: Sample) -> dict[str, Any]:
    """Return the question, answer type and options of the gold, which a reviewer may have fixed, else those of the
    newest import; empty if no file had a question."""
    newest = Revision.objects.filter(annotation__sample=sample).from_files().with_content().first()
    content = revision_json(newest) if newest else blank_content(sample.benchmark.task, {})
    return {name: content[name] for name in FIXED}


def with_fixed(content: Mapping[str, Any], fixed: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a content with the fixed question; an answer that is not one of its options is omitted. Only a fixed
    question may have no answer.
    """
    if fixed is None:
        return {**content, "unanswerable": None} if content.get("unanswerable") is not None else dict(content)
    changed = {**content, **fixed}
    if changed["answer_type"] == "mc":
        changed["answer"] = [letter for letter in changed.get("answer", []) if letter in changed["options"]]
    return changed


def answers_another(content: Mapping[str, Any], fixed: Mapping[str, Any] | None) -> bool:
    """Whether a content has another question than the fixed one. Options that an open question had before count as
    little as on submission."""
    if fixed is None:
        return False
    asked = [name for name in FIXED if name != "options" or fixed["answer_type"] == AnswerType.MULTIPLE_CHOICE]
    return any(content[name] != fixed[name] for name in asked)


def require_fixed(user: User, sample: Sample, content: Mapping[str, Any]) -> None:
    """Raises ``Conflict`` with the code ``question_fixed`` for a question other than the fixed one, and like
    ``require_answered`` if the question is their own.
    """
    fixed = fixed_question(user, sample)
    if fixed is None or not may_refuse(user, sample):
        require_answered(sample, content)
    refuse_other(sample, content, fixed)


def refuse_other(sample: Sample, content: Mapping[str, Any], fixed: Mapping[str, Any] | None) -> None:
    """Raises ``Conflict`` with the code ``question_fixed`` for a question other than the fixed one."""
    if fixed is None or not answers_another(content, fixed):
        return
    if sample.benchmark.task.question.who is QuestionAuthor.IMPORT:
        message = gettext("The question of %(key)s comes from an imported file and can't be changed. Reload the page.")
        raise Conflict(message % {"key": sample.key}, code="question_fixed")
    raise Conflict(
        gettext(
            "Another annotator submitted %(key)s first, so its question is now fixed: “%(question)s” Reload the page "
            "to answer it. Your boxes are kept."
        )
        % {"key": sample.key, "question": fixed["question"]},
        code="question_fixed",
    )


def may_refuse(user: User, sample: Sample) -> bool:
    """Whether this person can say that a fixed question can't be answered. People who get gold checks can't, as they
    can't on a check."""
    return not known_to(user, sample.benchmark).handed_checks


def require_answered(sample: Sample, content: Mapping[str, Any]) -> None:
    """Raises ``Conflict`` with the code ``question_open`` where a person calls their own question unanswerable."""
    if content["unanswerable"] is not None:
        if sample.benchmark.task.question.who is QuestionAuthor.IMPORT:
            message = gettext(
                "You can't mark the question of %(key)s. Answer it, report a problem, or skip the sample."
            )
            raise Conflict(message % {"key": sample.key}, code="question_open")
        raise Conflict(
            gettext("The question of %(key)s is not fixed, so you can write another one. Reload the page.")
            % {"key": sample.key},
            code="question_open",
        )


def without_answer(content: SampleContent) -> SampleContent:
    """The part of a content that is submitted if its question cannot be answered: the question and the reason."""
    if content.unanswerable is None:
        return content
    return replace(content, answers=(), gold_boxes=(), reference_toolchain=(), plan=ToolPlan())


def return_others(actor: User | None, annotation: Annotation, revision: Revision, queue: BenchmarkQueue) -> None:
    """Return the other annotations to their authors if the first annotator resubmits with another question. Call inside
    a transaction.
    """
    sample = annotation.sample
    if revision.number == 1 or queue.overlap_mode != BenchmarkQueue.OverlapMode.SHARED:
        return
    before = Revision.objects.filter(annotation=annotation, number__lt=revision.number).order_by("-number").first()
    same = before is None or all(getattr(before, name) == getattr(revision, name) for name in FIXED)
    if same or annotation.author is None or fixed_question(annotation.author, sample) is not None:
        return
    for other in Annotation.objects.filter(sample=sample, state=State.SUBMITTED).exclude(pk=annotation.pk):
        other.sample = sample
        reason = gettext("The question has changed.")
        apply_transition(actor=actor, annotation=other, name="question_changed", reason=reason)
