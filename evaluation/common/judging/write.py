"""Questions of judging queues that go: with their queue, or with the trajectories they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.common.access import require
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Right
from evaluation.common.judging.known import queues_known_to
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Run
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.models import AuditEntry

DROPPED = "judging.drop"


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of a queue: questions, and their verdicts by people. ``whole``: no question remains."""

    queue: int
    questions: int
    verdicts: int
    whole: bool


def losses(items: Any) -> tuple[Loss, ...]:
    """Return the losses of each queue with these questions, by its number. Three queries."""
    counted = Counter(items.order_by().values_list("queue_id", flat=True))
    asked = Counter(JudgingItem.everything.filter(queue__in=counted).order_by().values_list("queue_id", flat=True))
    said = Counter(queue for queue, _ in _verdicts(items))
    return tuple(Loss(queue, n, said[queue], n == asked[queue]) for queue, n in sorted(counted.items()))


def losses_known_to(user: User, benchmark: Benchmark, lost: Collection[Loss]) -> tuple[list[Loss], bool]:
    """Return what a person who may still judge may know about losses, and whether other losses may be hidden.

    The existence of such queues is always shown, with or without losses. Otherwise it would reveal their questions.
    """
    told, others = queues_known_to(user, benchmark)
    return [loss for loss in lost if loss.queue in told], others


def verdicts_of(items: Any) -> list[int]:
    """The verdicts that people gave to these questions, by number."""
    return [verdict for _, verdict in _verdicts(items)]


def remove_questions(*, actor: User | None, benchmark: Benchmark, items: Any) -> tuple[Loss, ...]:
    """Remove these questions with the verdicts on them, and queues that have no others; what each queue lost."""
    with transaction.atomic():
        items = _held(items)
        lost = losses(items)
        Judgement.objects.filter(pk__in=verdicts_of(items)).delete()
        items.delete()
        for queue in JudgingQueue.objects.filter(pk__in=[loss.queue for loss in lost]):
            loss = next(one for one in lost if one.queue == queue.pk)
            audit.record(
                actor=actor, action="judging.delete" if loss.whole else "judging.remove", subject=queue,
                benchmark=benchmark.slug, data={"questions": loss.questions, "verdicts": loss.verdicts},
            )  # fmt: skip
            if loss.whole:
                queue.delete()
    return lost


def drop_questions(trajectories: Any, record: ImportRecord | None) -> None:
    """The questions about trajectories that an import changes or removes leave their queues: what they asked about
    is not there any more. Verdicts are ``carry_marks``'. Queues stay, also without questions, and say so: see
    ``dropped_from``. Call in its transaction, before the trajectories go."""
    items = _held(JudgingItem.everything.filter(trajectory__in=trajectories))
    runs = Run.everything.filter(trajectories__in=items.order_by().values("trajectory"))
    for run in runs.select_related("model", "benchmark").distinct():
        for loss in losses(items.filter(trajectory__run=run)):
            audit.record(
                record.created_by if record else None, DROPPED, JudgingQueue(pk=loss.queue), run.benchmark.slug,
                data={"questions": loss.questions, "run": str(run), "import": record.file_name if record else ""},
            )  # fmt: skip
    items.delete()


def _held(items: Any) -> Any:
    """Return these questions by number, locked. People who judge one at this moment, or get it, have either finished or
    find it gone: no verdict remains without its question.
    """
    held = list(items.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    if held:
        list(JudgingSeat.objects.filter(item__in=held).order_by("pk").select_for_update().values_list("pk"))
    return JudgingItem.everything.filter(pk__in=held)


def dropped_from(queue: JudgingQueue) -> dict[tuple[str, str], int]:
    """Return how many questions left a queue because an import changed their subjects, by run and name of the file. One
    query.
    """
    found: Counter[tuple[str, str]] = Counter()
    told = AuditEntry.objects.filter(action=DROPPED, subject_type=queue._meta.label_lower, subject_id=str(queue.pk))
    for data in told.order_by("pk").values_list("data", flat=True):
        found[data["run"], data["import"]] += data["questions"]
    return dict(found)


def delete_queue(*, actor: User, queue: JudgingQueue) -> None:
    """Delete a queue with its questions and the verdicts given in it. Raises ``NotAllowed`` for who draws none."""
    require(actor, queue.benchmark, Right.SCORE)
    remove_questions(actor=actor, benchmark=queue.benchmark, items=queue.items.all())


def _verdicts(items: Any) -> Iterable[tuple[int, int]]:
    """(queue, verdict) of what people said to these questions and have not said again in another queue."""
    asked = set(items.order_by().values_list("queue_id", "trajectory_id", "kind"))
    given = Judgement.objects.given().filter(person__isnull=False, trajectory__in=items.values("trajectory"))
    for pk, *about in given.values_list("pk", "extra__queue", "trajectory_id", "kind"):
        if tuple(about) in asked:
            yield about[0], pk
