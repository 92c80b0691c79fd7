"""An attempt from its first request to its row, for each protocol, with recorded replies."""

from __future__ import annotations

import pytest

from annotation.importers.fields import Report
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.runner.conversation import Conversation
from evaluation.runner.recipe import RecipeError
from evaluation.runner.turns import OutOfTurn
from evaluation.schema import ARGS_RAW
from tests.evaluation.runner.attempts import answered, recipe, request_of, row_of, said, task

ZOOM = {"image": "original", "x": 30, "y": 20, "width": 200, "height": 100}


def test_base_asks_once_and_keeps_the_answer_as_written():
    conversation = Conversation(recipe("base", sampling={"seed": 5, "temperature": 0}), task(), 2)
    body = request_of(conversation).body
    assert body["model"] == "model-1"
    assert (body["seed"], body["temperature"]) == (7, 0)
    assert "tools" not in body
    [message] = body["messages"]
    image, text = message["content"]
    assert image["image_url"]["url"] == "sha256:" + task().image.sha256
    assert text["text"].startswith("Question: Which cup?\nOptions:\nA. red\nB. blue\n\nAnswer from the image.")
    conversation.answered(said(" The blue one. <answer>B</answer>\n"), "stop")
    row = row_of(conversation)
    assert row["answer"] == "The blue one. <answer>B</answer>"
    assert (row["sample_id"], row["setting"], row["rollout"], row["steps"]) == ("s1", "base", 2, [])


def test_zoom_sends_the_crop_after_all_tool_messages_and_records_its_boxes():
    conversation = Conversation(recipe("zoom"), task())
    answered(conversation, said("I look.", ("zoom_in", ZOOM), ("zoom_in", {**ZOOM, "image": "image_1"})))
    roles = [message["role"] for message in request_of(conversation).body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user"]
    answered(conversation, said("<answer>A</answer>"))
    first, second = row_of(conversation)["steps"]
    assert (first["bbox"], first["image_in"], first["out_size"]) == ([30, 20, 230, 120], "original", [200, 100])
    assert first["text"] == "I look."
    assert (second["ok"], second["image_in"]) == (False, "image_1"), "the second box leaves the first crop"


def test_interface_offers_all_tools_and_runs_them_on_images_of_earlier_calls():
    conversation = Conversation(recipe("interface"), task())
    assert len(request_of(conversation).body["tools"]) == 36
    answered(
        conversation,
        said("Crop.", ("crop", ZOOM)),
        said("", ("rotate", {"image": "image_1", "angle": 90})),
        said("<answer>A</answer>"),
    )
    row = row_of(conversation)
    assert [(step["tool"], step["image_in"], step["ok"]) for step in row["steps"]] == [
        ("crop", "original", True),
        ("rotate", "image_1", True),
    ]
    assert row["setting"] == "interface"
    assert row["truncated"] is False


def test_calls_out_of_turn_are_rejected():
    conversation = Conversation(recipe("base"), task())
    with pytest.raises(OutOfTurn, match="waits for a Request"):
        conversation.tool_results([])
    conversation.answered(said("B"), "stop")
    with pytest.raises(OutOfTurn, match="waits for a Finished"):
        conversation.answered(said("B"), "stop")


def test_a_recipe_of_other_tools_is_not_run():
    made = recipe("zoom").to_json() | {"offer": "0" * 64}
    with pytest.raises(RecipeError, match="tools have changed"):
        Conversation(type(recipe("zoom")).from_json(made), task())


@pytest.mark.parametrize("protocol", ["base", "zoom", "interface"])
def test_the_row_of_an_attempt_is_read_by_the_native_importer_without_an_issue(protocol: str):
    conversation = Conversation(recipe(protocol), task())
    if protocol != "base":
        name = "zoom_in" if protocol == "zoom" else "crop"
        answered(conversation, said("", (name, ZOOM), (name, '{"x": 1'), (name, "{'x': 5}")))
    answered(conversation, said("<answer>B</answer>"))
    report = Report("row", 1)
    trajectory = trajectory_from(dict(row_of(conversation)), ReadOptions(), report)
    assert report.issues == []
    assert trajectory.answer == "<answer>B</answer>"
    assert len(trajectory.steps) == (0 if protocol == "base" else 3)
    for step in trajectory.steps[1:2]:
        assert (step.ok, step.extra[ARGS_RAW]) == (False, '{"x": 1')
