"""The qualification test: accepted samples that a person annotates before the queue assigns anything else.

A sample of the test is a gold check that the person knows to be one. Its question is given, so that every answer can be
compared. Annotators see how many they passed, but not the gold: others may still take the test.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from annotation.common.access import roles_of
from annotation.common.rules import rules_of
from annotation.content.guidelines import shown_in_guidelines
from annotation.content.revisions import content_of, revision_json
from annotation.models import (
    Benchmark,
    CheckAnswer,
    GoldCheck,
    QualificationAttempt,
    QualityRules,
    Revision,
    Sample,
)
from annotation.models.querysets.quality import seen_by
from annotation.queue.check_work import FIRST_PLACE, handed
from annotation.queue.shared_question import FIXED
from annotation.task_schema import QuestionAuthor
from annotation.work_rules import compared
from annotation.workflow import Role, SampleState
from webapp.accounts.models import User
from webapp.common import audit

LOOKED_AT = 1000
"""Samples that fit and are drawn from, at most."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """A person in the test. ``asked``: they have to pass it first. ``done`` of ``size`` samples of the open
    attempt are submitted or skipped. ``passed_n``: of the last finished attempt, of ``last_size``; None before the
    first. ``attempts_left``: further ones after the open one."""

    asked: bool
    is_open: bool = False
    done: int = 0
    size: int = 0
    passed_n: int | None = None
    last_size: int = 0
    attempts_left: int = 0
    enough: bool = True


def is_qualified(user: User, benchmark: Benchmark) -> bool:
    """Return whether the queue may assign samples to this person. Leads choose the samples of the test, and take none.
    No query if there is no test.
    """
    if not rules_of(benchmark).quiz_size or Role.LEAD in roles_of(user, benchmark):
        return True
    return QualificationAttempt.objects.filter(benchmark=benchmark, user=user, passed=True).exists()


def next_item(actor: User, benchmark: Benchmark, rules: QualityRules, beside: Sample | None = None) -> Sample | None:
    """The next sample of the test, theirs under a lease from now on: of the open attempt, or of a new one. None when
    they have no attempt left, or too few samples fit."""
    attempt = _open(actor, benchmark) or _begin(actor, benchmark, rules)
    if attempt is None:
        return None
    waiting = CheckAnswer.objects.filter(attempt=attempt).waiting()
    if beside is not None:
        waiting = waiting.exclude(check_of__sample=beside)
    answer = waiting.select_related("check_of__sample__benchmark").first()
    if answer is None and beside is None:
        # The samples that were left were reopened: the attempt must not wait for them.
        with transaction.atomic():
            _finish(attempt)
    return handed(actor, answer) if answer is not None else None


def qualification_of(user: User, benchmark: Benchmark) -> Qualification:
    """Return the state of this person in the test. One query if there is one, and two more until they passed it."""
    if is_qualified(user, benchmark):
        return Qualification(False)
    rules = rules_of(benchmark)
    attempts = list(QualificationAttempt.objects.filter(benchmark=benchmark, user=user).prefetch_related("answers"))
    now = next((one for one in attempts if one.passed is None), None)
    last = next((one for one in reversed(attempts) if one.passed is not None), None)
    answers = list(now.answers.all()) if now else []
    finished = list(last.answers.all()) if last else []
    left = max(rules.quiz_attempts - len(attempts), 0)
    return Qualification(
        asked=True,
        is_open=now is not None,
        done=sum(one.state != CheckAnswer.State.DRAFT for one in answers),
        size=len(answers) if now else rules.quiz_size,
        passed_n=sum(one.passed is True for one in finished) if last else None,
        last_size=len(finished),
        attempts_left=left,
        enough=now is not None or not left or len(_fitting(user, benchmark, rules)) >= rules.quiz_size,
    )


def given_question(answer: CheckAnswer | None) -> dict[str, Any] | None:
    """The question, answer type and options of a sample of the test, and of a gold check where the task takes questions
    from files, as content JSON; None for other samples."""
    if answer is None:
        return None
    check = answer.check_of
    if answer.attempt_id is None and check.sample.benchmark.task.question.who is not QuestionAuthor.IMPORT:
        return None
    gold = Revision.objects.filter(gold_of__sample=check.sample_id).with_content().get()
    content: Mapping[str, Any] = revision_json(gold)
    return {name: content[name] for name in FIXED}


def finish_if_done(answer: CheckAnswer) -> None:
    """End the attempt when this was its last sample. A skipped sample is not passed. Call inside a transaction."""
    if answer.attempt_id is None:
        return
    attempt = QualificationAttempt.objects.select_for_update().filter(pk=answer.attempt_id, passed=None).first()
    if attempt is None or CheckAnswer.objects.filter(attempt=attempt).waiting().exists():
        return
    _finish(attempt)


def replace_items(actor: User, benchmark: Benchmark, samples: Collection[int]) -> None:
    """Draw another sample in place of each of these that an open attempt still asks for, after they lost their gold.
    Without one, the item does not count. Call inside a transaction.
    """
    lost = CheckAnswer.objects.filter(
        check_of__sample__in=samples, attempt__passed=None, attempt__isnull=False, state=CheckAnswer.State.DRAFT
    )
    rules = rules_of(benchmark)
    for answer in lost.select_related("attempt", "user", "check_of__sample").order_by("pk"):
        attempt, found = answer.attempt, _fitting(answer.user, benchmark, rules)
        if attempt is None or not found:
            continue
        drawn = random.Random(f"{rules.seed} quiz {answer.user_id} {attempt.number} {answer.pk}").choice(found)
        _add_item(attempt, answer.user, drawn)
        data = {"number": attempt.number, "before": answer.check_of.sample.key, "after": drawn.key}
        audit.record(actor, "qualification.replace", attempt, benchmark.slug, data=data)
        answer.delete()


def _add_item(attempt: QualificationAttempt, user: User, sample: Sample) -> None:
    check, _ = GoldCheck.objects.get_or_create(sample=sample, defaults={"active": False})
    places = CheckAnswer.objects.filter(check_of=check).aggregate(last=Max("place"))
    place = (places["last"] or FIRST_PLACE) + 1
    CheckAnswer.objects.create(check_of=check, user=user, place=place, attempt=attempt)


def _finish(attempt: QualificationAttempt) -> None:
    """A sample that lost its gold before it was answered does not count. An attempt without any other is void: it is
    none of the person's attempts. Call inside a transaction."""
    answers = CheckAnswer.objects.filter(attempt=attempt).exclude(state=CheckAnswer.State.DRAFT)
    total, passed_n = answers.count(), answers.filter(passed=True).count()
    if not total:
        data = {"number": attempt.number}
        audit.record(attempt.user, "qualification.void", attempt, attempt.benchmark.slug, data=data)
        attempt.delete()
        return
    attempt.passed = passed_n >= attempt.needed * total
    attempt.finished_at = timezone.now()
    attempt.save(update_fields=["passed", "finished_at"])
    data = {"number": attempt.number, "passed": attempt.passed, "right": passed_n, "n": total}
    audit.record(attempt.user, "qualification.finish", attempt, attempt.benchmark.slug, data=data)


