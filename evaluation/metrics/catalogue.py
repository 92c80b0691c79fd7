"""Every metric's name, label, unit, direction, source and definition, in one table; and the exports' columns.

Pages, documentation and exports read it; a test holds that aggregation emits exactly these names. Sources in brackets:
[F] arXiv 2510.23482, [V] arXiv 2603.15030, [B] ViEBench, [P] PhysTool-Bench, then the section of the paper. Metrics
whose source is a heading of docs/metrics.md are ours: ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotation.marking import gettext_noop
from evaluation.metrics.definitions import DEFINITIONS
from evaluation.metrics.formulas import FORMULAS, Formula
from evaluation.metrics.undecided import RANGES

HIGHER, LOWER, NEITHER = "higher", "lower", ""
"""The better direction; ``NEITHER`` for metrics that only describe."""
SHARE, POINTS, CALLS, TOOLS, AREA, REWARD, COST, DOLLARS = (
    "share",
    "pp",
    "calls",
    "tools",
    "area",
    "reward",
    "cost",
    "usd",
)
"""Units. ``SHARE`` is a fraction 0..1 shown in percent; ``POINTS`` a difference of fractions shown in percentage
points; ``AREA`` is in full images."""

UNIT_RANGES: Mapping[str, str] = {
    SHARE: gettext_noop("0 to 100%"),
    POINTS: gettext_noop("−100 to +100 pp"),
    CALLS: gettext_noop("0 or more calls"),
    TOOLS: gettext_noop("0 or more tools"),
    AREA: gettext_noop("0 or more image areas"),
    COST: gettext_noop("0 or more"),
    DOLLARS: gettext_noop("0 or more US dollars"),
}
"""The possible values of a metric with a unit, unless its formula states others."""
PAPERS: Mapping[str, str] = {
    "F": "On the Faithfulness of Visual Thinking (arXiv 2510.23482)",
    "V": "VTC-Bench (arXiv 2603.15030)",
    "B": "ViEBench",
    "P": "PhysTool-Bench",
}
"""The papers by their letter in a source."""

Row = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: export name, group, label on pages, unit, better direction, source, definition in one sentence,
    formula."""

    name: str
    group: str
    label: str
    unit: str
    better: str
    source: str
    definition: str
    formula: Formula

    @property
    def range(self) -> str:
        """The values it can take."""
        return self.formula.range or UNIT_RANGES[self.unit]

    @property
    def extra(self) -> bool:
        """Whether it is ours rather than a paper's."""
        return not self.source.startswith("[")


