"""HR-Bench: a TSV that has each question four times, with its options rotated.

Columns ``index, question, answer, A-D, category (single | cross), cycle_category, image``. The four turns share one
image, given once as base64 and by reference after that: they are one image group, so that they count as one cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers.converting import read_table
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.tables import TableStream

LETTERS = ("A", "B", "C", "D")
_READ = frozenset({"index", "question", "answer", "category", "cycle_category", "image", "image_path", *LETTERS})
_BASE64_FROM = 200
_KINDS = {"/9j/": "jpeg", "iVBORw0KGgo": "png", "UklGR": "webp"}


def detect(head: bytes, name: str) -> Detection:
    """A TSV with ``cycle_category``."""
    columns = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip().split("\t")
    if "cycle_category" not in columns or "question" not in columns:
        return Detection("hr-bench", 0.0)
    if "prediction" in columns:
        return Detection("hr-bench", 0.1, ("It has the column prediction: these are answers of a model.",))
    return Detection("hr-bench", 0.97, ("It is a TSV with the column cycle_category.",))


def read(path: Path, options: ReadOptions) -> Read:
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    stream = TableStream(path, options.start)
    if missing := {"index", "question", "answer", "A", "B"} - set(stream.columns):
        raise ImportProblem(f"{path.name} has no column {sorted(missing)[0]}. HR-Bench has index, question, A to D ...")
    empty = f"{path.name} has a heading but no rows. Check that it was written completely."
    return read_table(stream, _native, empty, resumed=bool(options.start.offset))


def _native(cells: Mapping[str, Any], report: Report) -> dict[str, Any]:
    report.stands_for("id", "index")
    image = cells.get("image", "")
    row = cells.get("index", "")
    group = image if image.isdecimal() else row
    return {
        **{key: text for key, text in cells.items() if key not in _READ and text},
        "id": row,
        "image": cells.get("image_path") or _picture(image),
        "image_group": f"picture {group}",
        "category": cells.get("category") or None,
        "facets": {"cycle": cells["cycle_category"]} if cells.get("cycle_category") else {},
        "question": cells["question"],
        "answer_type": "mc",
        "options": {letter: cells[letter] for letter in LETTERS if cells.get(letter)},
        "answer": cells["answer"],
    }


def _picture(image: str) -> str | None:
    """The name of an image, or the image itself as an address; a number is a row that has it."""
    if not image or image.isdecimal():
        return None
    if len(image) < _BASE64_FROM:
        return image
    kind = next((kind for start, kind in _KINDS.items() if image.startswith(start)), "jpeg")
    return f"data:image/{kind};base64,{image}"
