"""What belongs to the quadrants of a run, or of a slice of it, and scoring has not kept: made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from evaluation.actions.load_columns import cluster_codes
from evaluation.metrics.grounded_difference import GroundedDifference, grounded_difference
from evaluation.metrics.thresholds import quadrant_intervals
from evaluation.models import Scoring, Trajectory
from evaluation.query.fields import slice_terms

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


def read_grounded_difference(
    scoring: Scoring, tables: Mapping[str, Any] | None, facet: str, value: str
) -> GroundedDifference:
    """Right when grounded minus right when not, of the run or of a slice: out of its ``tables``; where there are none,
    or they were made before they had it, from the scores. Then it is one query, once."""
    kept = (tables or {}).get("grounded_difference")
    if kept:
        return GroundedDifference(**kept)
    return _difference(scoring.run_id, facet, value, scoring.pk, scoring.computed_at)


@lru_cache(maxsize=512)
def _difference(run: int, facet: str, value: str, *content: Any) -> GroundedDifference:
    """``content`` names the computation that the scores are of."""
    rows = Trajectory.objects.filter(run=run).listed(slice_terms(facet, value)).filter(score__quadrant__gte=0)
    found = list(rows.order_by("sample__key").values_list("score__quadrant", *_CLUSTER))
    quadrant = np.array([row[0] for row in found], np.int64)
    return grounded_difference(quadrant, cluster_codes(row[1:] for row in found))
