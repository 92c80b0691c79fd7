"""Data sets in the format of Hugging Face: Parquet files, alone or as the shards of a folder or zip. Files only.

- Columns have the names of the native format, or the plain ones of ``question_rows`` (``question``, ``options``,
  ``answer``, ``bbox``). Cells can contain objects and lists as JSON.
- ``image`` is an image with ``bytes`` and ``path``, its bytes alone, or its name. In a list, the first counts.
- The split in a file's name becomes the facet ``split``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers.converting import converted
from annotation.importers.embedded import picture_in
from annotation.importers.fields import Report
from annotation.importers.interface import PROGRESS_EVERY, Detection, ImportProblem, Read, ReadOptions
from annotation.importers.parquet_rows import ParquetRow, ParquetStream
from annotation.importers.question_rows import BOXES, native_from
from annotation.importers.storable import storable

MAX_TEXT = 64 << 20
_IMAGES = ("image", "images", "decoded_image", "image_bytes")
_OTHER = frozenset({*_IMAGES, "image_missing"})
"""Columns that are no keys of a sample. Our export states in ``image_missing`` why an image has no bytes."""
_JSON = frozenset({
    "options", "choices", "answer", "gold_boxes", "gold_shapes", "facets", "segments", "reference_toolchain",
    "accepted_chains", "targets", "distractors", "likeness", "extra", *BOXES,
})  # fmt: skip
_KNOWN = frozenset({"id", "question", *_IMAGES, *_JSON})
"""A file with none of these columns is not a benchmark."""


def detect(head: bytes, name: str) -> Detection:
    """Parquet with a column ``question``."""
    if not head.startswith(b"PAR1\n"):
        return Detection("parquet", 0.0)
    columns = set(head.decode("utf-8", "replace").split("\n", 1)[1].split("\t"))
    if "question" not in columns:
        return Detection("parquet", 0.2, ("It is Parquet, but has no column question.",))
    found = [key for key in ("gold_boxes", *BOXES, "image", "options", "answer") if key in columns]
    return Detection(
        "parquet", 0.9 if found else 0.5, (f"It is Parquet with the columns {', '.join(['question', *found])}.",)
    )


def read(path: Path, options: ReadOptions) -> Read:
    """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none."""
    stream = ParquetStream(path, options.start)
    given = 0
    for row in stream:
        if not given and not _KNOWN & row.values.keys():
            columns = ", ".join(list(row.values)[:12])
            raise ImportProblem(
                f"{path.name} has the columns {columns}, and none that is known. A benchmark has question, and image, "
                "options, answer, gold_boxes or bbox where it has them: name the columns so."
            )
        yield from converted(row.values, partial(_native, row), Report(row.file, None, row=str(row.line)))
        given += 1
        if given % PROGRESS_EVERY == 0:
            yield stream.progress()
    yield stream.progress()
    if not given and not options.start.member:
        raise ImportProblem(f"{path.name} has no rows. Check that it was written completely.")


def _native(row: ParquetRow, values: Mapping[str, Any], report: Report) -> dict[str, Any]:
    image = _picture(values, report)
    plain = {key: _value(key, value) for key, value in values.items() if key not in _OTHER and value is not None}
    extra = plain.pop("extra", {})
    if isinstance(shapes := plain.pop("gold_shapes", None), list):
        plain["gold_boxes"] = shapes
    plain.setdefault("id", f"{PurePosixPath(row.file).stem}:{row.line}")
    native = plain if "gold_boxes" in plain else native_from(plain, report)
    if isinstance(extra, dict):
        native = {**extra, **native}
    facets = native.get("facets")
    if row.split and not (isinstance(facets, dict) and "split" in facets):
        native["facets"] = {**(facets if isinstance(facets, dict) else {}), "split": row.split}
    return native | ({"image": image} if image else {})


def _value(key: str, value: Any) -> Any:
    """Return a cell as a storable value. JSON in a text is parsed if a list or an object is expected."""
    if key in _JSON and isinstance(value, str) and value[:1] in "[{" and len(value) < MAX_TEXT:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return storable(value)
    if isinstance(value, dict):
        # A struct has all its keys in every row.
        value = {name: item for name, item in value.items() if item is not None}
    return storable(value)


def _picture(values: Mapping[str, Any], report: Report) -> str | None:
    """Return the name of the image, or the image itself as a data URL."""
    key = next((key for key in _IMAGES if values.get(key) is not None), "")
    return picture_in(values.get(key), key, report)
