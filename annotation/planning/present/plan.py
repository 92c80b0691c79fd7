"""The plan as bars on one axis of days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

from annotation.forecast import FEWEST, Forecast, NoForecast
from annotation.models import Benchmark
from annotation.planning.read.packages import PackageStatus, packages_of, terms_of_query
from webapp.common.drawing import as_percent
from webapp.common.translation import Text

WIDTH = 1000
"""Of the axis."""
MOST_TICKS = 6
LATE, LAST = 0.85, 0.93
"""Parts of the axis: between them, the text of a day is centered, and behind the second it would be cut off."""
MOST_DAYS = 366
"""Later dates are drawn at the end of the axis."""

WHY: dict[NoForecast, Text] = {
    NoForecast.FEW_SAMPLES: gettext_lazy("No forecast: fewer than %(fewest)s submitted samples have a recorded time."),
    NoForecast.NO_HOURS: gettext_lazy("No forecast: no active time on the last 14 days before today."),
    NoForecast.TOO_LONG: gettext_lazy("No forecast: at the hours of the last 14 days it takes more than two years."),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A package as the page draws it. Places are on an axis of ``WIDTH``; None: not on it. ``tokens``: its filter, as
    words. ``is_late``: the middle of the forecast is after the day on which it is due."""

    status: PackageStatus
    tokens: Sequence[tuple[str, str]]
    listed: str
    is_overdue: bool
    is_late: bool
    due: int
    begin: int | None
    length: int
    middle: int | None
    why: str

    @property
    def range(self) -> Forecast | None:
        return self.status.forecast if isinstance(self.status.forecast, Forecast) and self.status.left else None

    @property
    def early(self) -> str:
        return date_format(self.range.early, "j M Y") if self.range else ""

    @property
    def late(self) -> str:
        return date_format(self.range.late, "j M Y") if self.range else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Bars, the axis as (place, day, part of the text that is there), and where today is."""

    bars: list[Bar]
    ticks: list[tuple[str, str, str]]
    today: int


def plan_of(benchmark: Benchmark) -> Plan:
    """Return the content of the page of the plan."""
    now = timezone.now()
    statuses = packages_of(benchmark)
    first, days = _axis(statuses, now.date())

    def place(day: date, shift: float = 0.0) -> int:
        return round(min(max((day - first).days + shift, 0), days) / days * WIDTH)

    bars = [_bar(benchmark, status, now, place) for status in statuses]
    step = max(1, -(-days // MOST_TICKS))
    shown = [first + timedelta(days=at) for at in range(0, days, step)]
    ticks = [
        (as_percent(at * 100), date_format(day, "j M"), "middle" if at > LATE else "start")
        for day in shown
        if (at := place(day) / WIDTH) <= LAST
    ]
    return Plan(bars, ticks, place(now.date()))


def _axis(statuses: Sequence[PackageStatus], today: date) -> tuple[date, int]:
    """The first day of the axis and its length in days."""
    ends = [one.package.due_at.date() for one in statuses]
    first = min([today, *(end for one, end in zip(statuses, ends, strict=True) if one.left)])
    ends += [one.forecast.late for one in statuses if isinstance(one.forecast, Forecast)]
    first = max(first, today - timedelta(days=MOST_DAYS // 2))
    return first, max(7, min((max([today, *ends]) - first).days + 1, MOST_DAYS))


def _bar(benchmark: Benchmark, status: PackageStatus, now: datetime, at: Callable[..., int]) -> Bar:
    package, found = status.package, status.forecast
    begin = middle = None
    length = 0
    if isinstance(found, Forecast) and status.left:
        begin, middle = at(found.early), at(found.middle, 0.5)
        length = max(at(found.late, 1.0) - begin, 4)
    terms = terms_of_query(package.query)
    due = package.due_at
    return Bar(
        status=status,
        tokens=[(token.name, token.value) for token in terms.tokens(benchmark)]
        + ([("", f"“{terms.values['q']}”")] if "q" in terms.values else []),
        listed=terms.address(),
        is_overdue=status.is_overdue(now),
        is_late=middle is not None and isinstance(found, Forecast) and found.middle > due.date(),
        due=at(due.date(), (due.hour + due.minute / 60) / 24),
        begin=begin,
        length=length,
        middle=middle,
        why=str(WHY[found]) % {"fewest": FEWEST} if isinstance(found, NoForecast) else "",
    )
