"""What each format says of a damaged file: which rows are kept, repaired and refused, where, and in which field."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.importers import IMPORTERS
from annotation.importers.interface import ReadOptions
from annotation.schema import Issue, SampleRecord, Severity
from tests.unit.damaged_samples import DAMAGED

EXPECTED = [
    ("native", 6, [
        "refused missing-field: line 2: id",
        "repaired box-empty: line 3: gold_boxes[0]",
        "repaired box-over-edge: line 3: gold_boxes[1]",
        "repaired box-not-numbers: line 3: gold_boxes[2]",
        "repaired options-without-letters: line 4: options",
        "repaired answer-not-a-letter: line 4: answer",
        "noted answer-not-an-option: line 5: answer",
        "refused step-below-one: line 6: targets[0].step",
        "repaired size-not-positive: line 7: width",
        "refused not-a-list: line 8: reference_toolchain",
        "repaired unknown-answer-type: line 9: answer_type",
        "refused not-json: line 10",
    ]),
    ("label-studio", 5, [
        "repaired box-rotated: record 2: result[0]",
        "repaired box-not-numbers: record 3: result[0]",
        "refused no-task-data: record 4: data",
        "refused not-an-object: record 6",
        "noted annotation-not-taken: record 7: annotations",
    ]),
    ("vtc-bench", 5, [
        "repaired curly-quotes: line 3: model_tools_gt",
        "repaired toolchain-unreadable: line 4: model_tools_gt",
        "noted answer-not-an-option: line 5: answer",
        "refused wrong-columns: line 6",
        "noted image-reference: line 7: image",
    ]),
    ("vstar", 3, [
        "repaired box-empty: direct_attributes/2.json: bbox[0]",
        "repaired box-not-numbers: direct_attributes/2.json: bbox[1]",
        "refused not-a-list: direct_attributes/3.json: bbox",
        "refused missing-field: direct_attributes/4.json: bbox",
        "refused not-an-object: line 1",
        "refused not-json: line 1",
    ]),
    ("hr-bench", 2, [
        "noted answer-not-an-option: line 3: answer",
        "refused wrong-columns: line 4",
        "refused missing-field: line 5: index",
    ]),
    ("viebench", 4, [
        "repaired box-empty: record 2: bbox",
        "repaired box-empty: record 3: bboxes[0]",
        "repaired box-over-edge: record 3: bboxes[1]",
        "noted taken-as-fractions: record 4: bbox",
        "noted taken-as-fractions: record 5: bbox",
        "refused size-unknown: record 5: width, height",
        "refused unknown-box-format: record 6: bbox_format",
        "refused not-a-list: record 7: bbox",
        "refused not-an-object: record 8",
        "refused not-a-name: record 9: id",
    ]),
    ("phystool", 3, [
        "refused steps-do-not-fit: record 2: target_steps",
        "refused step-below-one: record 3: target_steps[0]",
        "refused duplicate-target: record 4: target_tools",
        "repaired not-a-name: record 5: target_tools[1]",
        "refused missing-field: record 6: id",
        "refused not-an-object: record 7",
        "repaired not-a-truth-value: record 8: ordered",
    ]),
    ("coco", 1, [
        "refused repeated-id: record 2 of images: id",
        "refused missing-field: record 3 of images: id",
        "refused missing-field: record 2 of categories: id",
        "repaired box-empty: record 2 of annotations: bbox",
        "repaired box-not-numbers: record 3 of annotations: bbox",
        "refused missing-field: record 5 of annotations: image_id",
        "repaired box-over-edge: record 1 of annotations: bbox of annotation 6",
        "refused unknown-image: record 4 of annotations: image_id",
    ]),
    ("parquet", 3, [
        "repaired box-empty: record 2: bbox[0]",
        "noted answer-not-an-option: record 3: answer",
        "repaired box-over-edge: record 3: bbox[0]",
        "refused too-long: record 4: id",
    ]),
    ("table", 4, [
        "repaired box-empty: line 3: evidence[0]",
        "noted answer-not-an-option: line 4: label",
        "repaired box-not-numbers: line 4: evidence[0]",
        "repaired box-over-edge: line 5: evidence[0]",
        "refused wrong-columns: line 6",
    ]),
    ("llava", 3, [
        "refused missing-field: line 4: question_id",
        "refused not-json: line 5",
    ]),
    ("dialogs", 3, [
        "noted several-answers: record 1, line 87: gt_answer",
        "noted several-pictures: record 1, line 87: files",
        "refused no-dialogue: record 2, line 122: dialogs",
    ]),
    ("react", 5, [
    ]),
    ("seal", 5, [
        "refused not-a-list: record 5 of direct_attributes: options",
    ]),
    ("lmms-eval", 4, [
        "refused missing-field: line 5: doc_id",
        "refused not-json: line 6",
    ]),
    ("vlmevalkit", 7, [
    ]),
    ("inspect", 3, [
        "refused not-an-object: record 6 of samples",
    ]),
]  # fmt: skip
"""Per format: how many rows are kept, and every issue as "severity rule: place, or file: field"."""


@pytest.mark.parametrize(("name", "kept", "said"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_each_format_says_what_it_did_with_a_damaged_row(tmp_path: Path, name: str, kept: int, said: list[str]) -> None:
    assert {row[0] for row in EXPECTED} == set(IMPORTERS)
    items = list(IMPORTERS[name].read(DAMAGED[name](tmp_path), ReadOptions()))
    issues = [item for item in items if isinstance(item, Issue)]
    assert [": ".join(filter(None, (f"{i.severity} {i.rule}", i.place or i.file, i.field))) for i in issues] == said
    assert sum(isinstance(item, SampleRecord) for item in items) == kept
    for issue in issues:
        assert issue.file
        assert issue.done.endswith(".")
        assert "None" not in issue.found
        assert issue.severity != Severity.REFUSED or issue.done.count(".") > 1
