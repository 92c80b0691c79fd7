"""All metrics of one run on the whole benchmark and on every slice, with intervals. Source:
docs/metrics.md#intervals, #exports.

Averages over groups are pooled: every slice sums its own rows, and nothing is averaged twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.columns import (
    TRUE,
    UNKNOWN,
    Bools,
    Ints,
    MetricRow,
    NoGrounding,
    RunColumns,
    SampleColumns,
    ScoreColumns,
)
from evaluation.metrics.faithfulness import (
    ARMS,
    Effect,
    FaithfulnessColumns,
    PairedArms,
    adjusted_over_arms,
    answer_change_rate,
    evidence_of_samples,
    flip_rate,
    open_effect,
    paired_arms,
    paired_effect,
)
from evaluation.metrics.intervals import DRAWS, SEED, Interval, rate_interval
from evaluation.metrics.measures import Measure, Rows, all_measures, evaluated_rows, success_measures
from evaluation.metrics.selection import summarise
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import TARGETS, WHOLE, Slice, slice_rows
from evaluation.metrics.undecided import answers_given
from evaluation.metrics.verdicts import file_agreement


@dataclass(frozen=True)
class _Task:
    """The data needed by every slice."""

    samples: SampleColumns
    scores: ScoreColumns
    faithfulness: FaithfulnessColumns
    settings: MetricSettings
    rows: Rows
    text_only: Bools
    with_evidence: Bools
    draws: int
    seed: int


def aggregate(
    samples: SampleColumns,
    scores: ScoreColumns,
    run: RunColumns | None,
    settings: MetricSettings,
    *,
    slices: Sequence[str] | None = None,
    faithfulness: FaithfulnessColumns | None = None,
    prices: Mapping[str, float] | None = None,
    measures: Sequence[Measure] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> list[MetricRow]:
    """Every metric of the catalog for the whole benchmark (``slice_by`` "") and for each value of each facet.

    Args:
        run: the scored trajectories; needed for verdicts on samples without an accepted answer and for ``prices``.
        slices: names of the facets to slice by, ``targets`` and ``calls`` included; default all.
        faithfulness: interventions and judgments of the model.
        prices: price of a call by tool name, default 1.
        measures: those of ``all_measures``, where they are known.

    Values are fractions 0..1 for rates, None where undefined. ``detail`` holds the counts that are always shown
    (samples, missing, failed, ...), and DEFF, n_eff, draws and seed of the interval. A metric without a population on
    the whole benchmark is given there, as undefined, and not repeated for slices. A run in which every record is an
    error has no values: its rows say ``run_failed``.
    """
    rows = evaluated_rows(samples, scores, settings)
    columns = faithfulness or FaithfulnessColumns()
    alone = dense_codes(rows.cluster)[1] == len(rows.cluster)
    text_only, with_evidence = evidence_of_samples(samples, scores)
    task = _Task(samples, scores, columns, settings, rows, text_only, with_evidence, draws, seed)
    measures = measures or all_measures(samples, scores, run, rows, settings, prices)
    by_targets = {m.metric: m for m in success_measures(samples, scores, rows, settings, by_targets=True)}
    place = {name: i for i, name in enumerate(METRICS)}
    found: list[MetricRow] = []
    empty: set[str] = set()
    failed = len(scores) > 0 and bool(scores.failed.all())
    for part in slice_rows(samples, rows.sample, rows.calls, slices):
        counts, cluster = _counts(part, task), None if alone else dense_codes(rows.cluster[part.rows])[0]
        wanted = [by_targets.get(m.metric, m) if part.by == TARGETS else m for m in measures]
        made = [_summary(m, part, cluster, counts, task) for m in wanted if m.metric not in empty]
        made += [row for row in _faithfulness_rows(part, counts, task) if row.metric not in empty]
        if part.by == WHOLE:
            empty = {row.metric for row in made if row.n == 0}
            # Queries outside the population of SR@k still count by number of targets.
            empty -= set() if "exact_match" in empty else set(by_targets)
        made.sort(key=lambda row: place[row.metric])
        found += [_without_value(row) for row in made] if failed else made
    return found


def _summary(measure: Measure, part: Slice, cluster: Ints | None, counts: Mapping[str, Any], task: _Task) -> MetricRow:
    numerator, denominator = measure.numerator[part.rows], measure.denominator[part.rows]
    found = summarise(measure.kind, numerator, denominator, cluster, draws=task.draws, seed=task.seed)
    low, high = measure.open.range(part.rows) if measure.open else (None, None)
    ends: dict[str, Any] = {"low": low, "high": high} if measure.open else {}
    if measure.metric == "accuracy_in_file":
        rows, scores = part.rows[part.rows < task.rows.recorded], task.scores
        ends = {"agreement": file_agreement(scores.file_verdict[rows], scores.reading_correct[rows])}
    detail = {**counts, **ends, **found.detail}
    return _row(measure.metric, part, found.value, found.n, found.numerator, found.interval, detail, found.p_value)


def _faithfulness_rows(part: Slice, counts: Mapping[str, Any], task: _Task) -> list[MetricRow]:
    """Effects, reliability and sufficiency on the samples of a slice (docs/metrics.md#interventions, #reliability)."""
    members, cluster = part.samples, task.samples.cluster[part.samples]
    text_only = task.text_only[members]
    columns = task.faithfulness.of(members)
    arms = {metric: paired_arms(columns, contrast, text_only, task.settings) for metric, contrast in ARMS.items()}
    effects = {metric: paired_effect(pair.first, pair.second, cluster) for metric, pair in arms.items()}
    adjusted = adjusted_over_arms({metric: effect.p_cluster for metric, effect in effects.items()})
    more = {metric: {**pair.counts, **_open_detail(metric, pair)} for metric, pair in arms.items()}
    for metric, p in adjusted.items():
        more[metric] |= {"p_holm": p, **_differing(arms[metric], cluster)}
    return [
        *(_effect_row(metric, effect, more[metric], part, counts) for metric, effect in effects.items()),
        _judged_row("reliability", task.faithfulness.reliability, part, counts, task),
        _judged_row("sufficiency", task.faithfulness.sufficiency, part, counts, task),
    ]


def _first_arm(metric: str) -> str:
    """Return the name of the accuracy that an effect is compared with."""
    return "accuracy_placebo" if metric.endswith("beyond_placebo") else "accuracy_none"


def _open_detail(metric: str, arms: PairedArms) -> dict[str, Any]:
    """Return the ranges of an effect and of the accuracy of its arms that undecided answers allow."""
    return open_effect(arms.first, arms.second, arms.undecided).as_detail(_first_arm(metric), "accuracy_intervened")


def _differing(arms: PairedArms, cluster: Ints) -> dict[str, Any]:
    """The shares of samples whose answer turned, and whose answer is another one, between the arms of an effect."""
    turned = flip_rate(arms.first, arms.second, cluster)
    return {**turned.as_detail("turned"), **answer_change_rate(arms, cluster).as_detail("changed")}


def _effect_row(
    metric: str, effect: Effect, more: Mapping[str, Any], part: Slice, counts: Mapping[str, Any]
) -> MetricRow:
    table = effect.table
    detail: dict[str, Any] = {
        **counts,
        "lost": table.lost,
        "gained": table.gained,
        _first_arm(metric): table.before,
        "accuracy_intervened": table.after,
        "p_cluster": effect.p_cluster,
        **more,
    }
    if effect.clustered:
        detail |= {
            "cluster_low": effect.clustered.low,
            "cluster_high": effect.clustered.high,
            **effect.clustered.detail,
        }
    top = float(table.gained - table.lost)
    return _row(metric, part, table.difference, table.n, top, effect.interval, detail, effect.p_value)


def _judged_row(metric: str, codes: Ints | None, part: Slice, counts: Mapping[str, Any], task: _Task) -> MetricRow:
    """Share of yes among judged samples with visual evidence; how many with evidence lack a judgment is in detail."""
    members = part.samples[task.with_evidence[part.samples]]
    verdicts = np.full(len(members), UNKNOWN) if codes is None else codes[members]
    judged = verdicts != UNKNOWN
    yes = (verdicts[judged] == TRUE).astype(np.float64)
    interval = rate_interval(yes, task.samples.cluster[members][judged])
    detail = {**counts, "with_evidence": len(members), "not_judged": int((~judged).sum())}
    return _row(metric, part, float(yes.mean()) if len(yes) else None, len(yes), float(yes.sum()), interval, detail)


def _counts(part: Slice, task: _Task) -> dict[str, Any]:
    """Return the counts that are always shown (docs/metrics.md#never-hidden), for one slice."""
    scores = task.scores
    recorded = part.rows[part.rows < task.rows.recorded]
    given = answers_given(scores.correct, scores.undecided, scores.missing_answer)
    replaced = int((scores.no_grounding[recorded] == NoGrounding.IMAGE_REPLACED).sum())
    return {
        "samples": len(part.samples),
        "missing": len(part.samples) - dense_codes(scores.sample[recorded])[1],
        "trajectories": len(recorded),
        "failed": int(scores.failed[recorded].sum()),
        "missing_answer": int(scores.missing_answer[recorded].sum()),
        "unread": int(scores.unread[recorded].sum()),
        "undecided": int(scores.undecided[recorded].sum()),
        "answers": int(given[recorded].sum()),
        "unusable_crops": int(scores.unusable_crops[recorded].sum()),
        **({"image_replaced": replaced} if replaced else {}),
    }


def _row(
    metric: str,
    part: Slice,
    value: float | None,
    n: int,
    numerator: float,
    interval: Interval | None,
    detail: dict[str, Any],
    p_value: float | None = None,
) -> MetricRow:
    if interval is None:
        return MetricRow(metric, part.by, part.value, value, n, numerator, p_value=p_value, detail=detail)
    shown = {**detail, **interval.detail}
    ends = (interval.low, interval.high, interval.method)
    return MetricRow(metric, part.by, part.value, value, n, numerator, *ends, p_value, shown)


def _without_value(row: MetricRow) -> MetricRow:
    detail = {**row.detail, "run_failed": True}
    return MetricRow(row.metric, row.slice_by, row.slice, None, 0, detail=detail)
