"""What is said of bad files: what, where, the value, the rule, and what to do."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.importers import IMPORTERS as SAMPLE_IMPORTERS
from annotation.importers.interface import ReadOptions as SampleOptions
from annotation.schema import Issue
from evaluation.importers import IMPORTERS as RUN_IMPORTERS
from evaluation.importers.interface import ImportProblem, ReadOptions
from evaluation.importers.messages import talk_of
from tests.fuzz.seeds import INDEX

COCO = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 10, "height": 10}, {"id": 1, "file_name": "b.jpg"}],
    "annotations": [
        {"id": 7, "image_id": 1, "category_id": 1, "bbox": [1, 2, -3, 4]},
        {"id": 8, "image_id": 1, "category_id": 1, "bbox": "x"},
        {"id": 9, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]},
    ],
    "categories": [{"id": 1, "name": "cup"}],
}


def said(read: Any, path: Path, *more: Any) -> list[tuple[str, str, str, str]]:
    """Rule, field, value and sentence of every issue; a file of which nothing can be read ends with that sentence."""
    found = []
    try:
        for item in read(path, *more):
            if isinstance(item, Issue):
                found.append((item.rule, item.field, item.found, item.done))
    except ImportProblem as problem:
        found.append(("", "", "", str(problem)))
    return found


def test_a_box_of_coco_is_named_by_its_annotation_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(COCO))
    issues = said(SAMPLE_IMPORTERS["coco"].read, path, SampleOptions())
    assert [issue[:3] for issue in issues] == [
        ("repeated-id", "id", "1"),
        ("box-empty", "bbox", "[1, 2, -3, 4]"),
        ("box-not-numbers", "bbox", "x"),
    ]
    repeated, empty, not_numbers = (issue[3] for issue in issues)
    assert "unique ids" in repeated
    assert "annotation 7" in empty
    assert "annotation 8" in not_numbers
    assert "x, y, width, height" in not_numbers


def test_parquet_without_a_column_that_is_known_is_no_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2]}), table)
    path.write_bytes(table.getvalue())
    [(*_, sentence)] = said(SAMPLE_IMPORTERS["parquet"].read, path, SampleOptions())
    assert sentence.startswith("x.parquet has the columns x, and none that is known.")
    assert sentence.endswith("name the columns so.")


@pytest.mark.parametrize(
    ("format", "name", "rules"),
    [
        ("pixel-reasoner", "vstar-2/conv.json", ["not-json", ""]),
        ("thyme", "sample_s/conversation_history.json", ["not-json", ""]),
    ],
)
def test_of_a_document_that_is_no_json_nothing_else_is_said(
    tmp_path: Path, format: str, name: str, rules: list[str]
) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text('[[{"role"')
    assert [one[0] for one in said(RUN_IMPORTERS[format].read, path, ReadOptions(), INDEX)] == rules


def test_a_record_that_names_no_sample_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "traj.jsonl"
    path.write_text('{"turn_idx": 0, "text_output": "<answer>F</answer>"}\n')
    told = said(RUN_IMPORTERS["mini-o3"].read, path, ReadOptions(), INDEX)
    [(_, field, value, sentence)] = [one for one in told if one[0] == "unknown-sample"]
    assert (field, value) == ("folder", "")
    assert "no id, image or question" in sentence


def test_an_id_that_is_neither_text_nor_number_is_not_called_missing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"qids": ["x"], "solutions": "x", "round0_correctness": 1}\n')
    assert said(RUN_IMPORTERS["pixel-reasoner"].read, path, ReadOptions(), INDEX) == [
        (
            "not-a-name",
            "qids",
            '["x"]',
            "qids is neither a text nor a whole number, so the row was rejected. Correct it.",
        )
    ]


def test_images_behind_all_replies_are_those_of_the_calls_that_succeeded() -> None:
    calls = [{"id": str(n), "function": {"name": "crop", "arguments": "{}"}} for n in range(3)]
    replies = [
        {"role": "tool", "tool_call_id": str(n), "content": "Error: outside" if n == 2 else "done"} for n in (0, 2, 1)
    ]
    images = [{"type": "image_url", "image_url": {"url": f"{name}.png"}} for name in "ab"]
    messages: list[Any] = [{"role": "assistant", "tool_calls": calls}, *replies, {"role": "user", "content": images}]
    assert [exchange.pictures for exchange in talk_of(messages).exchanges] == [("a.png",), ("b.png",), ()]
    more = [*messages[:-1], {"role": "user", "content": [*images, *images]}]
    assert [len(exchange.pictures) for exchange in talk_of(more).exchanges] == [0, 0, 4]
