"""The data of the judging pages: queues with their progress, the crops of a question, and a person's judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.common.trajectory.read import Corners, TrajectoryDetail, load_trajectory, read_trajectory
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Trajectory
from evaluation.models.querysets.live import on_samples
from webapp.accounts.models import User
from webapp.common.errors import Conflict


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one person: ``done`` judgments, ``open`` questions still for them, the median seconds of one
    (None before the first). ``all``: questions of the queue; ``full``: those with the required number of judgments.
    """

    done: int
    open: int
    seconds: float | None
    all: int
    full: int

    @property
    def seconds_left(self) -> float | None:
        return None if self.seconds is None else self.seconds * self.open

    @property
    def number(self) -> int:
        """The number of this person's next question."""
        return self.done + 1

    @property
    def mine(self) -> int:
        return self.done + self.open


@dataclass(frozen=True)
class Question:
    """A question with what may be shown of its trajectory. ``crops``: in pixels of the original, in their order;
    ``hidden``: images the model saw whose place in the original is not known."""

    item: JudgingItem
    trajectory: Trajectory
    detail: TrajectoryDetail
    crops: Sequence[Corners]
    hidden: int


def queues_of(benchmark: Benchmark) -> QuerySet[JudgingQueue]:
    """The queues of a benchmark, the newest first, each with ``items_n`` questions, ``done_n`` judgments and
    ``people_n`` who judged. One query."""
    there = Q(items__trajectory__run__deleted_at=None) & on_samples("items__trajectory__")
    done = there & Q(items__seats__done_at__isnull=False)
    return (
        JudgingQueue.objects.filter(benchmark=benchmark)
        .select_related("created_by")
        .annotate(
            items_n=Count("items", filter=there, distinct=True),
            done_n=Count("items__seats", filter=done, distinct=True),
            people_n=Count("items__seats__user", filter=done, distinct=True),
        )
    )


def load_queue(benchmark: Benchmark, pk: int) -> JudgingQueue:
    """Raises ``Http404``."""
    found: JudgingQueue = get_object_or_404(JudgingQueue, benchmark=benchmark, pk=pk)
    found.benchmark = benchmark
    return found


def progress_of(user: User, queue: JudgingQueue) -> Progress:
    """Four queries."""
    items: Any = queue.items
    spent = Judgement.objects.filter(person=user, extra__queue=queue.pk).values_list("extra__seconds", flat=True)
    known = [float(one) for one in spent if one]
    return Progress(
        done=items.done_by(user).count(),
        open=items.open_to(user).count(),
        seconds=median(known) if known else None,
        all=items.count(),
        full=items.with_progress().filter(done_n__gte=F("queue__people")).count(),
    )


def read_question(user: User, item: JudgingItem) -> Question:
    """The question with its crops, for who holds it or has judged it; else ``Conflict``. About ten queries."""
    seats = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False)
    if not seats.filter(Q(done_at__isnull=False) | Q(expires_at__gt=Now())).exists():
        raise Conflict(
            gettext("This question is no longer reserved for you. Continue with the next one."), code="lease_lost"
        )
    trajectory = load_trajectory(item.queue.benchmark, item.trajectory_id)
    detail = read_trajectory(trajectory)
    crops = [turn.executed for _, turn in sorted(detail.turns.items()) if turn.executed is not None]
    return Question(item, trajectory, detail, crops, int(detail.scores.unusable_crops[0]))


def judgement_of(user: User, item: JudgingItem) -> Judgement | None:
    """Return this person's judgment, if there is one."""
    found: Judgement | None = Judgement.objects.said_to(item).filter(person=user).first()
    return found
