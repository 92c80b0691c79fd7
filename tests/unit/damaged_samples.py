"""A file of each format of benchmarks with good, repaired, noted and refused rows, as a damaged export has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.unit import damaged_runs
from tests.unit.damaged_runs import lines, written

ROW: dict[str, Any] = {
    "id": "mug", "question": "Which colour?", "options": {"A": "green", "B": "red"}, "answer": "B",
    "width": 200, "height": 100,
}  # fmt: skip


def _table(*rows: str) -> bytes:
    return "\n".join(row.replace("|", "\t") for row in (*rows, "")).encode()


def native(folder: Path) -> Path:
    rows = [
        ROW, {**ROW, "id": ""}, {**ROW, "id": "b", "gold_boxes": [[9, 9, 1, 1], [190, 90, 230, 120], "left"]},
        {**ROW, "id": "c", "options": ["x", "y"], "answer": "y"}, {**ROW, "id": "d", "answer": "Z"},
        {**ROW, "id": "e", "targets": [{"tool": "saw", "step": 0}]}, {**ROW, "id": "f", "width": -5},
        {**ROW, "id": "g", "reference_toolchain": "Crop"}, {**ROW, "id": "h", "answer_type": "essay"},
    ]  # fmt: skip
    return written(folder, {"samples.jsonl": lines(*rows, '{"id": ')})


def label_studio(folder: Path) -> Path:
    def task(number: int, **value: Any) -> dict[str, Any]:
        result = {"type": "rectanglelabels", "from_name": "evidence", "to_name": "image", "original_width": 200,
                  "original_height": 100, "value": {"x": 10, "y": 10, "width": 20, "height": 20} | value}  # fmt: skip
        return {"id": number, "data": {**ROW, "id": f"s{number}"}, "annotations": [{"id": 1, "result": [result]}]}

    tasks: list[Any] = [
        task(1), task(2, rotation=30), task(3, width="wide"), {"id": 4}, {**task(5), "data": {"question": "?"}}, "task",
        {**task(6), "annotations": [task(6)["annotations"][0], task(7)["annotations"][0]]},
    ]  # fmt: skip
    return written(folder, {"project.json": json.dumps(tasks).encode()})


def vtc_bench(folder: Path) -> Path:
    return written(folder, {"VTC-Bench.tsv": _table(
        "index|id|category|image|question|answer|A|B|model_tools_gt",
        '1|mug|colour|mug.jpg|Which?|A|green|red|["Crop"]', "2|cup|colour|cup.jpg|Which?|A|green|red|[“Crop”]",
        "3|jar|colour|jar.jpg|Which?|A|green|red|Crop then flip", "4|lid|colour|lid.jpg|Which?|Q|green|red|",
        "5|pot|colour", "6||colour|4|Which?|A|green|red|",
    )})  # fmt: skip


def vstar(folder: Path) -> Path:
    row = {"target_object": ["mug"], "bbox": [[1, 2, 30, 40]], "question": "Which?", "options": ["green", "red"]}
    files = [row, {**row, "bbox": [[1, 2, 0, 40], "left"]}, {**row, "bbox": 5}, {"question": "?"}, "nothing", {**row}]
    return written(
        folder, {f"direct_attributes/{n}.json": json.dumps(file).encode() for n, file in enumerate(files, 1)}
        | {"direct_attributes/7.json": b'{"bbox": ', "direct_attributes/1.jpg": b""}
    )  # fmt: skip


def hr_bench(folder: Path) -> Path:
    return written(folder, {"hr_bench_4k.tsv": _table(
        "index|question|answer|A|B|C|D|category|cycle_category|image", "0|Which?|A|green|red|blue|grey|single|0|p.jpg",
        "1|Which?|Q|green|red|blue|grey|single|1|0", "2|Which?|A|green", "|Which?|A|green|red|blue|grey|single|1|0",
    )})  # fmt: skip


def viebench(folder: Path) -> Path:
    plain = {key: value for key, value in ROW.items() if key not in ("width", "height")}
    rows = [
        {**ROW, "bbox": [1, 2, 30, 40]}, {**ROW, "id": "b", "bbox": [30, 2, 1, 40]},
        {**ROW, "id": "c", "bboxes": [[1, 2, 0, 4], [190, 90, 30, 40]], "bbox_format": "xywh"},
        {**ROW, "id": "d", "bbox": [0.1, 0.1, 0.2, 0.2]}, {**plain, "id": "e", "bbox": [0.1, 0.1, 0.2, 0.2]},
        {**ROW, "id": "f", "bbox": [1, 2, 3, 4], "bbox_format": "polar"}, {**ROW, "id": "g", "bbox": "left"}, 7,
        {**ROW, "id": ["h"], "bbox": [1, 2, 30, 40]},
    ]  # fmt: skip
    return written(folder, {"bench.json": json.dumps(rows).encode()})


def phystool(folder: Path) -> Path:
    def row(name: Any, tools: Any, steps: Any) -> dict[str, Any]:
        plan = {"target_tools": tools, "target_steps": steps, "negative_tools": ["mallet"]}
        return {"id": name, "task_instruct": "Hang it.", "refined_taxonomy": plan}

    rows: list[Any] = [
        row("1", ["saw", "nail"], [1, 2]), row("2", ["saw"], [1, 2]), row("3", ["saw"], [0]),
        row("4", ["saw", "Saw"], [1, 2]), row("5", ["saw", 7], [1]), row(None, [], []), "row",
        {**row("6", ["saw"], [1]), "ordered": "maybe"},
    ]  # fmt: skip
    return written(folder, {"gt.json": json.dumps(rows).encode()})


def coco(folder: Path) -> Path:
    value = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 80}, {"id": 1, "file_name": "b.jpg"},
                   {"file_name": "c.jpg"}],
        "categories": [{"id": 3, "name": "sign"}, {"name": "mug"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 3, "bbox": [1, 2, 30, 40]},
            {"id": 2, "image_id": 1, "bbox": [1, 2, 0, 4]},
            {"id": 3, "image_id": 1, "bbox": "left"}, {"id": 4, "image_id": 9, "bbox": [1, 2, 3, 4]}, {"id": 5},
            {"id": 6, "image_id": 1, "bbox": [90, 2, 30, 40]},
        ],
    }  # fmt: skip
    return written(folder, {"coco.json": json.dumps(value).encode()})


def parquet(folder: Path) -> Path:
    import pyarrow
    import pyarrow.parquet

    rows = [
        {**ROW, "options": ["green", "red"], "bbox": [[1.0, 2.0, 30.0, 40.0]]},
        {**ROW, "id": "b", "options": ["green", "red"], "bbox": [[30.0, 2.0, 1.0, 40.0]]},
        {**ROW, "id": "c", "options": ["green", "red"], "answer": "Z", "bbox": [[1.0, 2.0, 300.0, 40.0]]},
        {**ROW, "id": "x" * 300, "options": ["green", "red"], "bbox": []},
    ]
    path = folder / "train-00000-of-00001.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def table(folder: Path) -> Path:
    return written(folder, {"mine.tsv": _table(
        "qid|file|question|choices|label|evidence|width|height", "1|a.jpg|Which?|green;red|A|1,2,30,40|200|100",
        "2|a.jpg|Which?|green;red|A|30,2,1,40|200|100", "3|a.jpg|Which?|green;red|Z|left|200|100",
        "4|a.jpg|Which?|green;red|red|190,2,230,40|200|100", "5|a.jpg",
    )})  # fmt: skip


def of_shape(name: str) -> Callable[[Path], Path]:
    """One of the fixtures of shapes, which has a damaged record."""
    shapes = Path(__file__).resolve().parents[1] / "data" / "shapes"
    return lambda folder: shapes / name


DAMAGED: Mapping[str, Callable[[Path], Path]] = {
    "native": native, "label-studio": label_studio, "vtc-bench": vtc_bench, "vstar": vstar, "hr-bench": hr_bench,
    "viebench": viebench, "phystool": phystool, "coco": coco, "parquet": parquet, "table": table,
    "llava": of_shape("llava/questions.jsonl"), "dialogs": of_shape("dialogs.json"), "react": of_shape("react.json"),
    "seal": damaged_runs.seal, "lmms-eval": damaged_runs.lmms_eval, "vlmevalkit": damaged_runs.vlmevalkit,
    "inspect": damaged_runs.inspect,
}  # fmt: skip
