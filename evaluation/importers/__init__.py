"""Trajectory formats: one row per format in ``IMPORTERS``; the way in for files of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.importers.detection import best_first, glimpse
from evaluation.importers import deepeyes, mini_o3, native, openai_chat, pixel_reasoner, qwen_agent, thyme, vlmevalkit
from evaluation.importers.interface import Detection, Importer

IMPORTERS: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        Importer("native", "Sightline: one JSON file, or a folder or zip of JSONL files", native.detect, native.read),
        Importer("deepeyes", "DeepEyes on V* and HR-Bench: result_*.jsonl", deepeyes.detect, deepeyes.read),
        Importer("qwen-agent", "Qwen-Agent and Qwen3-VL: JSON lists of messages", qwen_agent.detect, qwen_agent.read),
        Importer(
            "openai-chat", "Chat completions with tools: JSON lists of messages", openai_chat.detect, openai_chat.read
        ),
        Importer(
            "pixel-reasoner",
            "Pixel-Reasoner: folders with conv.json, or sample.eval_iter*.jsonl",
            pixel_reasoner.detect,
            pixel_reasoner.read,
        ),
        Importer(
            "mini-o3", "Mini-o3: folders with traj.jsonl, or generation dumps of verl", mini_o3.detect, mini_o3.read
        ),
        Importer("thyme", "Thyme: folders with conversation_history.json", thyme.detect, thyme.read),
        Importer(
            "vlmevalkit", "VLMEvalKit and DeepEyesV2: xlsx, TSV or JSON predictions", vlmevalkit.detect, vlmevalkit.read
        ),
    )
}


def detect_format(path: Path) -> list[Detection]:
    """The formats that ``path`` may have, the surest first; empty when none. Raises ``ImportProblem``."""
    head, name = glimpse(path, native.KEYS)
    return best_first(importer.detect(head, name) for importer in IMPORTERS.values())
