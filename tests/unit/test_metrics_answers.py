"""Judging answers: many rows, no guessing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation.metrics.answers import judge_answer, judge_answers
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.reading.comparing import exact_form
from evaluation.metrics.settings import MetricSettings

EXACT, CONTAINS = MetricSettings(open_match="exact"), MetricSettings(open_match="contains")


def judged(
    text: str | None, key: AnswerKey, verdict: int = UNKNOWN, settings: MetricSettings = EXACT
) -> tuple[Any, ...]:
    found = judge_answer(text, key, verdict, settings)
    return found.correct, found.letter, found.undecided, found.unread, found.missing


CHOICE = AnswerKey(True, {"A": "black", "C": "white"}, ("C",))


@pytest.mark.parametrize(
    ("text", "verdict", "expected"),
    [
        ("(c)", UNKNOWN, (TRUE, "C", False, False, False)),
        ("C. white", UNKNOWN, (TRUE, "C", False, False, False)),
        ("A", UNKNOWN, (FALSE, "A", False, False, False)),
        ("A dog", UNKNOWN, (UNKNOWN, "", True, True, False)),
        ("C. black", UNKNOWN, (UNKNOWN, "", True, True, False)),
        (None, UNKNOWN, (FALSE, "", False, False, True)),
        ("  ", TRUE, (FALSE, "", False, False, True)),  # blank is wrong even with a positive verdict
        ("A", TRUE, (TRUE, "A", False, False, False)),  # the verdict decides
        ("C", FALSE, (FALSE, "C", False, False, False)),
        ("A dog", TRUE, (TRUE, "", False, False, False)),
    ],
)
def test_judging_a_choice(text: str | None, verdict: int, expected: tuple[Any, ...]) -> None:
    assert judged(text, CHOICE, verdict) == expected


def test_half_of_the_worked_example_is_right() -> None:
    answers = ["(c)", "C. white", "A dog", None]
    assert [judge_answer(a, CHOICE, UNKNOWN, EXACT).correct for a in answers] == [TRUE, TRUE, UNKNOWN, FALSE]


def test_an_unread_answer_is_undecided_or_wrong_as_published_scorers_count() -> None:
    wrong = MetricSettings(unread_answer="wrong")
    assert judged("A dog", CHOICE) == (UNKNOWN, "", True, True, False)
    assert judged("A dog", CHOICE, settings=wrong) == (FALSE, "", False, True, False)
    assert judged("A dog", CHOICE, TRUE, wrong) == (TRUE, "", False, False, False)


def test_without_an_accepted_answer_only_a_verdict_makes_right_or_wrong() -> None:
    key = AnswerKey(True, {"C": "white"}, ())
    assert [judged(text, key) for text in ("C", "")] == [(UNKNOWN, "C", *[False] * 3), (UNKNOWN, "", *[False] * 3)]
    assert [judged(text, key, TRUE)[0] for text in ("C", "")] == [TRUE, FALSE]


@pytest.mark.parametrize(
    ("text", "accepted", "exact", "contains"),
    [
        ("Paris", "paris", TRUE, TRUE),
        (" “Paris.” ", "Paris", TRUE, TRUE),
        ("light\n blue", "Light Blue", TRUE, TRUE),
        ("(8)", "8", TRUE, TRUE),
        ("18", "8", UNKNOWN, TRUE),  # why contains is not the default
        ("It is Paris", "Paris", UNKNOWN, TRUE),
        ("say one two three four five now", "one two three four five", UNKNOWN, UNKNOWN),
        ("say one two three four now", "one two three four", UNKNOWN, TRUE),
        ("-5", "5", UNKNOWN, TRUE),
        (".5", "5", UNKNOWN, TRUE),
        ("5.", "5", TRUE, TRUE),
        ("50%", "50", UNKNOWN, TRUE),
        ("?", "!", UNKNOWN, UNKNOWN),
        ("?", "?", TRUE, TRUE),
        ("snow", "", UNKNOWN, UNKNOWN),
        (r"\boxed{42}", "42", TRUE, TRUE),
        ("<answer>42</answer>", "42", TRUE, TRUE),
    ],
)
def test_judging_an_open_answer(text: str, accepted: str, exact: int, contains: int) -> None:
    key = AnswerKey(False, {}, ("something", accepted))
    assert judge_answer(text, key, UNKNOWN, EXACT).correct == exact
    assert judge_answer(text, key, UNKNOWN, CONTAINS).correct == contains


def test_an_open_answer_that_matches_nothing_is_undecided_until_a_verdict() -> None:
    key = AnswerKey(False, {}, ("white",))
    assert judged("snow", key) == (UNKNOWN, "snow", True, False, False)
    assert judged("snow", key, TRUE) == (TRUE, "snow", False, False, False)


@pytest.mark.parametrize(
    ("text", "plain"), [("STRASSE", "strasse"), ("Straße", "strasse"), ("a  b", "a b"), ("–3", "–3")]
)
def test_texts_are_compared_casefolded_and_collapsed(text: str, plain: str) -> None:
    assert exact_form(text) == plain


def test_many_answers_are_judged_as_one_by_one() -> None:
    keys = [CHOICE, AnswerKey(False, {}, ("C",)), AnswerKey(True, {"A": "white", "C": "black"}, ("C",))]
    texts = ["C", "white", None, "C, A", "<answer>white</answer>"] * 3
    rows = np.array([i % 3 for i in range(15)])
    verdict = np.array([UNKNOWN, TRUE, FALSE, UNKNOWN] * 4)[:15]
    found = judge_answers(texts, keys, rows, verdict, EXACT)
    for i, text in enumerate(texts):
        one = judge_answer(text, keys[rows[i]], int(verdict[i]), EXACT)
        columns = found.correct[i], found.letter[i], found.undecided[i], found.unread[i], found.missing_answer[i]
        assert columns == (one.correct, one.letter, one.undecided, one.unread, one.missing)
