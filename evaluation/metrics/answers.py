"""Judging answers: correct, incorrect, or undecided until a judge speaks (docs/metrics.md#answers)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    AnswerKey,
    Bools,
    Ints,
    SampleColumns,
    VerdictBy,
    cached_per_sample_columns,
)
from evaluation.metrics.reading import Reading, read_answer
from evaluation.metrics.reading.comparing import folded
from evaluation.metrics.reading.open_answers import accepts
from evaluation.metrics.reading.released import RELEASED
from evaluation.metrics.settings import MetricSettings

NOTHING = Reading("blank")


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """One judged answer.

    ``correct`` is TRUE, FALSE or UNKNOWN: undecided, or undefined because there is no gold answer. ``letter``: the
    letter (multiple choice) or the value (open-ended) as read, "" if there is none. ``unread``: nothing could be read.
    An unread answer is also undecided, or incorrect under ``unread_answer = wrong``. A missing answer is neither. None
    of the three applies if ``correct`` is undefined. ``reason``: why it is unread, or undecided by rule.
    """

    correct: int
    letter: str
    undecided: bool = False
    unread: bool = False
    missing: bool = False
    reason: str = ""
    reading: Reading = NOTHING

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
    reading_where: Sequence[str]
    reading_rule: Sequence[str]
    reading_class: Sequence[str]
    reading_flags: Sequence[str]
    unread_reason: Sequence[str]
    answer_group: Sequence[str]
    verdict_by: Ints
    reading_correct: Ints


def judge_answer(text: str | None, key: AnswerKey, verdict: int, settings: MetricSettings) -> AnswerResult:
    """Judge one raw answer.

    Without an accepted answer and without a verdict it is undefined, for example if a benchmark only asks for plans. A
    blank answer is incorrect, whatever the verdict. Otherwise an explicit ``verdict`` (TRUE, FALSE; UNKNOWN = none)
    decides. Then, for multiple choice: correct if the letter equals the gold letter. Without a letter the answer is
    unread, which is undecided, or incorrect under ``unread_answer = wrong``. Open-ended: correct if it equals an
    accepted string (``open_match``); incorrect if both are whole numbers, or yes and no; otherwise undecided.
    """
    if settings.verdict_source == "reading":
        verdict = UNKNOWN
    reading = read_answer(text, key, settings)
    letter = reading.letter or reading.value
    if not key.accepted and verdict == UNKNOWN:
        return AnswerResult(UNKNOWN, letter, reading=reading)
    if reading.state == "blank":
        return AnswerResult(FALSE, "", missing=True, reading=reading)
    if verdict != UNKNOWN:
        return AnswerResult(verdict, letter, reading=reading)
    if reading.state == "unread":
        released = RELEASED.get(settings.answer_reading)
        wrong = settings.unread_answer == "wrong" or bool(released and not released.asks_model)
        return AnswerResult(FALSE if wrong else UNKNOWN, "", not wrong, True, reason=reading.reason, reading=reading)
    if not key.multiple_choice:
        same, reason = accepts(reading, key.accepted, settings)
        correct = UNKNOWN if same is None else TRUE if same else FALSE
        return AnswerResult(correct, letter, same is None, reason=reason, reading=reading)
    gold = {accepted.strip().upper() for accepted in key.accepted}
    return AnswerResult(TRUE if letter in gold else FALSE, letter, reading=reading)


def as_read(text: str | None, key: AnswerKey, settings: MetricSettings) -> str:
    """Return the content of an answer, equal for equal answers: the letter of an option, or the folded value; "" if
    nothing is read. Example: "B. cup" and "(b)" are both B.
    """
    letter = judge_answer(text, key, UNKNOWN, settings).letter
    return letter if key.multiple_choice else folded(letter)


def without_detectors(answers: AnswerColumns, of_model: Bools) -> AnswerColumns:
    """The answers with those of detectors undefined: a detector is asked for no answer, so it lacks none."""
    if of_model.all():
        return answers
    return replace(
        answers,
        correct=np.where(of_model, answers.correct, UNKNOWN),
        undecided=answers.undecided & of_model,
        unread=answers.unread & of_model,
        missing_answer=answers.missing_answer & of_model,
        verdict_by=np.where(of_model, answers.verdict_by, VerdictBy.NONE),
        reading_correct=np.where(of_model, answers.reading_correct, UNKNOWN),
    )


def judge_answers(
    texts: Sequence[str | None], keys: Sequence[AnswerKey], key: Ints, verdict: Ints, settings: MetricSettings
) -> AnswerColumns:
    """Judges n answers; ``key`` is each answer's row in ``keys``. Equal answers under one key are judged once."""
    if settings.verdict_source == "reading":
        verdict = np.full(len(verdict), UNKNOWN)
    book: dict[tuple[str | None, int], int] = {}
    of_row = [book.setdefault(place, len(book)) for place in zip(texts, key.tolist(), strict=True)]
    results = [judge_answer(text, keys[row], UNKNOWN, settings) for text, row in book]
    at = np.array(of_row, np.int64)
    open_to_judge = verdict == UNKNOWN
    blank = np.array([r.reading.state == "blank" for r in results], bool)[at]
    missing = np.where(open_to_judge, np.array([r.missing for r in results], bool)[at], blank)
    judged = np.array([r.correct for r in results], np.int64)[at]
    digests = {row: key_digest(keys[row]) for (_, row), r in zip(book, results, strict=True) if r.undecided or r.unread}
    groups = [
        group_key(r.reading.normalized, digests[row]) if r.undecided or r.unread else ""
        for (_, row), r in zip(book, results, strict=True)
    ]
    by_rule = open_to_judge.tolist()
    by = np.where(judged == UNKNOWN, VerdictBy.NONE, VerdictBy.READING)
    by = np.where(missing, VerdictBy.BLANK, np.where(open_to_judge, by, VerdictBy.FILE))
    return AnswerColumns(
        correct=np.where(open_to_judge, judged, np.where(blank, FALSE, verdict)),
        letter=[results[result].letter for result in of_row],
        undecided=np.array([r.undecided for r in results], bool)[at] & open_to_judge,
        unread=np.array([r.unread for r in results], bool)[at] & open_to_judge,
        missing_answer=missing,
        reading_where=[results[result].reading.where for result in of_row],
        reading_rule=[results[result].reading.rule for result in of_row],
        reading_class=[results[result].reading.strength for result in of_row],
        reading_flags=[" ".join(results[result].reading.flags) for result in of_row],
        unread_reason=[results[i].reason if rule else "" for i, rule in zip(of_row, by_rule, strict=True)],
        answer_group=[groups[i] if rule else "" for i, rule in zip(of_row, by_rule, strict=True)],
        verdict_by=by,
        reading_correct=judged,
    )


