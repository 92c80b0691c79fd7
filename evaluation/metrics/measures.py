"""The sums of each metric: a numerator and a denominator per evaluated row, so that any slice is a pair of sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.answers import counted as counted_answers
from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    Outcome,
    RunColumns,
    SampleColumns,
    ScoreColumns,
    cached_per_sample_columns,
)
from evaluation.metrics.faithfulness import visual_quantity
from evaluation.metrics.plans import sr_population, success_at, targets_of
from evaluation.metrics.ragged import rows_of
from evaluation.metrics.references import shortest_lengths
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.undecided import Open, answers_given, judged, right_among

RATE, MEAN, PART, DIFFERENCE, RATIO = "rate", "mean", "part", "difference", "ratio"
"""Kinds of intervals: of a share of yes/no rows; of a mean over rows of values ≥ 0, in 0..1, or in −1..1; or of a
ratio, which is bootstrapped. docs/metrics.md#ratios also lists means that are treated as ratios."""
OF_DETECTORS = frozenset({"recognition_precision", "recognition_recall", "recognition_f1"})
"""The metrics that are defined for a detector."""
TOP = 3
"""SR@k is reported for k = 1 .. TOP."""


@dataclass(frozen=True)
class Measure:
    """A metric is Σ numerator / Σ denominator over rows, (r,) each; a row with both 0 is not in its population.

    ``open``: of a rate that undecided answers could change.
    """

    metric: str
    kind: str
    numerator: Floats
    denominator: Floats
    open: Open | None = None

    def among(self, rows: Floats) -> Measure:
        """The same over the rows that are 1, of 0 and 1, (r,)."""
        left = self.open and Open(self.open.sure * rows, self.open.possible * rows, self.open.whole * rows)
        return Measure(self.metric, self.kind, self.numerator * rows, self.denominator * rows, left)

    def ends(self) -> Iterator[Measure]:
        """The rate with undecided answers counted as incorrect, and as correct: ``accuracy_low``, ``accuracy_high``."""
        if self.open is not None:
            yield Measure(f"{self.metric}_low", self.kind, self.open.sure, self.open.whole)
            yield Measure(f"{self.metric}_high", self.kind, self.open.possible, self.open.whole)


@dataclass(frozen=True)
class Rows:
    """The evaluated rows: n trajectories and, with ``missing_sample = wrong``, one row for each sample without any.

    ``sample``, ``cluster``, ``calls``: (r,). ``recorded``: n.
    """

    sample: Ints
    cluster: Ints
    calls: Ints
    recorded: int

    def padded(self, values: Floats | Ints | Bools, fill: float = 0.0) -> Floats:
        """(n,) values as (r,) floats, ``fill`` for samples without a trajectory."""
        found = np.full(len(self.sample), fill)
        found[: self.recorded] = values
        return found


def evaluated_rows(samples: SampleColumns, scores: ScoreColumns, settings: MetricSettings) -> Rows:
    """Return the rows that count under ``missing_sample`` (docs/metrics.md#evaluated-samples)."""
    sample, calls = scores.sample, scores.calls
    if settings.missing_sample == "wrong":
        absent = np.setdiff1d(np.arange(len(samples)), sample)
        sample, calls = np.concatenate([sample, absent]), np.concatenate([calls, np.zeros(len(absent), np.int64)])
    return Rows(sample, samples.cluster[sample], calls, len(scores))


def all_measures(
    samples: SampleColumns,
    scores: ScoreColumns,
    run: RunColumns | None,
    rows: Rows,
    settings: MetricSettings,
    prices: Mapping[str, float] | None = None,
) -> list[Measure]:
    """The measures of grounding, toolchain, planning, visual quantity and cost, in the order of the catalog. Rows of
    detectors are in tool recognition only."""
    measures = [
        *grounding_measures(samples, scores, rows, settings),
        *toolchain_measures(samples, scores, rows, settings),
        *planning_measures(samples, scores, rows, settings),
        *quantity_measures(scores, rows, settings),
        *cost_measures(scores, run, rows, settings, prices),
    ]
    if run is None or run.of_model.all():
        return measures
    # A sample can lack a trajectory of a model only if there are trajectories of models.
    asked = rows.padded(run.of_model, float(run.of_model.any()))
    return [one if one.metric in OF_DETECTORS else one.among(asked) for one in measures]


