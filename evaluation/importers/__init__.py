"""Trajectory formats: one row per format in ``IMPORTERS``; the way in for files of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.importers.detection import best_first, glimpse
from evaluation.importers import deepeyes, native
from evaluation.importers.interface import Detection, Importer

IMPORTERS: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        Importer("native", "Sightline: one JSON file, or a folder or zip of JSONL files", native.detect, native.read),
        Importer(
            "deepeyes", "DeepEyes on V* and HR-Bench: result_*.jsonl", deepeyes.detect, deepeyes.read, by_content=True
        ),
    )
}


def detect_format(path: Path) -> list[Detection]:
    """The formats that ``path`` may have, the surest first; empty when none. Raises ``ImportProblem``."""
    head, name = glimpse(path, native.KEYS)
    return best_first(importer.detect(head, name) for importer in IMPORTERS.values())
