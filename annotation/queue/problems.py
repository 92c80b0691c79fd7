"""Reporting a problem of a sample to the lead, and what the lead makes of it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import allowed, require
from annotation.models import Problem, Sample
from annotation.queue.handed import require_handed
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

LONGEST = 2000


def report_problem(*, actor: User, sample: Sample, text: str) -> Problem:
    """Flag a sample for the lead. People who work on it continue as before. Raises ``NotAllowed`` for people who
    neither annotate nor review, and for a sample that was not assigned to a person with gold checks.
    """
    reviews = allowed(actor, sample.benchmark, Right.REVIEW)
    if not reviews:
        require(actor, sample.benchmark, Right.ANNOTATE)
        require_handed(actor, sample)
    if not text or len(text) > LONGEST:
        raise InvalidInput(
            gettext("Describe the problem in 1 to %(limit)s characters.") % {"limit": LONGEST}, field="text"
        )
    with transaction.atomic():
        problem = Problem.objects.create(sample=sample, reporter=actor, text=text)
        audit.record(actor, "sample.report", sample, sample.benchmark.slug, data={"problem": problem.pk})
    return problem


def resolve_problem(*, actor: User, problem: Problem) -> None:
    """It is dealt with; twice changes nothing."""
    benchmark = problem.sample.benchmark
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        opened = Problem.objects.open().filter(pk=problem.pk)
        if opened.update(resolved_at=timezone.now(), resolved_by=actor):
            audit.record(actor, "sample.resolve", problem.sample, benchmark.slug, data={"problem": problem.pk})
