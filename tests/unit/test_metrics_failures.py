"""What went wrong, by rule: one trajectory for each rule, and for what no rule is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from evaluation.metrics.copied_results import copied_results
from evaluation.metrics.failures import FAILURES, LABELS, NO_FAILURE, ORDER, RULES, failures_of
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Step, Trajectory

GOLD, AWAY = (400.0, 300.0, 500.0, 400.0), (0.0, 0.0, 90.0, 90.0)
EVIDENCE = SampleContent("Which?", AnswerType.MULTIPLE_CHOICE, {"A": "x", "B": "y"}, ("A",), (Box(*GOLD),))
PLAN = SampleContent("Hang it.", plan=ToolPlan((Target("hammer", 1), Target("nail", 2)), ("saw",), None))
CHAIN = replace(
    EVIDENCE, gold_boxes=(), reference_toolchain=(ToolCall("crop", {}, "original", "a"), ToolCall("blur", {}, "a", "b"))
)


def zoom(box, tool="crop"):
    return Step(tool, {}, box, image_in="original", image_out="a")


@pytest.mark.parametrize(
    ("failure", "content", "steps", "answer", "more"),
    [
        ("truncated", EVIDENCE, (zoom(GOLD),), None, {}),
        ("truncated", EVIDENCE, (), None, {"error": "timeout"}),
        ("parse_failure", EVIDENCE, (zoom(GOLD),), "neither", {}),
        ("wrong_order", PLAN, (), None, {"plan": ("nail", "hammer")}),
        ("wrong_tool", PLAN, (), None, {"plan": ("hammer",)}),
        ("wrong_tool", PLAN, (), None, {"plan": ("hammer", "saw", "nail")}),
        ("wrong_tool", CHAIN, (zoom(None, "edges"),), "B", {}),
        ("wrong_order", CHAIN, (zoom(None, "blur"), zoom(None, "crop")), "B", {}),
        ("before_looking", EVIDENCE, (), "B", {}),
        ("found_misread", EVIDENCE, (zoom(GOLD),), "B", {}),
        ("missed_evidence", EVIDENCE, (zoom(AWAY),), "B", {}),
        ("lucky_answer", EVIDENCE, (zoom(AWAY),), "A", {}),
        (None, EVIDENCE, (zoom(GOLD),), "A", {}),
        (None, EVIDENCE, (), "A", {}),
        (None, PLAN, (), None, {"plan": ("hammer", "nail")}),
        (None, CHAIN, (zoom(None, "edges"),), "A", {}),
    ],
)
def test_a_rule_names_its_failure(failure, content, steps, answer, more):
    assert failed(content, steps, answer, more) == failure


def test_a_crop_that_held_the_evidence_and_does_not_count_was_ignored():
    last = MetricSettings.from_mapping({"multi_crop": "last"})
    assert failed(EVIDENCE, (zoom(GOLD), zoom(AWAY)), "B", {}, last) == "crop_ignored"


def test_a_right_answer_after_crops_that_together_show_the_evidence_is_no_failure():
    """D1.3: two of three boxes are visited in turn; each crop alone covers a third of the evidence."""
    boxes = tuple(Box(left, 300.0, left + 100, 400.0) for left in (0.0, 300.0, 600.0))
    content = replace(EVIDENCE, gold_boxes=boxes)
    looks = [zoom((left, 250.0, left + 280.0, 550.0)) for left in (0.0, 290.0)]
    assert failed(content, looks, "A", {}) is None
    assert failed(content, looks[:1], "A", {}) == "lucky_answer"


COUNTED = SampleContent("How many?", AnswerType.OPEN, {}, ("5",), reference_toolchain=CHAIN.reference_toolchain)
NAMED = replace(EVIDENCE, options={"A": "5 screws", "B": "7 screws"})


@pytest.mark.parametrize(
    ("content", "printed", "answer", "failure"),
    [
        (COUNTED, "Contours: 7", "7", "tool_result_copied"),
        (COUNTED, "Contours: 7", "8", "wrong_tool"),
        (COUNTED, "saved as /out/7.png", "7", "wrong_tool"),
        (COUNTED, "Contours: 5", "5", None),
        (NAMED, "{'count': '7 screws'}", "B", "tool_result_copied"),
        (NAMED, "B", "B", "found_misread"),
    ],
)
def test_a_wrong_answer_that_repeats_what_a_tool_printed_was_copied(content, printed, answer, failure):
    steps = (replace(zoom(GOLD), observation=printed),)
    assert failed(content, steps, answer, {}) == failure
    assert failed(content, (replace(steps[0], ok=False),), answer, {}) != "tool_result_copied", "errors are no results"


def test_codes_of_stored_labels_never_move():
    assert FAILURES[:9] == (
        "truncated", "parse_failure", "wrong_order", "wrong_tool", "before_looking", "found_misread", "crop_ignored",
        "missed_evidence", "lucky_answer",
    )  # fmt: skip


def test_every_failure_has_a_label_and_a_rule_in_words():
    assert list(RULES) == list(LABELS) == list(ORDER)
    assert sorted(ORDER) == sorted(FAILURES)


def failed(content, steps, answer, more, settings=None):
    samples = sample_columns([SampleRecord("a", content, "a.jpg", None, 1000, 800)])
    run = run_columns([Trajectory("M", "a", steps=steps, answer=answer, **more)], samples)
    scores = score_run(samples, run, settings or MetricSettings())
    printed = {0: [step.observation for step in steps if step.ok]}
    code = int(failures_of(scores, copied_results(samples, scores, printed))[0])
    return None if code == NO_FAILURE else FAILURES[code]
