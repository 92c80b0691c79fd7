"""Chats with tools as the interfaces of OpenAI and Anthropic write them, alone or as results of a batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.schema import Issue
from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Trajectory

INDEX = MemoryIndex(
    [SampleKey(name, f"{name}.jpg", f"Where is the {name}?", {}, (1000, 800)) for name in ("mug", "cup")]
)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
ASKED = [{"role": "user", "content": [{"type": "input_text", "text": "Where is the mug?"}]}]
ANSWERED = [
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "It is small."}]},
    {"type": "function_call", "call_id": "c1", "name": "crop", "arguments": '{"x1": 10, "y1": 20, "x2": 30, "y2": 40}'},
    {"type": "function_call", "call_id": "c2", "name": "turn", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c2", "output": "error: no such tool"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_image", "image_url": "data:x"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Left."}]},
]
BLOCKS = [
    {"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "text", "text": "Where is the mug?"}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "It is small."},
        {"type": "tool_use", "id": "t1", "name": "crop", "input": {"bbox": [10, 20, 30, 40]}},
        {"type": "tool_use", "id": "t2", "name": "turn", "input": {}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": "error: no such tool"},
        {"type": "tool_result", "tool_use_id": "t1", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Left."}]},
]  # fmt: skip
RESPONSE = {"object": "response", "model": "R", "output": ANSWERED}
RECORDS = {
    "responses": {"id": "mug", **RESPONSE, "input": ASKED},
    "responses asked in a text": {"object": "response", "input": "Where is the mug?", "output": ANSWERED},
    "a batch of responses": {"id": "batch_1", "custom_id": "mug", "response": {"status_code": 200, "body": RESPONSE}},
    "messages with blocks": {"sample": "mug", "messages": BLOCKS},
    "messages by their question": {"messages": BLOCKS, "model": "R"},
}


def read(path: Path) -> tuple[list[Trajectory], list[Issue]]:
    items = list(IMPORTERS["openai-chat"].read(path, ReadOptions(), INDEX))
    return [i for i in items if isinstance(i, Trajectory)], [i for i in items if isinstance(i, Issue)]


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_calls_go_with_their_replies(record: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"chats{suffix}"
    path.write_text(json.dumps(record) + "\n" if suffix == ".jsonl" else json.dumps([record, record | {"x": 1}]))
    assert detect_format(path)[0].importer == "openai-chat"
    found, issues = read(path)
    assert {one.sample_id for one in found} == {"mug"}
    assert issues == []
    crop, turn = found[0].steps
    assert (crop.tool, crop.bbox, crop.ok, crop.image_out) == ("crop", (10, 20, 30, 40), True, "crop_1")
    assert crop.text == "It is small."
    assert (turn.tool, turn.ok, turn.observation) == ("turn", False, "error: no such tool")
    assert found[0].answer == "Left."


def test_a_batch_of_completions_holds_answers_alone(tmp_path: Path) -> None:
    said = {"model": "G", "choices": [{"message": {"role": "assistant", "content": "Left."}}]}
    rows = [{"custom_id": name, "response": {"body": said}} for name in ("mug", "cup")]
    path = tmp_path / "batch.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert detect_format(path)[0].importer == "openai-chat"
    found, _ = read(path)
    assert [(one.sample_id, one.model, one.answer) for one in found] == [("mug", "G", "Left."), ("cup", "G", "Left.")]


def test_a_result_of_a_batch_may_be_a_message(tmp_path: Path) -> None:
    message = {"role": "assistant", "model": "C", "content": [{"type": "text", "text": "Left."}]}
    path = tmp_path / "batch.jsonl"
    path.write_text(json.dumps({"custom_id": "mug", "result": {"type": "succeeded", "message": message}}))
    found, _ = read(path)
    assert [(one.sample_id, one.answer) for one in found] == [("mug", "Left.")]
