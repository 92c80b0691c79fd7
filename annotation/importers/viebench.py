"""Questions with evidence boxes as JSON or JSONL, with the plain names used in ViEBench's paper and similar files.

- ``image``, ``question``, ``options`` (a list, or by letter), ``answer`` (a letter, an option's text, or accepted
  answers), ``category``, ``tier``, ``dimension``, and boxes under ``evidence_boxes``, ``bbox``, ``bboxes``, ``boxes``.
- ``bbox_format`` of a row gives the notation of boxes: ``xyxy``, ``xywh``, ``normalized`` or ``xywh_normalized``.
  Without it they are corners in pixels, or fractions if no number is above 1; this is reported.
"""

from __future__ import annotations

from pathlib import Path

from annotation.importers.converting import read_rows
from annotation.importers.interface import Detection, Read, ReadOptions
from annotation.importers.question_rows import BOXES, native_from
from annotation.importers.reading import RowStream


def detect(head: bytes, name: str) -> Detection:
    """Rows with a question, an answer and boxes."""
    if any(key in head for key in (b'"gold_boxes"', b'"target_object"', b'"response_list"')):
        return Detection("viebench", 0.0)
    boxes = next((key for key in BOXES if f'"{key}"'.encode() in head), None)
    if boxes is None or b'"question"' not in head or b'"answer"' not in head:
        return Detection("viebench", 0.0)
    return Detection("viebench", 0.7, (f"Its rows have question, answer and {boxes}.",))


def read(path: Path, options: ReadOptions) -> Read:
    """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none."""
    stream = RowStream(path, (), options.start, wanted="a JSON list or JSONL file")
    empty = f"{path.name} contains no rows with a question. Use a JSON list or JSONL with question, answer and boxes."
    return read_rows(stream, native_from, empty)
