"""The rule by which answers under conditions show whether a question needs its evidence."""

from __future__ import annotations

from itertools import product

import pytest

from annotation.evidence import (
    NOTHING,
    Answered,
    Condition,
    Tally,
    needs_evidence,
    tallied,
    unreadable_when_small,
)

RIGHT, WRONG, OPEN = Tally(2, 0), Tally(0, 2), NOTHING
IMAGE, SMALL, MASKED, CROP, QUESTION = Condition


def test_answers_are_counted_by_condition_with_unread_apart_from_undecided() -> None:
    answers = [
        Answered(CROP, "A", True), Answered(CROP, "B", False), Answered(CROP, "", False), Answered(CROP, "", None),
        Answered(CROP, "some", None), Answered(IMAGE, "A", True),
    ]  # fmt: skip
    assert tallied(answers) == {CROP: Tally(1, 2, 1, 1), IMAGE: Tally(1)}


@pytest.mark.parametrize(
    ("tally", "least", "answerable"),
    [
        (Tally(2, 1), 2, True), (Tally(1, 1), 2, False), (Tally(1, 2), 2, False), (Tally(1, 0), 2, None),
        (Tally(1, 0), 1, True), (Tally(1, 0, 5, 5), 2, None),
    ],
)  # fmt: skip
def test_more_than_half_of_enough_decided_answers_make_a_question_answerable(
    tally: Tally, least: int, answerable: bool | None
) -> None:
    assert tally.answerable(least) is answerable


@pytest.mark.parametrize(
    ("masked", "alone", "crop", "image", "needs"),
    [
        (WRONG, WRONG, RIGHT, OPEN, True), (WRONG, WRONG, OPEN, RIGHT, True), (WRONG, WRONG, WRONG, RIGHT, True),
        (RIGHT, WRONG, RIGHT, RIGHT, False), (WRONG, RIGHT, RIGHT, RIGHT, False), (RIGHT, OPEN, OPEN, OPEN, False),
        (WRONG, WRONG, WRONG, WRONG, None), (WRONG, OPEN, RIGHT, RIGHT, None), (OPEN, WRONG, RIGHT, RIGHT, None),
    ],
)  # fmt: skip
def test_a_question_needs_its_evidence_if_only_the_evidence_answers_it(
    masked: Tally, alone: Tally, crop: Tally, image: Tally, needs: bool | None
) -> None:
    assert needs_evidence({MASKED: masked, QUESTION: alone, CROP: crop, IMAGE: image}) is needs


def test_the_reduced_image_never_decides_whether_evidence_is_needed() -> None:
    for tallies in product((RIGHT, WRONG, OPEN), repeat=4):
        whole = dict(zip((MASKED, QUESTION, CROP, IMAGE), tallies, strict=True))
        assert {needs_evidence(whole | {SMALL: one}) for one in (RIGHT, WRONG, OPEN)} == {needs_evidence(whole)}


@pytest.mark.parametrize(
    ("small", "crop", "image", "unreadable"),
    [
        (WRONG, RIGHT, OPEN, True), (WRONG, OPEN, RIGHT, True), (RIGHT, RIGHT, RIGHT, False),
        (WRONG, WRONG, WRONG, None), (OPEN, RIGHT, RIGHT, None),
    ],
)  # fmt: skip
def test_evidence_is_unreadable_in_the_global_view_if_only_more_pixels_answer(
    small: Tally, crop: Tally, image: Tally, unreadable: bool | None
) -> None:
    assert unreadable_when_small({SMALL: small, CROP: crop, IMAGE: image}) is unreadable
