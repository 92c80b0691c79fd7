"""The checks while annotating: each says which field, how bad, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.schema import AnswerType, Box, SampleContent, Target, ToolCall, ToolPlan
from annotation.task_schema import Evidence, TaskSchema
from annotation.tool_bank import Bank, KnownTool
from annotation.validation import Check, Level, ModelView, blocking, check

GOOD = SampleContent(
    "Which colour is the mug?", AnswerType.MULTIPLE_CHOICE, {"A": "black", "B": "white"}, ("B",), (Box(10, 10, 30, 25),)
)
OPEN = SampleContent("What does the sign say?", AnswerType.OPEN, {}, ("Quay",), (Box(10, 10, 30, 25),))
PLAN = SampleContent("Hang the picture.", plan=ToolPlan((Target("hammer", 1), Target("level", 2)), ("saw",)))


def found(content: SampleContent, width: int | None = 4000, height: int | None = 3000) -> list[tuple[str, str]]:
    return [(one.field, one.level.value) for one in check(content, width, height)]


@pytest.mark.parametrize("content", [GOOD, OPEN, PLAN])
def test_nothing_is_said_of_a_good_content(content):
    assert check(content, 4000, 3000) == []
    assert check(content, None, None) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"question": " \n"}, ("question", "error")),
        ({"answers": ()}, ("answer", "error")),
        ({"answers": ("C",)}, ("answer", "error")),
        ({"answers": ("b",)}, ("answer", "error")),
        ({"answers": ("A", "B")}, ("answer", "error")),
        ({"options": {"B": "white"}}, ("options", "error")),
        ({"options": {"A": "White ", "B": "white"}}, ("options.B", "error")),
        ({"options": {"A": "", "B": "white"}}, ("options.A", "error")),
        ({"gold_boxes": ()}, ("gold_boxes", "error")),
        ({"gold_boxes": (Box(3990, 10, 4001, 25),)}, ("gold_boxes[0]", "error")),
        ({"gold_boxes": (Box(10, 10, 11.5, 25),)}, ("gold_boxes[0]", "error")),
        ({"gold_boxes": (Box(10, 10, 30, 25), Box(29, 20, 50, 40))}, ("gold_boxes[1]", "warning")),
        ({"gold_boxes": (Box(0, 0, 40, 3000), Box(0, 0, 40, 2999))}, ("gold_boxes[1]", "warning")),
        # D8.13: boxes that B pressed several times has stacked.
        ({"gold_boxes": (Box(10, 10, 30, 25), Box(10, 10, 30, 25))}, ("gold_boxes[1]", "error")),
        ({"gold_boxes": (Box(0, 0, 130, 130),)}, ("gold_boxes[0]", "hint")),
    ],
)
def test_a_fault_is_named_beside_its_field(changes, expected):
    assert found(replace(GOOD, **changes)) == [expected]


def test_evidence_of_more_than_a_twentieth_of_the_picture_is_doubted():
    share_of_5_percent = Box(0, 0, 600, 1000)
    assert ("gold_boxes", "warning") not in found(replace(GOOD, gold_boxes=(share_of_5_percent,)))
    more = replace(GOOD, gold_boxes=(Box(0, 0, 601, 1000),))
    assert found(more) == [("gold_boxes", "warning"), ("gold_boxes[0]", "hint")]
    lenient = TaskSchema(evidence=Evidence(warn_share=0.5))
    assert check(more, 4000, 3000, task=lenient, view=ModelView(readable_side=2000)) == []


def test_two_boxes_that_touch_do_not_overlap():
    assert found(replace(GOOD, gold_boxes=(Box(10, 10, 30, 25), Box(30, 10, 50, 25)))) == []


def test_a_small_picture_is_seen_as_it_is():
    assert found(replace(GOOD, gold_boxes=(Box(10, 10, 38, 38),)), 300, 300) == [("gold_boxes[0]", "hint")]
    assert found(replace(GOOD, gold_boxes=(Box(10, 10, 37, 38),)), 300, 300) == []


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((ToolCall("Crop", {"x": 1, "y": 1, "width": 20, "height": 20}),), []),
        ((ToolCall("polish"),), [("reference_toolchain[0].tool", "error")]),
        ((ToolCall("blur", {"loudness": 3}),), [("reference_toolchain[0].arguments", "error")]),
        ((ToolCall("colorspace_gray", {}, "b"),), [("reference_toolchain[0].image_in", "error")]),
        ((ToolCall("colorspace_gray", {}, "original", "b"), ToolCall("colorspace_gray", {}, "b")), []),
        ((ToolCall("colorspace_gray"), ToolCall("colorspace_gray", {}, "step_1")), []),
        ((ToolCall("template_match", {}, "original"),), [("reference_toolchain[0].image_in", "error")]),
        ((ToolCall("colorspace_gray", {}, ("original", "original")),), [("reference_toolchain[0].image_in", "error")]),
    ],
)
def test_a_toolchain_is_held_against_the_toolbox(calls, expected):
    assert found(replace(GOOD, reference_toolchain=calls)) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (ToolPlan((Target("Saw", 1),), ("saw ",)), [("distractors[0]", "error")]),
        (ToolPlan((Target("saw", 1), Target("Saw", 2)), ()), [("targets[1]", "error")]),
        (ToolPlan((Target("saw", 2),), ()), [("targets", "error")]),
        (ToolPlan((Target("saw", 1), Target("nail", 3)), ()), [("targets", "warning")]),
        (ToolPlan((Target(" ", 1),), ("",)), [("targets[0]", "error"), ("distractors[0]", "error")]),
        (ToolPlan((), ("saw",)), [("targets", "error")]),
    ],
)
def test_a_tool_plan_is_held_against_itself(plan, expected):
    assert found(replace(PLAN, plan=plan)) == expected


def test_open_answers_that_say_the_same_are_told():
    assert found(replace(OPEN, answers=("Quay", "quay "))) == [("answer", "warning")]
    assert found(replace(OPEN, answers=("", " "))) == [("answer", "error")]


@pytest.mark.parametrize(
    ("answer", "doubted"), [("red; *green; blue", True), ("*red; green", True), ("a * b; c", False), ("5*", False)]
)
def test_options_typed_as_an_open_answer_are_doubted(answer, doubted):
    assert found(replace(OPEN, answers=(answer,))) == [("answer", "warning")] * doubted


def test_only_errors_stand_in_the_way():
    levels = [Check("a", level, "b") for level in Level]
    assert [one.level for one in blocking(levels)] == [Level.ERROR]


@pytest.mark.parametrize(
    ("schema", "changes", "expected"),
    [
        ({"question": {"most_words": 5}}, {}, []),
        ({"question": {"most_words": 4}}, {}, ["question"]),
        ({"answer": {"types": ["open"]}}, {}, ["answer_type"]),
        ({"answer": {"types": ["mc"], "options": [3, 4]}}, {}, ["options"]),
        ({"answer": {"types": ["mc"], "options": [2, 2]}}, {"options": {"A": "a", "B": "b", "C": "c"}}, ["options"]),
        ({"answer": {"types": ["none"]}, "plan": {"use": "required"}}, {"answers": ()}, ["targets"]),
        ({"evidence": {"count": [2, 3]}}, {}, ["gold_boxes"]),
        ({"evidence": {"count": [0, 0]}}, {}, ["gold_boxes"]),
        ({"evidence": {"count": [0, 1]}}, {"gold_boxes": ()}, []),
        ({"evidence": {"smallest_side": 16}}, {}, ["gold_boxes[0]"]),
        ({"evidence": {"warn_share": 0, "refuse_share": 0.00002}}, {}, ["gold_boxes"]),
        ({"toolchain": {"use": "required"}}, {}, ["reference_toolchain"]),
        ({"toolchain": {"use": "optional", "steps": [2, 3]}}, {}, []),
        ({"plan": {"use": "required"}}, {}, ["targets"]),
    ],
)
def test_the_task_of_a_benchmark_sets_the_limits(schema, changes, expected):
    checks = check(replace(GOOD, **changes), 4000, 3000, task=TaskSchema.parse(schema))
    assert [one.field for one in blocking(checks)] == expected


def test_a_tool_plan_has_as_many_tools_as_the_task_says():
    limits = {"use": "optional", "targets": [3, 3], "distractors": [2, 9]}
    fields = [one.field for one in blocking(check(PLAN, 4000, 3000, task=TaskSchema.parse({"plan": limits})))]
    assert fields == ["targets", "distractors"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Hang it with the Claw  Hammer.", ["claw hammer"]),
        ("Use the c-clamp!", ["C-clamp"]),
        ("Hammering is loud.", []),
        ("Turn it with a spanner, then level it.", ["spanner", "level"]),
    ],
)
def test_a_question_must_not_name_tools_where_the_task_forbids_it(question, named):
    bank = Bank(
        (KnownTool("claw hammer"), KnownTool("C-clamp"), KnownTool("wrench", aliases=("spanner",)), KnownTool("level"))
    )
    task = TaskSchema.parse({"question": {"forbid": "bank_names"}})
    assert bank.named_in(question) == named
    checks = blocking(check(replace(GOOD, question=question), 4000, 3000, task=task, bank=bank))
    assert [one.field for one in checks] == ["question"] * len(named)