def key_digest(key: AnswerKey) -> str:
    """128 bits of what a decision depends on: the options, or the accepted strings of an open answer. Gold of an answer
    with options is not in it: corrected gold keeps the decision."""
    about = ["options", sorted(key.options.items())] if key.multiple_choice else ["open", *key.accepted]
    return digest(json.dumps(about))


def digest(text: str, size: int = 16) -> str:
    """``size`` bytes of a text, as hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def group_key(normalized: str, about: str) -> str:
    """The name of a group of equal answers: 64 bits of their text and of what a decision on them depends on."""
    return digest(f"{about} {normalized}", 8)


def counted(correct: Ints, undecided: Bools, settings: MetricSettings) -> Bools:
    """(n,) whether each answer counts in accuracy, the quadrants and comparisons.

    It does if it is correct or incorrect, or undecided and ``undecided_answer`` counts these as incorrect. Source:
    docs/metrics.md#answers."""
    inside: Bools = (correct != UNKNOWN) | (undecided & (settings.undecided_answer != "exclude"))
    return inside


@cached_per_sample_columns
def different_keys(samples: SampleColumns) -> tuple[list[AnswerKey], Ints]:
    """The answer keys that judge differently, and the index of each sample's key among them, (m,)."""
    book: dict[tuple[object, ...], int] = {}
    keys: list[AnswerKey] = []
    # Equal keys are mostly one object, which is faster to recognize.
    code: dict[int, int] = {}
    for number, key in {id(key): key for key in samples.answers}.items():
        what = (key.multiple_choice, key.accepted, *key.options.items())
        if what not in book:
            book[what] = len(keys)
            keys.append(key)
        code[number] = book[what]
    return keys, np.fromiter((code[id(key)] for key in samples.answers), np.int64, len(samples))
