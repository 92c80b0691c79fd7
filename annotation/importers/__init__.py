"""Benchmark formats: one row per format in ``IMPORTERS``; the way in for files of samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.importers import (
    coco,
    dialogs,
    hr_bench,
    label_studio,
    llava,
    native,
    parquet,
    phystool,
    results,
    table,
    viebench,
    vstar,
    vtc_bench,
)
from annotation.importers.detection import detected
from annotation.importers.interface import Detection, Importer

_ROWS = (
    ("native", "Sightline: one JSON file, or a folder or zip of JSONL files", native),
    ("vtc-bench", "VTC-Bench: TSV with or without reference toolchains", vtc_bench),
    ("vstar", "V*: folders with one JSON per image", vstar),
    ("hr-bench", "HR-Bench: TSV with four turns of each question", hr_bench),
    ("viebench", "Questions with evidence boxes, as JSON or JSONL", viebench),
    ("phystool", "PhysTool-Bench: ground truth of tool plans", phystool),
    ("coco", "COCO: images with boxes, to be annotated", coco),
    ("parquet", "Hugging Face data sets: Parquet files, with or without images", parquet),
    ("label-studio", "Label Studio: its export as JSON, tasks with annotations", label_studio),
    ("llava", "LLaVA: questions as JSONL, alone or in a zip with answers", llava),
    ("dialogs", "Dialogs by ID with tools, files and gt_answer, as in GTA", dialogs),
    ("table", "Any table: CSV, TSV, xlsx, Parquet or JSONL, with columns chosen by you", table),
)
IMPORTERS: Mapping[str, Importer] = {
    **{name: Importer(name, title, module.detect, module.read) for name, title, module in _ROWS},
    **{one.name: Importer(one.name, one.title, one.detect, one.read) for one in results.FORMATS},
}


def detect_format(path: Path) -> list[Detection]:
    """The formats that ``path`` may have, the surest first; empty when none. Raises ``ImportProblem``."""
    return detected(path, native.KEYS, IMPORTERS.values())
