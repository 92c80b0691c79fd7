"""What went wrong in a trajectory, by rule: one code per trajectory. Source: BROWSING 8, rules of our own.

The rules are asked in the order of ``FAILURES``; the first that holds names the failure. "Wrong" is an answer judged
wrong; an undecided or undefined answer has no failure, and neither has a wrong one that no rule explains.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.columns import FALSE, UNKNOWN, Bools, Ints, Outcome, Quadrant, ScoreColumns

FAILURES = (
    "truncated", "parse_failure", "wrong_order", "wrong_tool", "before_looking", "found_misread", "crop_ignored",
    "missed_evidence", "lucky_answer",
)  # fmt: skip
NO_FAILURE = -1
RULES = {
    "truncated": "There is no answer: an error or a limit came before it.",
    "parse_failure": "There is an answer, and no option or value can be read from it.",
    "wrong_order": "The plan has the right tools in a wrong order; without a plan: a wrong answer by a chain of the "
    "reference's tools in another order.",
    "wrong_tool": "The plan lacks a target or has a tool too many; without a plan: a wrong answer by a chain that "
    "lacks a call of the reference. Samples with evidence boxes are told apart by the rules below instead.",
    "before_looking": "A wrong answer, and no call had returned a picture.",
    "found_misread": "A wrong answer, though the crop that counts holds the evidence (G+A-).",
    "crop_ignored": "A wrong answer; the crops together show at least half of the evidence, the crop that counts does "
    "not hold it.",
    "missed_evidence": "A wrong answer, and the crops together show less than half of the evidence.",
    "lucky_answer": "A right answer, though the crop that counts does not hold the evidence (G-A+).",
}
"""Each failure in words, as pages and documentation show it."""
SEEN = 0.5
"""Share of the gold region that the crops together have to show."""


def failures_of(scores: ScoreColumns, step_start: Ints) -> Ints:
    """(n,) codes into ``FAILURES``, ``NO_FAILURE`` where no rule holds.

    ``step_start``: (n + 1,) offsets of each trajectory's steps in ``scores.step_coverage``. Example: a wrong answer,
    grounded, after a crop of the evidence is "found_misread".
    """
    planned = scores.plan_outcome >= 0
    unasked = (scores.correct == UNKNOWN) & ~scores.undecided
    wrong = (scores.correct == FALSE) & ~planned
    scorable = wrong & scores.scorable
    inside = scorable & scores.in_population
    seen = _covered(scores, step_start) >= SEEN - 1e-9
    chained = wrong & ~scores.scorable & (scores.reference_calls >= 0)
    out_of_order = np.nan_to_num(scores.kendall_tau, nan=1.0) < 1 - 1e-9
    rules: dict[str, Bools] = {
        "truncated": (scores.missing_answer | (unasked & scores.failed)) & ~planned,
        "parse_failure": scores.unparsed & ~planned,
        "wrong_order": (scores.plan_outcome == Outcome.OUT_OF_ORDER)
        | (chained & (scores.lcs < scores.reference_calls) & out_of_order),
        "wrong_tool": (planned & (scores.plan_outcome != Outcome.EXACT))
        | (chained & (scores.lcs < scores.reference_calls)),
        "before_looking": scorable & ~scores.visual_evidence,
        "found_misread": inside & scores.grounded,
        "crop_ignored": inside & ~scores.grounded & seen,
        "missed_evidence": inside & ~scores.grounded,
        "lucky_answer": scores.quadrant == Quadrant.GMAP,
    }
    return np.select([rules[name] for name in FAILURES], np.arange(len(FAILURES)), NO_FAILURE).astype(np.int64)


def _covered(scores: ScoreColumns, step_start: Ints) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(n,) share of the gold that all crops of a trajectory show together; 0 without a step or where not scorable."""
    covered = np.zeros(len(scores))
    last = step_start[1:] - 1
    stepped = last >= step_start[:-1]
    covered[stepped] = np.nan_to_num(scores.step_coverage[last[stepped]])
    return covered