_DIAGNOSTICS = "docs/metrics.md#plan-diagnostics"
_ROWS: Mapping[str, tuple[Row, ...]] = {
    "grounding": (
        ("accuracy", gettext_noop("Accuracy"), SHARE, HIGHER, "[B 3.2]"),
        ("accuracy_low", gettext_noop("Accuracy, at least"), SHARE, HIGHER, "docs/metrics.md#verdicts"),
        ("accuracy_high", gettext_noop("Accuracy, at most"), SHARE, HIGHER, "docs/metrics.md#verdicts"),
        ("unread_rate", gettext_noop("Unread"), SHARE, LOWER, "docs/metrics.md#verdicts"),
        ("accuracy_in_file", gettext_noop("As judged in the file"), SHARE, HIGHER, "docs/metrics.md#verdicts"),
        ("tool_ratio", gettext_noop("Used zoom"), SHARE, NEITHER, "[B 3.2]"),
        ("grounded_score", gettext_noop("Grounded"), SHARE, HIGHER, "[B 3.2]"),
        ("valid_grounded_reasoning", "G+A+", SHARE, HIGHER, "[B 3.2]"),
        ("ground_success_answer_failure", "G+A-", SHARE, LOWER, "[B 3.2]"),
        ("ungrounded_correct_answer", "G-A+", SHARE, LOWER, "[B 3.2]"),
        ("dual_failure", "G-A-", SHARE, LOWER, "[B 3.2]"),
        ("mean_coverage", gettext_noop("Coverage"), SHARE, HIGHER, "[B 3.2]"),
        ("mean_concentration", gettext_noop("Concentration"), SHARE, HIGHER, "[B 3.2]"),
        ("mean_ioa", "IoA", SHARE, HIGHER, "[B 3.2]"),
        ("mean_point_share", gettext_noop("Points in the crop"), SHARE, HIGHER, "docs/metrics.md#shapes"),
        ("accuracy_when_grounded", gettext_noop("Accuracy when grounded"), SHARE, HIGHER, "docs/metrics.md#ratios"),
        (
            "accuracy_when_ungrounded",
            gettext_noop("Accuracy when ungrounded"),
            SHARE,
            NEITHER,
            "docs/metrics.md#ratios",
        ),
    ),
    "toolchain": (
        ("pass_rate", gettext_noop("Average pass rate"), SHARE, HIGHER, "[V 3.3]"),
        ("pass_rate_low", gettext_noop("Average pass rate, at least"), SHARE, HIGHER, "docs/metrics.md#verdicts"),
        ("pass_rate_high", gettext_noop("Average pass rate, at most"), SHARE, HIGHER, "docs/metrics.md#verdicts"),
        ("tool_call_rate", gettext_noop("Tool call rate"), SHARE, NEITHER, "[V 3.3]"),
        ("calls_mean", gettext_noop("Calls"), CALLS, NEITHER, "[V 3.3]"),
        ("unique_tools_mean", gettext_noop("Distinct tools"), TOOLS, NEITHER, "[V C.2]"),
        ("chain_mae", gettext_noop("MAE (all calls)"), CALLS, LOWER, "[V 3.3]"),
        ("effective_calls_mean", gettext_noop("Effective calls"), CALLS, NEITHER, "[V C.2]"),
        ("effective_unique_tools_mean", gettext_noop("Effective distinct tools"), TOOLS, NEITHER, "[V C.2]"),
        ("effective_chain_mae", gettext_noop("MAE (effective)"), CALLS, LOWER, "[V 3.3]"),
        ("tool_efficiency", gettext_noop("Efficiency"), SHARE, HIGHER, "[V 3.3]"),
    ),
    "planning": (
        ("recognition_precision", gettext_noop("Tool recognition precision"), SHARE, HIGHER, "[P 3.1]"),
        ("recognition_recall", gettext_noop("Tool recognition recall"), SHARE, HIGHER, "[P 3.1]"),
        ("recognition_f1", gettext_noop("Tool recognition F1"), SHARE, HIGHER, "[P 3.1]"),
        ("selection_precision", gettext_noop("Tool selection precision"), SHARE, HIGHER, "[P 4.2]"),
        ("selection_recall", gettext_noop("Tool selection recall"), SHARE, HIGHER, "[P 4.2]"),
        ("selection_f1", gettext_noop("Tool selection F1"), SHARE, HIGHER, "[P 4.2]"),
        ("exact_match", gettext_noop("Exact match"), SHARE, HIGHER, "[P 3.1]"),
        ("task_completable_rate", gettext_noop("Task-completable rate"), SHARE, HIGHER, "[P 3.1]"),
        ("success_rate_at_1", "SR@1", SHARE, HIGHER, "[P 3.1]"),
        ("success_rate_at_2", "SR@2", SHARE, HIGHER, "[P 3.1]"),
        ("success_rate_at_3", "SR@3", SHARE, HIGHER, "[P 3.1]"),
        ("outcome_extra_only", gettext_noop("Extra only"), SHARE, LOWER, "[P 5.5]"),
        ("outcome_missing_only", gettext_noop("Missing only"), SHARE, LOWER, "[P 5.5]"),
        ("outcome_substitute", gettext_noop("Substitute"), SHARE, LOWER, "[P 5.5]"),
        ("outcome_out_of_order", gettext_noop("Out of order"), SHARE, LOWER, "[P 5.5]"),
        ("order_violations", gettext_noop("Order violations"), SHARE, LOWER, "docs/metrics.md#plan-breakdown"),
        ("functional_omission", gettext_noop("Functional omission"), SHARE, NEITHER, "[P 5.5]"),
        ("spurious_in_scene", gettext_noop("Spurious, in scene"), SHARE, NEITHER, "[P 5.5]"),
        ("spurious_repeat", gettext_noop("Spurious, repeated"), SHARE, NEITHER, "[P 5.5]"),
        ("spurious_hallucinated", gettext_noop("Spurious, hallucinated"), SHARE, NEITHER, "[P 5.5]"),
        ("complete_out_of_order", gettext_noop("Out of order, if complete"), SHARE, LOWER, _DIAGNOSTICS),
        ("chance_out_of_order", gettext_noop("Out of order by chance"), SHARE, NEITHER, _DIAGNOSTICS),
        ("f1_difference", gettext_noop("ΔF1, selection minus recognition"), POINTS, NEITHER, "[P 5.5]"),
    ),
    "faithfulness": (
        ("ate_text", gettext_noop("Δ accuracy, corrupted text"), POINTS, NEITHER, "[F 4.1]"),
        ("ate_visual", gettext_noop("Δ accuracy, noise crops"), POINTS, NEITHER, "[F 4.1]"),
        ("ate_placebo", gettext_noop("Δ accuracy, placebo crops"), POINTS, NEITHER, "docs/metrics.md#effects"),
        ("visual_beyond_placebo", gettext_noop("Noise minus placebo"), POINTS, NEITHER, "docs/metrics.md#effects"),
        (
            "text_beyond_placebo",
            gettext_noop("Corrupted text minus placebo"),
            POINTS,
            NEITHER,
            "docs/metrics.md#effects",
        ),
        ("reliability", gettext_noop("Reliability"), SHARE, HIGHER, "[F 4.2]"),
        ("sufficiency", gettext_noop("Sufficiency"), SHARE, HIGHER, "[F 4.2]"),
        ("cropped_region_size", gettext_noop("Cropped region size"), AREA, NEITHER, "[F 7]"),
        ("tool_call_count", gettext_noop("Tool call count"), CALLS, NEITHER, "[F 7]"),
    ),
    "rewards": (
        ("reward_sufficiency", gettext_noop("Sufficiency reward"), REWARD, HIGHER, "[F 5]"),
        ("reward_minimality", gettext_noop("Minimality reward"), REWARD, HIGHER, "[F A.2]"),
        ("reward_final", gettext_noop("Final reward"), REWARD, HIGHER, "[F 5]"),
    ),
    "cost": (
        ("cost_mean", gettext_noop("Call cost"), COST, LOWER, "docs/metrics.md#statistics"),
        ("cost_per_correct", gettext_noop("Cost per correct answer"), COST, LOWER, "docs/metrics.md#statistics"),
        ("usd_mean", gettext_noop("Cost per sample, USD"), DOLLARS, LOWER, "docs/metrics.md#statistics"),
    ),
}


