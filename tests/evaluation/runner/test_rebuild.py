"""Recorded replies and results lead a fresh conversation to the same requests."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.runner.cells import CellResult
from evaluation.runner.conversation import Conversation
from evaluation.runner.recipe import Recipe
from evaluation.runner.turns import CodeCell, Finished, Request, ToolCalls
from tests.evaluation.runner.attempts import recipe, said, task
from tests.evaluation.runner.test_recipe import PAIRS
from tests.properties import fewer

PLACE = {"x": 30, "y": 20, "width": 200, "height": 100}
TEXTS = st.sampled_from(
    [
        "I look closer.",
        "",
        '<tool_call>{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [100, 100, 400, 500]}}</tool_call>',
        '<tool_call>{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [9, 9, 90, 90], "img_idx": 1}}</tool_call>',
        '<tool_call>{"name": "crop_image_normalized", "arguments": {"bbox_2d": [0.2, 0.2, 0.7, 0.8]}}</tool_call>',
        '{"tool": "zoom_in", "arguments": {"image": "original", "bbox_2d": [100, 100, 600, 800]}}',
        "<tool_call>{broken",
        "<code>\nprint(1)\n</code> and <code>\nimage.crop((1, 2, 90, 80))\n</code>",
        "<answer>B</answer>",
    ]
)  # fmt: skip
CALLS = st.sampled_from(
    [
        ("zoom_in", {"image": "original", **PLACE}),
        ("zoom_in", {"image": "image_1", "x": 0, "y": 0, "width": 50, "height": 50}),
        ("crop", {"image": "original", **PLACE}),
        ("canny", {"image": "image_1"}),
        ("opencv_crop", {"image": "/images/s1.png", "param": PLACE}),
        ("opencv_flip", {"image": "/out/1.png", "param": {}}),
        ("crop", '{"image": "orig'),
        ("no_such_tool", {}),
    ]
)
REPLIES = st.lists(
    st.tuples(TEXTS, st.lists(CALLS, max_size=10), st.sampled_from(["stop", "stop", "stop", "length"])), max_size=6
)


def replayed(made: Recipe, replies: list[tuple[str, Any, str]], results: list[CellResult]) -> list[str]:
    """The digests of all requests, then that of the row."""
    conversation, left, cells, digests = Conversation(made, task(), 1), list(replies), list(results), []
    while True:
        match conversation.next():
            case Request() as request:
                digests.append(request.digest)
                assert request.digest == Request(json.loads(json.dumps(request.body)), {}).digest
                if not left:
                    return digests
                text, calls, reason = left.pop(0)
                conversation.answered(said(text, *calls), reason)
            case ToolCalls() as waits:
                conversation.tool_results(waits.run())
            case CodeCell():
                conversation.cell_result(cells.pop(0) if cells else CellResult("nothing"))
            case Finished(row):
                return [*digests, json.dumps(row, sort_keys=True)]


@pytest.mark.parametrize(("protocol", "dialect"), PAIRS)
@fewer()
@given(replies=REPLIES, output=st.text(max_size=20))
def test_the_same_replies_lead_to_the_same_requests(
    protocol: str, dialect: str, replies: list[tuple[str, Any, str]], output: str
):
    made = recipe(protocol, dialect=dialect, sampling={"seed": 3}, images="fit:300")
    picture = np.random.default_rng(len(output)).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    results = [CellResult(output, [picture]), CellResult(output, error=output)]
    again = Recipe.from_json(json.loads(json.dumps(made.to_json())))
    assert replayed(made, replies, results) == replayed(again, replies, results)
