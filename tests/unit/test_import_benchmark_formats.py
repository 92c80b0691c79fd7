"""V*, HR-Bench, boxes in plain JSON, PhysTool-Bench and COCO: samples as their files mean them, and there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.exporters import EXPORTERS
from annotation.importers import IMPORTERS, detect_format
from annotation.importers.interface import ImportProblem, ReadOptions
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.schema import AnswerType, Box, Issue, SampleContent, SampleRecord
from tests.evaluation.import_data import picture

KETTLE = {
    "target_object": ["kettle"],
    "bbox": [[1125, 750, 112, 56]],
    "question": "What colour is the kettle?",
    "options": ["The kettle is green.", "The kettle is red."],
}
SAMPLE = SampleRecord(
    id="direct_attributes/demo",
    content=SampleContent(
        question="What colour?",
        answer_type=AnswerType.MULTIPLE_CHOICE,
        options={"A": "red", "B": "blue"},
        answers=("A",),
        gold_boxes=(Box(1, 2, 30, 40), Box(5, 6, 7, 8)),
    ),
    image="direct_attributes/demo.jpg",
    width=100,
    height=80,
    facets={"category": ("direct_attributes",)},
)


def read(name: str, path: Path) -> tuple[list[SampleRecord], list[str]]:
    found = list(IMPORTERS[name].read(path, ReadOptions()))
    rules = [item.rule for item in found if isinstance(item, Issue)]
    return [item for item in found if isinstance(item, SampleRecord)], rules


def boxes(sample: SampleRecord) -> list[list[float]]:
    return [box.as_list() for box in sample.content.gold_boxes]


def test_v_star_boxes_become_corners_and_the_first_option_is_the_answer(tmp_path: Path) -> None:
    folder = tmp_path / "direct_attributes"
    folder.mkdir()
    (folder / "demo_0001.json").write_text(json.dumps(KETTLE))
    (folder / "demo_0001.png").write_bytes(b"")
    assert detect_format(tmp_path)[0].importer == "vstar"
    [found], rules = read("vstar", tmp_path)
    assert (found.id, found.image) == ("direct_attributes/demo_0001", "direct_attributes/demo_0001.png")
    assert (boxes(found), found.content.answers, rules) == ([[1125, 750, 1237, 806]], ("A",), [])
    assert (found.facets["category"], found.extra["target_object"]) == (("direct_attributes",), ["kettle"])


def test_the_four_turns_of_hr_bench_are_one_image_group(tmp_path: Path) -> None:
    rows = ["index\tquestion\tanswer\tA\tB\tC\tD\tcategory\tcycle_category\timage"]
    rows += [f"{n}\tDoor?\t{'ABCD'[n]}\t11\t12\t13\t14\tsingle\t{n}\t{'p.jpg' if n == 0 else 0}" for n in range(4)]
    path = tmp_path / "hr_bench_4k.tsv"
    path.write_text("\n".join(rows))
    assert detect_format(path)[0].importer == "hr-bench"
    found, rules = read("hr-bench", path)
    assert {sample.image_group for sample in found} == {"picture 0"}
    assert [sample.content.answers for sample in found] == [("A",), ("B",), ("C",), ("D",)]
    assert ([sample.image for sample in found], rules) == (["p.jpg", None, None, None], [])
    assert [sample.facets["cycle"] for sample in found] == [("0",), ("1",), ("2",), ("3",)]


BOXES: list[tuple[dict[str, Any], list[float], list[str]]] = [
    ({"bbox": [10, 20, 30, 40]}, [10, 20, 30, 40], []),
    ({"bbox": [[10, 20, 30, 40]], "bbox_format": "xywh"}, [10, 20, 40, 60], []),
    ({"bboxes": [[0.1, 0.2, 0.5, 0.5]], "bbox_format": "normalized"}, [20, 20, 100, 50], []),
    ({"boxes": [[0.1, 0.2, 0.5, 0.5]], "bbox_format": "xywh_normalized"}, [20, 20, 120, 70], []),
    ({"evidence_boxes": [[0.1, 0.2, 0.5, 0.5]]}, [20, 20, 100, 50], ["taken-as-fractions"]),
]


@pytest.mark.parametrize(("given", "box", "rules"), BOXES)
def test_boxes_are_read_in_each_way_of_writing_them(
    tmp_path: Path, given: dict[str, Any], box: list[float], rules: list[str]
) -> None:
    row = {
        "id": "1",
        "image": "a.jpg",
        "width": 200,
        "height": 100,
        "question": "?",
        "options": ["x", "y"],
        "answer": "y",
    }
    path = tmp_path / "bench.json"
    path.write_text(json.dumps([row | given]))
    assert detect_format(path)[0].importer == "viebench"
    [found], said = read("viebench", path)
    assert (boxes(found), found.content.answers, said) == ([box], ("B",), rules)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"bbox": [1, 2, 3, 4], "bbox_format": "polar"}, "unknown-box-format"),
        ({"bbox": [0.1, 0.2, 0.3, 0.4], "bbox_format": "normalized"}, "size-unknown"),
    ],
)
def test_a_box_that_could_mean_two_things_refuses_the_row(tmp_path: Path, given: dict[str, Any], rule: str) -> None:
    path = tmp_path / "bench.json"
    path.write_text(json.dumps([{"id": "1", "question": "?", "answer": "y"} | given]))
    assert read("viebench", path) == ([], [rule])


def test_a_tool_plan_keeps_its_steps_and_distractors(tmp_path: Path) -> None:
    row = {
        "id": "12", "slot": 0, "task_instruct": "Hang a picture.", "ordered": True,
        "refined_taxonomy": {"target_tools": ["tape measure", "pencil"], "target_steps": [1, 1],
                             "negative_tools": ["mallet"]},
    }  # fmt: skip
    path = tmp_path / "gt.json"
    path.write_text(json.dumps([row]))
    assert detect_format(path)[0].importer == "phystool"
    [found], rules = read("phystool", path)
    plan = found.content.plan
    assert (found.id, found.image_group, rules) == ("12_0", "12", [])
    assert [(target.tool, target.step) for target in plan.targets] == [("tape measure", 1), ("pencil", 1)]
    assert (plan.distractors, plan.ordered, found.content.question) == (("mallet",), True, "Hang a picture.")
    row["refined_taxonomy"]["target_steps"] = [1]  # type: ignore[index]
    path.write_text(json.dumps([row]))
    assert read("phystool", path) == ([], ["steps-do-not-fit"])


def test_coco_pictures_become_samples_to_author(tmp_path: Path) -> None:
    value = {
        "categories": [{"id": 3, "name": "sign"}],
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 80}, {"id": 2, "file_name": "b.jpg"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 3, "bbox": [10, 20, 5, 6], "iscrowd": 0},
            {"id": 2, "image_id": 9, "category_id": 3, "bbox": [1, 1, 1, 1]},
        ],
    }
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(value))
    assert detect_format(path)[0].importer == "coco"
    found, rules = read("coco", path)
    assert [(sample.id, boxes(sample), sample.width) for sample in found] == [
        ("a.jpg", [[10, 20, 15, 26]], 100), ("b.jpg", [], None),
    ]  # fmt: skip
    assert (found[0].extra["box_labels"], rules) == (["sign"], ["unknown-image"])


def test_what_each_format_holds_comes_back(tmp_path: Path) -> None:
    for name, suffix in (("vstar", ".zip"), ("viebench", ".json"), ("coco", ".json")):
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(b"".join(EXPORTERS[name].parts([SAMPLE])))
        [found], rules = read(name, path)
        assert (boxes(found), found.content.question, rules) == (boxes(SAMPLE), "What colour?", [])
        if name != "coco":
            assert (found.content.options, found.content.answers) == (SAMPLE.content.options, ("A",))
            assert found.facets["category"] == ("direct_attributes",)
        assert found.id == SAMPLE.id


@pytest.mark.parametrize("name", ["vstar", "hr-bench", "viebench", "phystool", "coco"])
@pytest.mark.parametrize("content", ["", "{}", "[]", "[1]", "a\tb\n1\t2\n", '{"images": [{"id": []}]}', "["])
def test_what_is_something_else_is_said_in_a_sentence(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / ("x.tsv" if "\t" in content else "x.json")
    path.write_text(content)
    said, found = "", []
    try:
        found = list(IMPORTERS[name].read(path, ReadOptions()))
    except ImportProblem as problem:
        said = str(problem)
    assert said or any(isinstance(item, Issue) for item in found)
    assert str(tmp_path) not in said
    assert not any(isinstance(item, SampleRecord) for item in found)


@pytest.mark.parametrize(
    ("row", "coordinates", "answer", "boxes"),
    [
        ({"all": '["red", "blue"]', "gold": "blue", "where": "[1, 2, 30, 40]"}, "", "B", [(1, 2, 31, 42)]),
        ({"all": "B. blue\nA. red", "gold": "B", "where": "1 2 3 4; 5 6 7 8"}, "", "B", [(1, 2, 4, 6), (5, 6, 12, 14)]),
        ({"all": "red | blue", "gold": "A", "where": "0.1,0.1,0.2,0.2"}, "norm1", "A", [(10, 8, 30, 24)]),
        ({"all": "{'A': 'red'}", "gold": "A", "where": [[50, 50, 20, 100]]}, "200x160", "A", [(25, 25, 35, 75)]),
        ({"all": "red;blue", "gold": "green", "where": "here"}, "norm1000", "green", []),
    ],
)
def test_a_table_of_samples_is_read_by_its_mapping(
    tmp_path: Path, row: dict[str, Any], coordinates: str, answer: str, boxes: list[tuple[float, ...]]
) -> None:
    columns = {"question": "q", "image": "pic", "answer": "gold", "options": "all", "boxes": "where"}
    mapping = SAMPLE_FIELDS.mapping_from({"columns": columns, "boxes": "xywh"})
    (tmp_path / "a.png").write_bytes(picture(100, 80))
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"q": "What colour?", "pic": "a.png", "answer": "kept", **row}))
    options = ReadOptions(mapping=mapping, coordinates=coordinates)
    [sample] = [one for one in IMPORTERS["table"].read(path, options) if isinstance(one, SampleRecord)]
    assert (sample.id, sample.image, sample.content.answers) == ("mine:1", "a.png", (answer,))
    assert sample.content.options["A"] == "red"
    assert dict(sample.extra) == {"column answer": "kept"}
    found = [(box.x1, box.y1, box.x2, box.y2) for box in sample.content.gold_boxes]
    assert [pytest.approx(box) for box in boxes] == found
