"""Whatever bytes come in: rows, issues or a sentence come out, never another error, never what cannot be stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importers import IMPORTERS as SAMPLE_IMPORTERS
from annotation.importers import detect_format as detect_samples
from annotation.importers.interface import ImportProblem
from annotation.importers.interface import ReadOptions as SampleOptions
from evaluation.importers import IMPORTERS as RUN_IMPORTERS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey

DATA = Path(__file__).resolve().parents[1] / "data"
INDEX = MemoryIndex(
    [
        SampleKey("a"),
        SampleKey("k", "demo_0001.jpg", "What colour is the kettle?", {}, (2250, 1500)),
        SampleKey("s", "street.jpg", "Which bus line?", {}, (2000, 1000)),
        SampleKey("conv", "demo_2.jpg", "", {}, (2000, 1000)),
        SampleKey("doc_42", "", "", {}, (3000, 2000)),
        SampleKey("0"),
        SampleKey("mug", "", "Colour of the mug?", {"A": "white", "B": "red"}),
        SampleKey("12_0"),
        SampleKey("coins", "", "How many coins?", {"A": "5", "B": "6"}),
        SampleKey("demo-3", "demo_3.jpg", "", {}, (1200, 800)),
    ]
)

NATIVE = {
    "samples": [
        {"id": "a", "question": "q\u00e4\ud83d\ude00",
         "options": {"A": "x"}, "answer": "A", "gold_boxes": [[0, 0, 1.5, 2]],
         "width": 9, "height": 9, "facets": {"f": [1, True]}, "reference_toolchain": ["Crop", {"tool": "Flip"}],
         "targets": [{"tool": "saw", "step": 1}]},
    ],
    "settings": {"alpha": 0.5},
    "trajectories": [
        {"model": "m", "sample_id": "a", "rollout": 0, "answer": "A", "predicted_tools_plan": "a, b.",
         "steps": [{"tool": "zoom", "args": {"b": [1]}, "bbox": [1, 2, 3, 4], "coords": "norm1", "out_size": [5, 6]}],
         "match_map_plan": {"a": None}, "usage": {"usd": 1.25}},
    ],
    "interventions": [{"model": "m", "sample_id": "a", "condition": "text", "correct": True}],
    "judgements": [{"model": "m", "sample_id": "a", "kind": "answer", "verdict": None}],
    "rollout_groups": [{"group_id": "g", "rollouts": [
        {"image_tokens": 1, "acc": 1, "format": 1, "sufficient": True}]}],
}  # fmt: skip
TABLE = 'index\tid\tquestion\tanswer\tA\tmodel_tools_gt\r\n1\ta\t"How ""many""?\nNow"\tA\tx\t"[“Crop"", ""Flip""]"\r\n'

NO_ROLES = b'[{"role": "assistant", "content": "x"}, {"role": {}, "content": "y"}, {"role": ["user"], "content": []}]'
THYME = [
    {"role": "user", "content": "Question: q?", "images": ["street.jpg"]},
    {"role": "assistant", "content": "<answer>B</answer>", "code_blocks": ["b = (1, 2, 3, 4)\nc = image.crop(b)"]},
]


def as_lines(key: str) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in NATIVE[key])


SEEDS = {
    "one.json": json.dumps(NATIVE, indent=1, ensure_ascii=True).encode(),
    "samples.jsonl": as_lines("samples"),
    "trajectories.jsonl": as_lines("trajectories"),
    "result_direct_attributes_m.jsonl": (DATA / "deepeyes_vstar.jsonl").read_bytes()
    + b'{"image": "demo_0001.jpg", "question": "What colour is the kettle?", "pred_ans": "B", "pred_output": '
    + NO_ROLES
    + b"}\n",
    "result_hr_bench_8k_m.jsonl": (DATA / "deepeyes_hrbench.jsonl").read_bytes(),
    "VTC-Bench.tsv": TABLE.encode(),
    "talk.json": (DATA / "qwen_agent_messages.json").read_bytes(),
    "chat.jsonl": (DATA / "openai_chat.jsonl").read_bytes() + b'{"id": "a", "messages": ' + NO_ROLES + b"}\n",
    "conv.json": (DATA / "pixelreasoner/vstar-2/conv.json").read_bytes(),
    "traj.jsonl": (DATA / "minio3/doc_42/traj.jsonl").read_bytes(),
    "100.jsonl": (DATA / "verl_generations_100.jsonl").read_bytes(),
    "log.json": (DATA / "inspect_log.json").read_bytes(),
    "x_samples_v.jsonl": (DATA / "lmms_eval_20260101_120000_samples_vstar_bench.jsonl").read_bytes(),
    "seal.json": (DATA / "seal_eval_result.json").read_bytes(),
    "phystool.json": (DATA / "phystool_eval.json").read_bytes(),
    "results_1.jsonl": (DATA / "vtc_run/results_20260101_120000.jsonl").read_bytes(),
    "predictions.tsv": (DATA / "vlmevalkit_prediction.tsv").read_bytes(),
    "conversation_history.json": json.dumps(THYME).encode(),
    "mine.csv": b'id;pred;crops;seconds\na;B;[1,2,3,4];1\na;B;<box>[1,2,3,4]</box> {"bbox": "1 2 3 4"};x\n',
    "mine.jsonl": b'{"id": "a", "pred": "x", "crops": [[1, 2, 3, 4], {"bbox": "1"}], "u": {"cost": 1}, "rollout": 1}\n',
}
HOSTILE = [b"\x00", b"\xff", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"\n", b"\r", b"\t", b"1e999", b"-1e308",
           b"null", b"NaN", b"true", b"\\u0000", b"\\ud800", b"original", b"<tool_call>", b"</answer>", b"<answer>",
           "“".encode(), b"[" * 200, b"9" * 400, b'{"a": 1}', b"", b"PK\x03\x04"]  # fmt: skip
changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(HOSTILE)), max_size=5)


def damaged(content: bytes, edits: Iterable[tuple[float, int, bytes]]) -> bytes:
    for place, length, insert in edits:
        at = int(place * len(content))
        content = content[:at] + insert + content[at + length :]
    return content


def readings(path: Path) -> list[Callable[[], Iterable[Any]]]:
    found: list[Callable[[], Iterable[Any]]] = [lambda: detect_samples(path), lambda: detect_runs(path)]
    for sample_importer in SAMPLE_IMPORTERS.values():
        found.append(lambda read=sample_importer.read: read(path, SampleOptions()))  # type: ignore[misc]
    for run_importer in RUN_IMPORTERS.values():
        found.append(lambda read=run_importer.read: read(path, ReadOptions(), INDEX))  # type: ignore[misc]
    return found


def readable(reading: Callable[[], Iterable[Any]]) -> list[Any]:
    """What comes out before the end, or before the sentence that ends it."""
    found: list[Any] = []
    with suppress(ImportProblem):
        for item in reading():
            found.append(item)
    return found


@pytest.mark.parametrize("name", list(SEEDS))
@given(edits=changes)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_damage_ends_in_rows_issues_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, edits: list[tuple[float, int, bytes]]
) -> None:
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(damaged(SEEDS[name], edits))
    for reading in readings(path):
        for item in readable(reading):
            stored = json.dumps(asdict(item), allow_nan=False, ensure_ascii=False, default=bytes.hex)
            assert "\\u0000" not in stored.replace("\\\\", "")
            stored.encode("utf-8")
