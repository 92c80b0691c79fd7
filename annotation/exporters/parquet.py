"""One Parquet file with a row per sample, readable by ``datasets.load_dataset("parquet", ...)``.

Plain columns contain texts, numbers and gold boxes. Values without a fixed shape (options by letter, facets, toolchain,
plan, everything else) are JSON in a text. ``annotation.importers.parquet`` is its inverse.

It omits the image bytes: ``image`` contains file names; put the files in the same folder. All numbers in boxes become
floats.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.exporters.interface import MissingLibrary
from annotation.exporters.native import sample_row
from annotation.extras import missing
from annotation.regions import has_outlines
from annotation.schema import PLAIN_FACETS, SAMPLE_KEYS, SampleRecord

GROUP = 1000
"""The number of samples in a row group, and in memory."""
_TEXTS = ("id", "image_group", "question", "answer_type", *PLAIN_FACETS)
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
    """Yield the file, one row group at a time. Raises ``MissingLibrary`` without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibrary(missing("Parquet", "pyarrow", "parquet", "choose another format")) from error
    return _parts(pyarrow, samples)


def _parts(pyarrow: Any, samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    out = io.BytesIO()
    schema = _schema(pyarrow)
    with pyarrow.parquet.ParquetWriter(_Kept(out), schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for sample in samples:
            rows.append(_row(sample))
            if len(rows) == GROUP:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
                yield _taken(out)
                rows = []
        if rows:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
    yield _taken(out)


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
    columns += [("image", picture), ("width", number), ("height", number), ("answer", pyarrow.list_(text))]
    columns += [("gold_boxes", boxes), ("gold_shapes", text), ("ordered", pyarrow.bool_())]
    columns += [(name, text) for name in (*_JSON, "extra")]
    return pyarrow.schema(columns)


def _row(sample: SampleRecord) -> dict[str, Any]:
    native = _texts_alone(sample_row(sample))
    answer = native.get("answer")
    row = {name: native.get(name) for name in (*_TEXTS, "width", "height", "ordered")}
    row["image"] = {"bytes": None, "path": sample.image} if sample.image else None
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
