"""Planted errors in drafts: their share, the rule that makes them, and when a submission has adopted one."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.drafting import Field, adopts, planted_error
from annotation.schema import AnswerType, Box, SampleContent

SEED, SIZE = "a" * 32, (200, 100)
OPTIONS = {"A": "red", "B": "green", "C": "blue"}
BOXES = [{"box": [10.0, 10.0, 40.0, 30.0]}, {"box": [50.0, 20.0, 60.0, 35.0]}]
DRAFTS: dict[str, Any] = {"question": "Which?", "options": OPTIONS, "answer": "green", "boxes": BOXES}


def planted(
    field: Field, drafts: dict[str, Any] = DRAFTS, sample: int = 1, share: float = 1.0, size: Any = SIZE
) -> Any:
    return planted_error(field, drafts, seed=SEED, sample=sample, share=share, size=size)


def test_the_share_is_drawn_by_sample_and_field_and_stays() -> None:
    for field in (Field.ANSWER, Field.BOXES):
        drawn = [planted(field, sample=number, share=0.03) is not None for number in range(10_000)]
        assert 240 <= sum(drawn) <= 360
        assert drawn[:500] == [planted(field, sample=number, share=0.03) is not None for number in range(500)]
    both = [
        number
        for number in range(10_000)
        if all(planted(one, sample=number, share=0.03) for one in (Field.ANSWER, Field.BOXES))
    ]
    assert len(both) < 30, "fields are drawn apart"
    assert not any(planted(field, sample=number, share=0.0) for field in Field for number in range(50))


def test_only_answers_and_boxes_carry_errors() -> None:
    assert planted(Field.QUESTION) is None
    assert planted(Field.OPTIONS) is None
    assert planted(Field.BOXES, {"answer": "green"}) is None


def test_a_planted_answer_is_another_option() -> None:
    found = {planted(Field.ANSWER, sample=number) for number in range(100)}
    assert found == {"red", "blue"}
    assert planted(Field.ANSWER, DRAFTS | {"answer": " GREEN "}) in ("red", "blue")


@pytest.mark.parametrize(
    ("answer", "errors"),
    [("yes", {"no"}), ("No", {"yes"}), ("7", {"6", "8"}), ("0", {"1"}), ("a cup", {None}), ("3.5", {None})],
)
def test_without_options_numbers_change_by_one_and_yes_and_no_are_exchanged(answer: str, errors: set[Any]) -> None:
    assert {planted(Field.ANSWER, {"answer": answer}, sample=number) for number in range(50)} == errors


def test_an_answer_that_is_no_option_or_the_only_one_has_no_error() -> None:
    assert planted(Field.ANSWER, {"answer": "gray", "options": OPTIONS}) is None
    assert planted(Field.ANSWER, {"answer": "red", "options": {"A": "red", "B": "Red "}}) is None


def test_planted_boxes_move_together_off_the_draft_and_inside_the_image() -> None:
    for number in range(200):
        moved = planted(Field.BOXES, sample=number)
        old, new = [one["box"] for one in BOXES], [one["box"] for one in moved]
        shifts = {(b[0] - a[0], b[1] - a[1]) for a, b in zip(old, new, strict=True)}
        assert len(shifts) == 1
        for box in new:
            assert 0 <= box[0] < box[2] <= 200
            assert 0 <= box[1] < box[3] <= 100
            assert all(box[2] <= o[0] or o[2] <= box[0] or box[3] <= o[1] or o[3] <= box[1] for o in old)


def test_a_planted_polygon_moves_with_its_box() -> None:
    polygon = {"box": [10.0, 10.0, 40.5, 30.0], "points": [[10, 10], [40.5, 20], [10, 30]], "label": "cup"}
    for number in range(50):
        [moved] = planted(Field.BOXES, {"boxes": [polygon]}, sample=number)
        xs, ys = zip(*moved["points"], strict=True)
        assert moved["box"] == [min(xs), min(ys), max(xs), max(ys)]
        assert moved["label"] == "cup"
        assert moved["points"] != polygon["points"]


def test_boxes_without_room_or_size_have_no_error() -> None:
    assert planted(Field.BOXES, {"boxes": [{"box": [0.0, 0.0, 150.0, 90.0]}]}) is None
    assert planted(Field.BOXES, size=None) is None


def content(answer: str = "B", box: tuple[int, int, int, int] | None = None) -> SampleContent:
    return SampleContent(
        "Which?", AnswerType.MULTIPLE_CHOICE, options=OPTIONS, answers=(answer,),
        gold_boxes=(Box(*box),) if box else (),
    )  # fmt: skip


def test_a_submission_adopts_the_planted_answer_or_boxes_near_the_planted_ones() -> None:
    assert adopts(Field.ANSWER, "red", "green", content("A"))
    assert not adopts(Field.ANSWER, "red", "green", content("B"))
    draft, error = [{"box": [10, 10, 50, 50]}], [{"box": [100, 10, 140, 50]}]
    assert adopts(Field.BOXES, error, draft, content(box=(100, 10, 140, 50)))
    assert adopts(Field.BOXES, error, draft, content(box=(104, 12, 142, 52)))
    assert not adopts(Field.BOXES, error, draft, content(box=(10, 10, 50, 50)))
    assert not adopts(Field.BOXES, error, draft, content(box=(60, 10, 100, 50)))
    assert not adopts(Field.BOXES, error, draft, content())
