"""The metrics of runs as a leaderboard has them: all that shows one of its numbers reads it here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from evaluation.common.slices import SliceTable
from evaluation.metrics.selection import Summary
from evaluation.metrics.slices import COUNTED_BY
from evaluation.models.querysets.runs import MetricQuerySet

DETAILED = frozenset({COUNTED_BY, "accuracy", "ate_text", "ate_visual"})
"""The metrics whose detail a board shows: counts, clusters, flips."""


class BoardMetric(NamedTuple):
    """A metric of a run on the slice of the board. ``n_eff``: effective samples of an interval by cluster. ``low``,
    ``high``: its range as undecided answers allow, of a rate they could change. ``detail``: of a few only, see
    ``DETAILED``."""

    metric: str
    value: float | None
    n: int
    numerator: float | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str
    p_value: float | None
    n_eff: float | None
    low: float | None
    high: float | None
    detail: Mapping[str, Any] | None


def metrics_by_scoring(rows: MetricQuerySet, detailed: Collection[str]) -> dict[int, dict[str, BoardMetric]]:
    """The metrics of each scoring by name; the detail of those in ``detailed``."""
    found: dict[int, dict[str, BoardMetric]] = {}
    for scoring, *values in rows.for_board(detailed):
        metric = BoardMetric(*values)
        found.setdefault(scoring, {})[metric.metric] = metric
    return found


def sliced_metrics(table: SliceTable) -> tuple[str, dict[int, dict[str, BoardMetric]]]:
    """The query of a slice, and the metrics of each scoring on it."""
    found = {
        row.run.scoring.pk: {
            metric: _summary(metric, one, row.counts if metric == COUNTED_BY else one.detail)
            for metric, one in row.metrics.items()
        }
        for row in table.rows
        if row.metrics
    }
    return table.saved.query, found


def _summary(metric: str, one: Summary, detail: Mapping[str, float | None]) -> BoardMetric:
    low, high, method = (one.interval.low, one.interval.high, one.interval.method) if one.interval else (None, None, "")
    n_eff = one.interval.detail.get("n_eff") if one.interval else None
    return BoardMetric(
        metric, one.value, one.n, one.numerator, low, high, method, one.p_value, n_eff, *one.range, detail or None
    )  # fmt: skip
