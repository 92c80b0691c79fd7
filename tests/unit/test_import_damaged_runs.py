"""What each format says of a damaged file: which rows are kept, repaired and refused, where, and in which field."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.schema import Issue, Severity
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import ReadOptions
from evaluation.schema import Trajectory
from tests.unit.damaged_runs import DAMAGED, INDEX

EXPECTED = [
    ("native", 2, [
        "refused unknown-sample: record 2 of trajectories: sample_id",
        "noted box-empty: record 3 of trajectories: steps[0].bbox",
        "repaired not-a-truth-value: record 3 of trajectories: judge_correct",
        "refused unknown-coordinates: record 4 of trajectories: steps[0].coords",
        "refused missing-field: record 5 of trajectories: model",
        "refused not-a-list: record 6 of trajectories: steps",
    ]),
    ("deepeyes", 5, [
        "noted box-empty: line 2: steps[0].bbox_2d",
        "noted call-unreadable: line 3: steps[0]",
        "refused unknown-sample: line 4: image",
        "repaired not-a-truth-value: line 5: acc",
        "refused no-dialogue: line 6: pred_output",
        "refused not-json: line 7",
        "noted verdict-on-error: line 8: acc",
    ]),
    ("pixel-reasoner", 4, [
        "repaired box-reversed: vstar-2/conv.json: bbox_2d",
        "noted taken-as-pixels: vstar-3/conv.json: bbox_2d",
        "noted call-unreadable: vstar-4/conv.json: arguments",
        "refused unknown-sample: vstar-5/conv.json: folder",
        "refused no-dialogue: vstar-6/conv.json",
        "refused not-json: line 1",
    ]),
    ("mini-o3", 4, [
        "noted box-empty: b/traj.jsonl: grounding.bbox_2d",
        "refused not-json: line 4",
        "noted call-unreadable: c/traj.jsonl: grounding",
        "refused unknown-sample: d/traj.jsonl: doc_id",
        "refused no-dialogue: e/traj.jsonl",
        "noted repeated-attempts: f/traj.jsonl: doc_id",
    ]),
    ("thyme", 4, [
        "noted attempts-mixed: 1_1/conversation_history.json: code_blocks",
        "noted attempts-mixed: 2_1/conversation_history.json: code_blocks",
        "repaired box-reversed: 2_1/conversation_history.json: code",
        "noted attempts-mixed: 3_1/conversation_history.json: code_blocks",
        "noted location-unknown: 3_1/conversation_history.json: code",
        "noted attempts-mixed: 4_1/conversation_history.json: code_blocks",
        "noted code-unreadable: 4_1/conversation_history.json: code",
        "refused unknown-sample: 5_1/conversation_history.json: images[0]",
        "refused no-dialogue: 6_1/conversation_history.json",
        "refused not-json: line 1",
    ]),
    ("qwen-agent", 4, [
        "noted box-empty: record 2: arguments.bbox_2d",
        "noted call-unreadable: record 3: arguments",
        "noted no-such-picture: record 4: img_idx",
        "refused unknown-sample: record 5: file name",
        "refused no-dialogue: record 6: messages",
        "refused no-dialogue: record 7: messages",
    ]),
    ("vtc-bench", 2, [
        "noted box-empty: line 1: arguments.param",
        "refused not-json: line 1",
        "refused unknown-sample: line 3: question",
        "refused not-a-name: line 4: item_id",
        "refused not-an-object: line 5",
    ]),
    ("vlmevalkit", 5, [
        "repaired not-a-truth-value: record 2: hit",
        "refused unknown-sample: record 3: index",
        "refused missing-field: record 4: prediction",
        "noted transcript-unreadable: record 5: raw_response",
        "noted size-as-sent-unknown: record 6: prediction",
        "noted box-empty: record 6: prediction",
    ]),
    ("lmms-eval", 1, [
        "refused repeated-row: line 2: doc_id",
        "refused unknown-sample: line 3: doc_id",
        "refused repeated-row: line 4: doc_id",
        "refused missing-field: line 5: doc_id",
        "refused not-json: line 6",
    ]),
    ("openai-chat", 4, [
        "noted box-empty: line 2: arguments",
        "noted call-unreadable: line 3: arguments",
        "noted no-box: line 4: arguments",
        "refused unknown-sample: line 5: id",
        "refused no-dialogue: line 6: messages",
        "refused no-dialogue: line 7: messages",
    ]),
    ("inspect", 4, [
        "noted box-empty: record 2 of samples: arguments",
        "repaired not-an-epoch: record 3 of samples: epoch",
        "noted no-box: record 3 of samples: arguments",
        "refused unknown-sample: record 4 of samples: id",
        "refused not-an-object: record 6 of samples",
    ]),
    ("seal", 3, [
        "refused unknown-sample: record 2 of direct_attributes: image",
        "noted box-empty: record 3 of direct_attributes: search_result[0].bbox",
        "noted no-box: record 3 of direct_attributes: search_result[1].bbox",
        "repaired not-a-truth-value: record 4 of direct_attributes: correct",
        "refused not-a-list: record 5 of direct_attributes: options",
        "refused unknown-sample: record 1 of relative_position: image",
    ]),
    ("phystool", 2, [
        "refused unknown-sample: record 2: id",
        "refused missing-field: record 3: identified_tools",
        "refused not-a-list: record 4: identified_tools",
        "repaired not-a-name: record 5: identified_tools[1]",
        "refused missing-field: record 6: identified_tools",
    ]),
    ("detector", 1, [
        "refused missing-field: line 3: detections",
        "refused unknown-frame: line 4: frame",
        "refused not-json: line 6",
        "repaired no-score: line 1: detections[1].score",
        "noted no-box: line 1: detections[2].box",
        "refused unknown-sample: line 2: sample",
        "refused unknown-category: line 5: detections[0].category_id",
    ]),
    ("table", 3, [
        "noted box-empty: line 3: boxes",
        "repaired not-a-truth-value: line 3: is_correct",
        "repaired not-a-count: line 3: tokens_in",
        "noted no-box: line 4: boxes",
        "refused unknown-sample: line 5: sample",
        "refused rollout-not-an-index: line 6: rollout",
        "refused wrong-columns: line 7",
    ]),
    ("sharegpt", 0, [
        "refused unknown-sample: record 1, line 2: id",
        "refused unknown-sample: record 2, line 24: id",
        "refused unknown-sample: record 3, line 46: id",
        "refused unknown-sample: record 4, line 63: id",
        "refused no-dialogue: record 5, line 76: messages",
    ]),
    ("llava", 0, [
        "refused unknown-sample: line 1: question_id",
        "refused unknown-sample: line 2: question_id",
        "refused unknown-sample: line 3: question_id",
        "refused unknown-sample: line 4: question_id",
    ]),
    ("react", 0, [
        "refused unknown-sample: record 1, line 2: id",
        "refused unknown-sample: record 2, line 63: id",
        "refused unknown-sample: record 3, line 78: id",
        "refused unknown-sample: record 4, line 99: id",
        "refused no-dialogue: record 5, line 108: response_list",
    ]),
]  # fmt: skip
"""Per format: how many rows are kept, and every issue as "severity rule: place, or file: field"."""


@pytest.mark.parametrize(("name", "kept", "said"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_each_format_says_what_it_did_with_a_damaged_row(tmp_path: Path, name: str, kept: int, said: list[str]) -> None:
    assert {row[0] for row in EXPECTED} == set(IMPORTERS) - {"mapped"}  # what its rows are, a mapping has to say
    items = list(IMPORTERS[name].read(DAMAGED[name](tmp_path), ReadOptions(), INDEX))
    issues = [item for item in items if isinstance(item, Issue)]
    assert [": ".join(filter(None, (f"{i.severity} {i.rule}", i.place or i.file, i.field))) for i in issues] == said
    assert sum(isinstance(item, Trajectory) for item in items) == kept
    for issue in issues:
        assert issue.file
        assert issue.done.endswith(".")
        assert "None" not in issue.found
        assert issue.severity != Severity.REFUSED or issue.done.count(".") > 1
