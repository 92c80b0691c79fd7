"""Chance in a table, one category against the rest, and when two people gave the same answer."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement import agree, box_agreement, chance, one_against_rest, same_answer
from annotation.schema import AnswerType, Box, SampleContent
from annotation.work_rules import disagreement

CHOICE, OPEN = AnswerType.MULTIPLE_CHOICE, AnswerType.OPEN


def content(kind, answers, options=None):
    return SampleContent(answer_type=kind, answers=tuple(answers), options=options or {})


def test_chance_is_what_the_coefficients_are_made_of():
    table = ((46, 1), (2, 1))
    expected = chance(table)
    first, second = np.repeat([0, 0, 1, 1], [46, 1, 2, 1]), np.repeat([0, 1, 0, 1], [46, 1, 2, 1])
    found = agree(first, second, 2)
    assert (expected.observed, expected.kappa, expected.ac1) == pytest.approx((0.94, 0.9048, 0.095), abs=1e-4)
    assert found.kappa.value == pytest.approx((expected.observed - expected.kappa) / (1 - expected.kappa))
    assert found.ac1.value == pytest.approx((expected.observed - expected.ac1) / (1 - expected.ac1))


@pytest.mark.parametrize("table", [(), ((5,),), ((0, 0), (0, 0))])
def test_there_is_no_chance_without_items_or_with_one_category(table):
    assert chance(table) is None


def test_a_category_stands_against_the_rest_and_missing_stays_missing():
    assert one_against_rest(np.array([2, 0, -1, 1]), 2).tolist() == [0, 1, -1, 1]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (content(CHOICE, ["A"], {"A": "red", "B": "blue"}), content(CHOICE, ["A"], {"A": "red", "B": "blue"}), True),
        (content(CHOICE, ["A"], {"A": "red", "B": "blue"}), content(CHOICE, ["B"], {"A": "blue", "B": "Red "}), True),
        (content(CHOICE, ["A"], {"A": "red", "B": "blue"}), content(CHOICE, ["A"], {"A": "blue", "B": "red"}), False),
        (content(CHOICE, ["A"]), content(CHOICE, ["a"]), True),
        (content(CHOICE, ["A"], {"A": "red"}), content(OPEN, ["crimson", "RED"]), True),
        (content(OPEN, ["12  mm", "12mm"]), content(OPEN, ["12 mm"]), True),
        (content(OPEN, ["12"]), content(OPEN, ["-12"]), False),
        (content(OPEN, []), content(OPEN, ["12"]), None),
        (content(OPEN, [" "]), content(OPEN, ["12"]), None),
    ],
)
def test_the_same_answer_is_said_in_the_same_words(first, second, same):
    assert same_answer(first, second) is same
    assert same_answer(second, first) is same


def test_that_there_is_no_answer_is_an_answer_of_its_own():
    cannot = [replace(SampleContent(question="Which mug?"), unanswerable=why) for why in ("Hidden.", "Too dark.")]
    answered = SampleContent(question="Which mug?", answers=("Hidden.",))
    assert same_answer(*cannot) is True
    assert same_answer(cannot[0], answered) is False
    assert disagreement([cannot[0], answered]) == 1.0


@given(st.lists(st.integers(0, 30), min_size=8, max_size=8))
def test_two_single_boxes_agree_as_they_do_on_the_grid(numbers):
    first, second = (Box(x, y, x + 1 + w, y + 1 + h) for x, y, w, h in (numbers[:4], numbers[4:]))
    alone, twice = box_agreement([first], [second]), box_agreement([first, first], [second])
    assert (alone.iou, alone.ioa_first, alone.ioa_second) == pytest.approx(
        (twice.iou, twice.ioa_first, twice.ioa_second)
    )
