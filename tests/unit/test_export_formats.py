"""Benchmarks in the formats of others, and what those can hold."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from annotation.exporters import EXPORTERS
from annotation.exporters.interface import safe_name
from annotation.importers.interface import ReadOptions
from annotation.importers.native import read as read_native
from annotation.importers.vtc_bench import read as read_vtc
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, ToolCall

CHOICE = SampleRecord(
    id="a",
    image="pictures/kettle.jpg",
    width=200,
    height=100,
    facets={"category": ("direct",), "tier": (1,)},
    content=SampleContent(
        "Which\tcolour?\n“Now”",
        AnswerType.MULTIPLE_CHOICE,
        {"A": "red", "B": "=green"},
        ("B",),
        (Box(10, 20, 60, 70), Box(0, 0, 1, 1)),
        (ToolCall("Crop", {"x": 1}), ToolCall("Flip")),
    ),
)
OPEN = SampleRecord(
    id="../b", image="pictures/kettle.jpg", content=SampleContent("Read it", answers=("14", "fourteen"))
)


def exported(name: str, *samples: SampleRecord) -> bytes:
    out = io.BytesIO()
    assert EXPORTERS[name].write_to(out, iter(samples)) == sum(map(EXPORTERS[name].holds, samples))
    return out.getvalue()


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_every_format_writes_nothing_and_something_twice_alike(name: str) -> None:
    assert exported(name) == exported(name)
    assert exported(name, CHOICE, OPEN) == exported(name, CHOICE, OPEN)
    assert EXPORTERS[name].title


def test_coco_has_one_entry_per_picture_and_boxes_as_width_and_height() -> None:
    data = json.loads(exported("coco", CHOICE, OPEN))
    assert data["images"] == [{"id": 1, "file_name": "pictures/kettle.jpg", "width": 200, "height": 100}]
    assert [row["bbox"] for row in data["annotations"]] == [[10, 20, 50, 50], [0, 0, 1, 1]]
    assert data["annotations"][0]["area"] == 2500
    assert {row["category_id"] for row in data["annotations"]} == {data["categories"][0]["id"]}
    assert json.loads(exported("coco")) == {**data, "images": [], "annotations": []}


def test_label_studio_has_rectangles_in_percent() -> None:
    first, second = json.loads(exported("label-studio", CHOICE, OPEN))
    [value] = [r["value"] for r in first["annotations"][0]["result"] if r["id"] == "gold-1"]
    assert (value["x"], value["y"], value["width"], value["height"]) == (5, 20, 25, 50)
    assert first["data"]["question"] == CHOICE.content.question
    assert {result["type"] for result in second["annotations"][0]["result"]} == {"textarea", "choices"}


def test_vtc_bench_is_read_back_with_its_toolchain(tmp_path: Path) -> None:
    path = tmp_path / "VTC-Bench.tsv"
    path.write_bytes(exported("vtc-bench", CHOICE, OPEN))
    assert b"\r\n" in path.read_bytes()
    choice, open_one = (item for item in read_vtc(path, ReadOptions()) if isinstance(item, SampleRecord))
    assert (choice.id, choice.content.question) == ("a", CHOICE.content.question)
    assert (choice.content.options, choice.content.answers) == (CHOICE.content.options, ("B",))
    assert [call.tool for call in choice.content.reference_toolchain] == ["Crop", "Flip"]
    assert open_one.content.answers == ("14",)


def test_vstar_puts_the_gold_option_first_and_escapes_no_folder() -> None:
    with zipfile.ZipFile(io.BytesIO(exported("vstar", CHOICE, OPEN, OPEN))) as archive:
        assert archive.namelist() == ["direct/kettle.json", "samples/kettle.json", "samples/kettle_2.json"]
        row = json.loads(archive.read("direct/kettle.json"))
    assert row == {
        "target_object": [],
        "bbox": [[10, 20, 50, 50], [0, 0, 1, 1]],
        "question": CHOICE.content.question,
        "options": ["=green", "red"],
    }


def test_viebench_has_boxes_and_facets() -> None:
    first, second = json.loads(exported("viebench", CHOICE, OPEN))
    assert (first["evidence_boxes"], first["category"], first["answer"]) == (
        [[10, 20, 60, 70], [0, 0, 1, 1]],
        "direct",
        "B",
    )
    assert second["answer"] == ["14", "fourteen"]


def test_native_is_read_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.json"
    path.write_bytes(exported("native", CHOICE, OPEN))
    found = [item for item in read_native(path, ReadOptions()) if isinstance(item, SampleRecord)]
    assert [record.content for record in found] == [CHOICE.content, OPEN.content]
    assert found[0].facets == CHOICE.facets


def test_files_can_go_to_a_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(exported("vstar", CHOICE))) as archive:
        archive.extractall(tmp_path)
    assert json.loads((tmp_path / "direct" / "kettle.json").read_text())["options"][0] == "=green"


@pytest.mark.parametrize(
    ("text", "name"), [("a/b", "a_b"), ("../x", "_x"), ("..", "_"), ("", "_"), ("Ä 1.é", "Ä 1.é"), ("a\x00b", "a_b")]
)
def test_a_part_of_a_file_name_is_safe(text: str, name: str) -> None:
    assert safe_name(text) == name
