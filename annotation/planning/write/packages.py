"""Making, changing and removing work packages, and whom to remind of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from annotation.common.access import members_who_may, require
from annotation.common.notices import notify_due
from annotation.models import Benchmark, WorkPackage
from annotation.planning.read.packages import PackageStatus, packages_of, samples_of, terms_of_query
from annotation.queue.batch import require_annotator
from annotation.queue.priority import require_priority, set_priority
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

MOST_PACKAGES = 50
"""Of a benchmark. The plan compares all of them."""
LONGEST_QUERY = 2000
NOTICE = (4, 48)
"""Hours before a package is due at which people are reminded, the shortest first."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """These people, by their numbers, were reminded that a package is due within this number of hours."""

    package: WorkPackage
    people: Sequence[int]
    hours: int


def save_package(
    *, actor: User, benchmark: Benchmark, title: str, query: str, people: Collection[User], due_at: datetime,
    priority: int, package: WorkPackage | None = None,
) -> WorkPackage:  # fmt: skip
    """Make a package, or change ``package``. The samples that match now get its priority if that is new to the package;
    others keep theirs.
    Raises ``InvalidInput``, and ``Conflict`` with the code ``too_many`` for one more than a plan can have."""
    require(actor, benchmark, Right.MANAGE)
    require_priority(priority)
    for person in people:
        require_annotator(person, benchmark)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        if package is None:
            _require_room(benchmark)
        one = package or WorkPackage(benchmark=benchmark, created_by=actor)
        if one.due_at != due_at:
            one.reminded = 0
        before, kept = (one.query, one.priority), _kept(query)
        one.title, one.query = title.strip(), kept
        one.due_at, one.priority = due_at, priority
        samples = samples_of(one)
        if not samples.exists():
            raise InvalidInput(gettext("No samples match. Change the filter."), field="query")
        one.save()
        one.people.set(people)
        changed = (kept, priority) != before
        if (priority and (package is None or changed)) or priority != before[1]:
            set_priority(actor, benchmark, samples, priority)
        audit.record(
            actor, "package.change" if package else "package.create", one, benchmark.slug,
            data={"title": one.title, "query": one.query, "due": due_at.isoformat(), "priority": priority,
                  "people": sorted(str(person) for person in people)},
        )  # fmt: skip
    return one


def remove_package(*, actor: User, package: WorkPackage) -> None:
    """Remove it from the plan. Its samples keep their priority and everything else."""
    require(actor, package.benchmark, Right.MANAGE)
    with transaction.atomic():
        audit.record(actor, "package.remove", package, package.benchmark.slug, data={"title": package.title})
        package.delete()


def send_reminders(now: datetime) -> list[Reminder]:
    """Send the reminders that are due, each of them once, also when two workers ask at the same moment. Of two that are
    due, the shorter notice is given; a package that is finished then has none."""
    waiting = WorkPackage.objects.filter(due_at__gt=now, due_at__lte=now + timedelta(hours=max(NOTICE)))
    due = {one.pk: one.benchmark_id for one in waiting if _notice(one, now) is not None}
    found: list[Reminder] = []
    for benchmark in Benchmark.objects.filter(pk__in=set(due.values())):
        for status in packages_of(benchmark):
            if status.package.pk in due and (reminder := _remind(benchmark, status, now)) is not None:
                found.append(reminder)
    return found


def _remind(benchmark: Benchmark, status: PackageStatus, now: datetime) -> Reminder | None:
    hours = _notice(status.package, now)
    with transaction.atomic():
        untold = WorkPackage.objects.filter(Q(reminded=0) | Q(reminded__gt=hours), pk=status.package.pk)
        if hours is None or not untold.update(reminded=hours) or status.left == 0:
            return None
        left = -(-(status.package.due_at - now) // timedelta(hours=1))
        people = [one.pk for one in status.people] or [one.pk for one in members_who_may(benchmark, Right.ANNOTATE)]
        notify_due(status.package, people, left)
        return Reminder(status.package, people, hours)


def _notice(package: WorkPackage, now: datetime) -> int | None:
    """The notice that fits the time left and was not given yet."""
    left = package.due_at - now
    hours = next((hours for hours in NOTICE if timedelta() < left <= timedelta(hours=hours)), None)
    return hours if hours is not None and not 0 < package.reminded <= hours else None


def _kept(query: str) -> str:
    """The terms that a package can have, as an address."""
    kept = urlencode(terms_of_query(query.strip().lstrip("?")).pairs())
    if len(kept) > LONGEST_QUERY:
        message = gettext("The filter is longer than %(limit)s characters. Use a facet.") % {"limit": LONGEST_QUERY}
        raise InvalidInput(message, field="query")
    return kept


def _require_room(benchmark: Benchmark) -> None:
    if benchmark.packages.count() >= MOST_PACKAGES:
        message = gettext("A plan has at most %(limit)s packages. Remove a finished one.") % {"limit": MOST_PACKAGES}
        raise Conflict(message, code="too_many")
