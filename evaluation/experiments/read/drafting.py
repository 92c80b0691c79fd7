"""The display of drafts on a benchmark, and the gold checks without drafts."""

from __future__ import annotations

from collections import Counter

from annotation.models import Benchmark, ClickedShape, Drafting, GoldCheck


def drafting_of(benchmark: Benchmark) -> Drafting | None:
    return Drafting.objects.filter(benchmark=benchmark).first()


def undrafted_checks(benchmark: Benchmark) -> int:
    """The number of active gold checks without a draft: where samples to do have drafts, annotators may notice them."""
    active = GoldCheck.objects.filter(sample__benchmark=benchmark, active=True)
    return active.filter(sample__proposals__isnull=True).count()


def clicks_of(benchmark: Benchmark) -> Counter[str]:
    """The number of shapes that were proposed for clicks, by decision."""
    return Counter(ClickedShape.objects.by_decision(benchmark))
