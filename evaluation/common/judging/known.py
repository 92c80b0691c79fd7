"""What a person may know of judging queues and their results: the facts for ``annotation.blindness.known``.

Until a person has finished a queue, everything on its samples is withheld from them: all runs and all verdicts,
including their own. Withholding only the subjects of the queue would reveal the runs.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from annotation.blindness import Known, known
from annotation.common.access import facts_of
from annotation.models import Benchmark
from evaluation.models import Judgement, JudgingItem, JudgingQueue
from evaluation.models.querysets.judging import JudgementQuerySet
from webapp.common.errors import Conflict


def with_remaining(queues: QuerySet[JudgingQueue], user: Any) -> QuerySet[JudgingQueue]:
    """Adds ``left``, whether a question has neither been judged nor skipped by this person, and ``unjudged``, whether
    one has been judged by fewer people than are asked. In the same query."""
    items = JudgingItem.objects.filter(queue=OuterRef("pk"))
    mine = items.unsettled_by(user) if user.is_authenticated else items.none()
    return queues.annotate(left=Exists(mine), unjudged=Exists(items.unjudged()))


def queue_known_to(user: Any, queue: JudgingQueue) -> Known:
    """Return what this person may know of a queue. Raises ``Conflict`` if it was deleted."""
    found = with_remaining(JudgingQueue.objects.filter(pk=queue.pk), user).first()
    if found is None:
        raise Conflict(gettext("This queue was deleted meanwhile."))
    found.benchmark = queue.benchmark
    return listed_known_to(user, found)


def listed_known_to(user: Any, queue: Any) -> Known:
    """The same for a queue of a list ``with_remaining``."""
    return known(replace(facts_of(user, queue.benchmark), left=queue.left, unjudged=queue.unjudged))


def queues_known_to(user: Any, benchmark: Benchmark) -> tuple[set[int], bool]:
    """The queues of a benchmark of which this person may know what they ask about, and whether there are others."""
    facts = facts_of(user, benchmark)
    queues: Any = with_remaining(JudgingQueue.objects.filter(benchmark=benchmark), user)
    states = queues.order_by().values_list("pk", "left", "unjudged")
    told = {pk: known(replace(facts, left=left, unjudged=unjudged)).source for pk, left, unjudged in states}
    return {pk for pk, source in told.items() if source}, not all(told.values())


def judgements_known_to(user: Any, benchmark: Benchmark) -> JudgementQuerySet:
    """The judgments of a benchmark that this person may read. ``user`` None: a command run by who runs the server."""
    rows: JudgementQuerySet = Judgement.objects.filter(run__in=benchmark.runs.all())
    return rows if user is None else rows.exclude(sample__in=withheld_samples(user, benchmark))


def judges_are_asked(benchmark: Benchmark) -> bool:
    """Whether judges are asked about the meaning of answers on this benchmark.

    Until they have finished, no one may decide on any answer: people who have not started could see the decision, and
    hiding single answers would identify them."""
    return bool(JudgingItem.objects.of(benchmark).about_answers().unjudged().exists())


def withheld_samples(user: Any, benchmark: Benchmark) -> QuerySet[Any]:
    """The samples of the queues that are not finished, by number, for a subquery."""
    facts = facts_of(user, benchmark)
    queues = with_remaining(JudgingQueue.objects.filter(benchmark=benchmark), user)
    unfinished = Q(pk__in=[])
    for left, unjudged in product((False, True), repeat=2):
        if not known(replace(facts, left=left, unjudged=unjudged)).verdicts:
            unfinished |= Q(left=left, unjudged=unjudged)
    found = queues.filter(unfinished).order_by().values("pk")
    return JudgingItem.objects.filter(queue__in=found).order_by().values("trajectory__sample")
