"""Responses of models as drafts: what is read, and what is left out with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.drafting import Field
from evaluation.runner.dialects.zoom import Frame, ZoomImage
from evaluation.runner.drafts import DraftError, DraftRecipe, read_drafts
from evaluation.runner.templates import load_prompt

IMAGE = ZoomImage.original(1000, 800, (500, 400))
WHOLE: dict[str, Any] = {
    "question": "How many\n mugs?", "options": ["one", "two"], "answer": "two", "boxes": [[100, 100, 200, 150]],
}  # fmt: skip


def read(said: Any, frame: Frame = Frame.PIXELS) -> tuple[dict[str, Any], dict[str, str]]:
    return read_drafts(said if isinstance(said, str) else json.dumps(said), tuple(Field), frame, IMAGE)


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>Hm {{}}</think>\n{}"])
def test_each_field_is_read(around: str) -> None:
    drafts, unread = read(around.replace("{{}}", "").replace("{}", json.dumps(WHOLE), 1))
    assert unread == {}
    assert drafts == {
        "question": "How many mugs?", "options": {"A": "one", "B": "two"}, "answer": "two",
        "boxes": [{"box": [100, 100, 200, 150]}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("frame", "box"),
    [
        (Frame.SENT, [50, 50, 100, 75]),
        (Frame.NORM1000, [100, 125, 200, 187.5]),
        (Frame.NORM1, [0.1, 0.125, 0.2, 0.1875]),
    ],
)
def test_boxes_are_converted_from_the_frame_of_the_endpoint(frame: Frame, box: list[float]) -> None:
    drafts, _ = read({"boxes": [box]}, frame)
    assert drafts["boxes"] == [{"box": pytest.approx([100, 100, 200, 150])}]


@pytest.mark.parametrize("said", ["", "How many?", "[1]", '{"question": "a"', "{} {}", "null", "[" * 99999])
def test_what_is_not_one_object_is_malformed_as_a_whole(said: str) -> None:
    drafts, unread = read(said)
    assert drafts == {}
    assert set(unread) == set(Field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", 7), ("question", "  "), ("question", "a" * 2001), ("options", ["one"]), ("options", ["a", "A "]),
        ("options", {"A": "one"}), ("options", ["a", 3]), ("answer", None), ("boxes", []), ("boxes", [[1, 2, 3]]),
        ("boxes", [[5, 5, 5, 9]]), ("boxes", [[2000, 2000, 2100, 2100]]), ("boxes", [["1", 2, 3, 4]]),
        ("boxes", [[1, 1, 1e400, 5]]), ("boxes", [[0, 0, 9, 9]] * 21),
    ],
)  # fmt: skip
def test_a_field_in_another_form_is_left_out_and_the_others_stay(field: str, value: Any) -> None:
    drafts, unread = read(json.dumps(WHOLE | {field: value}))
    assert set(unread) == {field}
    assert set(drafts) == set(Field) - {field}


def test_a_box_over_the_edge_is_clipped() -> None:
    assert read({"boxes": [[900, 700, 1200, 900]]})[0]["boxes"] == [{"box": [900, 700, 1000, 800]}]


def test_a_recipe_comes_back_from_its_data_and_needs_fields() -> None:
    recipe = DraftRecipe((Field.QUESTION, Field.BOXES), "m", "http://localhost", load_prompt("draft"), Frame.NORM1000)
    assert DraftRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    assert '"question"' in recipe.asks
    assert "0 to 1000" in recipe.asks
    assert "options" not in recipe.asks
    with pytest.raises(DraftError):
        DraftRecipe((), "m", "http://localhost", load_prompt("draft"))
    with pytest.raises(DraftError):
        DraftRecipe.from_json(recipe.to_json() | {"fields": ["color"]})
