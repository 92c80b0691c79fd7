"""Guidelines with who has read them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Max

from annotation.models import Benchmark, Guideline, GuidelineReading, Membership
from annotation.workflow import Role
from webapp.accounts.models import User

WORKERS = (Role.ANNOTATOR.value, Role.REVIEWER.value)


@dataclass(frozen=True, slots=True)
class Readers:
    """Among the people who annotate or review, the number who have read the guidelines in force, and those who have
    not.
    """

    read: int
    total: int
    missing: tuple[User, ...]


def versions_of(benchmark: Benchmark) -> list[Guideline]:
    """All versions, newest first, with ``readers``: how many confirmed each."""
    rows = Guideline.objects.filter(benchmark=benchmark).select_related("published_by")
    return list(rows.annotate(readers=Count("readings")).order_by("-number"))


def readers_of(guideline: Guideline) -> Readers:
    """Two queries."""
    members = Membership.objects.filter(benchmark=guideline.benchmark_id, role__in=WORKERS)
    people = {one.user_id: one.user for one in members.select_related("user").order_by("user__name", "pk")}
    read = set(
        GuidelineReading.objects.filter(guideline__benchmark=guideline.benchmark_id, user__in=people)
        .values("user")
        .annotate(last=Max("guideline__number"))
        .filter(last__gte=guideline.number)
        .values_list(F("user"), flat=True)
    )
    missing = tuple(person for number, person in people.items() if number not in read)
    return Readers(len(people) - len(missing), len(people), missing)


def last_read(user: User, benchmark: Benchmark) -> int:
    """The number of the newest version that the person confirmed; 0: none."""
    readings = GuidelineReading.objects.filter(user=user, guideline__benchmark=benchmark)
    return readings.aggregate(last=Max("guideline__number"))["last"] or 0
