"""What every metric means, in one sentence each, as pages and documentation show it."""

from __future__ import annotations

from collections.abc import Mapping

DEFINITIONS: Mapping[str, str] = {
    "accuracy": "Share of evaluated samples answered correctly, with or without a crop.",
    "accuracy_low": "Accuracy with every undecided answer incorrect: the lowest it can be.",
    "accuracy_high": "Accuracy with every undecided answer correct: the highest it can be.",
    "unread_rate": "Share of the answers given in which no answer could be read. They are never guessed.",
    "accuracy_in_file": "Share of the answers with a verdict in the imported file that it calls correct.",
    "tool_ratio": "Share of evaluated samples with at least one zoom call attempted.",
    "grounded_score": "Share of the grounding population whose crop is grounded: IoA above the threshold.",
    "valid_grounded_reasoning": "Share of the grounding population that is grounded and correct.",
    "ground_success_answer_failure": "Share of the grounding population that is grounded but incorrect.",
    "ungrounded_correct_answer": "Share of the grounding population that is correct but not grounded.",
    "dual_failure": "Share of the grounding population that is neither grounded nor correct.",
    "mean_coverage": "Mean share of the gold region inside the crop, over the grounding population.",
    "mean_concentration": "Mean share of the crop that is gold region, over the grounding population.",
    "mean_ioa": (
        "Mean of the larger of coverage and concentration; 1 for any crop that holds the gold or lies inside it."
    ),
    "accuracy_when_grounded": "Share correct among the grounded samples of the grounding population.",
    "accuracy_when_ungrounded": ("Share correct among the samples of the grounding population that are not grounded."),
    "pass_rate": "Share of evaluated samples answered correctly: the same number as accuracy.",
    "pass_rate_low": "Average pass rate with every undecided answer incorrect: the same number as accuracy, at least.",
    "pass_rate_high": "Average pass rate with every undecided answer correct: the same number as accuracy, at most.",
    "tool_call_rate": "Share of evaluated samples with at least one call attempted.",
    "calls_mean": "Mean number of calls attempted, failed and repeated ones included.",
    "unique_tools_mean": "Mean number of different tool names called.",
    "chain_mae": "Mean distance between the number of calls and the length of the closest accepted toolchain.",
    "effective_calls_mean": "Mean length of the effective toolchain: the calls that reached the final output.",
    "effective_unique_tools_mean": "Mean number of different tool names on the effective toolchain.",
    "effective_chain_mae": (
        "Mean distance between the lengths of the effective toolchain and the closest accepted toolchain."
    ),
    "tool_efficiency": "All effective calls over all calls attempted: a ratio of totals.",
    "recognition_precision": "Mean over queries of the share of different named tools that are in the scene.",
    "recognition_recall": "Mean over queries of the share of the scene's tools that are named.",
    "recognition_f1": "Mean over queries of each query's F1 of recognition.",
    "selection_precision": "Mean over queries of the share of different planned tools that are targets.",
    "selection_recall": "Mean over queries of the share of the targets that are planned.",
    "selection_f1": "Mean over queries of each query's F1 of tool selection.",
    "exact_match": "Share of plans with all targets, in order, and nothing else.",
    "task_completable_rate": (
        "Share of plans with all targets in order, extra tools allowed: exact match plus extra only."
    ),
    "success_rate_at_1": "Share of queries whose first planned tool is correct.",
    "success_rate_at_2": "Share of queries whose first two planned tools are correct.",
    "success_rate_at_3": "Share of queries whose first three planned tools are correct.",
    "outcome_extra_only": "Share of plans with all targets in order and at least one other entry.",
    "outcome_missing_only": "Share of plans that lack a target and have no other entry.",
    "outcome_substitute": "Share of plans that lack a target and have another entry.",
    "outcome_out_of_order": "Share of plans with all targets, in an incorrect order.",
    "order_violations": "Pairs of matched targets of different steps that plans reverse, over all such pairs.",
    "ate_text": "Accuracy with corrupted reasoning text minus accuracy without, on samples with both.",
    "ate_visual": "Accuracy with noise crops minus accuracy without, on samples with both.",
    "ate_placebo": "Accuracy with crops of equal size at random places minus accuracy without, on samples with both.",
    "visual_beyond_placebo": (
        "The effect of noise crops minus the effect of placebo crops, on samples with all three recorded."
    ),
    "text_beyond_placebo": (
        "The effect of corrupted text minus the effect of placebo crops, on samples with all three recorded."
    ),
    "reliability": "Share of judged samples with visual evidence whose crops the judge calls reliable.",
    "sufficiency": (
        "Share of judged samples with visual evidence that the judge answers correctly from the crops alone."
    ),
    "cropped_region_size": "Mean over samples of the summed area of usable crops, in images; overlaps count twice.",
    "tool_call_count": "Mean number of calls attempted per sample.",
    "reward_sufficiency": "1 if a rollout's visual evidence is sufficient, else 0.",
    "reward_minimality": "Mean image tokens of the group over those of the rollout, clipped to 0..2.",
    "reward_final": "Accuracy plus format reward plus alpha times sufficiency times minimality.",
    "cost_mean": "Mean over samples of the summed price of the calls attempted; a call costs 1 unless priced.",
    "cost_per_correct": "Summed price of all calls over the number of correct answers.",
    "usd_mean": "Mean recorded price of a trajectory, over those that record one.",
}
