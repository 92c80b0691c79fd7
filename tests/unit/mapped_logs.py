"""Invented logs that no format fits, one for each way tools are logged, with the mapping a person would make."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Log:
    """``calls``: of each trajectory its calls as (tool, box in pixels of the 1000 × 800 image, image it works on)."""

    name: str
    content: bytes
    mapping: dict[str, Any]
    samples: tuple[str, ...]
    calls: tuple[tuple[tuple[str, tuple[float, ...] | None, str | None], ...], ...]
    answers: tuple[str | None, ...]
    rules: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    said: tuple[str, ...] = field(default=())


def lines(*rows: Any) -> bytes:
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def document(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"

NESTED = Log(
    "nested turns",
    document({
        "config": {"model": "Falcon-VL", "seed": 3},
        "results": [
            {"meta": {"qid": "mug"}, "log": [
                {"thought": "small", "actions": [{"API_name": "zoom", "API_params": {"bbox": [100, 250, 200, 125]}}],
                 "value": "here it is"},
                {"thought": "turn it", "actions": [
                    {"API_name": "rotate", "API_params": {"angle": 90, "image": "step1.png"}}], "value": "error: no"},
                {"thought": "it is white", "answer": "B"},
            ]},
            {"meta": {"qid": "cup"}, "log": []},
            {"meta": {"qid": "stranger"}, "log": [{"answer": "A"}]},
            "not a row",
        ],
    }),
    {"rows": "results[*]", "sample": "meta.qid", "turns": "log[*]", "said": "log[*].thought",
     "calls": "log[*].actions[*]", "tool": "API_name", "arguments": "API_params", "box": "API_params.bbox",
     "box_form": "xywh", "coordinates": "norm1000", "image_in": "API_params.image", "observation": "log[*].value",
     "answer": "log[-1].answer", "model": "config.model"},
    ("mug", "cup"),
    ((("zoom", (100, 200, 300, 300), "original"), ("rotate", None, None)), ()),
    ("B", None),
    ("image-unknown", "unknown-sample", "not-an-object"),
    ("Falcon-VL", "Falcon-VL"),
    ("small", "turn it"),
)  # fmt: skip

FLAT = Log(
    "flat calls",
    lines(
        {"sid": "mug", "engine": "m-1", "tool_runs": [
            {"op": "crop", "left": 10, "top": 20, "width": 30, "height": 40, "src": 0},
            {"op": "crop", "left": 1, "top": 2, "width": 3, "height": 4, "src": 1},
            {"op": "grayscale", "src": 7},
        ], "final": "white", "right": 1},
        {"sid": 7, "tool_runs": [], "final": "", "right": None, "wrong_why": "timeout"},
        b'{"sid": "cup", "tool_runs": [',
    ),
    {"sample": "sid", "question": "q", "model": "engine", "calls": "tool_runs[*]", "tool": "op", "box": ".",
     "image_in": "src", "answer": "final", "verdict": "right", "failed": "wrong_why"},
    ("mug",),
    ((("crop", (10, 20, 40, 60), "original"), ("crop", (1, 2, 4, 6), "crop_1"), ("grayscale", None, None)),),
    ("white",),
    ("image-unknown", "no-box", "number-alone", "not-json"),
    ("m-1",),
)  # fmt: skip

REACT = Log(
    "calls as text, ReAct",
    document([
        {"id": "mug", "trace": "Thought: tiny\nAction: crop\nAction Input: {\"bbox\": [0.1, 0.2, 0.3, 0.4]}\n"
         "Observation: a mug\nThought: look closer\nAction: zoom[0.5, 0.5, 1, 1]\nObservation: better\n"
         "Thought: white then\nFinal Answer: B"},
        {"id": "cup", "trace": "Thought: known\nAction: Finish[A]"},
        {"id": "mug", "trace": ""},
    ]),
    {"rows": "[*]", "sample": "id", "texts": {"trace": "react"}, "turns": "trace[*]", "calls": "trace[*]",
     "said": "trace[*].thought", "tool": "action", "arguments": "action_input", "box": "action_input.bbox",
     "observation": "trace[*].observation", "coordinates": "norm1"},
    ("mug", "cup", "mug"),
    ((("crop", (100, 160, 300, 320), "original"), ("zoom", None, "original")), (), ()),
    ("white then", "A", None),
)  # fmt: skip

CHAT = Log(
    "messages with unusual keys",
    lines(
        {"task": {"name": "mug"}, "dialogue": [
            {"speaker": "person", "utterance": "What colour?"},
            {"speaker": "bot", "utterance": "I zoom.", "invocations": [
                {"fn": "zoom", "params": "{\"roi\": [10, 20, 30, 40]}", "uid": "a"},
                {"fn": "zoom", "params": "{\"roi\": [50, 60, 70, 80]}", "uid": "b"}]},
            {"speaker": "env", "utterance": f"data:image/png;base64,{PNG}"},
            {"speaker": "env", "utterance": "failed: outside"},
            {"speaker": "bot", "utterance": "Option B.", "invocations": None},
        ]},
        {"task": {"name": "cup"}, "dialogue": [
            {"speaker": "bot", "utterance": "", "invocations": [{"fn": "zoom", "params": "{\"roi\": [1, 2"}]},
            {"speaker": "narrator", "utterance": "silence"},
        ]},
    ),
    {"sample": "task.name", "turns": "dialogue[*]", "role": "dialogue[*].speaker", "roles": {"person": "prompt"},
     "said": "dialogue[*].utterance", "observation": "dialogue[*].utterance",
     "calls": "dialogue[*].invocations[*]", "tool": "fn", "arguments": "params", "box": "params.roi",
     "texts": {"dialogue[*].invocations[*].params": "json"}},
    ("mug", "cup"),
    ((("zoom", (10, 20, 30, 40), "original"), ("zoom", (50, 60, 70, 80), "original")), (("zoom", None, "original"),)),
    ("Option B.", None),
    ("text-not-taken-apart", "unknown-role"),
    ("unnamed", "unnamed"),
    ("I zoom.", "", ""),
)  # fmt: skip

TAGS = Log(
    "actions in tags",
    document({"run": "tagger", "outputs": {"items": [
        {"key": "mug", "text": "<think>far</think><act name=\"crop\">[10, 20, 30, 40]</act>"
         "<think>near</think><act name='flip'/><reply>white</reply>"},
        {"key": "cup", "text": "no tags at all"},
    ]}}),
    {"rows": "outputs.items[*]", "sample": "key", "model": "run", "texts": {"text": "tags"}, "turns": "text[*]",
     "calls": "text[*].act", "said": "text[*].think", "tool": "name", "box": "text", "answer": "text[*].reply"},
    ("mug", "cup"),
    ((("crop", (10, 20, 30, 40), "original"), ("flip", None, "original")), ()),
    ("white", None),
    (),
    ("tagger", "tagger"),
    ("far", "near"),
)  # fmt: skip

KEYED = Log(
    "keyed objects",
    document({
        "alpha": {"mug": {"steps": {"s1": {"code": "crop(img, box=[10, 20, 30, 40])"},
                                    "s2": {"code": "import os; os.remove('x')"}}, "out": ["white"]},
                  "note": "text beside rows"},
        "beta": {"cup": {"steps": {}, "out": None}},
    }),
    {"rows": "[*][*]", "sample": "key()", "model": "[*].key()", "texts": {"steps[*].code": "python"},
     "calls": "steps[*].code", "tool": "name", "arguments": "arguments", "box": "arguments.box", "answer": "out[0]"},
    ("mug", "cup"),
    ((("crop", (10, 20, 30, 40), "original"), ("remove", None, "original")), ()),
    ("white", None),
    (),
    ("alpha", "beta"),
)  # fmt: skip

EVENTS = Log(
    "a list of events",
    lines(
        {"batch": [
            {"image_file": "shelf.jpg", "events": [
                {"kind": "thought", "note": "where"},
                {"kind": "call", "name": "crop", "region": [[10, 20], [30, 40]], "input": "shelf.jpg", "made": "a.png"},
                {"kind": "result", "output": "Error: too small"},
                {"kind": "call", "name": "crop", "region": "10, 20, 30, 40; 5 6 7 8", "input": "a.png"},
                {"kind": "call", "name": "finish", "region": None, "say": "white"},
            ]},
        ], "model": {"id": "ev-2"}},
    ),
    {"rows": "batch[*]", "image": "image_file", "calls": "events[*]", "tool": "name", "box": "region",
     "said": "events[*].note", "observation": "output", "image_in": "input", "image_out": "made", "arguments": "say",
     "model": "model.id"},
    ("mug",),
    ((("crop", (10, 20, 30, 40), "original"), ("crop", (10, 20, 30, 40), None), ("crop", (5, 6, 7, 8), None)),),
    ("white",),
    ("image-unknown",),
    ("ev-2",),
    ("where", "", ""),
)  # fmt: skip

LOGS = (NESTED, FLAT, REACT, CHAT, TAGS, KEYED, EVENTS)
