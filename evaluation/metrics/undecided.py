"""Ranges of rates for undecided answers, and whether these could reverse a comparison; runs that are provisional
because of unread answers (docs/metrics.md#verdicts)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.columns import TRUE, UNKNOWN, Bools, Floats, Ints
from evaluation.metrics.settings import MetricSettings

TIE = 1e-9
Range = tuple[float | None, float | None]
"""Lowest and highest value; None without a denominator."""
ENDS = ("low", "high")
RANGES = (
    "accuracy_a_low", "accuracy_a_high", "accuracy_b_low", "accuracy_b_high", "difference_low", "difference_high",
)  # fmt: skip
"""Ends of the ranges of a comparison in exports."""


@dataclass(frozen=True)
class Open:
    """The contributions of r rows to a rate (r,), 0 or 1 each: ``sure`` without any undecided answer, ``possible`` with
    those that could still belong to it, of ``whole``, in which undecided answers count for every value of
    ``undecided_answer``.
    """

    sure: Floats
    possible: Floats
    whole: Floats

    def range(self, rows: Ints | slice = slice(None)) -> Range:
        """Σ sure / Σ whole and Σ possible / Σ whole of these rows. Example: 1 and 2 of 4 are 0.25 and 0.5."""
        return share_range(self.sure[rows], self.possible[rows], self.whole[rows])


def share_range(sure: Floats, possible: Floats, whole: Floats) -> Range:
    """See ``Open.range``."""
    total = float(whole.sum())
    return (float(sure.sum()) / total, float(possible.sum()) / total) if total > 0 else (None, None)


def right_among(right: Open, wrong: Open) -> Open:
    """Accuracy on the rows of two cells that differ by the answer only. Whichever cell an undecided answer is in, it
    stays among these rows. Example: G+A+ and G+A- give accuracy when grounded."""
    return Open(right.sure, right.possible, right.possible + wrong.sure)


def mean_range(group: Ints, sure: Floats, possible: Floats) -> Range:
    """The range of a mean over groups of the share of each, by the group, ``sure`` and ``possible`` of r rows.

    Example: two rollouts of each of two samples, one correct and one undecided, then two incorrect: 0.25 to 0.5.
    """
    if not len(group):
        return None, None
    code, groups = dense_codes(group)
    size = np.bincount(code)
    low, high = (float((np.bincount(code, weights=part) / size).sum()) / groups for part in (sure, possible))
    return low, high


def judged(correct: Ints, undecided: Bools) -> Bools:
    """(n,) whether an answer is correct, incorrect or undecided: there is a gold answer or a verdict."""
    found: Bools = (correct != UNKNOWN) | undecided
    return found


def accuracy_ranges(a: tuple[Ints, Bools], b: tuple[Ints, Bools]) -> tuple[Range, Range]:
    """The range of the accuracy of two runs on the same n rows, by ``correct`` and ``undecided`` of each.

    Rows where the answer of one run is undefined are omitted. Example: correct, undecided is 0.5 to 1."""
    both = judged(*a) & judged(*b)
    (low_a, high_a), (low_b, high_b) = (
        share_range(sure, sure + undecided[both], np.ones(len(sure)))
        for correct, undecided in (a, b)
        for sure in [(correct[both] == TRUE).astype(np.float64)]
    )
    return (low_a, high_a), (low_b, high_b)


def difference_range(a: Range, b: Range) -> Range:
    """The lowest and the highest accuracy_b − accuracy_a, by the range of each. Range -1..1."""
    (low_a, high_a), (low_b, high_b) = a, b
    if low_a is None or high_a is None or low_b is None or high_b is None:
        return None, None
    return low_b - high_a, high_b - low_a


def could_turn(difference: float | None, low: float | None, high: float | None) -> bool:
    """Whether a difference could have the other sign, by its range. Without a difference there is no sign to turn."""
    if not difference or low is None or high is None:
        return False
    return low < -TIE if difference > 0 else high > TIE


def is_provisional(unread: int, answers: int, settings: MetricSettings) -> bool:
    """Whether more than ``unread_alarm`` of the answers given are unread. Example: 8 of 270 are, by 0.02."""
    return answers > 0 and unread / answers > settings.unread_alarm + TIE


def answers_given(correct: Ints, undecided: Bools, missing: Bools) -> Bools:
    """(n,) whether there is an answer to a question that something says the correct answer of."""
    found: Bools = judged(correct, undecided) & ~missing
    return found
