"""The rules of quality: what passes, whose turn it is, who is paused, how far people are apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import AnswerType, Box, SampleContent
from annotation.work_rules import (
    BoxMeasure,
    CheckRule,
    PauseRule,
    Standing,
    chance,
    compared,
    disagreement,
    is_check_turn,
)

OPTIONS = {"A": "black", "B": "white"}
MC = AnswerType.MULTIPLE_CHOICE
WHOLE = (Box(0, 0, 10, 10),)
HALF = (Box(0, 0, 5, 10),)
TWICE = (Box(0, 0, 20, 10),)


def said(answer: str = "B", boxes: tuple[Box, ...] = WHOLE, question: str = "Which colour?") -> SampleContent:
    return SampleContent(question, MC, OPTIONS, (answer,) if answer else (), boxes)


KNOWN = said()
IOA = CheckRule(BoxMeasure.IOA, 0.9)


@pytest.mark.parametrize(
    ("answer", "known", "rule", "passed"),
    [
        (said(), KNOWN, CheckRule(), True),
        (said("A"), KNOWN, CheckRule(), False),
        (said(""), KNOWN, CheckRule(), False),
        (said(boxes=HALF), KNOWN, CheckRule(), True),
        (said(boxes=HALF), KNOWN, CheckRule(least=0.51), False),
        (said(boxes=TWICE), KNOWN, IOA, True),
        (said(boxes=HALF), KNOWN, IOA, False),
        (said(boxes=()), KNOWN, CheckRule(), False),
        (said(boxes=()), said(boxes=()), CheckRule(), True),
        (said(), said(""), CheckRule(), True),
        (said(), said("", ()), CheckRule(), None),
        (said(question="  which  COLOUR?"), KNOWN, CheckRule(), True),
        (said(question="How many?"), KNOWN, CheckRule(), None),
        (said(question="How many?"), KNOWN, CheckRule(any_question=True), True),
        (said("A", question="How many?"), KNOWN, CheckRule(any_question=True), False),
    ],
)
def test_an_answer_passes_with_the_known_answer_and_boxes_near_enough(
    answer: SampleContent, known: SampleContent, rule: CheckRule, passed: bool | None
) -> None:
    assert compared(answer, known, rule).passed is passed


def test_what_was_measured_is_kept_beside() -> None:
    found = compared(said("A", HALF), KNOWN, CheckRule())
    assert (found.same_question, found.same_answer, found.iou, found.covered) == (True, False, 0.5, 0.5)


@pytest.mark.parametrize(
    ("right", "n", "after", "below", "paused"),
    [
        (0, 0, 1, 0.5, False),
        (2, 10, 10, 0.6, True),
        (2, 10, 11, 0.6, False),
        (2, 10, 10, 0.5, False),
        (0, 50, 10, None, False),
    ],
)
def test_a_pause_needs_enough_checks_and_an_upper_end_below_the_threshold(
    right: int, n: int, after: int, below: float | None, paused: bool
) -> None:
    assert Standing(right, n).falls_below(PauseRule(after, below)) is paused


def test_nothing_answered_is_no_accuracy() -> None:
    assert (Standing(0, 0).accuracy, Standing(0, 0).interval) == (None, None)


def test_the_first_turns_are_checks_and_then_the_share_is_met() -> None:
    turns = [is_check_turn(7, 3, turn, first=4, share=0.1) for turn in range(4004)]
    assert all(turns[:4])
    assert 340 < sum(turns[4:]) < 460
    assert turns == [is_check_turn(7, 3, turn, first=4, share=0.1) for turn in range(4004)]


@given(st.text())
def test_chance_is_a_share(name: str) -> None:
    assert 0 <= chance(name) < 1
    assert chance(name) == chance(name)


@pytest.mark.parametrize(
    ("contents", "value"),
    [
        ([], None),
        ([said()], None),
        ([said(), said()], 0.0),
        ([said(), said(boxes=HALF)], 0.25),
        ([said(), said("A", ())], 1.0),
        ([said(""), said("")], 0.0),
        ([said("", ()), said("", ())], None),
        ([said("", ()), said()], 1.0),
        ([said(), said(), said("A")], pytest.approx(1 / 3)),
    ],
)
def test_disagreement_is_the_mean_over_pairs(contents: list[SampleContent], value: float | None) -> None:
    assert disagreement(contents) == value


CONTENTS = st.builds(said, st.sampled_from(["A", "B", ""]), st.sampled_from([WHOLE, HALF, TWICE, ()]))


@given(st.lists(CONTENTS, max_size=5))
def test_disagreement_lies_between_nothing_and_all_and_knows_no_order(contents: list[SampleContent]) -> None:
    value = disagreement(contents)
    assert value is None or 0 <= value <= 1
    assert disagreement(contents[::-1]) == (value if value is None else pytest.approx(value))
