"""Settings for the assignment and review of a benchmark's samples."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import stored_rules
from annotation.consensus import Combine, Support
from annotation.models import AdjudicationRule, Benchmark, BenchmarkQueue
from annotation.work_rules import BlindRule
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

MOST_PEOPLE, LONGEST_LEASE, LONGEST_TAKE_BACK = 20, 480, 120


def set_queue(
    *,
    actor: User,
    benchmark: Benchmark,
    order: str,
    facet: str = "",
    overlap: int = 1,
    overlap_share: float = 1.0,
    overlap_mode: str = BenchmarkQueue.OverlapMode.SHARED.value,
    review_share: float = 1.0,
    blind: str = BlindRule.PICTURE.value,
    blind_margin: float = 0.25,
    lease_minutes: int = 15,
    take_back_minutes: int = 0,
) -> list[str]:
    """Change how the benchmark assigns its samples. Return the names of the changed settings.

    Submitted work stays unchanged, and current leases keep their duration."""
    require(actor, benchmark, Right.MANAGE)
    wanted: dict[str, Any] = {
        "order": order, "facet": facet if order == BenchmarkQueue.Order.FACET else "", "overlap": overlap,
        "overlap_share": overlap_share, "overlap_mode": overlap_mode, "review_share": review_share, "blind": blind,
        "blind_margin": blind_margin,
        "lease_minutes": lease_minutes, "take_back_minutes": take_back_minutes,
    }  # fmt: skip
    _check(wanted)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
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


def set_adjudication(
    *,
    actor: User,
    benchmark: Benchmark,
    scope: str,
    when_agreed: str,
    box_iou: float,
    support: str,
    combine: str,
    hide_names: bool,
) -> list[str]:
    """Set the rules for combining several annotations to one gold, from the next round on, with the next number. Open
    rounds keep their rules. Return the names of the changed fields.
    """
    require(actor, benchmark, Right.MANAGE)
    wanted: dict[str, Any] = {
        "scope": scope, "when_agreed": when_agreed, "box_iou": box_iou, "support": support, "combine": combine,
        "hide_names": hide_names,
    }  # fmt: skip
    for name, allowed in (
        ("scope", AdjudicationRule.Scope.values),
        ("when_agreed", AdjudicationRule.WhenAgreed.values),
        ("support", list(Support)),
        ("combine", list(Combine)),
    ):
        if wanted[name] not in allowed:
            raise InvalidInput(
                gettext("%(field)s must be one of %(listed)s.") % {"field": name, "listed": ", ".join(allowed)},
                field=name,
            )
    if not 0 < box_iou <= 1:
        raise InvalidInput(gettext("The IoU must be above 0 and at most 1."), field="box_iou")
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        last = AdjudicationRule.objects.filter(benchmark=benchmark).first()
        stored = last or AdjudicationRule(benchmark=benchmark)
        before = {name: getattr(stored, name) for name, value in wanted.items() if getattr(stored, name) != value}
        if not before:
            return []
        made = AdjudicationRule.objects.create(benchmark=benchmark, number=last.number + 1 if last else 1, **wanted)
        data = {"number": made.number, "before": before, "after": {name: wanted[name] for name in before}}
        audit.record(
            actor=actor, action="benchmark.adjudication", subject=benchmark, benchmark=benchmark.slug, data=data
        )
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
    if wanted["overlap_mode"] not in BenchmarkQueue.OverlapMode.values:
        raise InvalidInput(
            gettext("The question must be one of %(modes)s.") % {"modes": ", ".join(BenchmarkQueue.OverlapMode.values)},
            field="overlap_mode",
        )
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
    if not 0 <= wanted["take_back_minutes"] <= LONGEST_TAKE_BACK:
        raise InvalidInput(
            gettext("Submissions can be taken back for 0 to %(limit)s minutes.") % {"limit": LONGEST_TAKE_BACK},
            field="take_back_minutes",
        )
