"""Judging answers: right, wrong, or undecided until a judge speaks (docs/metrics.md#answers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.answer_text import answer_text, known_text, normalised
from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    AnswerKey,
    Bools,
    Ints,
    SampleColumns,
    once_for_samples,
)
from evaluation.metrics.letters import read_letter
from evaluation.metrics.settings import MetricSettings

CONTAINED_WORDS = 5
"""Under ``open_match = contains`` an accepted string of fewer words than this may occur anywhere in the answer."""


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """One judged answer.

    ``correct`` is TRUE, FALSE or UNKNOWN: undecided, or undefined, as nothing says what is right. ``letter``: the
    letter as read (multiple choice) or the text of the answer (open), "" when there is none. ``unread``: an option was
    asked for and none could be read. An unread answer is undecided as well, or wrong under ``unread_answer = wrong``. A
    missing one is neither, and none of the three holds where ``correct`` is undefined.
    """

    correct: int
    letter: str
    undecided: bool = False
    unread: bool = False
    missing: bool = False

    @property
    def undefined(self) -> bool:
        return self.correct == UNKNOWN and not self.undecided


@dataclass(frozen=True)
class AnswerColumns:
    """``AnswerResult`` of n answers, as columns named as in ``ScoreColumns``."""

    correct: Ints
    letter: Sequence[str]
    undecided: Bools
    unread: Bools
    missing_answer: Bools


def judge_answer(text: str | None, key: AnswerKey, verdict: int, settings: MetricSettings) -> AnswerResult:
    """Judges one raw answer.

    Without an accepted answer and without a verdict it is undefined: nothing says what is right, as where a benchmark
    only asks for plans. A blank answer is wrong, whatever the verdict. Then an explicit ``verdict`` (TRUE, FALSE;
    UNKNOWN = none) decides. Then, multiple choice: the letter read equals the gold letter; none read: unread, which is
    undecided, or wrong under ``unread_answer = wrong``. Open: equal to an accepted string (normalised; ``open_match``
    may widen it), else undecided.
    """
    return _judge(answer_text(text), key, verdict, settings)


def _judge(found: str, key: AnswerKey, verdict: int, settings: MetricSettings) -> AnswerResult:
    letter = read_letter(found, key.options) if found and key.multiple_choice else found
    if not key.accepted and verdict == UNKNOWN:
        return AnswerResult(UNKNOWN, letter)
    if not found:
        return AnswerResult(FALSE, "", missing=True)
    if verdict != UNKNOWN:
        return AnswerResult(verdict, letter)
    if not key.multiple_choice:
        accepted = _accepts(found, key.accepted, settings.open_match == "contains")
        return AnswerResult(TRUE if accepted else UNKNOWN, letter, undecided=not accepted)
    if not letter:
        wrong = settings.unread_answer == "wrong"
        return AnswerResult(FALSE if wrong else UNKNOWN, "", undecided=not wrong, unread=True)
    gold = {accepted.strip().upper() for accepted in key.accepted}
    return AnswerResult(TRUE if letter in gold else FALSE, letter)


def judge_answers(
    texts: Sequence[str | None], keys: Sequence[AnswerKey], key: Ints, verdict: Ints, settings: MetricSettings
) -> AnswerColumns:
    """Judges n answers; ``key`` is each answer's row in ``keys``. Equal answers under one key are judged once."""
    book: dict[tuple[str | None, int], int] = {}
    of_row = [book.setdefault(place, len(book)) for place in zip(texts, key.tolist(), strict=True)]
    said = [(answer_text(text), keys[row]) for text, row in book]
    results = [_judge(text, one, UNKNOWN, settings) for text, one in said]
    at = np.array(of_row, np.int64)
    open_to_judge = verdict == UNKNOWN
    blank = np.array([not text for text, _ in said], bool)[at]
    missing = np.where(open_to_judge, np.array([r.missing for r in results], bool)[at], blank)
    return AnswerColumns(
        correct=np.where(
            open_to_judge, np.array([r.correct for r in results], np.int64)[at], np.where(blank, FALSE, verdict)
        ),
        letter=[results[result].letter for result in of_row],
        undecided=np.array([r.undecided for r in results], bool)[at] & open_to_judge,
        unread=np.array([r.unread for r in results], bool)[at] & open_to_judge,
        missing_answer=missing,
    )


def counted(correct: Ints, undecided: Bools, settings: MetricSettings) -> Bools:
    """(n,) whether each answer is in accuracy, in the quadrants and in comparisons: it is right or wrong, or undecided
    where ``undecided_answer`` counts these as wrong. Source: docs/metrics.md#answers."""
    inside: Bools = (correct != UNKNOWN) | (undecided & (settings.undecided_answer != "exclude"))
    return inside


@once_for_samples
def different_keys(samples: SampleColumns) -> tuple[list[AnswerKey], Ints]:
    """The answer keys that judge differently, and the place of every sample's among them, (m,)."""
    book: dict[tuple[object, ...], int] = {}
    keys: list[AnswerKey] = []
    # Equal keys are mostly one object, which is faster to recognise.
    code: dict[int, int] = {}
    for number, key in {id(key): key for key in samples.answers}.items():
        what = (key.multiple_choice, key.accepted, *key.options.items())
        if what not in book:
            book[what] = len(keys)
            keys.append(key)
        code[number] = book[what]
    return keys, np.fromiter((code[id(key)] for key in samples.answers), np.int64, len(samples))


def _accepts(answer: str, accepted: Sequence[str], contains: bool) -> bool:
    said = normalised(answer)
    for words in map(known_text, accepted):
        if words and (said == words or (contains and len(words.split()) < CONTAINED_WORDS and words in said)):
            return True
    return False
