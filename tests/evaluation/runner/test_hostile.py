"""Whatever a model responds, an attempt ends with a row that can be stored and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.fields import Report
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.runner.cells import CellResult
from evaluation.runner.conversation import Conversation
from evaluation.runner.protocols import Limits
from evaluation.runner.turns import CodeCell, Finished, Request, ToolCalls
from tests.evaluation.runner.attempts import recipe, task
from tests.evaluation.runner.test_recipe import PAIRS

PARTS = [
    "<tool_call>", "</tool_call>", '{"name": "image_zoom_in_tool", "arguments": ', '{"bbox_2d": [1, 2, ', "3, 4]}", "}",
    '{"img_idx": 10000000000000', "<think>", "</think>", "<code>", "</code>", "```python\n", "image.crop((1, 2, 3, 4))",
    "<answer>", "</answer>", '{"tool": "zoom_in", "arguments": {"bbox_2d": [0, 0, 1e999, NaN]}}', "[" * 300,
    "\x00\ud800",
    '{"name": "crop_image_normalized", "arguments": {"bbox_2d": [-1e308, 0, 1e308, 1]}}',
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=8).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = VALUES.map(json.dumps) | st.fixed_dictionaries(
    {"image": st.sampled_from(["original", "image_1", "/out/1.png", "\ud800"]) | VALUES},
    optional=dict.fromkeys(("x", "y", "width", "height", "param", "angle"), VALUES),
).map(json.dumps)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "", None]) | VALUES,
        "function": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["zoom_in", "crop", "opencv_crop", "opencv_blur", "", "x" * 300]) | VALUES,
                "arguments": ARGUMENTS | VALUES,
            },
        )
        | VALUES,
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "content": TEXTS | VALUES,
        "reasoning_content": TEXTS | VALUES,
        "refusal": st.none() | VALUES,
        "tool_calls": st.lists(CALLS | VALUES, max_size=10) | VALUES,
    },
)
REASONS = st.sampled_from(["stop", "length", "tool_calls", "content_filter", "", None])


@pytest.mark.parametrize(("protocol", "dialect"), PAIRS)
@given(replies=st.lists(st.tuples(MESSAGES, REASONS), min_size=3, max_size=3))
def test_any_response_leads_to_a_row(protocol: str, dialect: str, replies: list[tuple[dict[str, Any], str | None]]):
    limits = Limits(1, 0) if protocol in ("base", "recognition", "plan") else Limits(3, 10)
    conversation = Conversation(recipe(protocol, dialect=dialect, limits=limits), task())
    left = list(replies)
    while not isinstance(waits := conversation.next(), Finished):
        match waits:
            case Request():
                json.dumps(waits.body, allow_nan=False, ensure_ascii=False).encode()
                conversation.answered(*left.pop(0))
            case ToolCalls():
                conversation.tool_results(waits.run())
            case CodeCell():
                conversation.cell_result(CellResult("x\x00\ud800", error="" if left else "Traceback"))
    json.dumps(waits.row, allow_nan=False, ensure_ascii=False).encode()
    report = Report("row", 1)
    trajectory = trajectory_from(dict(waits.row), ReadOptions(), report)
    assert {issue.rule for issue in report.issues} <= {"box-empty"}
    assert trajectory.sample_id == "s1"
