"""Questions with evidence boxes as JSON or JSONL, in the plain words that ViEBench's paper uses and files like it.

- ``image``, ``question``, ``options`` (a list, or by letter), ``answer`` (a letter, an option's text, or accepted
  answers), ``category``, ``tier``, ``dimension``, and boxes under ``evidence_boxes``, ``bbox``, ``bboxes``, ``boxes``.
- How boxes are written is told by ``bbox_format`` (``xyxy``, ``xywh``, ``normalized``, ``xywh_normalized``) of a row.
  Untold they are corners in pixels, or fractions where no number is above 1; that reading is noted.
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
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    stream = RowStream(path, (), options.start, wanted="a JSON list or JSONL file")
    empty = f"{path.name} contains no rows with a question. Use a JSON list or JSONL with question, answer and boxes."
    return read_rows(stream, native_from, empty)
