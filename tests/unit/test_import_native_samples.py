"""Native samples: what is kept, repaired and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import PROGRESS_EVERY, ImportProblem, Position, Progress, ReadOptions, Settings
from annotation.importers.native import read
from annotation.importers.samples import sample_from
from annotation.schema import SAMPLE_KEYS, AnswerType, Box, Issue, SampleRecord, Severity, Target, ToolCall


def sample(**values: Any) -> tuple[SampleRecord, list[str]]:
    """The record of a row and the rules of its issues."""
    report = Report("samples.jsonl", 1)
    record = sample_from({"id": "a", **values}, report)
    return record, [issue.rule for issue in report.issues]


def refused(**values: Any) -> str:
    with pytest.raises(RowRefused) as caught:
        sample(**values)
    assert caught.value.issue.severity is Severity.REFUSED
    return caught.value.issue.rule


def test_a_whole_sample_is_read() -> None:
    record, rules = sample(
        image="pictures/a.jpg",
        width=100,
        height=80,
        question="Which?",
        answer_type="mc",
        options={"A": "one", "B": "two"},
        answer="B",
        gold_boxes=[[1, 2, 3, 4.5]],
        category="door",
        tier=2,
        dimension="perception",
        segments=["x", "y"],
        facets={"night": True, "split": ["a"]},
        reference_toolchain=["Crop", {"tool": "Flip", "arguments": {"d": 1}, "image_in": "original", "image_out": "b"}],
        targets=[{"tool": "Hammer", "step": 1}, {"tool": "nail", "step": 1}],
        distractors=["saw"],
        ordered=False,
        source={"from": 1},
    )
    assert rules == []
    assert record.content.answers == ("B",)
    assert record.content.gold_boxes == (Box(1, 2, 3, 4.5),)
    assert record.content.reference_toolchain == (ToolCall("Crop"), ToolCall("Flip", {"d": 1}, "original", "b"))
    assert record.content.plan.targets == (Target("Hammer", 1), Target("nail", 1))
    assert record.content.plan.ordered is False
    assert record.extra == {"source": {"from": 1}}
    assert record.facets == {
        "category": ("door",),
        "tier": (2,),
        "dimension": ("perception",),
        "segment": ("x", "y"),
        "night": (True,),
        "split": ("a",),
    }


BOXES = [
    ([["1", 2, 3, 4]], [], ["box-not-numbers"]),
    ([[1, 2, 3]], [], ["box-not-numbers"]),
    ([["NaN", 2, 3, 4]], [], ["box-not-numbers"]),
    ([[10**400, 2, 3, 4]], [], ["box-not-numbers"]),
    ([[True, 0, 3, 4]], [], ["box-not-numbers"]),
    ([[3, 4, 1, 2]], [], ["box-empty"]),
    ([[1, 1, 1, 5]], [], ["box-empty"]),
    ([[0, 0, 1e308, 5]], [Box(0, 0, 100, 5)], ["box-over-edge"]),
    ([[-5, 0, 50, 100]], [Box(0, 0, 50, 80)], ["box-over-edge"]),
    ([[200, 0, 300, 50]], [], ["box-outside"]),
    ([1, 2, 3, 4], [Box(1, 2, 3, 4)], ["box-not-in-a-list"]),
    ([[0, 0, 100, 80]], [Box(0, 0, 100, 80)], []),
    (None, [], []),
]


@pytest.mark.parametrize(("given", "kept", "rules"), BOXES)
def test_an_invalid_gold_box_is_ignored_and_reported(given: Any, kept: list[Box], rules: list[str]) -> None:
    record, found = sample(gold_boxes=given, width=100, height=80)
    assert list(record.content.gold_boxes) == kept
    assert found == rules


def test_a_box_is_not_clipped_to_a_size_that_is_unknown() -> None:
    record, rules = sample(gold_boxes=[[-1, 0, 5000, 10]], width=100)
    assert record.content.gold_boxes == (Box(-1, 0, 5000, 10),)
    assert rules == []


@pytest.mark.parametrize("side", [0, -3, 1.5, "100", True, "NaN", 10**400])
def test_a_size_that_is_no_size_is_unknown(side: Any) -> None:
    record, rules = sample(width=side, height=80)
    assert (record.width, record.height) == (None, 80)
    assert rules == ["size-not-positive"]


ANSWERS = [
    ("B", ("B",), []),
    (["B"], ("B",), []),
    ("b", ("B",), ["answer-not-a-letter"]),
    ("(B).", ("B",), ["answer-not-a-letter"]),
    ("two", ("B",), ["answer-not-a-letter"]),
    ("D", ("D",), ["answer-not-an-option"]),
    (None, (), []),
]


@pytest.mark.parametrize(("answer", "kept", "rules"), ANSWERS)
def test_the_gold_answer_is_the_letter_of_an_option(answer: Any, kept: tuple[str, ...], rules: list[str]) -> None:
    record, found = sample(options={"A": "one", "B": "two"}, answer=answer)
    assert record.content.answer_type is AnswerType.MULTIPLE_CHOICE
    assert (record.content.answers, found) == (kept, rules)


@pytest.mark.parametrize(("answer", "kept"), [("14", ("14",)), (14, ("14",)), (["a", "b"], ("a", "b")), ("", ())])
def test_an_open_answer_is_one_text_or_several(answer: Any, kept: tuple[str, ...]) -> None:
    record, rules = sample(answer=answer)
    assert record.content.answer_type is AnswerType.OPEN
    assert (record.content.answers, rules) == (kept, [])


REFUSED = [
    ({"id": None}, "missing-field"),
    ({"id": "  "}, "missing-field"),
    ({"id": ["a"]}, "not-a-name"),
    ({"id": "x" * 300}, "too-long"),
    ({"targets": [{"tool": "Saw", "step": 1}, {"tool": " saw", "step": 2}]}, "duplicate-target"),
    ({"targets": [{"tool": "saw", "step": 0}]}, "step-below-one"),
    ({"targets": [{"tool": "saw"}]}, "step-below-one"),
    ({"targets": [{"tool": "saw", "step": True}]}, "step-below-one"),
    ({"targets": "saw"}, "not-a-list"),
    ({"reference_toolchain": [{"tool": "Crop", "image_out": "original"}]}, "image-out-original"),
    ({"reference_toolchain": [{"arguments": {}}]}, "missing-field"),
    ({"reference_toolchain": [{"tool": "Crop", "image_in": {"a": 1}}]}, "not-a-picture-id"),
    ({"gold_boxes": "1,2,3,4"}, "not-a-list"),
]


@pytest.mark.parametrize(("values", "rule"), REFUSED)
def test_a_row_that_cannot_be_trusted_is_refused(values: dict[str, Any], rule: str) -> None:
    assert refused(**values) == rule


def test_text_from_a_file_stays_text() -> None:
    record, _ = sample(question="<script>alert(1)</script> {{ x }} __import__('os')")
    assert record.content.question == "<script>alert(1)</script> {{ x }} __import__('os')"


def test_options_without_letters_get_some() -> None:
    record, rules = sample(options=["one", 2], answer="A")
    assert record.content.options == {"A": "one", "B": "2"}
    assert rules == ["options-without-letters"]


def test_distractors_in_one_text_are_cut_at_commas() -> None:
    assert sample(distractors=" saw, hand drill ,, saw. ")[0].content.plan.distractors == ("saw", "hand drill", "saw")


def test_every_known_key_is_used_and_none_lands_in_extra() -> None:
    record, _ = sample(**dict.fromkeys(SAMPLE_KEYS - {"id"}))
    assert record.extra == {}


def test_samples_settings_and_progress_come_in_order(tmp_path: Path) -> None:
    path = tmp_path / "native.json"
    rows = [{"id": str(number)} for number in range(2 * PROGRESS_EVERY)]
    path.write_text(json.dumps({"samples": rows, "settings": {"alpha": 0.2}, "trajectories": [{"model": "m"}]}))
    items = list(read(path, ReadOptions()))
    assert [item.id for item in items if isinstance(item, SampleRecord)] == [row["id"] for row in rows]
    assert [item.values for item in items if isinstance(item, Settings)] == [{"alpha": 0.2}]
    progress = [item for item in items if isinstance(item, Progress)]
    assert len(progress) == 3
    assert progress[-1].bytes_read == progress[-1].bytes_total == path.stat().st_size
    rest = [item for item in read(path, ReadOptions(start=progress[0].position)) if isinstance(item, SampleRecord)]
    assert [item.id for item in rest] == [row["id"] for row in rows[PROGRESS_EVERY:]]


def test_a_refused_row_says_where_it_is_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"id": "a"}\n{"question": "no id"}\n{"id": "a", "question": "again"}\n')
    items = list(read(path, ReadOptions()))
    assert [item.content.question for item in items if isinstance(item, SampleRecord)] == ["", "again"]
    [issue] = [item for item in items if isinstance(item, Issue)]
    assert (issue.severity, issue.rule, issue.file, issue.line) == (
        Severity.REFUSED,
        "missing-field",
        "samples.jsonl",
        2,
    )


def test_a_file_without_samples_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"trajectories": []}')
    with pytest.raises(ImportProblem, match="contains no samples"):
        list(read(path, ReadOptions()))


def test_going_on_at_the_end_of_a_file_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"id": "a"}\n')
    assert [type(item) for item in read(path, ReadOptions(start=Position("samples.jsonl", 12, 1)))] == [Progress]
