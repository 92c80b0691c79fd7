"""The display of drafts on a benchmark, and the gold checks without drafts."""

from __future__ import annotations

from collections import Counter

from annotation.drafting import CONTROL_SHARE
from annotation.models import Benchmark, ClickedShape, Drafting, GoldCheck


def drafting_of(benchmark: Benchmark) -> Drafting | None:
    return Drafting.objects.filter(benchmark=benchmark).first()


def share_of(drafting: Drafting | None) -> float:
    """The control share of a benchmark. ``drafting``: as of ``drafting_of``."""
    return drafting.control_share if drafting is not None else CONTROL_SHARE


def undrafted_checks(benchmark: Benchmark) -> int:
    """The number of active gold checks without a draft: where samples to do have drafts, annotators may notice them."""
    active = GoldCheck.objects.filter(sample__benchmark=benchmark, active=True)
    return active.filter(sample__proposals__isnull=True).count()


def clicks_of(benchmark: Benchmark) -> Counter[str]:
    """The number of shapes that were proposed for clicks, by decision."""
    return Counter(ClickedShape.objects.by_decision(benchmark))
