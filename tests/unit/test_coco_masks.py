"""Masks of COCO: their codes, and the shapes that an import makes of them."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.exporters import EXPORTERS
from annotation.imaging.brush import MOST_RUNS, MaskError
from annotation.imaging.coco_masks import read_coco_mask
from annotation.imaging.outlines import trace
from annotation.importers import coco, detect_format
from annotation.importers.coco_shapes import ShapeReader
from annotation.importers.fields import Report
from annotation.importers.interface import ReadOptions
from annotation.schema import AnswerType, Box, Issue, Outline, OutlineKind, SampleContent, SampleRecord, Severity

Pixels = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
KNOWN = [
    ([5, 2, 2, 2, 5], "52203", (4, 4)),
    ([6, 1, 40, 4, 5, 4, 5, 4, 21], "61X13mN000`0", (9, 10)),
    ([245, 5, 35, 5, 35, 5, 35, 5, 35, 5, 1190], "e75S10000000ST1", (40, 40)),
]
"""Lengths of runs, and the texts that pycocotools writes for them."""


def lengths_of(mask: Pixels) -> list[int]:
    """The runs down the columns, beginning without paint."""
    found, painted = [0], False
    for value in mask.T.ravel():
        if value != painted:
            found.append(0)
            painted = not painted
        found[-1] += 1
    return found


def text_of(lengths: list[int]) -> str:
    text = ""
    for at, length in enumerate(lengths):
        rest = length - lengths[at - 2] if at > 2 else length
        more = True
        while more:
            low, rest = rest & 31, rest >> 5
            more = rest != (-1 if low & 16 else 0)
            text += chr(48 + low + 32 * more)
    return text


def whole(code: object, height: int, width: int) -> Pixels:
    placed = read_coco_mask({"size": [height, width], "counts": code})
    assert (placed.width, placed.height) == (width, height)
    found = np.zeros((height, width), np.bool_)
    rows, columns = placed.mask.shape
    found[placed.top : placed.top + rows, placed.left : placed.left + columns] = placed.mask
    return found


@pytest.mark.parametrize(("lengths", "text", "size"), KNOWN)
def test_a_text_and_its_lengths_are_one_mask(lengths: list[int], text: str, size: tuple[int, int]) -> None:
    assert text_of(lengths) == text
    assert (whole(text, *size) == whole(lengths, *size)).all()
    assert lengths_of(whole(text, *size)) == lengths


def test_random_masks_come_back_and_have_the_outlines_of_the_whole_mask() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        mask = rng.random(rng.integers(1, 30, 2)) < rng.random()
        mask[0, 0] = True
        for code in (lengths_of(mask), text_of(lengths_of(mask))):
            assert (whole(code, *mask.shape) == mask).all()
        placed = read_coco_mask({"size": list(mask.shape), "counts": lengths_of(mask)})
        assert trace(placed.mask, at=(placed.left, placed.top)) == trace(mask)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (None, "needs its size"),
        ({"counts": [4]}, "needs its size"),
        ({"size": [2, 2.0], "counts": [0, 4]}, "needs its size"),
        ({"size": [2, True], "counts": [0, 4]}, "needs its size"),
        ({"size": [-2, -2], "counts": [0, 4]}, "needs its size"),
        ({"size": [10**6, 10**6], "counts": [0, 10**12]}, "at most 50,000,000 pixels"),
        ({"size": [2, 2]}, "a text, or a list"),
        ({"size": [2, 2], "counts": {}}, "a text, or a list"),
        ({"size": [2, 2], "counts": [0] * (MOST_RUNS + 1)}, "at most 1,000,000"),
        ({"size": [2, 2], "counts": [1, "3"]}, "whole numbers"),
        ({"size": [2, 2], "counts": [6, -2]}, "whole numbers"),
        ({"size": [2, 2], "counts": [1, 2]}, "do not fill"),
        ({"size": [2, 2], "counts": [1, 4]}, "do not fill"),
        ({"size": [2, 2], "counts": []}, "do not fill"),
        ({"size": [2, 2], "counts": [4]}, "no paint"),
        ({"size": [2, 2], "counts": ""}, "damaged"),
        ({"size": [2, 2], "counts": "52203P"}, "damaged"),
        ({"size": [2, 2], "counts": "é"}, "ASCII"),
        ({"size": [2, 2], "counts": " "}, "damaged"),
        ({"size": [2, 2], "counts": "o" * 20 + "0"}, "possible length"),
        ({"size": [2, 2], "counts": "0" * (MOST_RUNS + 1)}, "at most 1,000,000"),
        ({"size": [2, 2], "counts": "0" * 8_000_001}, "at most 8,000,000"),
        ({"size": [4, 4], "counts": "5M203"}, "do not fill"),
    ],
)
def test_a_hostile_code_is_refused(code: object, reason: str) -> None:
    with pytest.raises(MaskError, match=reason):
        read_coco_mask(code)


def test_a_code_takes_memory_for_its_painted_part_alone() -> None:
    tracemalloc.start()
    placed = read_coco_mask({"size": [10_000, 5_000], "counts": [25_000_000, 100, 24_999_900]})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert placed.mask.shape == (101, 3)
    assert peak < 1_000_000


def test_what_was_simplified_is_counted() -> None:
    mask = np.zeros((100, 100), np.bool_)
    mask[10:50, 10:50] = True
    mask[20:30, 20:25] = False
    mask[22:24, 22:24] = True
    mask[60:90, 60:90] = True
    mask[0, 0] = True
    traced = trace(mask)
    assert (len(traced.outlines), traced.left_out, traced.filled) == (2, 1, 46)
    assert str(traced) == "2 polygons around its areas; pixels of holes filled: 46; further areas left out: 1"


def painted(*parts: tuple[slice, slice]) -> Pixels:
    """A mask of 20 × 10 pixels."""
    mask = np.zeros((10, 20), np.bool_)
    for rows, columns in parts:
        mask[rows, columns] = True
    return mask


def masked(*parts: tuple[slice, slice], text: bool = False) -> dict[str, Any]:
    """The segmentation with these painted parts."""
    lengths = lengths_of(painted(*parts))
    return {"size": [10, 20], "counts": text_of(lengths) if text else lengths}


L_SHAPE = (slice(2, 8), slice(1, 4)), (slice(5, 8), slice(4, 9))


def read(folder: Path, *annotations: dict[str, Any], **options: Any) -> tuple[SampleRecord, list[Issue]]:
    path = folder / "a.json"
    images = [{"id": 1, "file_name": "a.png", "width": 20, "height": 10}]
    given = [{"id": 7, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6], **one} for one in annotations]
    path.write_text(json.dumps({"images": images, "annotations": given, "categories": [{"id": 1, "name": "cup"}]}))
    items = list(coco.read(path, ReadOptions(**options)))
    [found] = [item for item in items if isinstance(item, SampleRecord)]
    return found, [item for item in items if isinstance(item, Issue)]


@pytest.mark.parametrize("text", [False, True])
def test_a_mask_is_its_polygon(tmp_path: Path, text: bool) -> None:
    found, issues = read(tmp_path, {"segmentation": masked(*L_SHAPE, text=text)})
    [shape] = found.content.gold_boxes
    assert [shape] == trace(painted(*L_SHAPE)).outlines
    assert 33 <= shape.area <= 33.5
    assert found.extra["box_labels"] == ["cup"]
    assert [(one.rule, one.severity) for one in issues] == [("mask-as-polygons", Severity.NOTED)]
    assert issues[0].done == "The segmentation of annotation 7 is a mask (RLE). It became 1 polygon around its areas."


def test_each_area_of_a_mask_is_a_polygon_and_what_was_simplified_is_reported(tmp_path: Path) -> None:
    two = masked((slice(1, 9), slice(1, 9)), (slice(2, 5), slice(12, 15)))
    found, issues = read(tmp_path, {"segmentation": two, "iscrowd": 1})
    assert [one.as_list() for one in found.content.gold_boxes] == [[1, 1, 9, 9], [12, 2, 15, 5]]
    assert found.extra["box_labels"] == ["cup", "cup"]
    assert [one.rule for one in issues] == ["mask-as-polygons", "crowd"]
    holed = painted((slice(1, 9), slice(1, 9)))
    holed[4:6, 4:6] = False
    ring = {"size": [10, 20], "counts": lengths_of(holed)}
    _, [issue] = read(tmp_path, {"segmentation": ring})
    assert issue.done.endswith("It became 1 polygon around its areas; pixels of holes filled: 4.")


def test_a_mask_is_its_box_where_the_task_allows_no_polygons(tmp_path: Path) -> None:
    found, [issue] = read(tmp_path, {"segmentation": masked(*L_SHAPE)}, polygons=False)
    assert found.content.gold_boxes == (Box(1, 2, 9, 8),)
    assert (issue.rule, "Allow polygons before the import." in issue.done) == ("not-polygons", True)


def test_a_mask_that_fills_its_box_is_the_box(tmp_path: Path) -> None:
    found, issues = read(tmp_path, {"segmentation": masked((slice(2, 8), slice(1, 9)))})
    assert (found.content.gold_boxes, issues) == ((Box(1, 2, 9, 8),), [])


@pytest.mark.parametrize(
    ("segmentation", "rule"),
    [
        ({"size": [10, 20], "counts": "damaged"}, "mask-unreadable"),
        ({"size": [9, 10], "counts": "61X13mN000`0"}, "mask-of-another-size"),
        ({"size": [10, 20]}, "mask-unreadable"),
    ],
)
def test_a_mask_that_cannot_be_read_leaves_its_box_and_the_rest(tmp_path: Path, segmentation: Any, rule: str) -> None:
    found, issues = read(tmp_path, {"segmentation": segmentation}, {"id": 8, "bbox": [0, 0, 2, 2]})
    assert found.content.gold_boxes == (Box(1, 2, 9, 8), Box(0, 0, 2, 2))
    issue = issues[-1]
    assert (issue.rule, issue.severity) == (rule, Severity.REPAIRED)
    assert "annotation 7" in issue.done


def test_the_masks_of_a_file_are_bounded_together() -> None:
    reader, report = ShapeReader(polygons=True, pixels=10), Report("a.json", 1)
    one = {"id": 7, "bbox": [1, 2, 8, 6], "segmentation": masked(*L_SHAPE)}
    kinds = [isinstance(found.shapes[0], dict) for _ in range(2) if (found := reader.read(one, report))]
    assert kinds == [True, False]
    assert [issue.rule for issue in report.issues] == ["mask-as-polygons", "mask-unreadable"]
    assert "can have 20,000,000,000 pixels together" in report.issues[1].done


def test_a_mask_comes_back_from_an_export_as_the_same_polygons(tmp_path: Path) -> None:
    found, _ = read(tmp_path, {"segmentation": masked(*L_SHAPE)}, {"id": 8, "bbox": [0, 0, 2, 2]})
    shapes = found.content.gold_boxes
    assert isinstance(shapes[0], Outline)
    path = tmp_path / "again.json"
    path.write_bytes(b"".join(EXPORTERS["coco"].parts([found])))
    [polygon, box] = json.loads(path.read_text())["annotations"]
    assert polygon["segmentation"] == [[value for point in shapes[0].points for value in point]]
    assert polygon["area"] == shapes[0].area < 8 * 6, "of the polygon, not of its box"
    assert (polygon["bbox"], polygon["iscrowd"]) == ([1, 2, 8, 6], 0)
    assert ("segmentation" in box, box["area"]) == (False, 4)
    [again] = [one for one in coco.read(path, ReadOptions()) if isinstance(one, SampleRecord)]
    assert again.content.gold_boxes == shapes
    assert again.extra["box_labels"] == found.extra["box_labels"] == ["cup", "cup"]


def test_a_polygon_with_more_digits_comes_back_within_rounding(tmp_path: Path) -> None:
    triangle = Outline.of(OutlineKind.POLYGON, [(1 / 3, 1.25), (9.87654321, 2), (4, 8 / 3)])
    found, _ = read(tmp_path, {"segmentation": [[value for point in triangle.points for value in point]]})
    path = tmp_path / "again.json"
    path.write_bytes(b"".join(EXPORTERS["coco"].parts([found])))
    [written] = json.loads(path.read_text())["annotations"]
    assert written["area"] == pytest.approx(triangle.area, abs=1e-12)
    [again] = [one for one in coco.read(path, ReadOptions()) if isinstance(one, SampleRecord)]
    assert again.content.gold_boxes == (triangle,)


def test_shapes_without_a_label_and_with_several_come_back(tmp_path: Path) -> None:
    boxes = tuple(Box(at, 1, at + 2, 4) for at in range(3))
    content = SampleContent("Which?", AnswerType.OPEN, {}, ("a",), boxes)
    record = SampleRecord("a", content, image="a.png", width=20, height=10, extra={"box_labels": ["cup", "", "plate"]})
    path = tmp_path / "a.json"
    path.write_bytes(b"".join(EXPORTERS["coco"].parts([record])))
    written = json.loads(path.read_text())
    assert [one["name"] for one in written["categories"]] == ["evidence", "cup", "plate"]
    assert [one["category_id"] for one in written["annotations"]] == [2, 1, 3]
    [again] = [one for one in coco.read(path, ReadOptions()) if isinstance(one, SampleRecord)]
    assert (again.content.gold_boxes, again.extra["box_labels"]) == (boxes, ["cup", "", "plate"])


def test_a_long_file_in_a_zip_is_recognized_by_its_images(tmp_path: Path) -> None:
    images = [{"id": at, "file_name": f"{at:012}.jpg", "width": 640, "height": 480} for at in range(20_000)]
    value = {"info": {}, "licenses": [], "images": images, "annotations": [], "categories": []}
    path = tmp_path / "annotations.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("instances_val2017.json", json.dumps(value))
    assert detect_format(path)[0].importer == "coco"
