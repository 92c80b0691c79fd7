"""Failures by rule: one code per trajectory. The rules are Sightline's own.

Rules are checked in ``ORDER``; the first that applies names the failure. An undecided answer has no failure unless no
option could be read from it. Undefined answers, and incorrect ones that no rule explains, have none either.
"""

from __future__ import annotations

import numpy as np

from annotation.marking import gettext_noop
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, Bools, Ints, Outcome, Quadrant, ScoreColumns

FAILURES = (
    "truncated", "parse_failure", "wrong_order", "wrong_tool", "before_looking", "found_misread", "crop_ignored",
    "missed_evidence", "lucky_answer", "tool_result_copied",
)  # fmt: skip
"""By code. Labels of people are stored as codes, so a new failure comes last."""
ORDER = (*FAILURES[:2], "tool_result_copied", *FAILURES[2:-1])
"""In the order in which the rules are asked, and pages list them."""
NO_FAILURE = -1
RULES = {
    "truncated": gettext_noop("An error or a limit came before the answer."),
    "parse_failure": gettext_noop("No option or value could be read from the output."),
    "tool_result_copied": gettext_noop(
        "An incorrect answer that repeats a value printed by a tool: a separate number, or a whole text."
    ),
    "wrong_order": gettext_noop(
        "The expected tools in another order, in the plan or in the toolchain of an incorrect answer."
    ),
    "wrong_tool": gettext_noop(
        "A target or reference call is missing, or the plan has an extra tool. Without a plan, this "
        "needs an incorrect answer and a sample without evidence boxes; the rules below cover the others."
    ),
    "before_looking": gettext_noop("An incorrect answer, and no call had returned an image."),
    "found_misread": gettext_noop("An incorrect answer, although the scored crop is grounded (G+A-)."),
    "crop_ignored": gettext_noop(
        "An incorrect answer; all crops together cover half of the evidence or more, but the scored crop "
        "is not grounded."
    ),
    "missed_evidence": gettext_noop(
        "An incorrect answer, and all crops together cover less than half of the evidence."
    ),
    "lucky_answer": gettext_noop("A correct answer, and all crops together cover less than half of the evidence."),
}
"""The explanation of each failure on pages and in the documentation."""
LABELS = {
    "truncated": gettext_noop("No answer (cut off)"),
    "parse_failure": gettext_noop("Unread answer"),
    "tool_result_copied": gettext_noop("Copied a tool result"),
    "wrong_order": gettext_noop("Wrong tool order"),
    "wrong_tool": gettext_noop("Wrong tools"),
    "before_looking": gettext_noop("Answered before looking"),
    "found_misread": gettext_noop("Grounded but misread"),
    "crop_ignored": gettext_noop("Evidence seen in parts"),
    "missed_evidence": gettext_noop("Missed the evidence"),
    "lucky_answer": gettext_noop("Correct without the evidence"),
}
"""The name of each failure on pages; its code is the name in queries, files and the API."""
SEEN = 0.5
"""Share of the gold region that the crops together have to show."""


def failures_of(scores: ScoreColumns, copied: Bools) -> Ints:
    """(n,) codes into ``FAILURES``, ``NO_FAILURE`` where no rule holds. ``copied``: (n,) of ``copied_results``.

    Example: a incorrect answer, grounded, after a crop of the evidence is "found_misread".
    """
    planned = scores.plan_outcome >= 0
    unasked = (scores.correct == UNKNOWN) & ~scores.undecided
    wrong = (scores.correct == FALSE) & ~planned
    scorable = wrong & scores.scorable
    inside = scorable & scores.in_population
    seen = np.nan_to_num(scores.union_coverage) >= SEEN - 1e-9
    chained = wrong & ~scores.scorable & (scores.reference_calls >= 0)
    out_of_order = np.nan_to_num(scores.kendall_tau, nan=1.0) < 1 - 1e-9
    rules: dict[str, Bools] = {
        "truncated": (scores.missing_answer | (unasked & scores.failed)) & ~planned,
        "parse_failure": scores.unread & ~planned,
        "tool_result_copied": wrong & copied,
        "wrong_order": (scores.plan_outcome == Outcome.OUT_OF_ORDER)
        | (chained & (scores.lcs < scores.reference_calls) & out_of_order),
        "wrong_tool": (planned & (scores.plan_outcome != Outcome.EXACT))
        | (chained & (scores.lcs < scores.reference_calls)),
        "before_looking": scorable & ~scores.visual_evidence,
        "found_misread": inside & (scores.grounded == TRUE),
        "crop_ignored": inside & (scores.grounded == FALSE) & seen,
        "missed_evidence": inside & (scores.grounded == FALSE),
        "lucky_answer": (scores.quadrant == Quadrant.GMAP) & ~seen,
    }
    codes = [FAILURES.index(name) for name in ORDER]
    return np.select([rules[name] for name in ORDER], codes, NO_FAILURE).astype(np.int64)
