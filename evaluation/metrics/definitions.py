"""The definition of every metric, one sentence each, for pages and documentation."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.marking import gettext_noop

DEFINITIONS: Mapping[str, str] = {
    "accuracy": gettext_noop("Share of evaluated samples answered correctly, with or without a crop."),
    "accuracy_low": gettext_noop("Accuracy with every undecided answer incorrect: the lowest it can be."),
    "accuracy_high": gettext_noop("Accuracy with every undecided answer correct: the highest it can be."),
    "unread_rate": gettext_noop("Share of the answers given in which no answer could be read. They are never guessed."),
    "accuracy_in_file": gettext_noop("Share of the answers with a verdict in the imported file that it calls correct."),
    "tool_ratio": gettext_noop("Share of evaluated samples with at least one zoom call attempted."),
    "grounded_score": gettext_noop(
        "Share of the grounding population whose crop is grounded: IoA above the threshold."
    ),
    "valid_grounded_reasoning": gettext_noop("Share of the grounding population that is grounded and correct."),
    "ground_success_answer_failure": gettext_noop("Share of the grounding population that is grounded but incorrect."),
    "ungrounded_correct_answer": gettext_noop("Share of the grounding population that is correct but not grounded."),
    "dual_failure": gettext_noop("Share of the grounding population that is neither grounded nor correct."),
    "mean_coverage": gettext_noop("Mean share of the gold region inside the crop, over the grounding population."),
    "mean_concentration": gettext_noop("Mean share of the crop that is gold region, over the grounding population."),
    "mean_ioa": (
        gettext_noop(
            "Mean of the larger of coverage and concentration; 1 for any crop that holds the gold or lies inside it."
        )
    ),
    "mean_point_share": gettext_noop("Mean share of the gold points inside the crop, where gold is points alone."),
    "accuracy_when_grounded": gettext_noop("Share correct among the grounded samples of the grounding population."),
    "accuracy_when_ungrounded": (
        gettext_noop("Share correct among the samples of the grounding population that are not grounded.")
    ),
    "pass_rate": gettext_noop("Share of evaluated samples answered correctly: the same number as accuracy."),
    "pass_rate_low": gettext_noop(
        "Average pass rate with every undecided answer incorrect: the same number as accuracy, at least."
    ),
    "pass_rate_high": gettext_noop(
        "Average pass rate with every undecided answer correct: the same number as accuracy, at most."
    ),
    "tool_call_rate": gettext_noop("Share of evaluated samples with at least one call attempted."),
    "calls_mean": gettext_noop("Mean number of calls attempted, failed and repeated ones included."),
    "unique_tools_mean": gettext_noop("Mean number of different tool names called."),
    "chain_mae": gettext_noop(
        "Mean distance between the number of calls and the length of the closest accepted toolchain."
    ),
    "effective_calls_mean": gettext_noop(
        "Mean length of the effective toolchain: the calls that reached the final output."
    ),
    "effective_unique_tools_mean": gettext_noop("Mean number of different tool names on the effective toolchain."),
    "effective_chain_mae": (
        gettext_noop("Mean distance between the lengths of the effective toolchain and the closest accepted toolchain.")
    ),
    "tool_efficiency": gettext_noop("All effective calls over all calls attempted: a ratio of totals."),
    "recognition_precision": gettext_noop(
        "Mean over queries of the share of different named tools that are in the scene."
    ),
    "recognition_recall": gettext_noop("Mean over queries of the share of the scene's tools that are named."),
    "recognition_f1": gettext_noop("Mean over queries of each query's F1 of recognition."),
    "selection_precision": gettext_noop("Mean over queries of the share of different planned tools that are targets."),
    "selection_recall": gettext_noop("Mean over queries of the share of the targets that are planned."),
    "selection_f1": gettext_noop("Mean over queries of each query's F1 of tool selection."),
    "exact_match": gettext_noop("Share of plans with all targets, in order, and nothing else."),
    "task_completable_rate": (
        gettext_noop("Share of plans with all targets in order, extra tools allowed: exact match plus extra only.")
    ),
    "success_rate_at_1": gettext_noop("Share of queries whose first planned tool is correct."),
    "success_rate_at_2": gettext_noop("Share of queries whose first two planned tools are correct."),
    "success_rate_at_3": gettext_noop("Share of queries whose first three planned tools are correct."),
    "outcome_extra_only": gettext_noop("Share of plans with all targets in order and at least one other entry."),
    "outcome_missing_only": gettext_noop("Share of plans that lack a target and have no other entry."),
    "outcome_substitute": gettext_noop("Share of plans that lack a target and have another entry."),
    "outcome_out_of_order": gettext_noop("Share of plans with all targets, in an incorrect order."),
    "order_violations": gettext_noop(
        "Pairs of matched targets of different steps that plans reverse, over all such pairs."
    ),
    "functional_omission": gettext_noop(
        "Share of the targets that plans lack and the same model recognized, among all that plans lack."
    ),
    "spurious_in_scene": gettext_noop("Share of the extra entries of plans that are distractors in the scene."),
    "spurious_repeat": gettext_noop("Share of the extra entries of plans that are targets named before."),
    "spurious_hallucinated": gettext_noop("Share of the extra entries of plans that are no tool in the scene."),
    "complete_out_of_order": gettext_noop("Share of the plans with all targets that are in an incorrect order."),
    "chance_out_of_order": gettext_noop(
        "Share of the plans with all targets that would be in an incorrect order if their targets were shuffled."
    ),
    "f1_difference": gettext_noop("Mean over queries of F1 of tool selection minus F1 of tool recognition."),
    "ate_text": gettext_noop("Accuracy with corrupted reasoning text minus accuracy without, on samples with both."),
    "ate_visual": gettext_noop("Accuracy with noise crops minus accuracy without, on samples with both."),
    "ate_placebo": gettext_noop(
        "Accuracy with crops of equal size at random places minus accuracy without, on samples with both."
    ),
    "visual_beyond_placebo": (
        gettext_noop("The effect of noise crops minus the effect of placebo crops, on samples with all three recorded.")
    ),
    "text_beyond_placebo": (
        gettext_noop(
            "The effect of corrupted text minus the effect of placebo crops, on samples with all three recorded."
        )
    ),
    "reliability": gettext_noop("Share of judged samples with visual evidence whose crops the judge calls reliable."),
    "sufficiency": (
        gettext_noop(
            "Share of judged samples with visual evidence that the judge answers correctly from the crops alone."
        )
    ),
    "cropped_region_size": gettext_noop(
        "Mean over samples of the summed area of usable crops, in images; overlaps count twice."
    ),
    "tool_call_count": gettext_noop("Mean number of calls attempted per sample."),
    "reward_sufficiency": gettext_noop("1 if a rollout's visual evidence is sufficient, else 0."),
    "reward_minimality": gettext_noop("Mean image tokens of the group over those of the rollout, clipped to 0..2."),
    "reward_final": gettext_noop("Accuracy plus format reward plus alpha times sufficiency times minimality."),
    "cost_mean": gettext_noop(
        "Mean over samples of the summed price of the calls attempted; a call costs 1 unless priced."
    ),
    "cost_per_correct": gettext_noop("Summed price of all calls over the number of correct answers."),
    "usd_mean": gettext_noop("Mean recorded price of a trajectory, over those that record one."),
}
