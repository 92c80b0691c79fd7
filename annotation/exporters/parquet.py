"""One Parquet file with a row per sample, readable by ``datasets.load_dataset("parquet", ...)``.

Plain columns contain texts, numbers and gold boxes. Values without a fixed shape (options by letter, facets, toolchain,
plan, everything else) are JSON in a text. ``annotation.importers.parquet`` is its inverse.

``image`` contains the bytes of the stored file and its name, or the name alone: then put the files in the same folder.
``image_missing`` is the reason why an image has no bytes. All numbers in boxes become floats.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from annotation.exporters.interface import MissingLibrary, Pictures, StoredFile
from annotation.exporters.native import sample_row
from annotation.extras import missing
from annotation.regions import has_outlines
from annotation.schema import PLAIN_FACETS, SAMPLE_KEYS, SampleRecord

GROUP = 1000
"""The maximum number of samples in a row group, and in memory."""
GROUP_BYTES = 16 << 20
"""A row group ends with the image that exceeds these bytes."""
LOOKED_UP = 250
"""The number of samples whose image files are looked up at once."""
_TEXTS = ("id", "image_group", "question", "answer_type", *PLAIN_FACETS, "state")
_JSON = (
    "options",
    "facets",
    "segments",
    "reference_toolchain",
    "accepted_chains",
    "targets",
    "distractors",
    "likeness",
)


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """Yield the file without images, one row group at a time. Raises ``MissingLibrary`` without pyarrow."""
    return _parts(_library(), samples, None)


def parts_with_pictures(samples: Iterable[SampleRecord], pictures: Pictures) -> Iterator[bytes]:
    """Yield the file with images, one row group at a time. Raises ``MissingLibrary`` without pyarrow."""
    return _parts(_library(), samples, pictures)


def _library() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibrary(missing("Parquet", "pyarrow", "parquet", "choose another format")) from error
    return pyarrow


def _parts(pyarrow: Any, samples: Iterable[SampleRecord], pictures: Pictures | None) -> Iterator[bytes]:
    out = io.BytesIO()
    schema = _schema(pyarrow)
    with pyarrow.parquet.ParquetWriter(_Kept(out), schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        held = 0
        for row in _rows(samples, pictures):
            rows.append(row)
            held += len((row["image"] or {}).get("bytes") or b"")
            if len(rows) == GROUP or held >= GROUP_BYTES:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
                yield _taken(out)
                rows, held = [], 0
        if rows:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
    yield _taken(out)


def _rows(samples: Iterable[SampleRecord], pictures: Pictures | None) -> Iterator[dict[str, Any]]:
    following = iter(samples)
    while batch := list(islice(following, LOOKED_UP)):
        found = pictures([sample.id for sample in batch]) if pictures else {}
        for sample in batch:
            yield _row(sample) | _picture(sample, found.get(sample.id, ""))


def _picture(sample: SampleRecord, found: StoredFile | str) -> dict[str, Any]:
    """The image and the reason why it has no bytes."""
    path = sample.image
    if isinstance(found, str):
        return {"image": {"bytes": None, "path": path} if path else None, "image_missing": found or None}
    try:
        return {"image": {"bytes": found(), "path": path}}
    except FileNotFoundError:
        return {"image": {"bytes": None, "path": path}, "image_missing": "The stored file is missing."}


class _Kept(io.RawIOBase):
    """Passes written bytes on and counts them, because Parquet only asks for the position."""

    def __init__(self, out: io.BytesIO) -> None:
        self._out, self._at = out, 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, data: Any) -> int:
        written = self._out.write(data)
        self._at += written
        return written


def _taken(out: io.BytesIO) -> bytes:
    data = out.getvalue()
    out.seek(0)
    out.truncate()
    return data


def _schema(pyarrow: Any) -> Any:
    text, number = pyarrow.string(), pyarrow.int64()
    picture = pyarrow.struct([("bytes", pyarrow.binary()), ("path", text)])
    boxes = pyarrow.list_(pyarrow.list_(pyarrow.float64()))
    columns = [(name, text) for name in _TEXTS]
    columns += [("image", picture), ("image_missing", text), ("width", number), ("height", number)]
    columns += [("answer", pyarrow.list_(text)), ("gold_boxes", boxes), ("gold_shapes", text)]
    columns += [("ordered", pyarrow.bool_())]
    columns += [(name, text) for name in (*_JSON, "extra")]
    return pyarrow.schema(columns)


def _row(sample: SampleRecord) -> dict[str, Any]:
    native = _texts_alone(sample_row(sample))
    answer = native.get("answer")
    row = {name: native.get(name) for name in (*_TEXTS, "width", "height", "ordered")}
    row["answer"] = answer if isinstance(answer, list) else None if answer is None else [answer]
    row["gold_boxes"] = [box.as_list() for box in sample.content.gold_boxes]
    if has_outlines(sample.content.gold_boxes):
        row["gold_shapes"] = _json(native["gold_boxes"])
    row |= {name: _json(native[name]) for name in _JSON if name in native}
    extra = {key: value for key, value in native.items() if key not in SAMPLE_KEYS}
    return row | ({"extra": _json(extra)} if extra else {})


def _texts_alone(native: dict[str, Any]) -> dict[str, Any]:
    """Put values of category, tier and dimension that are not texts with the other facets; their columns
    contain text.
    """
    others = {name: native[name] for name in PLAIN_FACETS if name in native and not isinstance(native[name], str)}
    if not others:
        return native
    kept = {name: value for name, value in native.items() if name not in others}
    return {**kept, "facets": {**native.get("facets", {}), **others}}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
