"""Priorities of samples: those with a higher one are assigned first, for every order of the queue."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.models import Benchmark, Receipt, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.queue.batch import MOST
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput
from webapp.common.models import AuditEntry


def prioritize_samples(
    *, actor: User, benchmark: Benchmark, samples: SampleQuerySet, priority: int, key: str
) -> Receipt:
    """Give samples of any state this priority. Twice with one ``key`` is once."""
    require(actor, benchmark, Right.MANAGE)
    require_priority(priority)

    def work() -> dict[str, object]:
        done = set_priority(actor, benchmark, samples, priority)
        return {"done": done, "refused": [], "priority": priority}

    return answer_once(actor, key, f"priority:{benchmark.pk}", work)


def require_priority(priority: int) -> None:
    if not 0 <= priority <= HIGHEST_PRIORITY:
        message = gettext("A priority is a whole number from 0 to %(highest)s.") % {"highest": HIGHEST_PRIORITY}
        raise InvalidInput(message, field="priority")


def set_priority(actor: User, benchmark: Benchmark, samples: SampleQuerySet, priority: int) -> list[str]:
    """The keys of the samples, which have the priority now. Call inside a transaction. Four queries."""
    numbers = list(samples.filter(benchmark=benchmark).order_by().values_list("pk", flat=True)[: MOST + 1])
    if not numbers:
        raise InvalidInput(gettext("Choose at least one sample."), field="id")
    if len(numbers) > MOST:
        raise InvalidInput(gettext("At most %(limit)s samples at once. Narrow the list.") % {"limit": MOST}, field="id")
    locked = sorted(
        Sample.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk"), key=lambda one: one.key
    )
    changed = [one for one in locked if one.priority != priority]
    Sample.objects.filter(pk__in=[one.pk for one in changed]).update(priority=priority)
    audit.record_many(_entries(actor, benchmark, changed, priority))
    return [one.key for one in locked]


def _entries(actor: User, benchmark: Benchmark, changed: Iterable[Sample], priority: int) -> Iterable[AuditEntry]:
    return (
        audit.entry(
            actor=actor, action="sample.prioritize", subject=one, benchmark=benchmark.slug,
            before=str(one.priority), after=str(priority), data={"sample": one.key},
        )
        for one in changed
    )  # fmt: skip
