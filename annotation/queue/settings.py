"""How a benchmark assigns its samples and has them reviewed."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import stored_rules
from annotation.models import Benchmark, BenchmarkQueue
from annotation.work_rules import BlindRule
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

MOST_PEOPLE, LONGEST_LEASE = 20, 480


def set_queue(
    *,
    actor: User,
    benchmark: Benchmark,
    order: str,
    facet: str = "",
    overlap: int = 1,
    overlap_share: float = 1.0,
    review_share: float = 1.0,
    blind: str = BlindRule.PICTURE.value,
    blind_margin: float = 0.25,
    lease_minutes: int = 15,
) -> list[str]:
    """How the benchmark assigns its samples from now on; what is submitted stays as it is, and who holds a sample
    keeps it as long as they were told. Returns the names of what changed."""
    require(actor, benchmark, Right.MANAGE)
    wanted: dict[str, Any] = {
        "order": order, "facet": facet if order == BenchmarkQueue.Order.FACET else "", "overlap": overlap,
        "overlap_share": overlap_share, "review_share": review_share, "blind": blind, "blind_margin": blind_margin,
        "lease_minutes": lease_minutes,
    }  # fmt: skip
    _check(wanted)
    with transaction.atomic():
        Benchmark.objects.select_for_update().get(pk=benchmark.pk)
        stored = BenchmarkQueue.objects.filter(benchmark=benchmark).first() or BenchmarkQueue(benchmark=benchmark)
        before = {name: getattr(stored, name) for name, value in wanted.items() if getattr(stored, name) != value}
        if not before:
            return []
        if blind == BlindRule.ALTERNATING:
            stored_rules(benchmark)
        benchmark.queue, _ = BenchmarkQueue.objects.update_or_create(benchmark=benchmark, defaults=wanted)
        data = {"before": before, "after": {name: wanted[name] for name in before}}
        audit.record(actor=actor, action="benchmark.queue", subject=benchmark, benchmark=benchmark.slug, data=data)
    return list(before)


def _check(wanted: dict[str, Any]) -> None:
    if wanted["order"] not in BenchmarkQueue.Order.values:
        raise InvalidInput(
            gettext("The order must be one of %(orders)s.") % {"orders": ", ".join(BenchmarkQueue.Order.values)},
            field="order",
        )
    if wanted["order"] == BenchmarkQueue.Order.FACET and not wanted["facet"]:
        raise InvalidInput(gettext("Enter the facet that sorts the samples."), field="facet")
    if not 1 <= wanted["overlap"] <= MOST_PEOPLE:
        raise InvalidInput(
            gettext("The number of annotators per sample must be from 1 to %(limit)s.") % {"limit": MOST_PEOPLE},
            field="overlap",
        )
    for name in ("overlap_share", "review_share"):
        if not 0 <= wanted[name] <= 1:
            raise InvalidInput(gettext("A share must be from 0 to 100%."), field=name)
    if wanted["blind"] not in list(BlindRule):
        raise InvalidInput(
            gettext("The blind answer must be one of %(rules)s.") % {"rules": ", ".join(BlindRule)}, field="blind"
        )
    if not 0 <= wanted["blind_margin"] <= 2:
        raise InvalidInput(gettext("The margin must be from 0 to 200% of the longer side."), field="blind_margin")
    if not 1 <= wanted["lease_minutes"] <= LONGEST_LEASE:
        raise InvalidInput(
            gettext("A reservation must last from 1 to %(limit)s minutes.") % {"limit": LONGEST_LEASE},
            field="lease_minutes",
        )
