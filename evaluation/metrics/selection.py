"""Metrics of any selection of trajectories: what each row adds to a metric, and the metric of some rows. METRICS 9, 10.

A sample without a trajectory is in no selection, whatever the setting ``missing_sample`` says of it elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Floats, Ints, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.intervals import DRAWS, SEED, Interval, mean_interval, rate_interval, ratio_interval
from evaluation.metrics.measures import RATE, RATIO, evaluated_rows, grounding_measures
from evaluation.metrics.settings import MetricSettings

SELECTED: Mapping[str, str] = {
    "accuracy": RATE,
    "grounded_score": RATE,
    "valid_grounded_reasoning": RATE,
    "ground_success_answer_failure": RATE,
    "ungrounded_correct_answer": RATE,
    "dual_failure": RATE,
}
"""The metrics that a selection has, and how their interval is made."""


@dataclass(frozen=True)
class Summary:
    """Σ numerator / Σ denominator over ``n`` rows; ``value`` None without a denominator."""

    value: float | None
    n: int
    numerator: float
    interval: Interval | None


def summarise(
    kind: str, numerator: Floats, denominator: Floats, cluster: Ints | None, *, draws: int = DRAWS, seed: int = SEED
) -> Summary:
    """The metric of these rows; a row with both 0 is not in its population. ``cluster``: None when each row is its
    own. Example: numerators 1, 0, 0 over denominators 1, 1, 0 are 1/2 of 2."""
    inside = (denominator != 0) | (numerator != 0)
    if not inside.all():
        numerator, denominator = numerator[inside], denominator[inside]
        cluster = None if cluster is None else cluster[inside]
    top, bottom = float(numerator.sum()), float(denominator.sum())
    if bottom <= 0:
        return Summary(None, len(numerator), top, None)
    if kind == RATE:
        interval = rate_interval(numerator, cluster)
    elif kind == RATIO:
        interval = ratio_interval(numerator, denominator, cluster, draws=draws, seed=seed)
    else:
        interval = mean_interval(numerator, cluster)
    return Summary(top / bottom, len(numerator), top, interval)


def selected_measures(
    samples: SampleColumns, scores: ScoreColumns, run: RunColumns, settings: MetricSettings
) -> dict[str, Floats]:
    """(n, 2) numerator and denominator of each trajectory by metric of ``SELECTED``."""
    rows = evaluated_rows(samples, scores, settings)
    measures = grounding_measures(samples, scores, run, rows, settings)
    return {
        m.metric: np.stack([m.numerator[: rows.recorded], m.denominator[: rows.recorded]], axis=1)
        for m in measures
        if m.metric in SELECTED
    }
