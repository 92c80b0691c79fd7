"""The intervals of the quadrants at every threshold on a slice of a run: made when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from evaluation.actions.load_columns import cluster_codes
from evaluation.metrics.thresholds import quadrant_intervals
from evaluation.models import Scoring, Trajectory

Intervals = Sequence[Sequence[tuple[float, float] | None]]
_CLUSTER = ("sample__key", "sample__image_group", "sample__image_id", "sample__image_name")


def slice_intervals(scoring: Scoring, facet: str, value: str) -> Intervals:
    """As those of the whole run, which scoring keeps. One query, once."""
    return _made(scoring.run_id, facet, value, scoring.pk, scoring.computed_at)


@lru_cache(maxsize=512)
def _made(run: int, facet: str, value: str, *content: Any) -> Intervals:
    """``content`` names the computation that the scores are of."""
    rows = Trajectory.objects.filter(run=run, score__quadrant__gte=0).evaluated()
    rows = rows.filter(sample__facets__name=facet, sample__facets__value=value).order_by("sample__key")
    found = list(rows.values_list("score__ioa", "score__correct", *_CLUSTER))
    ioa = np.array([row[0] for row in found], np.float64)
    right = np.array([row[1] is True for row in found], np.bool_)
    cluster = cluster_codes(row[2:] for row in found)
    return quadrant_intervals(ioa, right, np.ones(len(found), np.bool_), cluster)
