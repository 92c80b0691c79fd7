"""Benchmark formats: one row per format in ``IMPORTERS``; the way in for files of samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.importers import label_studio, native, vtc_bench
from annotation.importers.detection import best_first, glimpse
from annotation.importers.interface import Detection, Importer

IMPORTERS: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        Importer("native", "Sightline: one JSON file, or a folder or zip of JSONL files", native.detect, native.read),
        Importer("vtc-bench", "VTC-Bench: TSV with or without reference toolchains", vtc_bench.detect, vtc_bench.read),
        Importer(
            "label-studio",
            "Label Studio: its export as JSON, tasks with annotations",
            label_studio.detect,
            label_studio.read,
        ),
    )
}


def detect_format(path: Path) -> list[Detection]:
    """The formats that ``path`` may have, the surest first; empty when none. Raises ``ImportProblem``."""
    head, name = glimpse(path, native.KEYS)
    return best_first(importer.detect(head, name) for importer in IMPORTERS.values())