@cached_per_sample_columns
def _asked(samples: SampleColumns) -> Bools:
    """Return (m,) whether a sample has an accepted answer."""
    return np.fromiter((bool(key.accepted) for key in samples.answers), np.bool_, len(samples))


def answered(
    samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings
) -> tuple[Floats, Floats]:
    """Correct, and counted in accuracy, per row (0 or 1): see ``evaluation.metrics.answers.counted``.

    A sample without a trajectory is incorrect if it has an accepted answer."""
    counted = _asked(samples)[rows.sample].astype(np.float64)
    counted[: rows.recorded] = counted_answers(scores.correct, scores.undecided, settings)
    return rows.padded(scores.correct == TRUE), counted


def answered_rate(
    metric: str, samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings
) -> Measure:
    """Return accuracy, also called pass rate, with the range that undecided answers allow."""
    correct, counted = answered(samples, scores, rows, settings)
    whole = counted.copy()
    whole[: rows.recorded] = judged(scores.correct, scores.undecided)
    return Measure(metric, RATE, correct, counted, Open(correct, correct + rows.padded(scores.undecided), whole))


def open_quadrants(scores: ScoreColumns) -> tuple[Open, Open, Open, Open]:
    """Return the ranges of G+A+, G+A-, G-A+ and G-A- due to undecided answers, (n,) each: such an answer may be in
    either cell of its row, even if ``undecided_answer`` omits it.
    """
    everyone = (scores.grounded_anyway != UNKNOWN) & judged(scores.correct, scores.undecided)
    reached = scores.grounded_anyway == TRUE

    def cell(row: Bools, verdict: int) -> Open:
        sure = everyone & row & (scores.correct == verdict)
        parts = sure, sure | (everyone & row & scores.undecided), everyone
        return Open(*(part.astype(np.float64) for part in parts))

    return cell(reached, TRUE), cell(reached, FALSE), cell(~reached, TRUE), cell(~reached, FALSE)


def grounding_measures(
    samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings
) -> list[Measure]:
    """docs/metrics.md#quadrants. A sample without a trajectory only enters accuracy and tool ratio. A sample without a
    gold answer is in no quadrant."""
    accuracy = answered_rate("accuracy", samples, scores, rows, settings)
    undecided = scores.undecided if settings.undecided_answer == "exclude" else np.zeros(len(scores), np.bool_)
    inside = scores.in_population & ~undecided
    grounded, population = inside & (scores.grounded == TRUE), rows.padded(inside)
    # Gold of points alone has no concentration: its share of points is no share of an area.
    on_areas = inside & ~np.isnan(scores.concentration)
    areas, points = rows.padded(on_areas), rows.padded(inside & ~on_areas)
    placed = inside & counted_answers(scores.correct, scores.undecided, settings)
    met, right = placed & grounded, placed & (scores.correct == TRUE)

    given = answers_given(scores.correct, scores.undecided, scores.missing_answer)
    cells = open_quadrants(scores)

    def bounded(metric: str, kind: str, numerator: Bools, denominator: Bools, left: Open) -> Measure:
        ends = Open(*(rows.padded(part) for part in (left.sure, left.possible, left.whole)))
        return Measure(metric, kind, rows.padded(numerator), rows.padded(denominator), ends)

    return [
        accuracy,
        *accuracy.ends(),
        Measure("unread_rate", RATE, rows.padded(scores.unread), rows.padded(given)),
        Measure(
            "accuracy_in_file",
            RATE,
            rows.padded(scores.file_verdict == TRUE),
            rows.padded(scores.file_verdict != UNKNOWN),
        ),
        Measure("tool_ratio", RATE, rows.padded(scores.invoked & ~undecided), rows.padded(~undecided, 1.0)),
        Measure("grounded_score", RATE, rows.padded(grounded), population),
        bounded("valid_grounded_reasoning", RATE, met & right, placed, cells[0]),
        bounded("ground_success_answer_failure", RATE, met & ~right, placed, cells[1]),
        bounded("ungrounded_correct_answer", RATE, right & ~met, placed, cells[2]),
        bounded("dual_failure", RATE, placed & ~met & ~right, placed, cells[3]),
        Measure("mean_coverage", RATIO, _where(areas, rows.padded(scores.coverage)), areas),
        Measure("mean_concentration", RATIO, _where(areas, rows.padded(scores.concentration)), areas),
        Measure("mean_ioa", RATIO, _where(areas, rows.padded(scores.ioa)), areas),
        Measure("mean_point_share", RATIO, _where(points, rows.padded(scores.coverage)), points),
        bounded("accuracy_when_grounded", RATIO, met & right, met, right_among(*cells[:2])),
        bounded("accuracy_when_ungrounded", RATIO, right & ~met, placed & ~met, right_among(*cells[2:])),
    ]


