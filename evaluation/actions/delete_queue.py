"""Questions of judging queues that go: with their queue, or with the trajectories they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.actions.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.actions.judging_known import queues_known_to
from evaluation.models import Judgement, JudgingItem, JudgingQueue
from webapp.accounts.models import User
from webapp.common import audit


@dataclass(frozen=True, slots=True)
class Loss:
    """What a queue loses: questions, and the verdicts that people gave. ``whole``: none of its questions stays."""

    queue: int
    questions: int
    verdicts: int
    whole: bool


def losses(items: Any) -> tuple[Loss, ...]:
    """What each queue loses with these questions, by its number. Three queries."""
    counted = Counter(items.order_by().values_list("queue_id", flat=True))
    asked = Counter(JudgingItem.objects.filter(queue__in=counted).order_by().values_list("queue_id", flat=True))
    said = Counter(queue for queue, _ in _verdicts(items))
    return tuple(Loss(queue, n, said[queue], n == asked[queue]) for queue, n in sorted(counted.items()))


def losses_known_to(user: User, benchmark: Benchmark, lost: Collection[Loss]) -> tuple[list[Loss], bool]:
    """What may be told of losses to a person who may still judge, and whether others may be kept back. That there are
    such queues is said whether or not they lose anything: it would tell what their questions are about."""
    told, others = queues_known_to(user, benchmark)
    return [loss for loss in lost if loss.queue in told], others


def verdicts_of(items: Any) -> list[int]:
    """The verdicts that people gave to these questions, by number."""
    return [verdict for _, verdict in _verdicts(items)]


def remove_questions(*, actor: User, benchmark: Benchmark, items: Any) -> tuple[Loss, ...]:
    """Remove these questions with the verdicts on them, and queues that have no others; what each queue lost."""
    with transaction.atomic():
        lost = losses(items)
        Judgement.objects.filter(pk__in=verdicts_of(items)).delete()
        JudgingItem.objects.filter(pk__in=list(items.values_list("pk", flat=True))).delete()
        for queue in JudgingQueue.objects.filter(pk__in=[loss.queue for loss in lost]):
            loss = next(one for one in lost if one.queue == queue.pk)
            audit.record(
                actor=actor, action="judging.delete" if loss.whole else "judging.remove", subject=queue,
                benchmark=benchmark.slug, data={"questions": loss.questions, "verdicts": loss.verdicts},
            )  # fmt: skip
            if loss.whole:
                queue.delete()
    return lost


def delete_queue(*, actor: User, queue: JudgingQueue) -> None:
    """Delete a queue with its questions and the verdicts given in it. Raises ``NotAllowed`` for who draws none."""
    require(actor, queue.benchmark, Right.SCORE)
    remove_questions(actor=actor, benchmark=queue.benchmark, items=queue.items.all())


def _verdicts(items: Any) -> Iterable[tuple[int, int]]:
    """(queue, verdict) of what people said to these questions and have not said again in another queue."""
    names = ("queue_id", "trajectory__run_id", "trajectory__sample_id", "kind")
    rows = list(items.order_by().values_list(*names, "trajectory_id"))
    asked: Collection[tuple[Any, ...]] = {row[:4] for row in rows} | set(rows)
    queues = {queue for queue, *_ in rows}
    given = Judgement.objects.given().filter(person__isnull=False, extra__queue__in=queues)
    about = ("extra__queue", "run_id", "sample_id", "kind", "trajectory_id")
    for pk, *place, trajectory in given.values_list("pk", *about):
        if (tuple(place) if trajectory is None else (*place, trajectory)) in asked:
            yield place[0], pk
