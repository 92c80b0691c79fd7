"""Label Studio's JSON export, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.exporters.label_studio import task as label_studio_task
from annotation.importers import detect_format
from annotation.importers.interface import ImportProblem, Position, Progress, ReadOptions
from annotation.importers.label_studio import read
from annotation.schema import AnswerType, Box, Issue, Outline, SampleRecord, Severity
from tests.unit.test_ml_backend_read import packed


def rectangle(x: float, y: float, width: float, height: float, **more: Any) -> dict[str, Any]:
    size = {"original_width": more.pop("of_width", 7680), "original_height": more.pop("of_height", 4320)}
    value = {"x": x, "y": y, "width": width, "height": height, "rotation": 0, "rectanglelabels": ["evidence"], **more}
    control = {"from_name": "evidence", "to_name": "image", "type": "rectanglelabels", "image_rotation": 0}
    return {"id": f"r{x}", **control, **size, "value": value}


def text(name: str, *texts: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "image", "type": "textarea", "value": {"text": list(texts)}}


def choice(name: str, *values: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "image", "type": "choices", "value": {"choices": list(values)}}


def made(*results: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": 1, "created_at": "2026-01-01T10:00:00Z", "result": list(results), **fields}


def task(*annotations: dict[str, Any], data: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": 7, "data": data or {"image": "a.jpg"}, "annotations": list(annotations), **fields}


def read_back(folder: Path, *tasks: Any, **options: Any) -> tuple[list[SampleRecord], list[Issue]]:
    path = folder / "export.json"
    path.write_text(json.dumps(list(tasks)))
    items = list(read(path, ReadOptions(**options)))
    return [i for i in items if isinstance(i, SampleRecord)], [i for i in items if isinstance(i, Issue)]


def the_one(folder: Path, *tasks: Any) -> tuple[SampleRecord, list[str]]:
    [sample], issues = read_back(folder, *tasks)
    return sample, [issue.rule for issue in issues]


def test_an_export_is_recognised_before_the_native_format(tmp_path: Path) -> None:
    path = tmp_path / "project-3-at-2026.json"
    path.write_text(json.dumps([task(made(rectangle(1, 1, 2, 2)), data={"image": "a", "gold_boxes": []})]))
    found = detect_format(path)
    assert (found[0].importer, found[0].confidence) == ("label-studio", 1.0)
    assert len(found[0].reasons) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"images": [], "annotations": [{"bbox": [1, 2, 3, 4]}], "categories": []},
        [{"id": "a", "question": "?", "data": "text"}],
        {"data": {"a": 1}},
    ],
)
def test_other_json_is_not_taken_for_one(tmp_path: Path, other: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other))
    assert "label-studio" not in [one.importer for one in detect_format(path)]


@pytest.mark.parametrize(
    ("percent", "pixels"),
    [
        ((30.009664948453608, 50.0, 0.6510416666666666, 0.5555555555555556), Box(2305, 2160, 2355, 2184)),
        ((0, 0, 100, 100), Box(0, 0, 7680, 4320)),
        ((0.0001, 0.0001, 0.0001, 0.0001), Box(0, 0, 1, 1)),
        ((99.9999, 99.9999, 0.0001, 0.0001), Box(7679, 4319, 7680, 4320)),
    ],
)
def test_percent_become_whole_pixels_of_the_original(tmp_path: Path, percent: tuple[float, ...], pixels: Box) -> None:
    sample, _ = the_one(tmp_path, task(made(rectangle(*percent))))
    assert (sample.width, sample.height) == (7680, 4320)
    assert sample.content.gold_boxes == ((pixels,))


def test_texts_and_choices_become_the_content(tmp_path: Path) -> None:
    results = [
        text("question", "Which colour?"),
        text("options", "A. red", "b) green: light", "C: "),
        text("answer", "b"),
        choice("answer_type", "mc"),
        choice("facet-category", "direct"),
        choice("facet-segment", "x", "y"),
        choice("facet-light", "7"),
    ]
    data = {"image": "a.jpg", "sample_id": "s1", "facets": {"light": 7, "kept": True}}
    sample, rules = the_one(tmp_path, task(made(*results), data=data))
    assert not rules
    assert (sample.id, sample.image) == ("s1", "a.jpg")
    assert sample.content.answer_type is AnswerType.MULTIPLE_CHOICE
    assert sample.content.options == {"A": "red", "b": "green: light", "C": ""}
    assert sample.content.answers == ("b",)
    assert sample.facets == {"category": ("direct",), "segment": ("x", "y"), "light": (7,), "kept": (True,)}


def test_options_without_letters_are_lettered_and_said(tmp_path: Path) -> None:
    sample, rules = the_one(tmp_path, task(made(text("options", "red", "B. green"), text("answer", "red"))))
    assert sample.content.options == {"A": "red", "B": "B. green"}
    assert sample.content.answers == ("A",)
    assert rules == ["options-without-letters", "answer-not-a-letter"]


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        (rectangle(1, 1, 5, 5, rotation=30), "box-rotated"),
        ({**rectangle(1, 1, 5, 5), "image_rotation": 90}, "box-rotated"),
        ({**rectangle(1, 1, 5, 5), "type": "ellipselabels"}, "region-not-a-rectangle"),
        (rectangle(1, 1, 5, 5, of_width=None), "size-unknown"),
        (rectangle("a", 1, 5, 5), "box-not-numbers"),  # type: ignore[arg-type]
        (rectangle(120, 120, 5, 5), "box-outside"),
        (rectangle(1, 1, 1e308, 5), "box-not-numbers"),
        (rectangle(1, 1, 5, 5, of_width=1e300), "size-unknown"),
        (choice("mood", "good"), "unknown-control"),
        (choice("facet-", "good"), "unknown-control"),
        ({"type": "textarea"}, "result-unreadable"),
    ],
)
def test_what_cannot_be_evidence_is_left_out_and_reported(tmp_path: Path, result: dict[str, Any], rule: str) -> None:
    sample, rules = the_one(tmp_path, task(made(result, rectangle(10, 10, 5, 5))))
    assert rules == [rule]
    assert sample.content.gold_boxes == (Box(768, 432, 1152, 648),)


def test_a_label_of_a_box_is_kept_beside_the_boxes(tmp_path: Path) -> None:
    named = rectangle(10, 10, 5, 5, rectanglelabels=["sign"])
    apart = {**rectangle(20, 20, 5, 5), "type": "rectangle"}
    del apart["value"]["rectanglelabels"]
    label = {"id": apart["id"], "type": "labels", "from_name": "l", "to_name": "image", "value": {"labels": ["lamp"]}}
    sample, rules = the_one(tmp_path, task(made(rectangle(1, 1, 5, 5), named, apart, label)))
    assert not rules
    assert sample.extra["box_labels"] == ["", "sign", "lamp"]


NEWER = {"updated_at": "2026-02-02T10:00:00Z"}
ACCEPTED = {"reviews": [{"accepted": False, "created_at": "1"}, {"accepted": True, "created_at": "2"}]}


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        ({}, NEWER, "second"),
        (NEWER, {}, "first"),
        ({"ground_truth": True}, NEWER, "first"),
        (ACCEPTED, NEWER, "first"),
        (ACCEPTED, {**ACCEPTED, **NEWER}, "second"),
        ({"ground_truth": True}, {**ACCEPTED, **NEWER}, "first"),
        ({}, {**NEWER, "was_cancelled": True}, "first"),
        ({}, {**NEWER, "reviews": [{"accepted": False}]}, "first"),
    ],
)
def test_one_annotation_counts_and_the_other_is_reported(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], taken: str
) -> None:
    both = [made(text("question", name), **fields) for name, fields in (("first", first), ("second", second))]
    sample, rules = the_one(tmp_path, task(*both))
    assert (sample.content.question, rules) == (taken, ["annotation-not-taken"])


def test_a_skipped_task_and_a_prediction_leave_what_the_data_say(tmp_path: Path) -> None:
    data = {"image": "a.jpg", "question": "Given", "width": 10, "height": 10, "gold_boxes": [[1, 1, 2, 2]]}
    skipped = made(text("question", "Skipped"), was_cancelled=True)
    prediction = {"model_version": "v1", "result": [text("question", "Predicted")]}
    sample, rules = the_one(tmp_path, task(skipped, data=data, predictions=[prediction]))
    assert (sample.content.question, sample.content.gold_boxes) == ("Given", (Box(1, 1, 2, 2),))
    assert rules == ["annotation-not-taken", "prediction-not-taken"]


def test_predicted_boxes_are_kept_beside_the_sample_and_are_no_gold(tmp_path: Path) -> None:
    sure = {"model_version": "v1", "score": 0.875, "result": [rectangle(10, 10, 5, 5, rectanglelabels=["plate"])]}
    turned = {"model_version": "v2", "result": [rectangle(1, 1, 2, 2, rotation=30), rectangle(50, 50, 25, 25)]}
    broken = {"model_version": 3, "score": "high", "result": "none"}
    sample, rules = the_one(tmp_path, task(made(rectangle(0, 0, 1, 1)), predictions=[sure, turned, broken]))
    assert sample.extra["predictions"] == [
        {"box": [768, 432, 1152, 648], "source": "v1", "label": "plate", "score": 0.875},
        {"box": [3840, 2160, 5760, 3240], "source": "v2"},
    ]
    assert sample.content.gold_boxes == (Box(0, 0, 77, 43),)
    assert rules == ["prediction-kept"]


def test_boxes_that_somebody_deleted_are_gone_and_said(tmp_path: Path) -> None:
    data = {"image": "a.jpg", "width": 10, "height": 10, "gold_boxes": [[1, 1, 2, 2]]}
    sample, rules = the_one(tmp_path, task(made(text("question", "?")), data=data))
    assert (sample.content.gold_boxes, rules) == ((), ["boxes-taken-away"])


def test_a_box_that_nobody_moved_keeps_its_exact_corners(tmp_path: Path) -> None:
    data = {"image": "a.jpg", "width": 1000, "height": 1000, "gold_boxes": [[10.5, 10.25, 20.5, 20]]}
    same = rectangle(1.05001, 1.025, 1, 0.975, of_width=1000, of_height=1000)
    moved = rectangle(1.16, 1.025, 1, 0.975, of_width=1000, of_height=1000)
    sample, _ = the_one(tmp_path, task(made(same, moved), data=data))
    assert sample.content.gold_boxes == (Box(10.5, 10.25, 20.5, 20), Box(12, 10, 22, 20))


def test_a_picture_shown_smaller_is_said_and_percent_count_of_the_original(tmp_path: Path) -> None:
    data = {"image": "a.jpg", "width": 1000, "height": 500}
    small = rectangle(10, 10, 10, 10, of_width=100, of_height=50)
    sample, rules = the_one(tmp_path, task(made(small), data=data))
    assert (sample.content.gold_boxes, rules) == ((Box(100, 50, 200, 100),), ["shown-in-another-size"])


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("photos/a.jpg", "photos/a.jpg"),
        ("/data/upload/3/1a2b-a.jpg", "1a2b-a.jpg"),
        ("/data/local-files/?d=photos/a.jpg", "photos/a.jpg"),
        ("https://pictures.example/x/a.jpg?signature=1", "a.jpg"),
        ("s3://bucket/x/a.jpg", "a.jpg"),
        ("", None),
    ],
)
def test_the_name_of_the_picture_is_taken_out_of_its_address(tmp_path: Path, address: str, name: str | None) -> None:
    sample, _ = the_one(tmp_path, task(data={"image": address, "sample_id": "s"}))
    assert sample.image == name


@pytest.mark.parametrize("broken", [{"id": 3}, {"id": 3, "data": [1]}, {"data": {"image": "a.jpg"}}])
def test_a_task_without_data_or_id_is_refused_and_the_next_one_read(tmp_path: Path, broken: dict[str, Any]) -> None:
    samples, issues = read_back(tmp_path, broken, task())
    assert [sample.id for sample in samples] == ["task-7"]
    assert [issue.severity for issue in issues] == [Severity.REFUSED]


def test_plan_and_toolchain_are_json_texts(tmp_path: Path) -> None:
    plan = json.dumps({"targets": [{"tool": "saw", "step": 1}], "distractors": ["glue"], "ordered": True})
    data = {"image": "a.jpg", "plan": plan, "reference_toolchain": '["Crop"]'}
    sample, rules = the_one(tmp_path, task(data=data))
    assert not rules
    assert (sample.content.plan.targets[0].tool, sample.content.plan.ordered) == ("saw", True)
    assert sample.content.reference_toolchain[0].tool == "Crop"
    sample, rules = the_one(tmp_path, task(data={**data, "plan": "{"}))
    assert (sample.content.plan.targets, rules) == ((), ["not-json"])


@pytest.mark.parametrize("text", ['[{"tool": "a", "arguments": {"x": NaN}}]', "[" * 5000 + "]" * 5000])
def test_a_json_text_that_cannot_be_stored_harms_nothing(tmp_path: Path, text: str) -> None:
    sample, _ = the_one(tmp_path, task(data={"image": "a.jpg", "reference_toolchain": text}))
    assert json.dumps([dict(call.arguments) for call in sample.content.reference_toolchain], allow_nan=False)


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**task(), "id": number} for number in range(1500)]))
    items = list(read(path, ReadOptions()))
    first = next(i for i, item in enumerate(items) if isinstance(item, Progress))
    position = items[first].position  # type: ignore[union-attr]
    rest = [item.id for item in read(path, ReadOptions(start=position)) if isinstance(item, SampleRecord)]
    assert isinstance(position, Position)
    assert rest == [item.id for item in items[first:] if isinstance(item, SampleRecord)]


def test_a_list_of_nothing_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text("[]")
    with pytest.raises(ImportProblem, match="no tasks"):
        list(read(path, ReadOptions()))


def brush(label: str, width: int, height: int, *painted: tuple[slice, slice]) -> dict[str, Any]:
    mask = np.zeros((height, width), np.uint8)
    for rows, columns in painted:
        mask[rows, columns] = 255
    return {
        "id": f"b{label}", "from_name": "evidence", "to_name": "image", "type": "brushlabels", "image_rotation": 0,
        "original_width": width, "original_height": height,
        "value": {"format": "rle", "rle": packed(mask), "brushlabels": [label]},
    }  # fmt: skip


def test_a_brush_mask_becomes_polygons_with_its_label(tmp_path: Path) -> None:
    two = (slice(2, 6), slice(10, 20)), (slice(12, 14), slice(30, 33))
    [sample], issues = read_back(
        tmp_path, task(made(brush("cup", 40, 20, *two), rectangle(0, 0, 50, 50, of_width=40, of_height=20)))
    )
    boxes = sample.content.gold_boxes
    assert [box.as_list() for box in boxes] == [[10, 2, 20, 6], [30, 12, 33, 14], [0, 0, 20, 10]]
    assert [isinstance(box, Outline) for box in boxes] == [True, True, False]
    assert sample.extra["box_labels"] == ["cup", "cup", ""]
    assert [(one.rule, one.severity) for one in issues] == [("mask-as-polygons", Severity.NOTED)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"original_width": 41}, "another size"),
        ({"image_rotation": 90}, "rotated"),
        ({"value": {"format": "rle", "rle": "AA=="}}, "a list of at most"),
        ({"value": {"format": "png", "rle": []}}, "the format rle"),
    ],
)
def test_a_mask_that_cannot_be_read_is_reported_and_the_rest_is_kept(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    bad = brush("cup", 40, 20, (slice(2, 6), slice(10, 20))) | change
    good = rectangle(0, 0, 50, 50, of_width=40, of_height=20)
    [sample], issues = read_back(tmp_path, task(made(bad, good), data={"image": "a.jpg", "width": 40, "height": 20}))
    assert [box.as_list() for box in sample.content.gold_boxes] == [[0, 0, 20, 10]]
    [one] = [issue for issue in issues if issue.rule == "mask-unreadable"]
    assert reason in one.done
    assert one.severity is Severity.REPAIRED


def test_a_brush_mask_becomes_its_box_where_the_task_allows_no_polygons(tmp_path: Path) -> None:
    two = brush("cup", 40, 20, (slice(2, 6), slice(10, 20)), (slice(12, 14), slice(30, 33)))
    [sample], issues = read_back(tmp_path, task(made(two)), polygons=False)
    assert sample.content.gold_boxes == (Box(10, 2, 33, 14),)
    assert sample.extra["box_labels"] == ["cup"]
    assert [one.rule for one in issues] == ["mask-as-box"]


def test_a_mask_with_a_hole_says_what_was_filled(tmp_path: Path) -> None:
    ring = brush("cup", 40, 20, (slice(2, 12), slice(10, 20)))
    mask = np.zeros((20, 40), np.uint8)
    mask[2:12, 10:20] = 255
    mask[5:7, 12:14] = 0
    ring["value"]["rle"] = packed(mask)
    _, [issue] = read_back(tmp_path, task(made(ring)))
    assert issue.done == "The mask became 1 polygon around its areas; pixels of holes filled: 4."


def test_predicted_masks_and_polygons_are_kept_as_polygons(tmp_path: Path) -> None:
    mask = brush("cup", 40, 20, (slice(2, 6), slice(10, 20)))
    triangle = {**rectangle(0, 0, 1, 1, of_width=40, of_height=20), "type": "polygonlabels"}
    triangle["value"] = {"points": [[0, 0], [50, 0], [0, 50]], "polygonlabels": ["plate"]}
    prediction = {"model_version": "v1", "score": 0.5, "result": [mask, triangle]}
    [sample], _ = read_back(tmp_path, task(predictions=[prediction]))
    first, second = sample.extra["predictions"]
    assert sorted(first.pop("points")) == [[10, 2], [10, 6], [20, 2], [20, 6]]
    assert first == {"box": [10, 2, 20, 6], "source": "v1", "label": "cup", "score": 0.5}
    assert second == {
        "box": [0, 0, 20, 10], "points": [[0, 0], [20, 0], [0, 10]], "source": "v1", "label": "plate", "score": 0.5,
    }  # fmt: skip
    assert sample.content.gold_boxes == ()


def test_polygons_of_an_export_come_back_as_they_went(tmp_path: Path) -> None:
    mask = brush("cup", 40, 20, (slice(2, 6), slice(10, 20)), (slice(12, 14), slice(30, 33)))
    [sample], _ = read_back(tmp_path, task(made(mask)))
    sent = label_studio_task(sample)
    regions = [one for one in sent["annotations"][0]["result"] if one["type"] == "polygonlabels"]
    assert [one["value"]["polygonlabels"] for one in regions] == [["cup"], ["cup"]]
    assert regions[0]["original_width"] == 40
    del sent["data"]["gold_boxes"]
    [again], issues = read_back(tmp_path, {**sent, "id": 1})
    assert [one for one in issues if one.severity is not Severity.NOTED] == []
    assert again.content.gold_boxes == sample.content.gold_boxes
    assert again.extra["box_labels"] == ["cup", "cup"]
