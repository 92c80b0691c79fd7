"""Each shape of result files: recognized by its content, and what is read of one that is damaged and has a stranger."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotation.importers import IMPORTERS as SAMPLES
from annotation.importers import detect_format as detect_samples
from annotation.importers.interface import ReadOptions as SampleOptions
from annotation.schema import Issue, SampleRecord
from evaluation.importers import IMPORTERS as RUNS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Trajectory

DATA = Path(__file__).resolve().parents[1] / "data" / "shapes"
KITCHEN = json.loads((DATA / "samples.json").read_text())["samples"]
INDEX = MemoryIndex(
    SampleKey(one["id"], one["image"], one["question"], one.get("options", {}), (1000, 800)) for one in KITCHEN
)
POPE = MemoryIndex(
    SampleKey(str(number), one["image"], one["question"], one.get("options", {}), (1000, 800))
    for number, one in enumerate(KITCHEN[:3], 101)
)
CUT, INNER = (10, 20, 110, 220), (0, 0, 50, 60)

RUN_SHAPES = [
    ("by_id.json", "table", {"val_1": ("A", [CUT]), "val_2": ("B. blue", [])},
     ["not-json", "unknown-sample", "number-alone"]),
    ("texts_by_id.json", "table", {"val_1": ("A. kettle", []), "val_2": ("The jar is blue.", []), "val_3": ("4", [])},
     ["unknown-sample", "other-kind-of-record"]),
    ("list_under_key.json", "table", {"val_1": ("A", [CUT]), "val_2": ("A", []), "val_3": ("4", [])},
     ["not-an-object", "unknown-sample"]),
    ("pandas_columns.json", "table", {"val_1": ("A", [CUT]), "val_2": ("B", []), "val_3": ("4", [])},
     ["no-box", "unknown-sample"]),
    ("pandas_split.json", "table", {"val_1": ("A", []), "val_2": ("B", [])}, ["wrong-columns"]),
    ("pandas_lists.json", "table", {"val_1": ("A", [CUT]), "val_2": ("B", []), "val_3": ("4", [None])}, ["no-box"]),
    ("paths", "table", {"val_1": ("A", [CUT]), "val_2": ("B", [])}, ["cut-off", "unknown-sample"]),
    ("sharegpt.json", "sharegpt", {"val_1": ("A", [CUT]), "val_2": ("B", [None]), "val_3": (None, [])},
     ["call-unreadable", "unknown-sample", "no-dialogue"]),
    ("base64_chat.jsonl", "openai-chat", {"val_1": ("A", [CUT]), "val_2": ("B", [])}, ["unknown-sample", "cut-off"]),
    ("llava/answers.jsonl", "llava", {"101": ("A", []), "102": ("B. blue", [])}, ["other-question", "unknown-sample"]),
    ("llava", "llava", {"101": ("A", []), "102": ("B. blue", [])}, ["other-question", "unknown-sample"]),
    ("react.json", "react",
     {"val_1": ("A", [CUT, INNER]), "val_2": ("The jar is red.", [(5, 6, 7, 8)]), "val_3": ("There are 5.", [None])},
     ["call-unreadable", "unknown-sample", "no-dialogue"]),
    ("seal_plain.json", "seal", {"val_1": (None, []), "val_2": ("blue", [])},
     ["no-search-results", "unknown-sample", "not-a-list"]),
]  # fmt: skip
SAMPLE_SHAPES = [
    ("llava/questions.jsonl", "llava", {
        "101": ("What stands on the left plate?", (), "kettle", []),
        "102": ("What colour is the jar?", (), "red", []),
        "103": ("How many spoons lie on the cloth?", (), None, []),
     }, ["missing-field", "not-json"]),
    ("llava", "llava", {"101": ..., "102": ..., "103": ...}, ["missing-field", "not-json"]),
    ("dialogs.json", "dialogs", {
        "0": ("What do two soups cost?", ("9", "9.00", "nine"), None,
              [("OCR", {"image": "image/bill.jpg"}), ("Calculator", {"expression": "2*4.5"})]),
        "1": ("Which two are round?", ("cup, plate", "mug, plate"), None, []),
        "3": ("Draw a cup.", (), None, []),
     }, ["several-answers", "several-pictures", "no-dialogue"]),
]  # fmt: skip


def of_runs(path: Path, format: str, index: MemoryIndex) -> tuple[dict[str, Any], list[str]]:
    items = list(RUNS[format].read(path, ReadOptions(), index))
    found = {t.sample_id: (t.answer, [step.bbox for step in t.steps]) for t in items if isinstance(t, Trajectory)}
    return found, [item.rule for item in items if isinstance(item, Issue)]


@pytest.mark.parametrize(("name", "format", "read", "issues"), RUN_SHAPES, ids=[row[0] for row in RUN_SHAPES])
def test_a_run_of_any_shape_is_recognized_and_read(
    name: str, format: str, read: dict[str, Any], issues: list[str]
) -> None:
    best = detect_runs(DATA / name)[0]
    assert (best.importer, best.confidence >= 0.5) == (format, True)
    assert of_runs(DATA / name, format, POPE if name.startswith("llava") else INDEX) == (read, issues)


@pytest.mark.parametrize(("name", "format", "read", "issues"), SAMPLE_SHAPES, ids=[row[0] for row in SAMPLE_SHAPES])
def test_samples_of_any_shape_are_recognized_and_read(
    name: str, format: str, read: dict[str, Any], issues: list[str]
) -> None:
    best = detect_samples(DATA / name)[0]
    assert (best.importer, best.confidence >= 0.5) == (format, True)
    items = list(SAMPLES[format].read(DATA / name, SampleOptions()))
    records = {item.id: item.content for item in items if isinstance(item, SampleRecord)}
    found = {
        key: (c.question, c.answers, c.options.get("A"), [(k.tool, k.arguments) for k in c.reference_toolchain])
        for key, c in records.items()
    }
    assert list(found) == list(read)
    assert {key: value for key, value in found.items() if read[key] is not ...} == {
        key: value for key, value in read.items() if value is not ...
    }
    assert [item.rule for item in items if isinstance(item, Issue)] == issues


@pytest.mark.parametrize("name", [row[0] for row in RUN_SHAPES if "/" not in row[0]])
def test_a_shape_in_a_zip_is_the_same(tmp_path: Path, name: str) -> None:
    row = next(row for row in RUN_SHAPES if row[0] == name)
    with zipfile.ZipFile(path := tmp_path / "run.zip", "w") as archive:
        source = DATA / name
        for file in [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file()):
            archive.write(file, file.relative_to(DATA))
    best = detect_runs(path)[0]
    assert best.importer == row[1]
    if row[1] not in {"sharegpt", "seal", "openai-chat"}:
        assert of_runs(path, row[1], POPE if name == "llava" else INDEX) == (row[2], row[3])


def test_gold_is_never_taken_for_the_answer() -> None:
    for name, format, _, _ in RUN_SHAPES:
        items = RUNS[format].read(DATA / name, ReadOptions(), INDEX)
        assert not [
            t for t in items if isinstance(t, Trajectory) and t.answer and t.answer == t.extra.get("answer") != "A"
        ]


def test_a_call_on_a_crop_lies_in_that_crop() -> None:
    items = RUNS["react"].read(DATA / "react.json", ReadOptions(), INDEX)
    steps = next(item for item in items if isinstance(item, Trajectory)).steps
    assert [(s.image_in, s.image_out, s.ok, s.text, s.observation) for s in steps] == [
        ("original", "crop_1", True, "It is small, so I cut it out.", "cropped"),
        ("crop_1", None, False, "Once more.", "Error: too small"),
    ]
