"""Reading and judging answers: many rows, no guessing."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from evaluation.metrics.answer_text import answer_text, normalised
from evaluation.metrics.answers import judge_answer, judge_answers
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.letters import read_letter
from evaluation.metrics.settings import MetricSettings

OPTIONS = {"A": "black", "B": "A cat", "C": "white", "D": "not white"}
EXACT, CONTAINS = MetricSettings(), MetricSettings(open_match="contains")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (None, ""),
        ("", ""),
        (" \n ", ""),
        (" C \n", "C"),
        ("<answer> C </answer>", "C"),
        ("<answer>A</answer> wait <answer>B</answer>", "B"),
        ("<answer>A</answer> then <answer>B", "A"),
        ("<answer>A <answer>B</answer>", "B"),
        ("<answer></answer>", ""),
        ("C <answer> </answer>", ""),
        ("<think>A</think> C", "C"),
        ("<think>a</think> b <think>c</think> d", "d"),
        ("only thoughts</think>", "only thoughts</think>"),
        ("<think>x</think><answer>C</answer> bye", "C"),
        (r"so \boxed{C}", "C"),
        (r"\boxed{A} no, \boxed{B}", "B"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{A} and \boxed{B", "A"),
        (r"\boxed{B", r"\boxed{B"),
        ("boxed(C)", "C"),
        ("boxed(f(x))", "f(x)"),
        (r"\boxed{}", ""),
        (r"\boxed{\text{C}}", "C"),
        (r"\boxed{\mathbf{ 12 }}", "12"),
        (r"\textbf{\mathrm{C}}", "C"),
        (r"\text{A} or \text{B}", r"\text{A} or \text{B}"),
        (r"<answer>The answer is \boxed{D}.</answer>", "D"),
        (r"\boxed{A} <answer>B</answer>", "B"),
    ],
)
def test_the_text_of_the_answer(written: str | None, text: str) -> None:
    assert answer_text(written) == text


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        # a: alone, in brackets, before punctuation
        ("C", "C"),
        ("c", "C"),
        (" 'C' ", "C"),
        ("(C)", "C"),
        ("(c)", "C"),
        ("[C]", "C"),
        ("**C**", "C"),
        ("`C`", "C"),
        ("$C$", "C"),
        ("**C.** white", "C"),
        ("C.", "C"),
        ("C. white", "C"),
        ("C) white", "C"),
        ("C: white", "C"),
        ("C, white", "C"),
        ("C; white", "C"),
        ("(C) white", "C"),
        ("C. something else", "C"),
        ("C, because it is white", "C"),
        ("C\nIt is white.", "C"),
        ("(C)\nIt is white.", "C"),
        # a: contradictions
        ("C. black", ""),
        ("C. Black!", ""),
        ("(C) black", ""),
        ("C\nblack", ""),
        ("C, D", ""),
        ("C, D.", ""),
        ("C, and D", ""),
        ("C; A or B", ""),
        ("(C), (D)", ""),
        ("C, C", "C"),
        ("C. not white", ""),
        # a: no letter of the options
        ("E", ""),
        ("E. white", ""),
        ("(E)", ""),
        # b: letter and own text
        ("C white", "C"),
        ("C - white", "C"),
        ("C – White.", "C"),
        ("c white", "C"),
        ("C black", ""),
        ("A dog", ""),
        ("B a cat", "B"),
        # c: the text of one option
        ("white", "C"),
        ("White.", "C"),
        ("“not  white”", "D"),
        ("A cat", "B"),
        ("it is not white", ""),
        ("whitewash", ""),
        # d: stated
        ("The answer is C.", "C"),
        ("The answer is (C)", "C"),
        ("The answer is **C**", "C"),
        ("The answer is option C", "C"),
        ("the answer is choice [C]", "C"),
        ("The answer is: C", "C"),
        ("Answer: C", "C"),
        ("Answer: (C), because", "C"),
        ("FINAL ANSWER: C", "C"),
        ("black, so the answer is C", "C"),
        ("The answer is A. No, the answer is C.", "C"),
        ("Option C", "C"),
        ("Choice (C) fits", "C"),
        ("I take option C", ""),
        ("The answer is c", ""),
        ("The answer is Cat", ""),
        ("The answer is C-shaped", ""),
        ("The answer is C or D", ""),
        ("The answer is C and D", ""),
        ("The answer is C, D", ""),
        ("The answer is (C) / (D)", ""),
        ("The answer is C & A", ""),
        ("The answer is C, or A", ""),
        ("The answer is C or white", "C"),
        ("Option C or D", ""),
        ("The answer is E", ""),
        ("C and D", ""),
        ("C/D", ""),
        ("I cannot tell", ""),
        ("", ""),
    ],
)
def test_reading_the_letter(text: str, letter: str) -> None:
    assert read_letter(text, OPTIONS) == letter


def test_a_dog_is_a_letter_only_where_the_option_reads_dog() -> None:
    assert read_letter("A dog", {"A": "dog", "B": "cat"}) == "A"


def test_without_known_options_any_letter_is_one() -> None:
    assert [read_letter(t, {}) for t in ("G", "g) foo", "the answer is Q", "G, H", "A dog")] == ["G", "G", "Q", "", ""]


def test_equal_texts_of_two_options_choose_neither() -> None:
    twins = {"A": "red", "B": "red", "C": "blue"}
    assert read_letter("red", twins) == ""
    assert read_letter("B. red", twins) == "B"


def test_empty_options_are_never_spelt_out() -> None:
    assert read_letter("B", {"A": "", "B": ""}) == "B"
    assert read_letter("...", {"A": "", "B": ""}) == ""


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


@pytest.mark.parametrize(
    "hostile",
    [
        "<answer>" * 50_000,
        r"\boxed{" * 50_000,
        r"\text{" * 50_000 + "}" * 50_000,
        "boxed(" + "(" * 100_000,
        "The answer is" + " " * 200_000 + "x",
        "C" + " " * 200_000 + "x",
        "answer is " * 30_000,
    ],
)
def test_hostile_texts_are_read_in_linear_time(hostile: str) -> None:
    begin = time.process_time()
    assert judge_answer(hostile, CHOICE, UNKNOWN, EXACT).unread
    assert time.process_time() - begin < 2


def test_an_open_answer_that_matches_nothing_is_undecided_until_a_verdict() -> None:
    key = AnswerKey(False, {}, ("white",))
    assert judged("snow", key) == (UNKNOWN, "snow", True, False, False)
    assert judged("snow", key, TRUE) == (TRUE, "snow", False, False, False)


@pytest.mark.parametrize(
    ("text", "plain"), [("STRASSE", "strasse"), ("Straße", "strasse"), ("a  b", "a b"), ("–3", "–3")]
)
def test_texts_are_compared_casefolded_and_collapsed(text: str, plain: str) -> None:
    assert normalised(text) == plain


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
