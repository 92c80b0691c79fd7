"""Trajectory formats: one row per format in ``IMPORTERS``; the way in for files of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path

from annotation.importers.detection import best_first, detected
from evaluation.importers import (
    deepeyes,
    detector,
    inspect_ai,
    llava,
    lmms_eval,
    mini_o3,
    native,
    openai_chat,
    phystool,
    pixel_reasoner,
    qwen_agent,
    react,
    seal,
    sharegpt,
    table,
    thyme,
    vlmevalkit,
    vtc_bench,
)
from evaluation.importers.interface import (
    Detection,
    Importer,
    Read,
    Reader,
    ReadOptions,
    SampleIndex,
    UnchangedRowDetector,
)
from evaluation.importers.mapped import detection as mapped_detection
from evaluation.importers.mapped import reading as mapped


def _each_time(read: Callable[[Path, ReadOptions, SampleIndex], Read]) -> Reader:
    """A reader that reads every row again, because its rows depend on other files or on earlier rows."""

    @wraps(read)
    def read_all(
        path: Path, options: ReadOptions, samples: SampleIndex, known: UnchangedRowDetector | None = None
    ) -> Read:
        return read(path, options, samples)

    return read_all


_ROWS = (
    ("pixel-reasoner", "Pixel-Reasoner: folders with conv.json, or sample.eval_iter*.jsonl", pixel_reasoner),
    ("mini-o3", "Mini-o3: folders with traj.jsonl, or generation dumps of verl", mini_o3),
    ("thyme", "Thyme and VTC-Bench's code track: folders with conversation_history.json", thyme),
    ("qwen-agent", "Qwen-Agent and Qwen3-VL: JSON lists of messages", qwen_agent),
    ("vtc-bench", "VTC-Bench's interface track: results_*.jsonl with response_list_*.json", vtc_bench),
    ("vlmevalkit", "VLMEvalKit and DeepEyesV2: xlsx, TSV or JSON predictions", vlmevalkit),
    ("lmms-eval", "lmms-eval: *_samples_TASK.jsonl", lmms_eval),
    (
        "openai-chat",
        "Chats with tools of OpenAI (also Responses) and Anthropic: JSON lists of messages",
        openai_chat,
    ),
    ("sharegpt", "ShareGPT and LLaVA: dialogues of from and value", sharegpt),
    ("llava", "LLaVA: answers as JSONL, alone or in a zip with their questions", llava),
    ("react", "ReAct logs: response_list and tool_list of a record", react),
    ("inspect", "Inspect AI: .eval and .json logs", inspect_ai),
    ("seal", "SEAL on V*: one JSON with both lists", seal),
    ("phystool", "PhysTool-Bench: tasks I and II, judged or not", phystool),
    ("detector", "Detectors: COCO results, or JSONL with detections; runs of tool recognition", detector),
    ("table", "Any table: CSV, TSV, xlsx, Parquet or JSONL, with columns chosen by you", table),
)
IMPORTERS: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        Importer("native", "Sightline: one JSON file, or a folder or zip of JSONL files", native.detect, native.read),
        Importer("deepeyes", "DeepEyes on V* and HR-Bench: result_*.jsonl", deepeyes.detect, deepeyes.read, True),
        *(Importer(name, title, room.detect, _each_time(room.read), True) for name, title, room in _ROWS),
        Importer(
            mapped.NAME,
            "Any other JSON: tool logs, with keys mapped by you",
            mapped_detection.detect,
            mapped.read,
            True,
        ),
    )
}


def detect_format(path: Path) -> list[Detection]:
    """The formats that ``path`` may have, the surest first; empty when none. Raises ``ImportProblem``."""
    found = detected(path, native.KEYS, IMPORTERS.values())
    if not any(one.importer == mapped.NAME and one.confidence >= mapped_detection.CALLS for one in found):
        return found
    # A table of a log's rows would omit its calls: which of the two it is, is asked.
    return best_first(_asked(one) if one.importer == table.NAME else one for one in found)


def _asked(table_: Detection) -> Detection:
    sure = min(table_.confidence, mapped_detection.CALLS - 0.05)
    return replace(table_, confidence=sure, reasons=(*table_.reasons, "Read as a table, tool calls are ignored."))
