"""Work packages with what is left of them and when that will be finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.http import QueryDict
from django.utils import timezone

from annotation.common.terms import Terms
from annotation.forecast import DAYS, Forecast, NoForecast, forecast
from annotation.models import Annotation, Benchmark, CheckAnswer, WorkPackage, WorkSession
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.leases import queue_of
from annotation.workflow import OPEN, SampleState
from webapp.accounts.models import User

LEFT_OUT = ("state", "waiting", "work", "problem", "priority")
"""Terms that change as people work. A package that had them would lose its samples."""
MOST_TIMES = 2000
"""Of the newest samples, whose times the forecast draws from."""


@dataclass(frozen=True, slots=True)
class PackageStatus:
    """A package now. ``left``: annotations that people must still submit; ``settled``: samples that need nothing more;
    ``people``: expected to do it, empty: all annotators."""

    package: WorkPackage
    people: Sequence[User]
    samples: int
    settled: int
    left: int
    forecast: Forecast | NoForecast

    @property
    def is_done(self) -> bool:
        return self.samples > 0 and self.left == 0

    def is_overdue(self, now: datetime) -> bool:
        return self.left > 0 and self.package.due_at <= now


@dataclass(frozen=True, slots=True)
class Pace:
    """The data of the forecast: the active seconds of finished samples, and of each person and day."""

    seconds: Sequence[float]
    days: dict[int, dict[date, float]]
    today: date

    def daily(self, people: Collection[int]) -> list[float]:
        """Seconds of these people, or of all, on each day of the last two weeks that is over, from the first on which
        they worked."""
        sums: dict[date, float] = defaultdict(float)
        for person, days in self.days.items():
            if not people or person in people:
                for day, seconds in days.items():
                    sums[day] += seconds
        before = [self.today - timedelta(days=back) for back in range(DAYS, 0, -1)]
        first = next((at for at, day in enumerate(before) if sums.get(day)), DAYS)
        return [sums.get(day, 0.0) for day in before[first:]]


def terms_of_query(query: str) -> Terms:
    """The terms of a package, without those that change as people work."""
    terms = Terms.read(QueryDict(query))
    kept = {name: value for name, value in terms.values.items() if name not in LEFT_OUT}
    return Terms(kept, terms.chosen)


def samples_of(package: WorkPackage) -> SampleQuerySet:
    """The samples that match now."""
    terms = terms_of_query(package.query)
    samples: SampleQuerySet = package.benchmark.samples.all()
    return samples.narrowed(terms.values, chosen=terms.chosen)


def packages_of(benchmark: Benchmark) -> list[PackageStatus]:
    """All packages, the one that is due first in front. Five queries."""
    packages = list(benchmark.packages.prefetch_related("people"))
    if not packages:
        return []
    for one in packages:
        one.benchmark = benchmark
    counts = _counts(benchmark, packages)
    pace = pace_of(benchmark)
    return [_status(one, counts, pace) for one in packages]


def _status(package: WorkPackage, counts: dict[str, int], pace: Pace) -> PackageStatus:
    people = list(package.people.all())
    left = counts[f"left_{package.pk}"] or 0
    return PackageStatus(
        package=package,
        people=people,
        samples=counts[f"samples_{package.pk}"],
        settled=counts[f"settled_{package.pk}"],
        left=left,
        forecast=forecast(left, pace.seconds, pace.daily({one.pk for one in people}), pace.today, seed=package.pk),
    )


def _counts(benchmark: Benchmark, packages: Sequence[WorkPackage]) -> dict[str, int]:
    asked: dict[str, Any] = {}
    for package in packages:
        among = Q(pk__in=samples_of(package).order_by().values("pk"))
        asked[f"samples_{package.pk}"] = Count("pk", filter=among)
        settled = among & Q(state__in=[SampleState.ACCEPTED, SampleState.DISCARDED])
        asked[f"settled_{package.pk}"] = Count("pk", filter=settled)
        asked[f"left_{package.pk}"] = Sum("left", filter=among)
    return benchmark.samples.all().with_annotations_left(queue_of(benchmark)).order_by().aggregate(**asked)


def pace_of(benchmark: Benchmark) -> Pace:
    """Two queries."""
    today = timezone.now().date()
    sessions = WorkSession.objects.on(benchmark).filter(role=WorkSession.Role.ANNOTATE)
    of_both = {"author": OuterRef("person"), "sample": OuterRef("sample")}
    submitted = Exists(Annotation.objects.filter(**of_both).exclude(state__in=OPEN)) | Exists(
        CheckAnswer.objects.submitted().filter(user=OuterRef("person"), check_of__sample=OuterRef("sample"))
    )
    times = sessions.filter(submitted).order_by("-sample").values_list("sample", "person")
    seconds = [found for *_, found in times.annotate(seconds=Sum("active_seconds"))[:MOST_TIMES] if found > 0]
    days: dict[int, dict[date, float]] = defaultdict(dict)
    recent = sessions.between(today - timedelta(days=DAYS), today).order_by()
    for person, day, found in recent.values_list("person", "day").annotate(seconds=Sum("active_seconds")):
        days[person][day] = found
    return Pace(seconds, days, today)
