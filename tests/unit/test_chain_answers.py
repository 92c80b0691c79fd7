"""The end of a toolchain beside the answer: which numbers are compared, and when they are the same."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from annotation.chain_answers import SPELLED, answer_digest, compare, is_answer, number_in
from annotation.schema import AnswerType, SampleContent

FOUR = {"total_components": 4, "components": [{"area": 2, "box": [0, 0, 1, 2]}] * 4}
AREA = {"total_contours": 1, "total_area": 2.47, "contours": [{"area": 2.47}]}
ONE = {"total_contours": 1, "contours": [{"area": 2.47, "perimeter": 9.0, "x": 7}]}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("two", "2"), ("Two cups", "2"), ("2", "2"), ("about 2.5 cm", "2.5"), ("1,234", "1234"), ("-3", "-3"),
        ("red", None), ("2 of 4", None), ("someone", None), ("", None), ("v2", None), ("twelve", "12"),
    ],
)  # fmt: skip
def test_the_one_number_of_an_answer_is_read(text: str, number: str | None) -> None:
    assert number_in(text) == (None if number is None else Decimal(number))


def open_answer(*answers: str) -> SampleContent:
    return SampleContent(answer_type=AnswerType.OPEN, answers=answers)


def choice(right: str, **options: str) -> SampleContent:
    return SampleContent(answer_type=AnswerType.MULTIPLE_CHOICE, options=options, answers=(right,))


@pytest.mark.parametrize(
    ("measurements", "answers", "agrees"),
    [
        (FOUR, ["two"], False),
        (FOUR, ["two", "four"], True),
        (FOUR, ["4"], True),
        (FOUR, ["red"], None),
        (FOUR, [], None),
        # What is measured besides a count is no answer by itself, nor is it a mismatch.
        (ONE, ["2.5"], None),
        # A count is no length, and an area in pixels is none in square centimeters.
        (FOUR, ["4 mm"], None),
        (FOUR, ["29 mm"], None),
        (FOUR, ["$4"], None),
        (FOUR, ["4 dots"], True),
        (FOUR, ["4 minibuses"], True),
        (ONE, ["one"], True),
        (ONE, ["2.4"], False),
        (ONE, ["7"], False),
        (AREA, ["2.5"], True),
        (AREA, ["1"], None),
        (AREA, ["3"], False),
        ({"text": "Exit  12"}, ["exit 12"], True),
        ({"text": "Exit 12"}, ["12"], False),
        ({"width": 2, "height": 4}, ["2"], None),
        ({"total_lines": True}, ["1"], None),
        ({}, ["2"], None),
    ],
)
def test_a_measurement_agrees_with_a_number_that_it_rounds_to(
    measurements: dict[str, Any], answers: list[str], agrees: bool | None
) -> None:
    """D8.11: what the step is for, and never where things lie."""
    assert compare(measurements, open_answer(*answers)).agrees is agrees


def test_a_choice_is_compared_by_the_text_of_its_option() -> None:
    assert compare(FOUR, choice("B", A="two", B="four")).agrees is True
    assert compare(FOUR, choice("A", A="two", B="four")).agrees is False
    # The measurement is that of another option.
    assert compare(FOUR, choice("A", A="none", B="4")).agrees is False
    assert compare(FOUR, choice("A", A="none", B="many")).agrees is None
    assert compare(FOUR, choice("A", A="two", B="four")).observed == "4"


def test_another_answer_or_option_has_another_digest() -> None:
    one = choice("A", A="two", B="four")
    assert answer_digest(one) == answer_digest(choice("A", B="four", A="two"))
    others = [choice("B", A="two", B="four"), choice("A", A="two", B="five"), open_answer("A")]
    assert answer_digest(one) not in map(answer_digest, others)
    assert answer_digest(open_answer("a", "b")) == answer_digest(open_answer("b", "a", " "))


def test_what_a_person_answers_is_the_letter_or_an_accepted_text_or_number() -> None:
    assert is_answer("B", choice("B", A="two", B="four"))
    assert not is_answer("four", choice("B", A="two", B="four"))
    for text, right in (("Two.", True), ("2 cups", True), ("three", False), ("", False)):
        assert is_answer(text, open_answer("two")) is right


def test_of_a_hundred_planted_incorrect_ends_none_is_verified() -> None:
    random = Random(3)
    names = ("total_components", "total_contours", "total_lines", "total_circles", "total_area", "total_perimeter")
    words = {str(at): word for at, word in enumerate(SPELLED)}
    for at in range(100):
        name, value = random.choice(names), random.randint(0, 20)
        wrong = str(random.choice([one for one in range(21) if one != value]))
        wrong = random.choice([wrong, words[wrong], f"{wrong} of them"])
        right = choice("A", A=wrong, B=str(value)) if at % 2 else open_answer(wrong)
        rows = [{"area": random.randint(0, 20), "length": random.randint(0, 20)}] * random.randint(1, 3)
        found = compare({name: value, "rows": rows}, right)
        assert found.agrees is not True
        assert found.agrees is False or len(rows) == 1
