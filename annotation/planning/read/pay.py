"""The work of people by month and role: counted while a month is open, and stored once it is closed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.utils import timezone

from annotation.content.people import verified_addresses
from annotation.models import (
    Adjudication,
    Annotation,
    Benchmark,
    BuildDecision,
    CheckAnswer,
    PayLine,
    PayPeriod,
    PayRate,
    Review,
    Revision,
    WorkSession,
)
from annotation.models.querysets.removed import with_removed
from annotation.payroll import amount_of_samples, amount_of_time, month_of, next_month
from annotation.statistics import Interval, wilson
from webapp.accounts.models import User

Role = WorkSession.Role
SAME_ACT = timedelta(minutes=1)
"""An adjudication stores the reviews of its annotations within this time of itself."""


@dataclass(frozen=True, slots=True)
class Line:
    """The work of one person in one role in one month, UTC. ``submitted`` counts first submissions, gold checks among
    them; of these, ``accepted`` became gold, ``decided`` have a decision and ``returned`` came back at least once.
    ``None``: hidden from this reader. ``active_seconds`` is None if no time was
    recorded, and ``amount`` then too if hours are paid, as without a rate. ``verified``: the address of the person is
    verified now, also in a closed month."""

    person: User
    role: Role
    submitted: int = 0
    accepted: int | None = 0
    reviewed: int = 0
    adjudicated: int = 0
    active_seconds: float | None = None
    median_seconds: float | None = None
    decided: int | None = 0
    returned: int | None = 0
    per: str = ""
    rate: Decimal | None = None
    amount: Decimal | None = None
    verified: bool = False

    @property
    def hours(self) -> float | None:
        """None if no active time was recorded."""
        return None if self.active_seconds is None else self.active_seconds / 3600

    @property
    def returned_share(self) -> float | None:
        return self.returned / self.decided if self.decided and self.returned is not None else None

    @property
    def returned_interval(self) -> Interval | None:
        return wilson(self.returned, self.decided) if self.decided and self.returned is not None else None

    @property
    def paid_samples(self) -> int:
        """The number of samples paid by a rate per sample."""
        return {Role.ANNOTATE: self.submitted, Role.REVIEW: self.reviewed, Role.ADJUDICATE: self.adjudicated}[self.role]


STORED = tuple(name for name in Line.__dataclass_fields__ if name != "verified")
"""What a closed month keeps of a line."""


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the table. ``period``: None while it is open."""

    first: date
    period: PayPeriod | None
    currency: str
    lines: list[Line]

    @property
    def is_over(self) -> bool:
        return next_month(self.first) <= timezone.now().date()

    @property
    def amount(self) -> Decimal | None:
        paid = [line.amount for line in self.lines if line.amount is not None]
        return sum(paid, Decimal(0)) if paid else None


def month_table(benchmark: Benchmark, first: date, *, only: User | None = None, blind: bool = False) -> Month:
    """The lines of a month by name and role; only those of one person. ``blind``: they get gold checks and must not
    learn what was accepted. A fixed number of queries."""
    period = benchmark.pay_periods.filter(month=first).first()
    if period is not None:
        stored = period.lines.select_related("person").filter(**({"person": only} if only else {}))
        lines = [_stored(one) for one in stored]
        currency = period.currency
    else:
        lines = counted_lines(benchmark, first, only=only)
        currency = currency_of(benchmark)
    lines.sort(key=lambda line: (str(line.person).lower(), line.person.pk, list(Role).index(line.role)))
    verified = verified_addresses(benchmark, {line.person.pk for line in lines})
    lines = [replace(line, verified=verified[line.person.pk]) for line in lines]
    return Month(first, period, currency, [_blinded(line) for line in lines] if blind else lines)


def currency_of(benchmark: Benchmark) -> str:
    pay = getattr(benchmark, "pay", None)
    return pay.currency if pay else ""


def _blinded(line: Line) -> Line:
    return replace(line, accepted=None, decided=None, returned=None)


def _stored(row: PayLine) -> Line:
    values = {name: getattr(row, name) for name in STORED}
    return Line(**values | {"role": Role(row.role)})


def counted_lines(benchmark: Benchmark, first: date, *, only: User | None = None) -> list[Line]:
    """The current lines of a month. Nine queries."""
    after = next_month(first)
    begin, end = _midnight(first), _midnight(after)
    found: dict[tuple[int, Role], dict[str, Any]] = defaultdict(dict)
    for person, numbers in _annotated(benchmark, begin, end).items():
        found[person, Role.ANNOTATE] |= numbers
    for person, n in _checks(benchmark, begin, end).items():
        of_person = found[person, Role.ANNOTATE]
        of_person["submitted"] = of_person.get("submitted", 0) + n
    for person, n in _reviewed(benchmark, begin, end).items():
        found[person, Role.REVIEW]["reviewed"] = n
    for person, n in _adjudicated(benchmark, begin, end).items():
        found[person, Role.ADJUDICATE]["adjudicated"] = n
    for (person, role), times in _times(benchmark, first, after).items():
        found[person, role] |= {"active_seconds": sum(times), "median_seconds": median(times)}
    people = User.objects.in_bulk({person for person, _ in found if only is None or person == only.pk})
    rates = rates_of(benchmark)
    lines = [Line(people[person], role, **data) for (person, role), data in found.items() if person in people]
    return [_paid(line, rates) for line in lines]


