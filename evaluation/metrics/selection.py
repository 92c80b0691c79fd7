"""Metrics of any selection of trajectories: the contribution of each row to a metric, and the metric of some rows.
docs/metrics.md#intervals, #exports.

A sample without a trajectory is in no selection, for every value of the setting ``missing_sample``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, Bools, Floats, Ints, SampleColumns, ScoreColumns
from evaluation.metrics.faithfulness import (
    ARMS,
    FaithfulnessColumns,
    evidence_of_samples,
    open_effect,
    paired_arms,
    paired_effect,
)
from evaluation.metrics.intervals import DRAWS, SEED, Interval, mean_interval, rate_interval, ratio_interval
from evaluation.metrics.measures import DIFFERENCE, MEAN, PART, RATE, RATIO, Measure
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import sampled_sign_flip
from evaluation.metrics.undecided import ENDS, Open, Range, right_among

EFFECT = "effect"
"""Of two arms: each row combines both verdicts, each 2 (correct), 1 (incorrect) or 0 (not in both), or:"""
UNDECIDED = 3
"""An undecided answer in an arm, which counts as incorrect."""
_BY_KIND: Mapping[str, tuple[str, ...]] = {
    RATE: (
        "accuracy", "accuracy_low", "accuracy_high", "unread_rate", "accuracy_in_file", "tool_ratio", "grounded_score",
        "valid_grounded_reasoning", "ground_success_answer_failure", "ungrounded_correct_answer", "dual_failure",
        "pass_rate", "pass_rate_low", "pass_rate_high", "tool_call_rate", "exact_match", "task_completable_rate",
        "success_rate_at_1", "success_rate_at_2", "success_rate_at_3", "outcome_extra_only", "outcome_missing_only",
        "outcome_substitute", "outcome_out_of_order", "complete_out_of_order", "reliability", "sufficiency",
    ),
    MEAN: (
        "calls_mean", "unique_tools_mean", "chain_mae", "effective_calls_mean", "effective_unique_tools_mean",
        "effective_chain_mae", "tool_call_count", "cost_mean", "usd_mean", "cropped_region_size",
    ),
    PART: ("chance_out_of_order",),
    DIFFERENCE: ("f1_difference",),
    RATIO: (
        "mean_coverage", "mean_concentration", "mean_ioa", "mean_point_share", "accuracy_when_grounded",
        "accuracy_when_ungrounded",
        "tool_efficiency", "recognition_precision", "recognition_recall", "recognition_f1", "selection_precision",
        "selection_recall", "selection_f1", "order_violations", "cost_per_correct", "functional_omission",
        "spurious_in_scene", "spurious_repeat", "spurious_hallucinated",
    ),
    EFFECT: tuple(ARMS),
}  # fmt: skip
SELECTED: Mapping[str, str] = {metric: kind for kind, metrics in _BY_KIND.items() for metric in metrics}
"""The metrics that a selection has, and how their interval is made: all of a run."""
QUADRANTS = (
    "valid_grounded_reasoning", "ground_success_answer_failure", "ungrounded_correct_answer", "dual_failure",
)  # fmt: skip
LEADING = ("accuracy", "grounded_score", *QUADRANTS)
"""Those of a line for each slice."""
ENDED = ("accuracy", "pass_rate", *QUADRANTS)
"""Rates of which a selection keeps both ends; those of the others in ``BOUNDED`` follow from what it has."""
AMONG: Mapping[str, tuple[str, str]] = {
    "accuracy_when_grounded": (QUADRANTS[0], QUADRANTS[1]), "accuracy_when_ungrounded": (QUADRANTS[2], QUADRANTS[3]),
}  # fmt: skip
"""Accuracies among the rows of two quadrants, the correct ones first."""
BOUNDED = (*ENDED, *AMONG, *ARMS)
"""Metrics that undecided answers can change: each has a metric for its lowest and its highest value."""


@dataclass(frozen=True)
class Summary:
    """Σ numerator / Σ denominator over ``n`` rows; ``value`` None without a denominator. An effect has more to say:
    ``p_value``, and the counts and accuracies in ``detail``; a ratio without an interval, of how few ``clusters`` it
    is. ``range``: lowest and highest value of one of ``BOUNDED``, as undecided answers allow."""

    value: float | None
    n: int
    numerator: float
    interval: Interval | None
    p_value: float | None = None
    detail: Mapping[str, float | None] = field(default_factory=dict)
    range: Range = (None, None)


def summarise(
    kind: str, numerator: Floats, denominator: Floats, cluster: Ints | None, *, draws: int = DRAWS, seed: int = SEED
) -> Summary:
    """The metric of these rows; a row with both 0 is not in its population. ``cluster``: None when each row is its
    own. Example: numerators 1, 0, 0 over denominators 1, 1, 0 are 1/2 of 2."""
    inside = (denominator != 0) | (numerator != 0)
    if not inside.all():
        numerator, denominator = numerator[inside], denominator[inside]
        cluster = None if cluster is None else cluster[inside]
    if kind == EFFECT:
        return _effect(denominator, numerator, cluster)
    top, bottom = float(numerator.sum()), float(denominator.sum())
    if bottom <= 0:
        return Summary(None, len(numerator), top, None)
    if kind == DIFFERENCE:
        return _difference(numerator, cluster)
    if kind == RATE:
        interval = rate_interval(numerator, cluster)
    elif kind == RATIO:
        interval = ratio_interval(numerator, denominator, cluster, draws=draws, seed=seed)
        if interval is None:
            clusters = len(numerator) if cluster is None else dense_codes(cluster)[1]
            return Summary(top / bottom, len(numerator), top, None, detail={"clusters": clusters})
    else:
        interval = mean_interval(numerator, cluster, least=0.0, most=1.0 if kind == PART else math.inf)
    return Summary(top / bottom, len(numerator), top, interval)


def _difference(values: Floats, cluster: Ints | None) -> Summary:
    """The mean of differences −1..1, tested by the sampled sign flip over clusters."""
    test = sampled_sign_flip(values, np.arange(len(values)) if cluster is None else cluster)
    detail = {"flips": test.draws, "flips_seed": test.seed}
    interval = mean_interval(values, cluster, least=-1.0, most=1.0)
    total = float(values.sum())
    return Summary(total / len(values), len(values), total, interval, test.p_value, detail)


def open_of(metric: str, columns: Mapping[str, Floats]) -> Open:
    """Return the range that undecided answers allow of one of ``ENDED`` or ``AMONG``, from the contributions of rows to
    ``columns_of`` it: ``n_`` and ``d_`` of each.
    """
    if metric in AMONG:
        right, wrong = (open_of(name, columns) for name in AMONG[metric])
        return right_among(right, wrong)
    return Open(columns[f"n_{metric}_low"], columns[f"n_{metric}_high"], columns[f"d_{metric}_low"])


def columns_of(metric: str) -> Iterator[str]:
    """The metrics whose columns a selection needs for one: itself, and what its range is made of."""
    yield metric
    for name in AMONG.get(metric, (metric,)):
        if name in ENDED:
            yield from (f"{name}_{end}" for end in ENDS)


def _effect(before: Floats, after: Floats, cluster: Ints | None) -> Summary:
    first, second = (np.where(arm == UNDECIDED, FALSE, arm - 1).astype(np.int64) for arm in (before, after))
    found = paired_effect(first, second, np.arange(len(first)) if cluster is None else cluster)
    left = open_effect(first, second, (before == UNDECIDED, after == UNDECIDED))
    table = found.table
    detail = {
        "lost": table.lost, "gained": table.gained, "accuracy_none": table.before, "accuracy_intervened": table.after,
        "p_cluster": found.p_cluster,
    }  # fmt: skip
    net = float(table.gained - table.lost)
    ends = left.as_detail("accuracy_none", "accuracy_intervened")
    return Summary(table.difference, table.n, net, found.interval, found.p_value, detail | ends, left.difference)


def selected_measures(
    samples: SampleColumns,
    scores: ScoreColumns,
    measures: Iterable[Measure],
    settings: MetricSettings,
    columns: FaithfulnessColumns,
) -> Iterator[tuple[str, Floats, Floats]]:
    """Each metric of ``SELECTED`` with numerator and denominator of each trajectory, (n,); of effects the second arm
    and the first; of quadrants also the ends of their range. ``measures``: of ``all_measures``."""
    for measure in measures:
        ends = measure.ends() if measure.metric in QUADRANTS else ()
        for one in (measure, *ends):
            yield one.metric, one.numerator[: len(scores)], one.denominator[: len(scores)]
    text_only, evidence = evidence_of_samples(samples, scores)
    for metric, codes in (("reliability", columns.reliability), ("sufficiency", columns.sufficiency)):
        if codes is not None:
            judged = evidence & (codes != UNKNOWN)
            yield metric, _of_rows(scores, judged & (codes == TRUE)), _of_rows(scores, judged)
    for metric, contrast in ARMS.items():
        if contrast.second in columns.conditions:
            arms = paired_arms(columns, contrast, text_only, settings)
            first, second = (
                np.where(undecided, UNDECIDED, codes + 1)
                for codes, undecided in zip((arms.first, arms.second), arms.undecided, strict=True)
            )
            yield metric, _of_rows(scores, second), _of_rows(scores, first)


def _of_rows(scores: ScoreColumns, values: Ints | Bools) -> Floats:
    return values[scores.sample].astype(np.float64)