def _open(actor: User, benchmark: Benchmark) -> QualificationAttempt | None:
    return QualificationAttempt.objects.filter(benchmark=benchmark, user=actor, passed=None).first()


def _begin(actor: User, benchmark: Benchmark, rules: QualityRules) -> QualificationAttempt | None:
    number = QualificationAttempt.objects.filter(benchmark=benchmark, user=actor).count() + 1
    if number > rules.quiz_attempts:
        return None
    fitting = _fitting(actor, benchmark, rules)
    if len(fitting) < rules.quiz_size:
        return None
    drawn = random.Random(f"{rules.seed} quiz {actor.pk} {number}").sample(fitting, rules.quiz_size)
    try:
        with transaction.atomic():
            attempt = QualificationAttempt.objects.create(
                benchmark=benchmark, user=actor, number=number, needed=rules.quiz_pass
            )
            for sample in drawn:
                _add_item(attempt, actor, sample)
            data = {"number": number, "samples": [sample.key for sample in drawn]}
            audit.record(actor, "qualification.begin", attempt, benchmark.slug, data=data)
    except IntegrityError:
        # The same person asked twice in the same moment, or another person got a sample at the same time.
        return _open(actor, benchmark)
    return attempt


def _fitting(user: User, benchmark: Benchmark, rules: QualityRules) -> list[Sample]:
    """Accepted samples that can measure this person: with gold that can be compared, not made, reviewed or
    seen by them, no running gold checks, and not in the guidelines."""
    revisions = Revision.objects.filter(annotation__sample=OuterRef("pk"))
    answers = CheckAnswer.objects.filter(check_of__sample=OuterRef("pk"), user=user)
    found = Sample.objects.filter(
        ~Exists(revisions.filter(seen_by(user))), ~Exists(answers), benchmark=benchmark, state=SampleState.ACCEPTED,
        gold__isnull=False,
    ).exclude(gold_check__active=True).exclude(key__in=shown_in_guidelines(benchmark))  # fmt: skip
    samples = {sample.pk: sample for sample in found.order_by("pk")[:LOOKED_AT]}
    gold = Revision.objects.filter(gold_of__sample__in=samples).with_content().select_related("annotation")
    known = {one.annotation.sample_id: content_of(one) for one in gold}
    # Gold that passes when it is compared with itself has something that can be compared.
    return [
        sample
        for number, sample in samples.items()
        if number in known and compared(known[number], known[number], rules.check_rule).passed
    ]