def rates_of(benchmark: Benchmark) -> dict[tuple[Role, int | None], PayRate]:
    """By role and person; without a person, that of everyone else."""
    return {(Role(one.role), one.person_id): one for one in benchmark.pay_rates.select_related("person")}


def _paid(line: Line, rates: Mapping[tuple[Role, int | None], PayRate]) -> Line:
    rate = rates.get((line.role, line.person.pk)) or rates.get((line.role, None))
    if rate is None:
        return line
    amount: Decimal | None = None
    if rate.per == PayRate.Per.SAMPLE:
        amount = amount_of_samples(rate.amount, line.paid_samples)
    elif line.active_seconds is not None:
        amount = amount_of_time(rate.amount, line.active_seconds)
    return replace(line, per=rate.per, rate=rate.amount, amount=amount)


def _annotated(benchmark: Benchmark, begin: datetime, end: datetime) -> dict[int, dict[str, Any]]:
    made = Revision.objects.filter(
        with_removed("annotation__sample", benchmark), annotation__kind=Annotation.Kind.OWN, number=1,
        author__isnull=False, submitted_at__gte=begin, submitted_at__lt=end,
    )  # fmt: skip
    every = "annotation__revisions__reviews"
    rows = (
        made.order_by()
        .values_list("author")
        .annotate(
            submitted=Count("annotation", distinct=True),
            accepted=Count("annotation", filter=Q(annotation__state="accepted"), distinct=True),
            decided=Count("annotation", filter=Q(**{f"{every}__isnull": False}), distinct=True),
            returned=Count("annotation", filter=Q(**{f"{every}__decision": Review.Decision.RETURN}), distinct=True),
        )
    )
    names = ("submitted", "accepted", "decided", "returned")
    return {person: dict(zip(names, numbers, strict=True)) for person, *numbers in rows}


def _checks(benchmark: Benchmark, begin: datetime, end: datetime) -> dict[int, int]:
    """Gold checks count as submitted, those of a qualification test do not."""
    answers = CheckAnswer.objects.filter(with_removed("check_of__sample", benchmark), attempt=None).handed_in()
    within = answers.filter(handed_in_at__gte=begin, handed_in_at__lt=end)
    return dict(within.order_by().values_list("user").annotate(n=Count("pk")))


def _reviewed(benchmark: Benchmark, begin: datetime, end: datetime) -> dict[int, int]:
    decided = Adjudication.objects.filter(
        sample=OuterRef("revision__annotation__sample"), adjudicator=OuterRef("reviewer"),
        decided_at__gte=OuterRef("created_at") - SAME_ACT, decided_at__lte=OuterRef("created_at") + SAME_ACT,
    )  # fmt: skip
    of_benchmark = with_removed("revision__annotation__sample", benchmark)
    reviews = Review.objects.filter(of_benchmark, ~Exists(decided), created_at__gte=begin, created_at__lt=end)
    found = Counter(dict(reviews.order_by().values_list("reviewer").annotate(n=Count("pk"))))
    # A check of an image of the building board is a review, too.
    images = BuildDecision.objects.of_images(benchmark).filter(created_at__gte=begin, created_at__lt=end)
    found.update(dict(images.order_by().values_list("person").annotate(n=Count("pk"))))
    return found


def _adjudicated(benchmark: Benchmark, begin: datetime, end: datetime) -> dict[int, int]:
    rounds = Adjudication.objects.filter(with_removed("sample", benchmark), adjudicator__isnull=False)
    within = rounds.filter(decided_at__gte=begin, decided_at__lt=end)
    return dict(within.order_by().values_list("adjudicator").annotate(n=Count("pk")))


def _times(benchmark: Benchmark, first: date, after: date) -> dict[tuple[int, Role], list[float]]:
    """The active seconds of each sample by person and role."""
    sessions = WorkSession.objects.on(benchmark).between(first, after).order_by()
    rows = sessions.values_list("person", "role", "sample").annotate(seconds=Sum("active_seconds"))
    found: dict[tuple[int, Role], list[float]] = defaultdict(list)
    for person, role, _, seconds in rows:
        if seconds > 0:
            found[person, Role(role)].append(seconds)
    return found


def months_with_work(benchmark: Benchmark) -> list[date]:
    """Months that have time, submissions or a period, the newest first; the current one among them."""
    found = {month_of(timezone.now().date()), *benchmark.pay_periods.values_list("month", flat=True)}
    found |= set(WorkSession.objects.on(benchmark).order_by().dates("day", "month"))
    made = Revision.objects.filter(with_removed("annotation__sample", benchmark), submitted_at__isnull=False)
    found |= {month_of(one.date()) for one in made.order_by().datetimes("submitted_at", "month", tzinfo=UTC)}
    return sorted(found, reverse=True)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
