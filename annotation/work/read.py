"""The lead's view of current work: each person's progress and pace, reservations and pauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Min, Q
from django.utils import timezone

from annotation.models import Annotation, Benchmark, Lease, Pause, Problem, Review, Revision, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.models.querysets.waiting import WORK
from annotation.queue.progress import WINDOW, pace
from annotation.statistics import Interval, wilson
from annotation.workflow import Role
from webapp.accounts.models import User

LEASES_SHOWN = 200
PROBLEMS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class PersonAtWork:
    """One person: their roles, number of samples by kind of work (a key of ``WORK``), submissions of the last seven
    days with the pace per day (None: too few to compute one), and how many of their reviewed annotations were ever
    returned.
    """

    user: User
    roles: list[str]
    work: Mapping[str, int]
    week: int
    per_day: float | None
    decided: int
    came_back: int
    pause: Pause | None

    @property
    def days_left(self) -> float | None:
        """The days that the assigned samples take at this pace; None if the pace is unknown or nothing is left."""
        given = self.work["assigned"]
        return given / self.per_day if self.per_day and given else None

    @property
    def returned_share(self) -> float | None:
        return self.came_back / self.decided if self.decided else None

    @property
    def returned_interval(self) -> Interval | None:
        return wilson(self.came_back, self.decided)


def people_at_work(benchmark: Benchmark) -> list[PersonAtWork]:
    """Return all people who annotate, review or lead, or have work here, by name. Six queries, and one for
    each kind.
    """
    roles: dict[int, list[str]] = {}
    for number, role in benchmark.memberships.order_by("role").values_list("user", "role"):
        roles.setdefault(number, []).append(role)
    counts = {kind: benchmark.samples.all().work_by_person(kind) for kind in WORK}
    working = {number for found in counts.values() for number in found}
    working |= {number for number, held in roles.items() if set(held) - {Role.RESEARCHER.value}}
    now = timezone.now()
    weeks = _weeks(benchmark, now)
    decided, came_back = _decided(benchmark), _decided(benchmark, decision=Review.Decision.RETURN)
    pauses = {one.user_id: one for one in Pause.objects.standing().filter(benchmark=benchmark)}

    def at_work(user: User) -> PersonAtWork:
        week, since = weeks.get(user.pk, (0, None))
        work = {kind: found.get(user.pk, 0) for kind, found in counts.items()}
        return PersonAtWork(
            user=user, roles=roles.get(user.pk, []), work=work, week=week, per_day=pace(week, since, now),
            decided=decided.get(user.pk, 0), came_back=came_back.get(user.pk, 0), pause=pauses.get(user.pk),
        )  # fmt: skip

    return [at_work(user) for user in User.objects.filter(pk__in=working).order_by("name", "email")]


def _weeks(benchmark: Benchmark, now: datetime) -> dict[int, tuple[int, datetime | None]]:
    """Return the number of first submissions of each author in the window, and the time of the first of them."""
    first_ones = Revision.objects.filter(
        annotation__sample__benchmark=benchmark,
        annotation__kind=Annotation.Kind.OWN,
        number=1,
        submitted_at__gte=now - WINDOW,
    )
    rows = first_ones.order_by().values_list("author").annotate(n=Count("pk"), since=Min("submitted_at"))
    return {author: (n, since) for author, n, since in rows if author is not None}


def _decided(benchmark: Benchmark, **decision: str) -> dict[int, int]:
    """Return the number of annotations by author on which a reviewer decided: in any way, or as given."""
    made = Annotation.objects.filter(
        sample__benchmark=benchmark, kind=Annotation.Kind.OWN, author__isnull=False, revisions__reviews__isnull=False,
        **{f"revisions__reviews__{name}": value for name, value in decision.items()},
    )  # fmt: skip
    return dict(made.order_by().values_list("author").annotate(n=Count("pk", distinct=True)))


def open_problems(benchmark: Benchmark) -> list[Problem]:
    """Return the reported problems that no lead has resolved, the newest first."""
    problems = Problem.objects.open().filter(sample__benchmark=benchmark)
    return list(problems.select_related("sample", "reporter")[:PROBLEMS_SHOWN])


def live_leases(benchmark: Benchmark) -> list[Lease]:
    """Return the current reservations, the oldest first."""
    leases = Lease.objects.filter(sample__benchmark=benchmark).live()
    return list(leases.select_related("sample", "user").order_by("taken_at", "pk")[:LEASES_SHOWN])


def with_removed_ones(benchmark: Benchmark) -> SampleQuerySet:
    """The samples of a benchmark, and those deleted from it or withdrawn, which come last. One query."""
    rows: SampleQuerySet = Sample.everything.filter(Q(benchmark=benchmark) | Q(removed_from=benchmark))
    return rows.select_related("image").order_by(F("removed_from").asc(nulls_first=True), "-pk")
