"""The V* benchmark: folders ``direct_attributes`` and ``relative_position``, with one JSON file next to each image.

- ``bbox`` is ``[x, y, width, height]`` per object, in pixels. The gold option is first, so the answer is always A.
- The id is folder and file name (``direct_attributes/sa_4690``), the folder the category; ``target_object`` is kept.
- The image is the file of the same name, with the first of the usual endings that exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.boxes import corners, name_boxes
from annotation.importers.converting import read_documents
from annotation.importers.documents import DocumentStream
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, Read, ReadOptions

PICTURES = (".jpg", ".jpeg", ".png", ".webp")
_READ = frozenset({"", "bbox", "question", "options"})


def detect(head: bytes, name: str) -> Detection:
    """A JSON with ``target_object``, ``bbox`` and ``options``."""
    found = all(key in head for key in (b'"target_object"', b'"bbox"', b'"options"'))
    return Detection("vstar", 0.95 if found else 0.0, ("It has target_object, bbox and options.",) if found else ())


def read(path: Path, options: ReadOptions) -> Read:
    """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none."""
    pictures: dict[str, str] = {}

    def group(names: Sequence[str]) -> Sequence[Sequence[str]]:
        for suffix in reversed(PICTURES):
            pictures.update({_stem(name): name for name in names if name.lower().endswith(suffix)})
        return [[name] for name in names if name.lower().endswith(".json")]

    def to_native(values: Mapping[str, Any], report: Report) -> dict[str, Any]:
        return _native(values, pictures, report)

    stream = DocumentStream(path, options.start, group=group, wanted="folders with one JSON per image")
    empty = f"{path.name} contains no JSON with question, options and bbox. Choose the folder with one per image."
    return read_documents(stream, to_native, empty)


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def _native(values: Mapping[str, Any], pictures: Mapping[str, str], report: Report) -> dict[str, Any]:
    if missing := [name for name in ("question", "bbox") if name not in values]:
        done = f"The file was rejected because it has no {' and no '.join(missing)}. Add it, or remove the file."
        report.refuse("missing-field", missing[0], [name for name in values if name][:9], done)
    stem = _stem(str(values[""]))
    texts = [str(text) for text in fields.items(values.get("options"), "options", report)]
    boxes = fields.items(values.get("bbox"), "bbox", report)
    name_boxes(boxes, "bbox", report)
    category = PurePosixPath(stem).parent.name
    return {
        **fields.extra(values, _READ),
        "id": "/".join(part for part in (category, PurePosixPath(stem).name) if part),
        "image": pictures.get(stem, f"{stem}.jpg"),
        "category": category or None,
        "question": values["question"],
        "answer_type": "mc" if texts else "open",
        "options": {chr(ord("A") + n): text for n, text in enumerate(texts[:26])},
        "answer": "A" if texts else [],
        "gold_boxes": [corners(box) for box in boxes],
    }
