"""Polygons and points as evidence: the records, their checks, the formats, agreement and variants."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.agreement import box_agreement
from annotation.consensus import Combine, ConsensusRule, Field, compare, proposal, provenance
from annotation.content.json import content_from_json, content_to_json
from annotation.content.rescaling import rescaled
from annotation.content.samples import content_digest
from annotation.exporters import EXPORTERS
from annotation.imaging.evidence import evidence_share
from annotation.imaging.variants.plane import Plane, carry
from annotation.importers import coco, label_studio, native, parquet
from annotation.importers.interface import ReadOptions
from annotation.schema import AnswerType, Box, Issue, Outline, OutlineKind, SampleContent, SampleRecord
from annotation.task_schema import Evidence, Range, Shape, TaskSchema
from annotation.validation import Level, check
from webapp.common.errors import InvalidInput

TRIANGLE = Outline.of(OutlineKind.POLYGON, [(10, 10), (50, 10), (10, 90)])
DOT = Outline.of(OutlineKind.POINT, [(30.5, 40)])
BOX = Box(60, 60, 80, 90)
BOW = Outline.of(OutlineKind.POLYGON, [(0, 0), (20, 20), (20, 0), (0, 20)])
ANY = TaskSchema(evidence=Evidence(shapes=tuple(Shape)))
READERS = {"native": native.read, "parquet": parquet.read, "label-studio": label_studio.read, "coco": coco.read}


def content(*shapes: Box) -> SampleContent:
    return SampleContent("Which color?", AnswerType.OPEN, {}, ("red",), shapes)


def record(*shapes: Box) -> SampleRecord:
    return SampleRecord("a", content(*shapes), image="a.png", width=200, height=100)


def told(*shapes: Box, task: TaskSchema = ANY, level: Level = Level.ERROR) -> list[str]:
    return [one.field for one in check(content(*shapes), 200, 100, task=task) if one.level is level]


def back(name: str, folder: Path, *shapes: Box) -> tuple[SampleRecord, list[Issue]]:
    out = io.BytesIO()
    EXPORTERS[name].write_to(out, iter([record(*shapes)]))
    path = folder / f"a.{'parquet' if name == 'parquet' else 'json'}"
    path.write_bytes(out.getvalue())
    items = list(READERS[name](path, ReadOptions()))
    [found] = [item for item in items if isinstance(item, SampleRecord)]
    return found, [item for item in items if isinstance(item, Issue)]


@pytest.mark.parametrize("name", list(READERS))
def test_what_a_format_writes_of_shapes_it_reads_again(tmp_path: Path, name: str) -> None:
    found, issues = back(name, tmp_path, TRIANGLE, BOX, DOT)
    assert found.content.gold_boxes == (TRIANGLE, BOX, DOT)
    assert [issue for issue in issues if issue.rule != "unknown-control"] == []


def read_coco(folder: Path, *annotations: dict[str, Any]) -> tuple[SampleRecord, list[Issue]]:
    path = folder / "a.json"
    images = [{"id": 1, "file_name": "a.png", "width": 20, "height": 10}]
    given = [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], **one} for one in annotations]
    path.write_text(json.dumps({"images": images, "annotations": given, "categories": [{"id": 1, "name": "x"}]}))
    items = list(coco.read(path, ReadOptions()))
    [found] = [item for item in items if isinstance(item, SampleRecord)]
    return found, [item for item in items if isinstance(item, Issue)]


def test_coco_reads_a_rectangle_around_its_box_as_the_box(tmp_path: Path) -> None:
    found, issues = read_coco(tmp_path, {"id": 1, "segmentation": [[1, 2, 4, 2, 4, 6, 1, 6]]})
    assert (found.content.gold_boxes, issues) == ((Box(1, 2, 4, 6),), [])


def test_coco_reads_each_of_several_polygons_with_the_label_and_writes_them_again(tmp_path: Path) -> None:
    parts = [[1, 2, 4, 2, 4, 6], [8, 8, 9, 8, 9, 9]]
    found, issues = read_coco(tmp_path, {"id": 1, "segmentation": parts}, {"id": 2})
    assert issues == []
    shapes = found.content.gold_boxes
    assert [getattr(one, "points", None) for one in shapes] == [
        ((1, 2), (4, 2), (4, 6)),
        ((8, 8), (9, 8), (9, 9)),
        None,
    ]
    assert back("coco", tmp_path, *shapes)[0].content.gold_boxes == shapes


@pytest.mark.parametrize(
    ("shape", "rule"),
    [
        ({"kind": "circle", "points": [[1, 1]]}, "shape-invalid"),
        ({"kind": "polygon", "points": [[1, 1], [2, 2]]}, "shape-invalid"),
        ({"kind": "polygon", "points": [[1, 1], [5, "x"], [2, 9]]}, "shape-invalid"),
        ({"kind": "point", "points": [[1, 1], [2, 2]]}, "shape-invalid"),
        ({"kind": "polygon", "points": [[0, 0], [20, 20], [20, 0], [0, 20]]}, "polygon-crosses"),
        ({"kind": "point", "points": [[300, 1]]}, "box-outside"),
        ({"kind": "polygon", "points": [[190, 10], [210, 10], [190, 30]]}, "box-over-edge"),
    ],
)
def test_a_bad_shape_is_named_and_stops_nothing_else(tmp_path: Path, shape: object, rule: str) -> None:
    row = {"id": "a", "width": 200, "height": 100, "question": "?", "answer": "x", "gold_boxes": [shape, [1, 2, 3, 4]]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"samples": [row]}))
    items = list(native.read(path, ReadOptions()))
    [found] = [item for item in items if isinstance(item, SampleRecord)]
    assert found.content.gold_boxes[-1] == Box(1, 2, 3, 4)
    assert [(item.rule, item.field) for item in items if isinstance(item, Issue)] == [(rule, "gold_boxes[0]")]


def test_content_json_carries_shapes_in_their_order() -> None:
    data = content_to_json(content(TRIANGLE, BOX, DOT))
    assert data["gold_boxes"][2] == {"box": [30, 39, 31, 40], "label": "", "kind": "point", "points": [[30.5, 40]]}
    assert content_from_json(data, 200, 100)[0] == content(TRIANGLE, BOX, DOT)


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"kind": "circle", "points": [[1, 1]]}, "gold_boxes[0].kind"),
        ({"kind": "polygon", "points": [[1, 1], [2, 2]]}, "gold_boxes[0].points"),
        ({"kind": "polygon", "points": "x"}, "gold_boxes[0].points"),
        ({"kind": "point", "points": [[500, 1]]}, "gold_boxes[0].points"),
    ],
)
def test_a_bad_entry_is_named_by_its_path(entry: object, field: str) -> None:
    with pytest.raises(InvalidInput) as error:
        content_from_json({"gold_boxes": [entry]}, 200, 100)
    assert error.value.field == field


def test_the_digest_tells_shapes_apart_and_leaves_that_of_boxes() -> None:
    around = Box(10, 10, 50, 90)
    moved = Outline.of(OutlineKind.POLYGON, [(10, 10), (50, 10), (50, 90)])
    assert len({content_digest(content(one)) for one in (around, TRIANGLE, moved)}) == 3
    assert content_digest(content(Box(60.0, 60, 80, 90))) == content_digest(content(BOX))


def test_the_schema_says_which_shapes_and_how_many_are_allowed() -> None:
    assert told(TRIANGLE, BOX, DOT) == []
    assert told(TRIANGLE, BOX, DOT, task=TaskSchema()) == ["gold_boxes[0]", "gold_boxes[2]"]
    only = TaskSchema(evidence=Evidence(shapes=(Shape.POINT,), count=Range(1, 2)))
    assert told(BOX, DOT, DOT, task=only) == ["gold_boxes", "gold_boxes[0]", "gold_boxes[2]"]


def test_crossing_small_and_outlying_polygons_block_submitting() -> None:
    thin = Outline.of(OutlineKind.POLYGON, [(0, 0), (50, 0), (50, 1)])
    beyond = Outline.of(OutlineKind.POINT, [(201, 4)])
    assert told(BOW) == told(thin) == told(beyond) == ["gold_boxes[0]"]


def test_shares_of_the_image_count_areas() -> None:
    assert evidence_share([TRIANGLE], 200, 100) == pytest.approx(1600 / 20_000)
    assert evidence_share([TRIANGLE, DOT], 200, 100) == pytest.approx(1600 / 20_000)
    assert evidence_share([DOT], 200, 100) is None
    limited = TaskSchema(evidence=Evidence(shapes=tuple(Shape), refuse_share=0.05))
    assert told(TRIANGLE, task=limited) == ["gold_boxes"]


def test_polygons_agree_by_their_areas_and_points_by_the_square_around_them() -> None:
    square = Box(10, 10, 50, 90)
    both = box_agreement([TRIANGLE], [square])
    assert both is not None
    assert both.iou == pytest.approx(0.5)
    near = box_agreement([DOT], [Outline.of(OutlineKind.POINT, [(35.5, 40)])])
    assert near is not None
    assert near.iou == pytest.approx(15 / 25)


def test_boxes_are_combined_and_a_polygon_is_taken_from_one_person() -> None:
    wide = Outline.of(OutlineKind.POLYGON, [(10, 10), (54, 10), (10, 90)])
    people = [content(TRIANGLE, BOX), content(wide, Box(60, 60, 84, 90)), content(TRIANGLE, Box(60, 60, 80, 94))]
    rule = ConsensusRule(combine=Combine.MEDIAN)
    found = compare(people, [{}, {}, {}], rule)
    assert found.fields[Field.EVIDENCE].agreed
    made, groups = proposal(people, found, rule)
    assert made.gold_boxes == (TRIANGLE, Box(60, 60, 80, 90))
    source = provenance(content(wide), {}, [content(wide), content(TRIANGLE)], [{}, {}], [one for one in groups if one])
    assert source["evidence"] == {"from": [0], "how": "taken"}


def test_a_polygon_and_a_box_are_never_one_group() -> None:
    rule = ConsensusRule()
    assert not compare([content(TRIANGLE), content(Box(10, 10, 50, 90))], [{}, {}], rule).agreed


def test_shapes_follow_the_image_through_variants_and_other_sizes() -> None:
    turned = carry(TRIANGLE, Plane(((0.0, -1.0, 100.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))), 100, 200)
    assert (turned.box, turned.kept) == (Outline.of(OutlineKind.POLYGON, [(90, 10), (90, 50), (10, 10)]), 1)
    shifted = Plane(((1.0, 0.0, -40.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    assert carry(TRIANGLE, shifted, 200, 100).is_rejected
    assert carry(DOT, shifted, 200, 100).box is None
    double = rescaled(content(TRIANGLE, DOT), (200, 100), (400, 200)).gold_boxes
    assert double[1] == Outline.of(OutlineKind.POINT, [(61, 80)])


def test_an_outline_keeps_no_corner_twice_and_clips_to_the_image() -> None:
    repeated = Outline.of(OutlineKind.POLYGON, [(0, 0), (0, 0), (9, 0), (9, 9), (0, 0)])
    assert len(repeated.points) == 3
    cut = Outline.of(OutlineKind.POLYGON, [(-10, 0), (10, 0), (10, 10), (-10, 10)]).clipped(100, 100)
    assert cut is not None
    assert (cut.as_list(), cut.area) == ([0, 0, 10, 10], 100)
    for kind, points in (
        (OutlineKind.POLYGON, [(0, 0), (1, 1)]),
        (OutlineKind.POINT, []),
        (OutlineKind.POINT, [(1, float("nan"))]),
    ):
        with pytest.raises(ValueError, match="-"):
            Outline.of(kind, points)
