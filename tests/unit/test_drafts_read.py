"""Responses of models as drafts: what is read, and what is left out with a reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from annotation.drafting import Field
from annotation.schema import ToolCall
from annotation.tool_bank import Bank, KnownTool, ToolState
from evaluation.runner.dialects.zoom import Frame, ZoomImage
from evaluation.runner.draft_parts import DraftError, chain_problem
from evaluation.runner.drafts import DraftRecipe, Reader, read_drafts
from evaluation.runner.images import SourceImage
from evaluation.runner.templates import load_prompt

IMAGE = ZoomImage.original(1000, 800, (500, 400))
STORED = SourceImage("a" * 64, 1000, 800, bytes, lambda: np.full((800, 1000, 3), 120, np.uint8))
BANK = Bank(
    (
        KnownTool("claw hammer", aliases=("hammer",)), KnownTool("hand saw"), KnownTool("pliers"),
        KnownTool("glue", ToolState.REFUSED),
    )
)  # fmt: skip
CROP = {"tool": "crop", "arguments": {"x": 10, "y": 20, "width": 200, "height": 100}}
WHOLE: dict[str, Any] = {
    "question": "How many\n mugs?", "options": ["one", "two"], "answer": "two", "boxes": [[100, 100, 200, 150]],
    "toolchain": [CROP], "targets": [{"tool": "hand saw", "step": 1}], "distractors": ["pliers"],
}  # fmt: skip


def runs(calls: Sequence[ToolCall]) -> str:
    return chain_problem(STORED, calls)


def read(said: Any, frame: Frame = Frame.PIXELS) -> tuple[dict[str, Any], dict[str, str]]:
    text = said if isinstance(said, str) else json.dumps(said)
    found = read_drafts(text, tuple(Field), Reader(frame, IMAGE, runs, BANK))
    return found.drafts, found.unread


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>Hm {{}}</think>\n{}"])
def test_each_field_is_read(around: str) -> None:
    drafts, unread = read(around.replace("{{}}", "").replace("{}", json.dumps(WHOLE), 1))
    assert unread == {}
    assert drafts == {
        "question": "How many mugs?", "options": {"A": "one", "B": "two"}, "answer": "two",
        "boxes": [{"box": [100, 100, 200, 150]}], "toolchain": [CROP | {"image_in": None, "image_out": None}],
        "targets": [{"tool": "hand saw", "step": 1}], "distractors": ["pliers"],
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
        ("toolchain", "crop"), ("toolchain", []), ("toolchain", [CROP] * 31), ("toolchain", ["crop"]),
        ("toolchain", [{"arguments": {}}]), ("toolchain", [{"tool": "teleport"}]), ("toolchain", [CROP | {"why": "x"}]),
        ("toolchain", [CROP | {"arguments": [1]}]), ("toolchain", [CROP | {"image_in": []}]),
        ("toolchain", [CROP | {"image_out": "original"}]), ("toolchain", [CROP | {"image_in": "step_9"}]),
        ("toolchain", [{"tool": "crop", "arguments": {"x": 5000, "y": 0, "width": 9, "height": 9}}]),
        ("toolchain", [{"tool": "crop", "arguments": {"x": "left"}}]),
        ("targets", {}), ("targets", []), ("targets", ["hand saw"]), ("targets", [{"tool": "hand saw"}]),
        ("targets", [{"tool": "hand saw", "step": 0}]), ("targets", [{"tool": "hand saw", "step": True}]),
        ("targets", [{"tool": "laser", "step": 1}]), ("distractors", "pliers"), ("distractors", [7]),
        ("distractors", ["laser"]), ("distractors", ["glue"]), ("distractors", ["hand saw"]),
    ],
)  # fmt: skip
def test_a_field_in_another_form_is_left_out_and_the_others_stay(field: str, value: Any) -> None:
    drafts, unread = read(json.dumps(WHOLE | {field: value}))
    lost = {"toolchain", "targets", "distractors"} if field == "question" else set()
    assert set(unread) == {field} | lost
    assert set(drafts) == set(Field) - {field} - lost


def test_a_box_over_the_edge_is_clipped() -> None:
    assert read({"boxes": [[900, 700, 1200, 900]]})[0]["boxes"] == [{"box": [900, 700, 1000, 800]}]


def test_a_recipe_comes_back_from_its_data_and_needs_fields() -> None:
    recipe = DraftRecipe((Field.QUESTION, Field.BOXES), "m", "http://localhost", load_prompt("draft"), Frame.NORM1000)
    assert DraftRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    asks = recipe.asks(1000, 800)
    assert '"question"' in asks
    assert "0 to 1000" in asks
    assert "options" not in asks
    assert "crop(" not in asks
    chains = DraftRecipe((Field.QUESTION, Field.TOOLCHAIN), "m", "http://localhost", load_prompt("draft"))
    assert "the image has 1000 × 800" in chains.asks(1000, 800)
    assert "* crop(" in chains.asks(1000, 800)
    for alone in (Field.TOOLCHAIN, Field.TARGETS, Field.DISTRACTORS):
        with pytest.raises(DraftError):
            DraftRecipe((alone,), "m", "http://localhost", load_prompt("draft"))
    with pytest.raises(DraftError):
        DraftRecipe((), "m", "http://localhost", load_prompt("draft"))
    with pytest.raises(DraftError):
        DraftRecipe.from_json(recipe.to_json() | {"fields": ["color"]})


def test_a_toolchain_that_stops_is_left_out_with_its_step_and_the_reason() -> None:
    _, unread = read(WHOLE | {"toolchain": [CROP, CROP | {"arguments": {"x": 900, "y": 0, "width": 90, "height": 9}}]})
    assert "step 2, crop" in unread["toolchain"]


def test_a_call_has_the_name_of_its_tool_in_the_toolbox() -> None:
    drafts, _ = read(WHOLE | {"toolchain": [CROP | {"tool": "OpenCV Crop"}, {"tool": "gray"}]})
    assert [call["tool"] for call in drafts["toolchain"]] == ["crop", "colorspace_gray"]


def test_names_of_a_plan_are_those_of_the_bank_and_unknown_ones_are_noted() -> None:
    said = {
        "targets": [
            {"tool": "HAMMER", "step": 3}, {"tool": "laser", "step": 1}, {"tool": "claw  hammer", "step": 5},
            {"tool": "hand saw", "step": 5},
        ],
        "distractors": ["Pliers", "glue", "hand saw", "pliers"],
    }  # fmt: skip
    drafts, unread = read(WHOLE | said)
    assert drafts["targets"] == [{"tool": "claw hammer", "step": 1}, {"tool": "hand saw", "step": 2}]
    assert unread["targets"] == "Not in the tool bank: laser."
    assert drafts["distractors"] == ["pliers"]
    assert unread["distractors"] == "Not in the tool bank: glue. Also a target: hand saw."


def test_a_toolchain_and_a_plan_without_their_question_are_left_out() -> None:
    drafts, unread = read(WHOLE | {"question": 7})
    assert set(drafts) == {"options", "answer", "boxes"}
    assert set(unread) == {"question", "toolchain", "targets", "distractors"}
