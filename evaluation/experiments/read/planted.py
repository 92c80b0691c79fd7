"""Planted errors in drafts: how often people adopt them, and those that keep a sample open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.models import Benchmark, Proposal, ProposalUse
from annotation.statistics import Interval
from annotation.workflow import State
from evaluation.metrics.intervals import rate_interval


@dataclass(frozen=True, slots=True)
class Open:
    """A sample that its author has not submitted since they adopted a planted error."""

    key: str
    field: str


@dataclass(frozen=True, slots=True)
class Planted:
    """``planted``: drafts with an error. ``shown``: of them, by first submissions of people who saw them; ``adopted``:
    of these, with its 95% interval, clustered by image (Wilson if each image occurs once)."""

    planted: int
    withdrawn: int
    shown: int
    adopted: int
    interval: Interval | None
    open: tuple[Open, ...]


def planted_of(benchmark: Benchmark) -> Planted:
    """Without withdrawn errors. Three queries."""
    drafts = Proposal.objects.on(benchmark).filter(planted_error__isnull=False)
    states = list(drafts.values_list("withdrawn_at", flat=True))
    uses = ProposalUse.objects.filter(proposal__in=drafts.planted(), adopted__isnull=False)
    rows = list(uses.values_list("adopted", "annotation__sample__image"))
    hits = np.array([adopted for adopted, _ in rows], dtype=np.float64)
    images = np.unique(np.array([image or 0 for _, image in rows]), return_inverse=True)[1]
    left = uses.filter(adopted=True, annotation__state__in=(State.DRAFT, State.RETURNED))
    named = left.order_by("annotation__sample__key").values_list("annotation__sample__key", "proposal__field")
    return Planted(
        planted=len(states),
        withdrawn=sum(one is not None for one in states),
        shown=len(rows),
        adopted=int(hits.sum()),
        interval=rate_interval(hits, images) if rows else None,
        open=tuple(Open(key, field) for key, field in named.distinct()),
    )