def toolchain_measures(
    samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings
) -> list[Measure]:
    """docs/metrics.md#toolchain-metrics. A sample without a trajectory has no calls; one without an accepted toolchain
    is in no MAE. L_G is the length of the closest accepted toolchain."""
    passed = answered_rate("pass_rate", samples, scores, rows, settings)
    everyone = np.ones(len(rows.sample))
    calls, effective = rows.padded(scores.calls), rows.padded(scores.effective_calls)
    reference = shortest_lengths(samples)[rows.sample]
    reference[: rows.recorded] = scores.reference_calls
    return [
        passed,
        *passed.ends(),
        Measure("tool_call_rate", RATE, (calls > 0).astype(np.float64), everyone),
        Measure("calls_mean", MEAN, calls, everyone),
        Measure("unique_tools_mean", MEAN, rows.padded(scores.unique_tools), everyone),
        _chain_error("chain_mae", reference, calls, calls, settings),
        Measure("effective_calls_mean", MEAN, effective, everyone),
        Measure("effective_unique_tools_mean", MEAN, rows.padded(scores.effective_unique_tools), everyone),
        _chain_error("effective_chain_mae", reference, effective, calls, settings),
        Measure("tool_efficiency", RATIO, effective, calls),
    ]


def planning_measures(
    samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings
) -> list[Measure]:
    """docs/metrics.md#plans. A sample without a trajectory, a missing list and a query without targets are in none of
    these."""
    planned = rows.padded(scores.plan_outcome != Outcome.NONE)

    def outcome(metric: str, *codes: int) -> Measure:
        return Measure(metric, RATE, rows.padded(np.isin(scores.plan_outcome, codes)), planned)

    pairs = np.maximum(scores.plan_order, 0)
    return [
        *_prf("recognition", scores.recognition_prf, rows),
        *_prf("selection", scores.selection_prf, rows),
        outcome("exact_match", Outcome.EXACT),
        outcome("task_completable_rate", Outcome.EXACT, Outcome.EXTRA_ONLY),
        *success_measures(samples, scores, rows, settings),
        outcome("outcome_extra_only", Outcome.EXTRA_ONLY),
        outcome("outcome_missing_only", Outcome.MISSING_ONLY),
        outcome("outcome_substitute", Outcome.SUBSTITUTE),
        outcome("outcome_out_of_order", Outcome.OUT_OF_ORDER),
        Measure("order_violations", RATIO, rows.padded(pairs[:, 0]), rows.padded(pairs[:, 1])),
        *plan_diagnostics(scores, rows),
    ]


def plan_diagnostics(scores: ScoreColumns, rows: Rows) -> list[Measure]:
    """docs/metrics.md#plan-diagnostics: of missing targets, of extra entries, of the order of complete plans, and of
    queries with both lists."""
    omitted, unrecognized = np.maximum(scores.plan_omitted, 0), np.maximum(scores.plan_unrecognized, 0)
    extra = rows.padded(np.maximum(scores.plan_extra, 0))
    picks = {
        "spurious_in_scene": scores.plan_in_scene,
        "spurious_repeat": scores.plan_repeated,
        "spurious_hallucinated": scores.plan_hallucinated,
    }
    complete, both = rows.padded(np.isfinite(scores.plan_chance)), rows.padded(np.isfinite(scores.f1_difference))
    disordered = rows.padded(scores.plan_outcome == Outcome.OUT_OF_ORDER)
    return [
        Measure("functional_omission", RATIO, rows.padded(omitted), rows.padded(omitted + unrecognized)),
        *(Measure(name, RATIO, rows.padded(np.maximum(counts, 0)), extra) for name, counts in picks.items()),
        Measure("complete_out_of_order", RATE, disordered, complete),
        Measure("chance_out_of_order", PART, _where(complete, rows.padded(scores.plan_chance)), complete),
        Measure("f1_difference", DIFFERENCE, _where(both, rows.padded(scores.f1_difference)), both),
    ]


