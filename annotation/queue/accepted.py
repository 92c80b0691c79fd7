"""The number of samples of a person that were accepted on a day. Messages about single acceptances would reveal gold
checks, which are not reviewed.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, time, timedelta

from django.db import transaction
from django.db.models import Count
from django.urls import reverse

from annotation.common.access import known_to
from annotation.common.notices import notify_accepted
from annotation.models import Annotation, Benchmark
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.notifications.models import Notification

DAYS = 3
"""Days that are made up for after an outage."""


def count_days(now: datetime) -> int:
    """Notify annotators of the last complete days (UTC), each day once; how many messages. Annotators who get gold
    checks get none: to them, all submissions stay submitted."""
    today = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
    return sum(_count_day(today - timedelta(days=back)) for back in range(DAYS, 0, -1))


def _count_day(start: datetime) -> int:
    accepted = Annotation.objects.filter(
        sample__benchmark__isnull=False,
        sample__benchmark__deleted_at=None,
        state=State.ACCEPTED,
        author__is_active=True,
        changed_at__gte=start,
        changed_at__lt=start + timedelta(days=1),
    )
    counts: dict[int, dict[int, int]] = defaultdict(dict)
    rows = accepted.order_by().values_list("sample__benchmark", "author").annotate(n=Count("pk"))
    for benchmark, author, n in rows:
        counts[benchmark][author] = n
    return sum(_notify(benchmark, start.date().isoformat(), by_author) for benchmark, by_author in counts.items())


def _notify(number: int, day: str, by_author: dict[int, int]) -> int:
    with transaction.atomic():
        # Of two workers that count at once, the second finds the messages of the first.
        benchmark = (
            Benchmark.objects.select_for_update(of=("self",), no_key=True).select_related("quality").get(pk=number)
        )
        sent_before = Notification.objects.filter(kind="accepted", benchmark=benchmark.slug, subject=f"day:{day}")
        left = by_author.keys() - set(sent_before.values_list("person", flat=True))
        sent = 0
        for person in User.objects.filter(pk__in=left):
            known = known_to(person, benchmark)
            if Right.VIEW in known.rights and not known.handed_checks:
                path = reverse("annotation:my-work", args=[benchmark.slug])
                notify_accepted(benchmark, person, day, by_author[person.pk], path)
                sent += 1
    return sent
