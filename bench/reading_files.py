"""The files that the bench of reading reads: invented rows of each line format, in the shape of its real ones."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.invented import key, trajectory, write_run

SAID = "The sign is at the left edge of the picture, behind the second lamp; I zoom in to read what stands on it. "


def native(folder: Path, count: int) -> Path:
    path = folder / "trajectories.jsonl"
    write_run(path, count, count)
    return path


def deepeyes(folder: Path, count: int) -> Path:
    return _lines(folder / "result_direct_attributes_m.jsonl", count, _deepeyes)


def lmms_eval(folder: Path, count: int) -> Path:
    return _lines(folder / "20260101_120000_samples_task.jsonl", count, _lmms_eval)


def chat(folder: Path, count: int) -> Path:
    return _lines(folder / "chat.jsonl", count, _chat)


def table(folder: Path, count: int) -> Path:
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "prediction", "crops", "seconds", "output_tokens", "transcript"])
        for n in range(count):
            rows.writerow([key(n), "ABCD"[n % 4], f"{n % 900},20,{n % 900 + 80},90", 1.5, n % 700, SAID * 8])
    return path


LINES: Mapping[str, Callable[[Path, int], Path]] = {
    "native": native, "deepeyes": deepeyes, "lmms-eval": lmms_eval, "openai-chat": chat, "table": table,
}  # fmt: skip


def long_run(folder: Path, size: int) -> Path:
    """Native trajectories of 1000 samples, rollout after rollout, until the file has this many bytes."""
    path = folder / "long.jsonl"
    block = [trajectory(n) for n in range(1000)]
    with path.open("w", encoding="utf-8") as file:
        rollout = 0
        while file.tell() < size:
            file.writelines(json.dumps(row | {"rollout": rollout}) + "\n" for row in block)
            rollout += 1
    return path


def inspect_log(folder: Path, count: int) -> Path:
    """A log as a zip with a file for each sample, one zoom in each."""
    path = folder / "log.eval"
    header = {
        "version": 2,
        "status": "success",
        "eval": {"task": "zoom", "model": "demo/vlm", "dataset": {"name": "d"}},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        for n in range(count):
            archive.writestr(f"samples/{key(n)}_epoch_1.json", json.dumps(_inspect(n)))
    return path


def _lines(path: Path, count: int, row: Callable[[int], dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row(n)) + "\n" for n in range(count))
    return path


def _zoom(n: int) -> str:
    call = {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [n % 900, 20, n % 900 + 90, 110], "label": "sign"}}
    return f"<think>{SAID * 3}</think><tool_call>{json.dumps(call)}</tool_call>"


def _deepeyes(n: int) -> dict[str, Any]:
    output = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ""}}, {"type": "text", "text": "q"}]},
        {"role": "assistant", "content": _zoom(n)},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ""}}]},
        {"role": "assistant", "content": f"<think>{SAID * 2}</think><answer>A</answer>"},
    ]
    return {
        "image": f"{key(n)}.jpg", "question": "", "answer": "A", "pred_ans": "A", "pred_output": output,
        "status": "success", "acc": 1,
    }  # fmt: skip


def _lmms_eval(n: int) -> dict[str, Any]:
    return {
        "doc_id": key(n), "target": "A", "filtered_resps": ["A"], "doc_hash": "9b1f", "vstar_acc": {"score": 1.0},
        "token_counts": [{"input_tokens": 900, "output_tokens": 1}], "input": SAID * 5,
    }  # fmt: skip


def _chat(n: int) -> dict[str, Any]:
    arguments = json.dumps({"bbox": [n % 900, 80, n % 900 + 60, 190]})
    call = {"id": "c", "type": "function", "function": {"name": "crop_image", "arguments": arguments}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    return {"id": key(n), "model": "demo", "messages": [
        {"role": "user", "content": [{"type": "text", "text": SAID * 2}]},
        {"role": "assistant", "content": SAID * 3, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [picture]},
        {"role": "assistant", "content": "White."},
    ]}  # fmt: skip


def _inspect(n: int) -> dict[str, Any]:
    call = {"id": "c", "function": "zoom", "arguments": {"bbox": [n % 900, 80, n % 900 + 60, 190]}, "type": "function"}
    messages = [
        {"role": "user", "content": SAID, "source": "input"},
        {"role": "assistant", "content": SAID * 3, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "c",
            "function": "zoom",
            "content": [{"type": "image", "image": "attachment://a"}],
        },
        {"role": "assistant", "content": "ANSWER: A"},
    ]
    return {
        "id": key(n), "epoch": 1, "input": SAID, "target": "A", "messages": messages,
        "output": {"model": "demo/vlm", "completion": "ANSWER: A"}, "scores": {"choice": {"value": "C", "answer": "A"}},
        "metadata": {}, "attachments": {"a": "data:image/png;base64,iVBORw0KGgo="},
    }  # fmt: skip