def success_measures(
    samples: SampleColumns, scores: ScoreColumns, rows: Rows, settings: MetricSettings, *, by_targets: bool = False
) -> list[Measure]:
    """SR@1 .. SR@3 (docs/metrics.md#success-rate). ``by_targets``: as the breakdown by number of targets counts them
    (#plan-breakdown), over all
    queries of a size, and undefined where k is above the size."""
    targets = targets_of(samples)[scores.sample]
    inside = scores.plan_outcome != Outcome.NONE
    if not by_targets:
        inside = inside & sr_population(samples.plans, settings)[scores.sample]
    found = []
    for k in range(1, TOP + 1):
        success, counted = success_at(k, scores.plan_prefix, targets, settings)
        counted = inside & (targets >= k if by_targets else counted)
        found.append(Measure(f"success_rate_at_{k}", RATE, rows.padded(success & counted), rows.padded(counted)))
    return found


def quantity_measures(scores: ScoreColumns, rows: Rows, settings: MetricSettings) -> list[Measure]:
    """docs/metrics.md#visual-quantity: cropped region size and tool call count; a sample without a trajectory counts
    0 in both."""
    size, calls, inside = visual_quantity(scores, settings)
    counted = rows.padded(inside, 0.0 if settings.crz_population == "mcot" else 1.0)
    return [
        Measure("cropped_region_size", MEAN, rows.padded(size) * counted, counted),
        Measure("tool_call_count", MEAN, rows.padded(calls) * counted, counted),
    ]


def cost_measures(
    scores: ScoreColumns,
    run: RunColumns | None,
    rows: Rows,
    settings: MetricSettings,
    prices: Mapping[str, float] | None,
) -> list[Measure]:
    """docs/metrics.md#statistics: a call costs what ``prices`` says of its tool (by name as written), else 1; and
    recorded dollars."""
    cost = rows.padded(call_costs(scores, run, prices))
    known = np.isfinite(scores.cost)
    right = rows.padded(scores.correct == TRUE)
    return [
        Measure("cost_mean", MEAN, cost, np.ones(len(cost))),
        Measure("cost_per_correct", RATIO, cost, right),
        Measure("usd_mean", MEAN, rows.padded(np.where(known, scores.cost, 0.0)), rows.padded(known)),
    ]


def call_costs(scores: ScoreColumns, run: RunColumns | None, prices: Mapping[str, float] | None) -> Floats:
    """Summed price of the calls of each trajectory, (n,). Raises ``ValueError`` for prices without the run's calls."""
    if not prices:
        return scores.calls.astype(np.float64)
    if run is None:
        raise ValueError("Prices by tool need the run's calls.")
    price = np.array([prices.get(tool, 1.0) for tool in run.tools])
    return np.bincount(rows_of(run.step_start), weights=price[run.steps.tool], minlength=len(run)).astype(np.float64)


def _chain_error(metric: str, reference: Ints, length: Floats, calls: Floats, settings: MetricSettings) -> Measure:
    """Mean |L_G − L| over rows with a reference toolchain, in the population of ``mae_population``."""
    inside = reference >= 0
    if settings.mae_population == "called":
        inside &= calls > 0
    elif settings.mae_population == "nonempty":
        inside &= length > 0
    return Measure(metric, MEAN, np.where(inside, np.abs(reference - length), 0.0), inside.astype(np.float64))


def _prf(task: str, values: Floats, rows: Rows) -> list[Measure]:
    scored = rows.padded(np.isfinite(values[:, 0]))
    return [
        Measure(f"{task}_{part}", RATIO, _where(scored, rows.padded(values[:, i])), scored)
        for i, part in enumerate(("precision", "recall", "f1"))
    ]


def _where(inside: Floats, values: Floats) -> Floats:
    return np.where(inside > 0, np.nan_to_num(values), 0.0)