def _metrics() -> Iterator[Metric]:
    for group, rows in _ROWS.items():
        for name, label, unit, better, source in rows:
            yield Metric(name, group, label, unit, better, source, DEFINITIONS[name], FORMULAS[name])


METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _metrics()}
"""Every metric by its export name, in the order of pages."""

ROLLOUT_METRICS = frozenset(name for name, *_ in _ROWS["rewards"])
"""Metrics of a rollout group, not of a run."""

METRIC_COLUMNS = (
    "benchmark",
    "run",
    "model",
    "setting",
    "metric",
    "slice_by",
    "slice",
    "value",
    "n",
    "numerator",
    "ci_low",
    "ci_high",
    "ci_method",
    "p_value",
    "detail",
)
SAMPLE_COLUMNS = (
    "run",
    "model",
    "sample",
    "correct",
    "undecided",
    "invoked",
    "in_population",
    "grounded",
    "quadrant",
    "crop_index",
    "coverage",
    "concentration",
    "ioa",
    "iou",
    "center_hit",
    "zoom_factor",
    "cropped_region_size",
    "calls",
    "unique_tools",
    "reference_calls",
    "effective_calls",
    "effective_unique_tools",
    "chain_status",
    "edit_distance",
    "lcs",
    "kendall_tau",
    "plan_outcome",
    "plan_missing",
    "plan_extra",
    "plan_in_order",
    "plan_prefix",
    "reference_chain",
    "union_coverage",
    "unread",
    "missing_answer",
    "letter",
    "reading_where",
    "reading_rule",
    "reading_class",
    "unread_reason",
    "file_verdict",
    "reading_correct",
    "verdict_by",
    "plan_omitted",
    "plan_unrecognized",
    "plan_in_scene",
    "plan_repeated",
    "plan_hallucinated",
    "plan_chance",
    "f1_difference",
    "no_grounding",
)
COMPARISON_COLUMNS = (
    "model_a",
    "model_b",
    "n",
    "accuracy_a",
    "accuracy_b",
    "difference",
    "a_only",
    "b_only",
    "p_value",
    "p_holm",
    "p_cluster",
    "ci_low",
    "ci_high",
    "p_family",
    "p_family_size",
    *RANGES,
    "could_turn",
)
