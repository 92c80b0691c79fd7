"""The results of annotators in the qualification test, for the lead."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Benchmark, Membership, QualificationAttempt
from annotation.workflow import Role
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class Candidate:
    """An annotator with their attempts, each with ``total``, ``passed_n`` and ``done_n`` samples. ``state``: passed,
    waived, open, failed (attempts are left), out (none is left) or new."""

    person: User
    attempts: tuple[QualificationAttempt, ...]
    state: str


def candidates(benchmark: Benchmark, most_attempts: int) -> list[Candidate]:
    """Return every annotator who is not a lead, by name. Three queries."""
    members = Membership.objects.filter(benchmark=benchmark).select_related("user").order_by("user__name", "pk")
    leads = {one.user_id for one in members if one.role == Role.LEAD}
    people = {one.user_id: one.user for one in members if one.role == Role.ANNOTATOR and one.user_id not in leads}
    attempts = QualificationAttempt.objects.filter(benchmark=benchmark, user__in=people).select_related("waived_by")
    counted = attempts.annotate(
        total=Count("answers"), passed_n=Count("answers", filter=Q(answers__passed=True)),
        done_n=Count("answers", filter=~Q(answers__state="draft")),
    )  # fmt: skip
    theirs: dict[int, list[QualificationAttempt]] = {}
    for one in counted.order_by("number"):
        theirs.setdefault(one.user_id, []).append(one)
    return [
        Candidate(person, tuple(found := theirs.get(number, [])), _state(found, most_attempts))
        for number, person in people.items()
    ]


def _state(attempts: list[QualificationAttempt], most: int) -> str:
    if not attempts:
        return "new"
    if any(one.passed for one in attempts):
        return "waived" if attempts[-1].waived_by_id else "passed"
    if any(one.passed is None for one in attempts):
        return "open"
    return "out" if len(attempts) >= most else "failed"
