"""The sources of verdicts on answers, and the agreement of verdicts in files with ours (docs/metrics.md#verdicts)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.agreement import cohen_kappa
from evaluation.metrics.answers import AnswerColumns, as_read, judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey, Ints, VerdictBy
from evaluation.metrics.settings import MetricSettings

_YES = frozenset({"yes", "correct", "right", "true", "1"})
_NO = frozenset({"no", "incorrect", "wrong", "false", "0"})


def said_by_judges(
    judgements: Iterable[tuple[str | None, str | None]], key: AnswerKey, settings: MetricSettings
) -> int:
    """The common result of judge models for one answer, each with a verdict and an answer: TRUE, FALSE or UNKNOWN.

    UNKNOWN: they give none, or different ones. A verdict that is neither yes nor no is ignored if the judge read an
    answer."""
    found = {_said(*one, key, settings) for one in judgements} - {UNKNOWN}
    return found.pop() if len(found) == 1 else UNKNOWN


def _said(verdict: str | None, answer: str | None, key: AnswerKey, settings: MetricSettings) -> int:
    word = next(iter((verdict or "").split()), "").strip(".,;:!").casefold()
    if word in _YES or word in _NO:
        return TRUE if word in _YES else FALSE
    return judge_answer(answer, key, UNKNOWN, settings).correct if answer else UNKNOWN


def with_judges(
    answers: AnswerColumns,
    keys: Sequence[AnswerKey],
    key: Ints,
    judged: Mapping[int, Sequence[tuple[str | None, str | None]]],
    settings: MetricSettings,
) -> AnswerColumns:
    """``answers`` with what judge models say of those that nothing else decides: ``judged`` by row, verdict and answer
    of each; ``key``: each answer's row in ``keys``. They never overwrite anything."""
    said = {
        row: said_by_judges(given, keys[key[row]], settings) for row, given in judged.items() if answers.undecided[row]
    }
    rows = [row for row, one in said.items() if one != UNKNOWN]
    if not rows:
        return answers
    correct, by = answers.correct.copy(), answers.verdict_by.copy()
    undecided, unread = answers.undecided.copy(), answers.unread.copy()
    for row in rows:
        correct[row], by[row] = said[row], VerdictBy.JUDGE
        undecided[row] = unread[row] = False
    return replace(answers, correct=correct, verdict_by=by, undecided=undecided, unread=unread)


def same_reading(ours: str | None, theirs: str, key: AnswerKey, settings: MetricSettings) -> bool | None:
    """Return whether the answer extracted by a file equals our reading of it; None if nothing can be read in one of
    them. Example: "It is (B)." and "cup" of an option B that reads cup are the same.
    """
    both = as_read(ours, key, settings), as_read(theirs, key, settings)
    return both[0] == both[1] if all(both) else None


def file_agreement(file: Ints, reading: Ints) -> dict[str, Any]:
    """Return the agreement of the file's verdicts with those of reading alone, on n trajectories: the four counts of
    those that both decide, the ``open`` ones that only the file decides, and over the four the agreeing ``share`` and
    Cohen's ``kappa``; None if undefined. Example: 4 both correct, 1 file only, 5 both incorrect: share 0.9, kappa 0.8.
    """
    both = (file != UNKNOWN) & (reading != UNKNOWN)
    a, b = file[both], reading[both]
    n = len(a)
    return {
        "both_right": int(((a == TRUE) & (b == TRUE)).sum()),
        "file_right": int(((a == TRUE) & (b == FALSE)).sum()),
        "reading_right": int(((a == FALSE) & (b == TRUE)).sum()),
        "both_wrong": int(((a == FALSE) & (b == FALSE)).sum()),
        "open": int(((file != UNKNOWN) & (reading == UNKNOWN)).sum()),
        "share": float(np.mean(a == b)) if n else None,
        "kappa": cohen_kappa(a, b, 2) if n else None,
    }
