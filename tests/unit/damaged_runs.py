"""A file of each format of runs with good, repaired, noted and refused rows, as a damaged export would have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluation.importers.matching import MemoryIndex, SampleKey

OPTIONS = {"A": "green", "B": "red"}
INDEX = MemoryIndex(
    [
        SampleKey("mug", "mug.jpg", "Which colour?", OPTIONS, (2000, 1000)),
        SampleKey("cup", "cup.jpg", "Which size?", {"A": "big", "B": "small"}, (2000, 1000)),
    ]
)
CALL = '<tool_call>{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": %s, "label": "mug"}}</tool_call>'


def lines(*rows: Any) -> bytes:
    """JSONL; a text stands for itself."""
    return b"".join((row if isinstance(row, str) else json.dumps(row)).encode() + b"\n" for row in rows)


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / next(iter(files)) if len(files) == 1 and "/" not in next(iter(files)) else folder


def native(folder: Path) -> Path:
    good = {"model": "m", "sample_id": "mug", "answer": "A"}
    step = {"tool": "zoom", "bbox": [9, 9, 1, 1], "image_in": "original"}
    return written(folder, {"one.json": json.dumps({"trajectories": [
        good, {**good, "sample_id": "mugs"}, {**good, "judge_correct": "perhaps", "steps": [step]},
        {**good, "steps": [{"tool": "zoom", "coords": "percent"}]}, {"sample_id": "mug"},
        {**good, "steps": "zoom"},
    ]}).encode()})  # fmt: skip


def _deepeyes(said: str, **more: Any) -> dict[str, Any]:
    user = {"role": "user", "content": [{"type": "text", "text": "Which colour?\nA. green\nB. red"}]}
    talk = [user, {"role": "assistant", "content": said}, user, {"role": "assistant", "content": "<answer>A</answer>"}]
    return {
        "image": "mug.jpg", "question": "Which colour?", "pred_ans": "A", "pred_output": talk, "status": "success"
    } | more  # fmt: skip


def deepeyes(folder: Path) -> Path:
    rows = [
        _deepeyes(CALL % "[1, 2, 300, 400]", acc=1), _deepeyes(CALL % "[300, 2, 1, 400]"), _deepeyes(CALL % '"near"'),
        _deepeyes("", image="mugg.jpg"), _deepeyes("", acc="yes"), _deepeyes("", pred_output=None), '{"image": ',
        _deepeyes("", status="error", pred_ans="", acc=1),
    ]  # fmt: skip
    return written(folder, {"result_direct_attributes_m.jsonl": lines(*rows)})


def _conversation(call: str, reply: str, image: str = "mug.jpg") -> bytes:
    picture = [{"type": "image", "image": "iter0.jpg"}] if "cropped" in reply else []
    return json.dumps([[
        {"role": "user", "content": [{"type": "image", "image": image}, {"type": "text", "text": "Which colour?"}]},
        {"role": "assistant", "content": [{"type": "text", "text": call}]},
        {"role": "user", "content": [{"type": "text", "text": reply}, *picture]},
        {"role": "assistant", "content": [{"type": "text", "text": "\\boxed{A}"}]},
    ], "prompt", "[]"]).encode()  # fmt: skip


def pixel_reasoner(folder: Path) -> Path:
    call = '<tool_call>{"name": "crop_image_normalized", "arguments": {"bbox_2d": %s, "target_image": 1}}</tool_call>'
    shown = "Here is the cropped image (Image Size: 588x364):"
    return written(folder, {
        "vstar-1/conv.json": _conversation(call % "[0.1, 0.1, 0.2, 0.2]", shown),
        "vstar-2/conv.json": _conversation(call % "[0.5, 0.1, 0.4, 0.2]", shown),
        "vstar-3/conv.json": _conversation(call % "[0.5, 0.1, 1.0, 0.2]", shown),
        "vstar-4/conv.json": _conversation(call % '"left"', "Execution error: no box"),
        "vstar-5/conv.json": _conversation(call % "[0, 0, 0.2, 0.2]", shown, "x.jpg").replace(b"Which", b"Wh"),
        "vstar-6/conv.json": b'{"messages": []}',
        "vstar-7/conv.json": b'[[{"role": ',
    })  # fmt: skip


def mini_o3(folder: Path) -> Path:
    def talk(box: str, name: str = "mug") -> bytes:
        head = {"doc_id": name, "initial_prompt": [{"role": "user", "content": "<image>\nWhich colour?"}]}
        said = f'<grounding>{{"bbox_2d": {box}, "source": "original_image"}}</grounding>'
        return lines(head, {"turn_idx": 0, "text_output": said}, {"turn_idx": 1, "text_output": "<answer>A</answer>"})

    return written(folder, {
        "a/traj.jsonl": talk("[0.1, 0.1, 0.2, 0.2]"),
        "b/traj.jsonl": talk("[0.5, 0.1, 0.4, 0.2]"),
        "c/traj.jsonl": talk('"left"') + b'{"turn_idx": \n',
        "d/traj.jsonl": talk("[0, 0, 1, 1]", "x").replace(b"colour", b"taste"),
        "e/traj.jsonl": b"{}\n",
        "f/traj.jsonl": talk("[0, 0, 1, 1]") * 2,
    })  # fmt: skip


def thyme(folder: Path) -> Path:
    def talk(code: str, image: str = "mug.jpg") -> bytes:
        user = {"role": "user", "content": "Question: Which colour?\nOptions:\nA. green\nB. red", "images": [image]}
        return json.dumps(
            [user, {"role": "assistant", "content": "<answer>A</answer>", "code_blocks": [code]}]
        ).encode()

    return written(folder, {
        "1_1/conversation_history.json": talk("crop_box = (1, 2, 300, 400)\nimage.crop(crop_box)"),
        "2_1/conversation_history.json": talk("crop_box = (300, 2, 1, 400)\nimage.crop(crop_box)"),
        "3_1/conversation_history.json": talk("image.crop(find())"),
        "4_1/conversation_history.json": talk("image.crop(("),
        "5_1/conversation_history.json": talk("", "x.jpg").replace(b"Which", b"Wh"),
        "6_1/conversation_history.json": b'{"role": "user"}',
        "7_1/conversation_history.json": b"[{]",
    })  # fmt: skip


def _qwen(box: str, image: str = "mug.jpg", number: int = 0) -> list[dict[str, Any]]:
    arguments = f'{{"label": "mug", "bbox_2d": {box}, "img_idx": {number}}}'
    return [
        {"role": "user", "content": [{"image": image}, {"text": "Which colour?"}]},
        {"role": "assistant", "content": "", "function_call": {"name": "image_zoom_in_tool", "arguments": arguments}},
        {"role": "function", "name": "image_zoom_in_tool", "content": [{"image": "1.png"}]},
        {"role": "assistant", "content": "A"},
    ]


def qwen_agent(folder: Path) -> Path:
    talks: list[Any] = [
        _qwen("[500, 250, 750, 500]"), _qwen("[750, 250, 500, 500]"), _qwen("[500, 250, 750"),
        _qwen("[1, 2, 30, 40]", number=3), [{"role": "user", "content": [{"text": "What?"}]}],
        5, {"talk": []},
    ]  # fmt: skip
    return written(folder, {"talks.json": json.dumps(talks).encode()})


def vtc_bench(folder: Path) -> Path:
    row = {
        "status": "success", "item_id": "mug", "question": "Which colour?", "options": OPTIONS, "agent_answer": "A",
        "full_response": "<answer>A</answer>", "conversation": [],
    }  # fmt: skip

    def talk(param: Any) -> bytes:
        call = {"name": "opencv_crop", "arguments": json.dumps({"image": "mug.jpg", "param": param})}
        reply = {"role": "tool", "name": "opencv_crop", "content": [{"text": "Cropped\n\nEdited Image Path: /o/a.png"}]}
        return json.dumps(
            {"response_list": [[{"role": "assistant", "content": "", "function_call": call}, reply]]}
        ).encode()

    rows = [row, {**row, "item_id": "cup"}, {**row, "question": "What?", "item_id": "x"}, {**row, "item_id": 3.5}]
    return written(folder, {
        "results_1.jsonl": lines(*rows, "[]"),
        "response_list_mug.json": talk({"x": 300, "y": 1, "width": -9, "height": 10}),
        "response_list_cup.json": b'{"response_list"',
    })  # fmt: skip


def vlmevalkit(folder: Path) -> Path:
    row = {
        "index": "mug",
        "question": "Which colour?",
        **OPTIONS,
        "answer": "A",
        "prediction": "A",
        "hit": 1,
        "log": "",
    }
    rows = [
        row, {**row, "hit": "maybe"}, {**row, "index": 5, "question": "What?"},
        {k: v for k, v in row.items() if k != "prediction"}, {**row, "raw_response": "[{'role"},
        {**row, "prediction": "<think><box>[9,9,1,1]</box></think><answer>A</answer>"},
        {**row, "prediction": "Failed to obtain answer via API."},
    ]  # fmt: skip
    return written(folder, {"m_VStarBench.json": json.dumps(rows).encode()})


def lmms_eval(folder: Path) -> Path:
    row = {
        "doc_id": 0,
        "target": "A",
        "filtered_resps": ["A"],
        "doc_hash": "1",
        "input": "Which colour?\nA. green\nB. red",
    }
    rows = [
        row,
        row,
        {**row, "doc_id": 1, "input": "What?"},
        {**row, "doc_id": 2, "filtered_resps": None},
        "{}",
        "nope",
    ]
    return written(folder, {"1_samples_vstar.jsonl": lines(*rows)})


def openai_chat(folder: Path) -> Path:
    def talk(name: str, arguments: str) -> dict[str, Any]:
        call = {"id": "c", "type": "function", "function": {"name": "crop", "arguments": arguments}}
        return {"id": name, "messages": [
            {"role": "user", "content": "Which colour?"}, {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "done"}, {"role": "assistant", "content": "A"},
        ]}  # fmt: skip

    return written(folder, {"chat.jsonl": lines(
        talk("mug", '{"bbox": [1, 2, 30, 40]}'), talk("cup", '{"bbox": [30, 2, 1, 40]}'), talk("mug", '{"bbox": [1, 2'),
        talk("mug", '{"bbox": "left"}'), {**talk("x", "{}"), "messages": [{"role": "user", "content": "What?"}]},
        {"id": "mug"}, {"id": "mug", "messages": [{"text": "A"}]},
    )})  # fmt: skip


def inspect(folder: Path) -> Path:
    def sample(name: Any, box: Any, **more: Any) -> dict[str, Any]:
        return {"id": name, "epoch": 1, "input": "Which colour?", "target": "A", "messages": [
            {"role": "assistant", "content": "",
             "tool_calls": [{"id": "c", "function": "zoom", "arguments": {"bbox": box}}]},
            {"role": "tool", "tool_call_id": "c", "function": "zoom", "content": "seen"},
        ], "output": {"completion": "A"}, "scores": {"choice": {"value": "C", "answer": "A"}}} | more  # fmt: skip

    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "openai/m"}, "samples": [
        sample("mug", [1, 2, 30, 40]), sample("cup", [30, 2, 1, 40]), sample("mug", "left", epoch="two"),
        sample("x", [], input="What?"), sample("mug", [1, 2, 3, 4], scores={"choice": {"value": {"a": 1}}}, epoch=2), 7,
    ]}  # fmt: skip
    return written(folder, {"log.json": json.dumps(log).encode()})


def seal(folder: Path) -> Path:
    row = {
        "question": "Which colour?", "options": ["green", "red"], "image": "mug.jpg", "option_chosen": 0, "correct": 1,
        "search_result": [{"bbox": [1, 2, 30, 40], "name": "mug"}],
    }  # fmt: skip
    rows = [
        row, {**row, "image": "x.jpg", "question": "What?"},
        {**row, "search_result": [{"bbox": [1, 2, -3, 4]}, {"bbox": None}]},
        {**row, "correct": "yes"}, {**row, "options": "green"},
    ]  # fmt: skip
    return written(
        folder, {"eval.json": json.dumps({"direct_attributes": rows, "relative_position": rows[1:2]}).encode()}
    )


def phystool(folder: Path) -> Path:
    row = {"id": "mug", "model_used": "m", "identified_tools": "saw, pencil."}
    rows = [row, {**row, "id": "mugs"}, {"id": "mug"}, {**row, "id": "cup", "identified_tools": 5},
            {**row, "id": "cup", "identified_tools": ["saw", 7]}, 3]  # fmt: skip
    return written(folder, {"task_ii_results_m.json": json.dumps(rows).encode()})


def detector(folder: Path) -> Path:
    saw = {"label": "saw", "box": [1, 2, 30, 40], "score": 0.9}
    rows = [
        {"sample": "mug", "detections": [saw, {**saw, "score": "high"}, {**saw, "box": [30, 2, 1, 40]}]},
        {"sample": "mugs", "detections": []}, {"sample": "cup"}, {"sample": "cup", "detections": [saw], "frame": "px"},
        {"image_id": "cup", "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.9},
    ]  # fmt: skip
    content = b"\n".join([*(json.dumps(row).encode() for row in rows), b"{", b""])
    return written(folder, {"detections.jsonl": content})


def table(folder: Path) -> Path:
    rows = (
        "sample,pred,boxes,tokens_in,rollout,is_correct", 'mug,A,"[1, 2, 30, 40]",5,0,1',
        'cup,A,"[30, 2, 1, 40]",-5,0,maybe', "mug,A,left,,1,", "x,A,,,0,1", "mug,A,,,two,1", "mug,A", "",
    )  # fmt: skip
    return written(folder, {"mine.csv": "\n".join(rows).encode()})


def of_shape(name: str) -> Callable[[Path], Path]:
    """One of the fixtures of shapes, which has a damaged record and one of a stranger."""
    shapes = Path(__file__).resolve().parents[1] / "data" / "shapes"
    return lambda folder: shapes / name


DAMAGED: Mapping[str, Callable[[Path], Path]] = {
    "native": native, "deepeyes": deepeyes, "pixel-reasoner": pixel_reasoner, "mini-o3": mini_o3, "thyme": thyme,
    "qwen-agent": qwen_agent, "vtc-bench": vtc_bench, "vlmevalkit": vlmevalkit, "lmms-eval": lmms_eval,
    "openai-chat": openai_chat, "inspect": inspect, "seal": seal, "phystool": phystool, "table": table,
    "detector": detector,
    "sharegpt": of_shape("sharegpt.json"), "llava": of_shape("llava/answers.jsonl"), "react": of_shape("react.json"),
}  # fmt: skip
