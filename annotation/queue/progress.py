"""Progress of a person and a benchmark: work done, work left, and its estimated time at the present pace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from annotation.models import Annotation, Benchmark, BlindAnswer, BuildDecision, CheckAnswer, Review, Revision, Sample
from annotation.models.querysets.samples import AnnotationQuerySet
from annotation.workflow import State
from webapp.accounts.models import User

WINDOW = timedelta(days=7)
"""The pace is that of the last week ..."""

FEWEST = 10
"""... and is not distinguished from fewer submissions than these."""


@dataclass(frozen=True, slots=True)
class Mine:
    """The work of one person here: annotations by state, and those submitted this week and today, including repeated
    ones.

    ``returned_share``: of their annotations that a reviewer decided on, those that were returned at least once; None
    without any. ``blind_right`` of ``blind_n``: their blind answers that equaled the gold one, of those decided.
    """

    submitted: int
    waiting: int
    accepted: int
    returned: int
    discarded: int
    week: int
    today: int
    decided: int
    returned_share: float | None
    reviewed: int
    blind_n: int
    blind_right: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The benchmark: samples by state, this week's pace (submissions a day, None when too few) and the days that the
    samples to do take at that pace (None: unknown, or nothing is left)."""

    samples: int
    to_do: int
    drafts: int
    in_review: int
    disputed: int
    returned: int
    accepted: int
    discarded: int
    per_day: float | None
    days_left: float | None


def my_progress(user: User, benchmark: Benchmark) -> Mine:
    """Six queries. Gold checks count as what they look like: samples submitted that wait for a review. So do
    submissions that can be taken back."""
    now = timezone.now()
    mine = Annotation.objects.filter(sample__benchmark=benchmark, author=user, kind=Annotation.Kind.OWN)
    by_state = dict(mine.order_by().values_list("state").annotate(n=Count("pk")))
    revisions = Revision.objects.filter(
        annotation__sample__benchmark=benchmark,
        annotation__kind=Annotation.Kind.OWN,
        author=user,
        annotation__author=user,
    ).aggregate(
        week=Count("annotation", filter=Q(submitted_at__gte=now - WINDOW), distinct=True),
        today=Count("annotation", filter=Q(submitted_at__gte=_midnight(now)), distinct=True),
        all=Count("annotation", distinct=True),
        decided=Count("annotation", filter=Q(reviews__isnull=False), distinct=True),
        back=Count("annotation", filter=Q(reviews__decision=Review.Decision.RETURN), distinct=True),
    )
    blind = (
        BlindAnswer.objects.from_the_picture()
        .filter(revision__annotation__sample__benchmark=benchmark, reviewer=user)
        .aggregate(n=Count("pk", filter=Q(right__isnull=False)), right=Count("pk", filter=Q(right=True)))
    )
    reviews = Review.objects.filter(revision__annotation__sample__benchmark=benchmark, reviewer=user)
    images = BuildDecision.objects.of_images(benchmark).filter(person=user)
    checks = (
        CheckAnswer.objects.on(benchmark)
        .submitted()
        .filter(user=user)
        .aggregate(
            all=Count("pk"),
            week=Count("pk", filter=Q(handed_in_at__gte=now - WINDOW)),
            today=Count("pk", filter=Q(handed_in_at__gte=_midnight(now))),
        )
    )
    held = _held(user, mine, now)
    decided = revisions["decided"]
    return Mine(
        submitted=revisions["all"] + checks["all"] + held["all"],
        waiting=by_state.get(State.SUBMITTED, 0) + by_state.get(State.IN_REVIEW, 0) + checks["all"],
        accepted=by_state.get(State.ACCEPTED, 0),
        returned=by_state.get(State.RETURNED, 0),
        discarded=by_state.get(State.DISCARDED, 0),
        week=revisions["week"] + checks["week"] + held["week"],
        today=revisions["today"] + checks["today"] + held["today"],
        decided=decided,
        returned_share=revisions["back"] / decided if decided else None,
        reviewed=reviews.order_by().values("pk").union(images.order_by().values("pk"), all=True).count(),
        blind_n=blind["n"],
        blind_right=blind["right"],
    )


def _held(user: User, mine: AnnotationQuerySet, now: datetime) -> dict[str, int]:
    """Submissions that have no revision yet, of annotations that have none of the time either."""
    last = Max("revisions__submitted_at", filter=Q(revisions__author=user))
    rows = list(mine.held().annotate(last=last).values_list("changed_at", "last"))
    starts = {"all": None, "week": now - WINDOW, "today": _midnight(now)}
    return {
        name: sum(
            (start is None or at >= start) and (before is None or (start is not None and before < start))
            for at, before in rows
        )
        for name, start in starts.items()
    }


def whole_progress(benchmark: Benchmark) -> Whole:
    """Two queries."""
    counts = Sample.objects.filter(benchmark=benchmark).by_state()
    per_day = _pace(benchmark, timezone.now())
    left = counts.get("to_do", 0) + counts.get("draft", 0)
    return Whole(
        samples=sum(counts.values()),
        to_do=counts.get("to_do", 0),
        drafts=counts.get("draft", 0),
        in_review=counts.get("in_review", 0),
        disputed=counts.get("disputed", 0),
        returned=counts.get("returned", 0),
        accepted=counts.get("accepted", 0),
        discarded=counts.get("discarded", 0),
        per_day=per_day,
        days_left=left / per_day if per_day and left else None,
    )


def _pace(benchmark: Benchmark, now: datetime) -> float | None:
    """First submissions a day, over the part of the last week since the first of them; at least one day."""
    first_ones = Revision.objects.filter(
        annotation__sample__benchmark=benchmark,
        annotation__kind=Annotation.Kind.OWN,
        number=1,
        submitted_at__gte=now - WINDOW,
    )
    found = first_ones.aggregate(n=Count("pk"), since=Min("submitted_at"))
    return pace(found["n"], found["since"], now)


def pace(n: int, since: datetime | None, now: datetime) -> float | None:
    """Return the number per day since then, over at least one day; None if there are too few."""
    if since is None or n < FEWEST:
        return None
    return n / max((now - since) / timedelta(days=1), 1.0)


def _midnight(now: datetime) -> datetime:
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
