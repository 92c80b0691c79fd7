"""Labeling configurations, and the regions of an ML backend of Label Studio as boxes and answers."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from annotation.drafting import Field, drafted_shape
from annotation.imaging.brush import MaskError, read_brush
from annotation.schema import Outline, OutlineKind
from annotation.task_schema import Shape
from evaluation.runner.label_config import ConfigRejected, data_key, label_config
from evaluation.runner.ml_backend import read_regions

SIZE = 40, 20


def packed(mask: np.ndarray[Any, Any], runs: int = 7) -> list[int]:
    """The run-length code of a mask: runs of equal values where there are some, literal values where not."""
    values = np.repeat(mask.astype(np.uint8).ravel(), 4).tolist()
    bits = f"{len(values):032b}" + f"{7:05b}" + "".join(f"{size - 1:04b}" for size in (3, runs, 10, 16))
    at = 0
    while at < len(values):
        equal = 1
        while at + equal < len(values) and values[at + equal] == values[at] and equal < 2**runs:
            equal += 1
        if equal > 2:
            bits += f"101{equal - 1:0{runs}b}{values[at]:08b}"
            at += equal
        else:
            bits += f"000{equal - 1:03b}" + "".join(f"{one:08b}" for one in values[at : at + equal])
            at += equal
    bits += "0" * (-len(bits) % 8)
    return [int(bits[place : place + 8], 2) for place in range(0, len(bits), 8)]


def mask_of(*painted: tuple[slice, slice]) -> np.ndarray[Any, Any]:
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    for rows, columns in painted:
        mask[rows, columns] = 255
    return mask


def read(*regions: Any, threshold: float = 0.0, **options: Any) -> Any:
    given = {"results": [{"result": list(regions)}], "model_version": "v1"}
    return read_regions(given, (400, 200), threshold, **options)


def brush_box(code: object, width: int, height: int) -> tuple[int, ...]:
    rows, columns = np.nonzero(read_brush(code, width, height))
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def brushed(*painted: tuple[slice, slice], **more: Any) -> dict[str, Any]:
    value = {"format": "rle", "rle": packed(mask_of(*painted)), "brushlabels": ["mug"], **more}
    return {"type": "brushlabels", "original_width": 40, "original_height": 20, "score": 0.5, "value": value}


@pytest.mark.parametrize(
    ("painted", "expected"),
    [
        ([(slice(3, 9), slice(5, 12))], (5, 3, 12, 9)),
        ([(slice(0, 1), slice(0, 1))], (0, 0, 1, 1)),
        ([(slice(19, 20), slice(39, 40)), (slice(2, 3), slice(7, 8))], (7, 2, 40, 20)),
        ([(slice(0, 20), slice(0, 40))], (0, 0, 40, 20)),
    ],
)
def test_the_box_of_a_brush_mask_has_all_its_paint(painted: Any, expected: tuple[int, ...]) -> None:
    assert brush_box(packed(mask_of(*painted)), *SIZE) == expected


def test_random_masks_have_the_box_of_their_pixels() -> None:
    rng = np.random.default_rng(7)
    for _ in range(30):
        mask = (rng.random((SIZE[1], SIZE[0])) < 0.03) * 255
        rows, columns = np.nonzero(mask)
        expected = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        assert brush_box(packed(mask, int(rng.integers(3, 12))), *SIZE) == expected


@pytest.mark.parametrize("cut", [0, 3, 10, -1])
def test_an_incomplete_or_foreign_code_is_refused(cut: int) -> None:
    code = packed(mask_of((slice(3, 9), slice(5, 12))))
    with pytest.raises(MaskError):
        brush_box(code[:cut], *SIZE)
    for other in (None, "AA==", [300], [-1], ["1"]):
        with pytest.raises(MaskError):
            brush_box(other, *SIZE)
    with pytest.raises(MaskError, match="another size"):
        brush_box(code, 41, 20)
    with pytest.raises(MaskError, match="no paint"):
        brush_box(packed(mask_of()), *SIZE)
    with pytest.raises(MaskError, match="pixels"):
        brush_box(code, 100_000, 100_000)


def test_a_brush_on_a_smaller_image_is_a_box_on_the_original() -> None:
    found = read(brushed((slice(2, 6), slice(10, 20))))
    assert found.boxes == [{"box": [100, 20, 200, 60], "label": "mug", "score": 0.5}]
    assert found.notes == ["A brush mask became its bounding box."]


def test_a_brush_is_polygons_where_the_task_allows_them() -> None:
    two = brushed((slice(2, 6), slice(10, 20)), (slice(12, 14), slice(30, 33)))
    found = read(two, shapes=tuple(Shape))
    assert [one["box"] for one in found.boxes] == [[100, 20, 200, 60], [300, 120, 330, 140]], "the largest first"
    assert all(sorted(one["points"]) == sorted(corners(*one["box"])) for one in found.boxes)
    assert {(one["label"], one["score"]) for one in found.boxes} == {("mug", 0.5)}
    assert found.notes == ["A brush mask became 2 polygons around its areas."]
    assert len(read(two, shapes=tuple(Shape), most=1).boxes) == 1
    row = read(two, brushed((slice(0, 4), slice(0, 5))), shapes=tuple(Shape), most=2).row([Field.BOXES], "m")
    assert len(row["drafts"]["boxes"]) == 2
    assert "1 shapes behind the first 2" in row["unread"]["boxes"]


def corners(x1: float, y1: float, x2: float, y2: float) -> list[list[float]]:
    return [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]


@pytest.mark.parametrize(
    ("region", "reason"),
    [
        (brushed((slice(2, 6), slice(10, 20))) | {"original_width": 4000, "original_height": 2000}, "another size"),
        (brushed((slice(2, 6), slice(10, 20)), rle=[0, 0, 12, 128, 57]), "incomplete"),
        (brushed((slice(2, 6), slice(10, 20)), rle=[7] * 8_000_001), "at most 8,000,000 bytes"),
        (brushed((slice(2, 6), slice(10, 20))) | {"original_width": 10**6, "original_height": 5 * 10**5}, "pixels"),
        (brushed((slice(2, 6), slice(10, 20))) | {"original_width": -40, "original_height": -20}, "pixels"),
        (brushed(), "no paint"),
    ],
)
def test_a_hostile_brush_is_left_out_with_its_reason(region: dict[str, Any], reason: str) -> None:
    for shapes in ((Shape.BOX,), tuple(Shape)):
        found = read(region, shapes=shapes)
        assert found.boxes == []
        assert reason in found.notes[-1]


@pytest.mark.parametrize(("turn", "box"), [(0, [40, 20, 120, 60]), (90, [0, 20, 40, 100]), (180, None), (45, None)])
def test_a_rotated_rectangle_is_enclosed(turn: float, box: list[float] | None) -> None:
    value = {"x": 10, "y": 10, "width": 20, "height": 20, "rotation": turn, "rectanglelabels": ["mug"]}
    found = read({"type": "rectanglelabels", "value": value})
    [one] = found.boxes
    if box is not None:
        assert one["box"] == pytest.approx(box, abs=1e-6)
    x1, y1, x2, y2 = one["box"]
    assert (0 <= x1 < x2 <= 400, 0 <= y1 < y2 <= 200) == (True, True)
    assert bool(found.notes) == bool(turn)


def test_several_predictions_of_a_task_count_and_the_best_answer_is_kept() -> None:
    texts = [
        {"type": "textarea", "score": score, "value": {"text": [text]}} for text, score in (("a", 0.2), ("b", 0.9))
    ]
    given = {"results": [[{"result": texts[:1], "model_version": "v2"}, {"result": texts[1:], "model_version": 3}]]}
    row = read_regions(given, (400, 200), 0.0).row((Field.ANSWER,), "toy")
    assert row["drafts"] == {"answer": "b"}
    assert row["sources"] == {"answer": "toy v2, score 0.90"}


def regions_of(*shapes: Shape) -> list[tuple[str, list[str]]]:
    """The controls of a labeling configuration for these shapes, each with its labels."""
    view = ElementTree.fromstring(label_config(["mug", "cup"], shapes))
    return [(one.tag, [label.get("value") or "" for label in one]) for one in view if one.tag != "Image"]


def test_a_labeling_configuration_asks_for_the_shapes_of_the_task() -> None:
    labels = ["mug", "cup"]
    assert regions_of(Shape.BOX) == [("RectangleLabels", labels)]
    assert regions_of(Shape.POLYGON) == [("PolygonLabels", labels), ("BrushLabels", labels)]
    assert regions_of(Shape.POINT) == [("KeyPointLabels", labels)]
    assert [tag for tag, _ in regions_of(*Shape)] == [
        "RectangleLabels", "PolygonLabels", "BrushLabels", "KeyPointLabels",
    ]  # fmt: skip


KEY_POINT = {"type": "keypointlabels", "value": {"x": 25, "y": 50, "width": 1, "keypointlabels": ["mug"]}}


def test_a_key_point_is_a_point_where_the_task_allows_points() -> None:
    found = read(KEY_POINT, shapes=(Shape.POINT,))
    assert found.boxes == [{"box": [99, 99, 100, 100], "points": [[100, 100]], "label": "mug", "score": None}]
    assert drafted_shape(found.boxes[0]) == Outline.of(OutlineKind.POINT, [(100, 100)])
    assert read(KEY_POINT).notes == ["A point was left out, because the task does not allow points."]


@pytest.mark.parametrize("value", [{"x": "left", "y": 1}, {"x": 101, "y": 5}, {"x": -1, "y": 5}, {"y": 5}])
def test_a_key_point_without_a_place_in_the_image_is_left_out(value: dict[str, Any]) -> None:
    found = read({"type": "keypoint", "value": value}, shapes=tuple(Shape))
    assert (found.boxes, len(found.notes)) == ([], 1)


def test_a_rectangle_is_left_out_where_the_task_allows_no_boxes() -> None:
    value = {"x": 10, "y": 10, "width": 20, "height": 20, "rectanglelabels": ["mug"]}
    found = read({"type": "rectanglelabels", "value": value}, shapes=(Shape.POLYGON, Shape.POINT))
    assert found.boxes == []
    assert found.notes == ["A region of type 'rectanglelabels' was left out, because the task does not allow boxes."]


def test_a_labeling_configuration_escapes_its_labels_and_names_its_image() -> None:
    config = label_config(('a "b" <c> & d',), answer=True)
    assert data_key(config) == "image"
    assert data_key('<View><Image name="i" value="$photo_1"/></View>') == "photo_1"
    for wrong in (
        "", "<View>", "<View/>", '<View><Image name="i" value="image"/></View>', '<View><Image name="i"/></View>',
        '<View><Image value="$a"/><Image value="$b"/></View>', '<!DOCTYPE a><View><Image value="$a"/></View>',
        '<!ENTITY a "b"><View/>', "x" * 20_001,
    ):  # fmt: skip
        with pytest.raises(ConfigRejected):
            data_key(wrong)
