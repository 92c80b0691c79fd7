"""How every metric is computed, when it has no value, and which heading specifies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Formula(NamedTuple):
    """text: the formula. undefined: the case without a value. document: the heading that specifies it. range: the
    values it can take, where its unit does not say so."""

    text: str
    undefined: str
    document: str
    range: str = ""


_EVALUATED = "no sample is evaluated"
_POPULATION = "the grounding population is empty"
_PLANNED = "no plan is evaluated"
_RECOGNIZED = "no list of recognized tools is evaluated"
_REFERENCE = "no sample has a reference toolchain"
_JUDGED = "no sample with visual evidence has a judgment"
_PAIRED = "no sample has both outcomes"
_TRIPLE = "no sample has all three outcomes"
_COUNTED = "no query counts under sr_population and sr_short"
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
_QUANTITY, _REWARD, _COST = (
    "docs/metrics.md#visual-quantity",
    "docs/metrics.md#reward-rules",
    "docs/metrics.md#statistics",
)

FORMULAS: Mapping[str, Formula] = {
    "accuracy": Formula("correct / evaluated", _EVALUATED, _QUADRANTS),
    "accuracy_low": Formula("correct / (correct + incorrect + undecided)", _EVALUATED, _VERDICTS),
    "accuracy_high": Formula("(correct + undecided) / (correct + incorrect + undecided)", _EVALUATED, _VERDICTS),
    "unread_rate": Formula("unread / answers given", "no answer is given", _VERDICTS),
    "accuracy_in_file": Formula(
        "correct by the file / answers with a verdict in the file", "the file has no verdict", _VERDICTS
    ),
    "tool_ratio": Formula("samples with a zoom call attempted / evaluated", _EVALUATED, _QUADRANTS),
    "grounded_score": Formula("G+ / grounding population", _POPULATION, _QUADRANTS),
    "valid_grounded_reasoning": Formula("G+A+ / grounding population", _POPULATION, _QUADRANTS),
    "ground_success_answer_failure": Formula("G+A− / grounding population", _POPULATION, _QUADRANTS),
    "ungrounded_correct_answer": Formula("G−A+ / grounding population", _POPULATION, _QUADRANTS),
    "dual_failure": Formula("G−A− / grounding population", _POPULATION, _QUADRANTS),
    "mean_coverage": Formula("mean of area(crop ∩ gold) / area(gold)", _POPULATION, _IOA),
    "mean_concentration": Formula("mean of area(crop ∩ gold) / area(crop)", _POPULATION, _IOA),
    "mean_ioa": Formula("mean of max(coverage, concentration)", _POPULATION, _IOA),
    "accuracy_when_grounded": Formula("G+A+ / (G+A+ + G+A−)", "no sample is grounded", _RATIOS),
    "accuracy_when_ungrounded": Formula(
        "G−A+ / (G−A+ + G−A−)", "every sample of the grounding population is grounded", _RATIOS
    ),
    "pass_rate": Formula("correct / evaluated", _EVALUATED, "docs/metrics.md#answers"),
    "pass_rate_low": Formula("correct / (correct + incorrect + undecided)", _EVALUATED, _VERDICTS),
    "pass_rate_high": Formula("(correct + undecided) / (correct + incorrect + undecided)", _EVALUATED, _VERDICTS),
    "tool_call_rate": Formula("samples with L_T > 0 / evaluated", _EVALUATED, _CHAIN),
    "calls_mean": Formula("mean of L_T, the calls attempted", _EVALUATED, _CHAIN),
    "unique_tools_mean": Formula("mean number of different tool names in all calls", _EVALUATED, _CHAIN),
    "chain_mae": Formula("mean of |L_G − L_T|: reference length, calls attempted", _REFERENCE, _CHAIN),
    "effective_calls_mean": Formula("mean of L_e, the effective calls; 0 without calls", _EVALUATED, _CHAIN),
    "effective_unique_tools_mean": Formula(
        "mean number of different tool names in effective calls", _EVALUATED, _CHAIN
    ),
    "effective_chain_mae": Formula("mean of |L_G − L_e|: reference length, effective calls", _REFERENCE, _CHAIN),
    "tool_efficiency": Formula("Σ L_e / Σ L_T: effective calls, calls attempted", "no call is attempted", _CHAIN),
    "recognition_precision": Formula("mean of matched / different names listed", _RECOGNIZED, _F1),
    "recognition_recall": Formula("mean of matched / tools in the scene", _RECOGNIZED, _F1),
    "recognition_f1": Formula("mean of 2PR / (P + R)", _RECOGNIZED, _F1),
    "selection_precision": Formula("mean of matched / different names planned", _PLANNED, _F1),
    "selection_recall": Formula("mean of matched / targets", _PLANNED, _F1),
    "selection_f1": Formula("mean of 2PR / (P + R)", _PLANNED, _F1),
    "exact_match": Formula("exact plans / evaluated plans", _PLANNED, _OUTCOME),
    "task_completable_rate": Formula("(exact + extra only) / evaluated plans", _PLANNED, _OUTCOME),
    "success_rate_at_1": Formula("plans with a correct first entry / queries counted", _COUNTED, _SUCCESS),
    "success_rate_at_2": Formula("plans with correct first 2 entries / queries counted", _COUNTED, _SUCCESS),
    "success_rate_at_3": Formula("plans with correct first 3 entries / queries counted", _COUNTED, _SUCCESS),
    "outcome_extra_only": Formula("plans with this outcome / evaluated plans", _PLANNED, _OUTCOME),
    "outcome_missing_only": Formula("plans with this outcome / evaluated plans", _PLANNED, _OUTCOME),
    "outcome_substitute": Formula("plans with this outcome / evaluated plans", _PLANNED, _OUTCOME),
    "outcome_out_of_order": Formula("plans with this outcome / evaluated plans", _PLANNED, _OUTCOME),
    "order_violations": Formula(
        "reversed pairs / pairs of matched targets of different steps",
        "no plan matches targets of two steps",
        "docs/metrics.md#plan-breakdown",
    ),
    "ate_text": Formula("accuracy(corrupted text) − accuracy(none)", _PAIRED, _EFFECT),
    "ate_visual": Formula("accuracy(noise crops) − accuracy(none)", _PAIRED, _EFFECT),
    "ate_placebo": Formula("accuracy(placebo crops) − accuracy(none)", _PAIRED, _EFFECT),
    "visual_beyond_placebo": Formula("accuracy(noise crops) − accuracy(placebo crops)", _TRIPLE, _EFFECT),
    "text_beyond_placebo": Formula("accuracy(corrupted text) − accuracy(placebo crops)", _TRIPLE, _EFFECT),
    "reliability": Formula("judged reliable / judged, with visual evidence", _JUDGED, _JUDGE),
    "sufficiency": Formula("answered correctly from the crops / judged, with visual evidence", _JUDGED, _JUDGE),
    "cropped_region_size": Formula("mean of Σ area(crop) / area(image) over usable crops", _EVALUATED, _QUANTITY),
    "tool_call_count": Formula("mean number of calls attempted", _EVALUATED, _QUANTITY),
    "reward_sufficiency": Formula("r_s = 1 if sufficient, else 0", "there is no rollout", _REWARD, "0 or 1"),
    "reward_minimality": Formula(
        "r_m = clip(mean(I) / I, 0, 2), I: image tokens", "there is no rollout", _REWARD, "0 to 2"
    ),
    "reward_final": Formula(
        "r_acc + r_format + α · r_s · r_m", "there is no rollout", _REWARD, "0 or more, for rewards of 0 or more"
    ),
    "cost_mean": Formula("mean of Σ price over the calls attempted", _EVALUATED, _COST),
    "cost_per_correct": Formula("Σ price over all calls / correct answers", "no answer is correct", _COST),
    "usd_mean": Formula("mean of the recorded prices", "no trajectory records a price", _COST),
}
