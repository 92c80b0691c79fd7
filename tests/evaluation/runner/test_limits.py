"""When an attempt ends, and what becomes of calls that do not run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from annotation.importers.fields import Report
from evaluation.agents.tool_session import run_alone
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.runner.conversation import Conversation
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.protocols import Limits
from evaluation.runner.recipe import ToolImages
from evaluation.runner.turns import OutOfTurn, Request, ToolCalls
from tests.evaluation.runner.attempts import answered, recipe, request_of, row_of, said, task

ZOOM = {"image": "original", "x": 30, "y": 20, "width": 200, "height": 100}
ZOOMED = said("", ("zoom_in", ZOOM))


@dataclass
class Tokens:
    input: int
    output: int


def zoom(rounds: int = 7, calls: int = 6, **values: Any) -> Conversation:
    return Conversation(recipe("zoom", limits=Limits(rounds, calls), **values), task())


def test_a_call_in_the_last_round_is_recorded_but_not_run():
    conversation = zoom(rounds=2)
    answered(conversation, ZOOMED, ZOOMED)
    row = row_of(conversation)
    assert (row["truncated"], row["answer"]) == (True, None)
    first, last = row["steps"]
    assert first["ok"] is True
    assert (last["ok"], last["not_run"], last["bbox"]) == (False, True, [30, 20, 230, 120])


def test_zoom_ends_behind_its_sixth_call_unless_the_model_answers():
    asked, answering = Conversation(recipe("zoom"), task()), Conversation(recipe("zoom"), task())
    answered(asked, *[ZOOMED] * 7)
    answered(answering, *[ZOOMED] * 6, said("<answer>A</answer>"))
    assert (row_of(asked)["truncated"], len(row_of(asked)["steps"])) == (True, 7)
    assert (row_of(answering)["truncated"], len(row_of(answering)["steps"])) == (False, 6)


def test_calls_beyond_the_limit_of_an_attempt_are_answered_but_not_run():
    conversation = zoom(calls=2)
    answered(conversation, said("", *[("zoom_in", ZOOM)] * 4))
    tools = [one["content"] for one in request_of(conversation).body["messages"] if one["role"] == "tool"]
    assert ["limit of calls" in text for text in tools] == [False, False, True, True]


def test_eight_calls_of_one_response_run_and_each_call_is_answered():
    conversation = Conversation(recipe("interface"), task())
    answered(conversation, said("", *[("crop", ZOOM)] * 10))
    messages = request_of(conversation).body["messages"]
    tools = [one for one in messages if one["role"] == "tool"]
    assert [one["tool_call_id"] for one in tools] == [f"id{number}" for number in range(10)]
    assert ["Only 8 calls" in one["content"] for one in tools] == [False] * 8 + [True] * 2
    assert len(messages[-1]["content"]) == 16, "a label and an image for each call that ran"


@pytest.mark.parametrize("text", ["<answer>A</answer>", "Then <answer>A</answer> I say."])
def test_an_answer_marker_ends_the_attempt_and_calls_beside_it_are_not_evidence(text: str):
    conversation = zoom()
    answered(conversation, {**ZOOMED, "content": text})
    row = row_of(conversation)
    assert (row["answer"], row["truncated"]) == (text, False)
    assert [(step["flag"], step["ok"]) for step in row["steps"]] == [("unused", False)]


@pytest.mark.parametrize("text", ["<think>Is it <answer>A</answer>?</think> Look.", "<answer>A</answer>?</think> No."])
def test_an_answer_marker_in_thoughts_is_no_answer(text: str):
    conversation = zoom()
    conversation.answered({**ZOOMED, "content": text}, "tool_calls")
    assert isinstance(conversation.next(), ToolCalls)


def test_a_response_without_a_call_is_the_answer():
    conversation = zoom()
    answered(conversation, ZOOMED, said("It is red."))
    assert row_of(conversation)["answer"] == "It is red."


@pytest.mark.parametrize(("text", "answer"), [("I think", None), ("<answer>A</answer> So", "<answer>A</answer> So")])
def test_a_response_that_is_cut_off_is_truncated(text: str, answer: str | None):
    conversation = zoom()
    conversation.answered({**said(text, ("zoom_in", '{"image": "orig'))}, "length")
    row = row_of(conversation)
    assert (row["answer"], row["truncated"], row["malformed_calls"]) == (answer, True, 1)
    [step] = row["steps"]
    assert step["args_raw"] == '{"image": "orig'


@pytest.mark.parametrize(
    ("message", "reason", "error"),
    [
        ({"content": None, "refusal": "I can't help."}, "stop", "refusal: I can't help."),
        ({"content": "Half"}, "content_filter", "content_filter: The endpoint stopped the response."),
        ({"content": ""}, "stop", "empty: The response contains neither an answer nor a call."),
        ({"content": None}, None, "empty: The response contains neither an answer nor a call."),
        ({"content": [{"type": "text", "text": " \n"}], "tool_calls": "no"}, "stop", "empty: "),
    ],
)
def test_responses_without_content_are_failures(message: dict[str, Any], reason: str | None, error: str):
    conversation = zoom()
    conversation.answered(message, reason)
    row = row_of(conversation)
    assert row["error"].startswith(error)
    assert row["answer"] is None


def test_a_failure_keeps_the_steps_so_far_and_ends_the_attempt():
    conversation = zoom()
    answered(conversation, ZOOMED)
    conversation.failed("timeout", "No response for 120 s.")
    row = row_of(conversation)
    assert (row["error"], len(row["steps"]), row["answer"]) == ("timeout: No response for 120 s.", 1, None)
    with pytest.raises(OutOfTurn, match="finished"):
        conversation.failed("timeout", "again")


def test_unreadable_calls_are_stored_raw_counted_and_answered_with_the_error():
    conversation = Conversation(recipe("interface"), task())
    answered(conversation, said("", ("crop", '{"image": "orig'), ("crop", ZOOM), ("", "[]")))
    tools = [one["content"] for one in request_of(conversation).body["messages"] if one["role"] == "tool"]
    assert tools[0] == tools[2] == "Error: The arguments are not a JSON object."
    conversation.answered(said("A"), "stop")
    row = row_of(conversation)
    assert row["malformed_calls"] == 2
    assert [step.get("args_raw") for step in row["steps"]] == ['{"image": "orig', None, "[]"]
    assert [step["tool"] for step in row["steps"]] == ["crop", "crop", "unnamed"]


@pytest.mark.parametrize(
    "written",
    [
        "{'image': 'original', 'x': 30, 'y': 20, 'width': 200, 'height': 100}",
        '{"image": "original", "x": 30, "y": 20, "width": 200, "height": 100}}',
        '"{\\"image\\": \\"original\\", \\"x\\": 30, \\"y\\": 20, \\"width\\": 200, \\"height\\": 100}"',
    ],
    ids=["literals of Python", "text behind it", "JSON in JSON"],
)
@pytest.mark.parametrize(("protocol", "tool"), [("zoom", "zoom_in"), ("interface", "crop")])
def test_a_repaired_call_runs_and_is_marked(protocol: str, tool: str, written: str):
    conversation = Conversation(recipe(protocol), task())
    answered(conversation, said("", (tool, written), (tool, ZOOM)), said("A"))
    row = row_of(conversation)
    assert [step.get("repaired", False) for step in row["steps"]] == [True, False]
    assert [step["bbox"] for step in row["steps"]] == [[30, 20, 230, 120]] * 2
    assert row["malformed_calls"] == 0


def test_missing_and_repeated_ids_of_calls_are_replaced():
    conversation = zoom()
    answered(conversation, said("", *[("zoom_in", ZOOM)] * 3, ids=["a", "a", None]))
    messages = request_of(conversation).body["messages"]
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["a", "call_1_2", "call_1_3"]
    assert [one["tool_call_id"] for one in messages[3:6]] == ["a", "call_1_2", "call_1_3"]


def test_images_of_tools_can_be_sent_inside_the_tool_messages():
    conversation = zoom(tool_images=ToolImages.INSIDE)
    answered(conversation, said("", *[("zoom_in", ZOOM)] * 2))
    request = request_of(conversation)
    one, two = request.body["messages"][3:]
    assert [part["type"] for part in one["content"]] == ["image_url", "text"]
    assert two["role"] == "tool"
    digest = one["content"][0]["image_url"]["url"].removeprefix("sha256:")
    data, media_type = request.image(digest)
    assert media_type == "image/jpeg"
    assert data.startswith(b"\xff\xd8")


def test_only_vtc_tells_the_remaining_rounds_and_from_three_on():
    told = {}
    for dialect in ("tools", "vtc"):
        conversation = Conversation(recipe("interface", dialect=dialect, limits=Limits(5, 100)), task())
        call = ("crop", ZOOM) if dialect == "tools" else ("opencv_canny", {"image": "/images/s1.png"})
        for _ in range(4):
            answered(conversation, said("", call))
        texts = str(request_of(conversation).body["messages"])
        told[dialect] = [f"Remaining rounds: {left}." in texts for left in (4, 3, 2, 1)]
    assert told == {"tools": [False] * 4, "vtc": [False, True, True, True]}


def test_tokens_are_those_of_all_exchanges_and_unknown_if_one_is():
    known, unknown = zoom(), zoom()
    for conversation, second in ((known, Tokens(30, 4)), (unknown, None)):
        conversation.answered(ZOOMED, "tool_calls", Tokens(10, 2))
        waits = conversation.next()
        assert isinstance(waits, ToolCalls)
        conversation.tool_results(waits.run())
        conversation.answered(said("A"), "stop", second)
    assert row_of(known)["usage"] == {"input_tokens": 40, "output_tokens": 6}
    assert row_of(unknown)["usage"] == {}


def test_calls_that_were_interrupted_continue_where_they_stopped():
    turns = iter([False, True, False, False])

    def run(*given: Any) -> Any:
        if next(turns):
            raise TimeoutError
        return run_alone(*given)

    conversation = Conversation(recipe("interface"), task(), run=run)
    conversation.answered(said("", ("crop", ZOOM), ("crop", ZOOM)), "tool_calls")
    waits = conversation.next()
    assert isinstance(waits, ToolCalls)
    with pytest.raises(TimeoutError):
        waits.run()
    results = waits.run()
    assert results == waits.run()
    assert [result.image_id for result in results] == ["image_1", "image_2"]
    conversation.tool_results(results)
    assert isinstance(conversation.next(), Request)


def test_reasoning_is_kept_but_not_sent_again():
    conversation = zoom()
    answered(conversation, {**ZOOMED, "reasoning_content": "Small text."}, said("A"))
    row = row_of(conversation)
    assert row["steps"][0]["text"] == "Small text."
    assert row["messages"][2] == {"role": "assistant", "text": "Small text.", "images": 0}


@pytest.mark.parametrize(
    ("protocol", "text", "names"),
    [
        ("recognition", "hammer, saw.", ["hammer", "saw"]),
        ("plan", "<think>a, b</think>\nTools:\n1. hammer, `pipe wrench`, hammer", ["hammer", "pipe wrench", "hammer"]),
        ("plan", "<answer>saw</answer> done", ["saw"]),
    ],
)  # fmt: skip
def test_lists_of_tools_are_read_from_the_last_line(protocol: str, text: str, names: list[str]):
    conversation = Conversation(recipe(protocol), task())
    conversation.answered(said(text), "stop")
    row = row_of(conversation)
    assert row[f"predicted_tools_{protocol}"] == names
    assert "answer" not in row
    assert row["setting"] == "plan"


def test_hostile_text_becomes_text_that_can_be_stored():
    conversation = zoom()
    answered(conversation, said("a\x00\ud800", ("zoom_in", '{"x": NaN, "image": "\\ud800"}')), said("A\x00"))
    row = row_of(conversation)
    assert row["answer"] == "A"
    str(row).encode()


@pytest.mark.parametrize("dialect", ["qwen3-vl", "qwen2.5-vl", "pixel-reasoner", "json"])
@pytest.mark.parametrize("box", [[-1e308, 0, 1e308, 1], [0, 0, 1e-300, 1e-300], [0, 0, 10**400, 1], [5, 5, 5, 5]])
def test_boxes_beyond_all_pixels_are_failed_or_clipped(dialect: str, box: list[float]):
    conversation = Conversation(recipe("zoom", dialect=dialect), task())
    known = ZOOM_DIALECTS[dialect]
    call = {"name": known.tool_name, "arguments": {"bbox_2d": box}}
    text = (
        json.dumps({"tool": "zoom_in", **call}) if dialect == "json" else f"<tool_call>{json.dumps(call)}</tool_call>"
    )
    answered(conversation, said(text), said("A"))
    row = row_of(conversation)
    report = Report("row", 1)
    trajectory = trajectory_from(dict(row), ReadOptions(), report)
    assert {issue.rule for issue in report.issues} <= {"box-empty"}
    assert len(trajectory.steps) == 1
