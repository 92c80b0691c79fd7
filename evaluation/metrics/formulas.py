"""The formula of every metric, the cases without a value, and the heading that specifies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from annotation.marking import gettext_noop


class Formula(NamedTuple):
    """text: the formula. undefined: the case without a value. document: the heading that specifies it. range: its
    possible values, if its unit does not define them.
    """

    text: str
    undefined: str
    document: str
    range: str = ""


_EVALUATED = gettext_noop("no sample is evaluated")
_POPULATION = gettext_noop("the grounding population is empty")
_PLANNED = gettext_noop("no plan is evaluated")
_RECOGNIZED = gettext_noop("no list of recognized tools is evaluated")
_REFERENCE = gettext_noop("no sample has a reference toolchain")
_JUDGED = gettext_noop("no sample with visual evidence has a judgment")
_PAIRED = gettext_noop("no sample has both outcomes")
_TRIPLE = gettext_noop("no sample has all three outcomes")
_COUNTED = gettext_noop("no query counts under sr_population and sr_short")
_EXTRA = gettext_noop("no plan has an extra entry")
_COMPLETE = gettext_noop("no plan has all targets")
_DIAGNOSTICS = "docs/metrics.md#plan-diagnostics"
_VERDICTS, _QUADRANTS, _IOA, _RATIOS, _CHAIN, _OUTCOME = (
    "docs/metrics.md#verdicts",
    "docs/metrics.md#quadrants",
    "docs/metrics.md#ioa",
    "docs/metrics.md#ratios",
    "docs/metrics.md#toolchain-metrics",
    "docs/metrics.md#plan-outcome",
)
_F1, _SUCCESS, _EFFECT, _JUDGE = (
    "docs/metrics.md#f1",
    "docs/metrics.md#success-rate",
    "docs/metrics.md#interventions",
    "docs/metrics.md#reliability",
)
_SHAPES = "docs/metrics.md#shapes"
_QUANTITY, _REWARD, _COST = (
    "docs/metrics.md#visual-quantity",
    "docs/metrics.md#reward-rules",
    "docs/metrics.md#statistics",
)

FORMULAS: Mapping[str, Formula] = {
    "accuracy": Formula(gettext_noop("correct / evaluated"), _EVALUATED, _QUADRANTS),
    "accuracy_low": Formula(gettext_noop("correct / (correct + incorrect + undecided)"), _EVALUATED, _VERDICTS),
    "accuracy_high": Formula(
        gettext_noop("(correct + undecided) / (correct + incorrect + undecided)"), _EVALUATED, _VERDICTS
    ),
    "unread_rate": Formula(gettext_noop("unread / answers given"), gettext_noop("no answer is given"), _VERDICTS),
    "accuracy_in_file": Formula(
        gettext_noop("correct by the file / answers with a verdict in the file"),
        gettext_noop("the file has no verdict"),
        _VERDICTS,
    ),
    "tool_ratio": Formula(gettext_noop("samples with a zoom call attempted / evaluated"), _EVALUATED, _QUADRANTS),
    "grounded_score": Formula(gettext_noop("G+ / grounding population"), _POPULATION, _QUADRANTS),
    "valid_grounded_reasoning": Formula(gettext_noop("G+A+ / grounding population"), _POPULATION, _QUADRANTS),
    "ground_success_answer_failure": Formula(gettext_noop("G+A− / grounding population"), _POPULATION, _QUADRANTS),
    "ungrounded_correct_answer": Formula(gettext_noop("G−A+ / grounding population"), _POPULATION, _QUADRANTS),
    "dual_failure": Formula(gettext_noop("G−A− / grounding population"), _POPULATION, _QUADRANTS),
    "mean_coverage": Formula(gettext_noop("mean of area(crop ∩ gold) / area(gold)"), _POPULATION, _IOA),
    "mean_concentration": Formula(gettext_noop("mean of area(crop ∩ gold) / area(crop)"), _POPULATION, _IOA),
    "mean_ioa": Formula(gettext_noop("mean of max(coverage, concentration)"), _POPULATION, _IOA),
    "mean_point_share": Formula(
        gettext_noop("mean of points in the crop / gold points"),
        gettext_noop("no sample of the grounding population has gold of points alone"),
        _SHAPES,
    ),
    "accuracy_when_grounded": Formula(
        gettext_noop("G+A+ / (G+A+ + G+A−)"), gettext_noop("no sample is grounded"), _RATIOS
    ),
    "accuracy_when_ungrounded": Formula(
        gettext_noop("G−A+ / (G−A+ + G−A−)"),
        gettext_noop("every sample of the grounding population is grounded"),
        _RATIOS,
    ),
    "pass_rate": Formula(gettext_noop("correct / evaluated"), _EVALUATED, "docs/metrics.md#answers"),
    "pass_rate_low": Formula(gettext_noop("correct / (correct + incorrect + undecided)"), _EVALUATED, _VERDICTS),
    "pass_rate_high": Formula(
        gettext_noop("(correct + undecided) / (correct + incorrect + undecided)"), _EVALUATED, _VERDICTS
    ),
    "tool_call_rate": Formula(gettext_noop("samples with L_T > 0 / evaluated"), _EVALUATED, _CHAIN),
    "calls_mean": Formula(gettext_noop("mean of L_T, the calls attempted"), _EVALUATED, _CHAIN),
    "unique_tools_mean": Formula(gettext_noop("mean number of different tool names in all calls"), _EVALUATED, _CHAIN),
    "chain_mae": Formula(gettext_noop("mean of |L_G − L_T|: reference length, calls attempted"), _REFERENCE, _CHAIN),
    "effective_calls_mean": Formula(
        gettext_noop("mean of L_e, the effective calls; 0 without calls"), _EVALUATED, _CHAIN
    ),
    "effective_unique_tools_mean": Formula(
        gettext_noop("mean number of different tool names in effective calls"), _EVALUATED, _CHAIN
    ),
    "effective_chain_mae": Formula(
        gettext_noop("mean of |L_G − L_e|: reference length, effective calls"), _REFERENCE, _CHAIN
    ),
    "tool_efficiency": Formula(
        gettext_noop("Σ L_e / Σ L_T: effective calls, calls attempted"), gettext_noop("no call is attempted"), _CHAIN
    ),
    "recognition_precision": Formula(gettext_noop("mean of matched / different names listed"), _RECOGNIZED, _F1),
    "recognition_recall": Formula(gettext_noop("mean of matched / tools in the scene"), _RECOGNIZED, _F1),
    "recognition_f1": Formula(gettext_noop("mean of 2PR / (P + R)"), _RECOGNIZED, _F1),
    "selection_precision": Formula(gettext_noop("mean of matched / different names planned"), _PLANNED, _F1),
    "selection_recall": Formula(gettext_noop("mean of matched / targets"), _PLANNED, _F1),
    "selection_f1": Formula(gettext_noop("mean of 2PR / (P + R)"), _PLANNED, _F1),
    "exact_match": Formula(gettext_noop("exact plans / evaluated plans"), _PLANNED, _OUTCOME),
    "task_completable_rate": Formula(gettext_noop("(exact + extra only) / evaluated plans"), _PLANNED, _OUTCOME),
    "success_rate_at_1": Formula(
        gettext_noop("plans with a correct first entry / queries counted"), _COUNTED, _SUCCESS
    ),
    "success_rate_at_2": Formula(
        gettext_noop("plans with correct first 2 entries / queries counted"), _COUNTED, _SUCCESS
    ),
    "success_rate_at_3": Formula(
        gettext_noop("plans with correct first 3 entries / queries counted"), _COUNTED, _SUCCESS
    ),
    "outcome_extra_only": Formula(gettext_noop("plans with this outcome / evaluated plans"), _PLANNED, _OUTCOME),
    "outcome_missing_only": Formula(gettext_noop("plans with this outcome / evaluated plans"), _PLANNED, _OUTCOME),
    "outcome_substitute": Formula(gettext_noop("plans with this outcome / evaluated plans"), _PLANNED, _OUTCOME),
    "outcome_out_of_order": Formula(gettext_noop("plans with this outcome / evaluated plans"), _PLANNED, _OUTCOME),
    "order_violations": Formula(
        gettext_noop("reversed pairs / pairs of matched targets of different steps"),
        gettext_noop("no plan matches targets of two steps"),
        "docs/metrics.md#plan-breakdown",
    ),
    "functional_omission": Formula(
        gettext_noop("missing targets that were recognized / missing targets"),
        gettext_noop("no plan with a list of recognized tools lacks a target"),
        _DIAGNOSTICS,
    ),
    "spurious_in_scene": Formula(
        gettext_noop("extra entries that are distractors / extra entries"), _EXTRA, _DIAGNOSTICS
    ),
    "spurious_repeat": Formula(
        gettext_noop("extra entries that repeat a target / extra entries"), _EXTRA, _DIAGNOSTICS
    ),
    "spurious_hallucinated": Formula(gettext_noop("other extra entries / extra entries"), _EXTRA, _DIAGNOSTICS),
    "complete_out_of_order": Formula(
        gettext_noop("plans out of order / plans with all targets"), _COMPLETE, _DIAGNOSTICS
    ),
    "chance_out_of_order": Formula(
        gettext_noop("mean of 1 − Π m_s! / M! over plans with all targets; m_s of the M targets at step s"),
        _COMPLETE,
        _DIAGNOSTICS,
    ),
    "f1_difference": Formula(
        gettext_noop("mean of F1(selection) − F1(recognition)"),
        gettext_noop("no query has both a plan and a list of recognized tools"),
        _DIAGNOSTICS,
    ),
    "ate_text": Formula(gettext_noop("accuracy(corrupted text) − accuracy(none)"), _PAIRED, _EFFECT),
    "ate_visual": Formula(gettext_noop("accuracy(noise crops) − accuracy(none)"), _PAIRED, _EFFECT),
    "ate_placebo": Formula(gettext_noop("accuracy(placebo crops) − accuracy(none)"), _PAIRED, _EFFECT),
    "visual_beyond_placebo": Formula(gettext_noop("accuracy(noise crops) − accuracy(placebo crops)"), _TRIPLE, _EFFECT),
    "text_beyond_placebo": Formula(
        gettext_noop("accuracy(corrupted text) − accuracy(placebo crops)"), _TRIPLE, _EFFECT
    ),
    "reliability": Formula(gettext_noop("judged reliable / judged, with visual evidence"), _JUDGED, _JUDGE),
    "sufficiency": Formula(
        gettext_noop("answered correctly from the crops / judged, with visual evidence"), _JUDGED, _JUDGE
    ),
    "cropped_region_size": Formula(
        gettext_noop("mean of Σ area(crop) / area(image) over usable crops"), _EVALUATED, _QUANTITY
    ),
    "tool_call_count": Formula(gettext_noop("mean number of calls attempted"), _EVALUATED, _QUANTITY),
    "reward_sufficiency": Formula(
        gettext_noop("r_s = 1 if sufficient, else 0"),
        gettext_noop("there is no rollout"),
        _REWARD,
        gettext_noop("0 or 1"),
    ),
    "reward_minimality": Formula(
        gettext_noop("r_m = clip(mean(I) / I, 0, 2), I: image tokens"),
        gettext_noop("there is no rollout"),
        _REWARD,
        gettext_noop("0 to 2"),
    ),
    "reward_final": Formula(
        gettext_noop("r_acc + r_format + α · r_s · r_m"),
        gettext_noop("there is no rollout"),
        _REWARD,
        gettext_noop("0 or more, for rewards of 0 or more"),
    ),
    "cost_mean": Formula(gettext_noop("mean of Σ price over the calls attempted"), _EVALUATED, _COST),
    "cost_per_correct": Formula(
        gettext_noop("Σ price over all calls / correct answers"), gettext_noop("no answer is correct"), _COST
    ),
    "usd_mean": Formula(
        gettext_noop("mean of the recorded prices"), gettext_noop("no trajectory records a price"), _COST
    ),
}
