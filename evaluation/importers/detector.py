"""Results of open-vocabulary detectors, as runs of tool recognition (Task I).

- COCO results: a list of ``{image_id, category_id, bbox: [x, y, width, height], score}``. Put the dataset file with
  ``images`` and ``categories`` into the same folder or zip; or names, ``{"names": {"1": "claw hammer"}}``.
- JSON or JSONL: ``{sample or image, detections: [{label, box: [x1, y1, x2, y2], score}], frame}``. ``frame`` is
  ``pixel`` (default), ``norm1`` or ``norm1000``. Such names also rename labels here.
- The recognition list of a sample is each name with a score of at least the threshold, best first. An image that is
  named without detections has an empty list; one that is not named has no trajectory.
- Detections of an image are those of every sample with this image. Boxes are kept apart from calls
  (docs/metrics.md#detectors).
- Everything is held in memory, about 400 bytes for each box; nothing is given before the file has been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.boxes import corners
from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report, RowRefused
from annotation.importers.reading import RawRow, RowStream
from evaluation.detections import DETECTIONS, THRESHOLD, Box, Found, at_threshold, is_box, is_score
from evaluation.importers.interface import (
    BoxSpace,
    Detection,
    ImportProblem,
    Read,
    ReadOptions,
    RunSummary,
    SampleIndex,
)
from evaluation.importers.joining import Clues, find_sample
from evaluation.schema import Coordinates, Issue, Trajectory

MODEL = "unnamed detector"
_SUFFIXES = {".json", ".jsonl", ".ndjson"}
_DATASET = ("images", "categories", "annotations")
_NAMES = "names"
_LISTS = (*_DATASET, _NAMES, "results", "rows")
_READ = frozenset({"sample", "sample_id", "image", "detections", "frame", "model", "setting", "error"})
_DETECTIONS = re.compile(rb'"detections"\s*:\s*\[')
Size = tuple[int, int]


@dataclass
class _Image:
    """The part of a file about one image or sample. ``rows``: each with its box as corners and its place in the
    file."""

    clues: Clues
    report: Report
    rows: list[tuple[Mapping[str, Any], object]] = field(default_factory=list)
    space: BoxSpace | None = None
    model: str = ""
    setting: str = ""
    error: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class _Book:
    """The content of the file read so far. ``names``: the meaning of a label or the number of a category."""

    images: dict[tuple[str, str], _Image] = field(default_factory=dict)
    dataset: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def detect(head: bytes, name: str) -> Detection:
    """Rows with detections and scores, or COCO results: categories, boxes and scores."""
    if b'"score"' not in head:
        return Detection("detector", 0.0)
    if _DETECTIONS.search(head) and b'"label"' in head:
        return Detection("detector", 0.95, ("Its rows have detections with label and score.",))
    if all(word in head for word in (b'"image_id"', b'"category_id"', b'"bbox"')):
        return Detection("detector", 0.95, ("Its rows have image_id, category_id, bbox and score, as COCO results.",))
    return Detection("detector", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield one trajectory for each sample of a named image. Raises ``ImportProblem`` if there are none."""
    if options.start.member:
        return  # All records come after the last row, in one batch: it is saved.
    stream, book, decoder = (
        RowStream(path, _LISTS, pick=_data, wanted="JSON or JSONL of a detector"),
        _Book(),
        RowDecoder(),
    )
    for row in stream:
        if not isinstance(row, RawRow):
            yield row
            continue
        data, issues = decoder.decode(row)
        yield from issues
        if data is not None:
            yield from _taken(data, row, book)
    for number, name in book.dataset.items():
        if ("", number) not in book.images and book.images:
            book.images["", number] = _Image(Clues((), name), Report(path.name, None))
    if not book.images:
        raise ImportProblem(f"{path.name} contains no detections: no row has detections, or a category with a score.")
    count = failed = 0
    for image in book.images.values():
        for record in _records(image, book, options, samples):
            count += isinstance(record, Trajectory)
            failed += isinstance(record, Trajectory) and bool(record.error)
            yield record
    yield stream.progress()
    yield RunSummary(count, failed)


def _data(names: Any) -> list[str]:
    return sorted(name for name in names if PurePosixPath(name).suffix.lower() in _SUFFIXES)


def _taken(data: dict[str, Any], row: RawRow, book: _Book) -> Iterator[Issue]:
    report = Report(row.file, row.line, row=row.row)
    try:
        if row.key == _NAMES:
            book.names |= {
                label.strip().casefold(): fields.name(name, f"names.{label}", report) for label, name in data.items()
            }
        elif row.key in _DATASET and "score" not in data:
            _take_dataset(data, row.key, book, report)
        elif "detections" in data or "error" in data:
            _take_image(data, book, report)
        elif "image_id" in data:
            _take_result(data, book, report)
        else:
            done = "The row was rejected because it has neither detections nor image_id. Add them."
            report.refuse("missing-field", "detections", "", done)
    except RowRefused as refused:
        yield refused.issue
    yield from report.issues


def _take_dataset(data: Mapping[str, Any], key: str, book: _Book, report: Report) -> None:
    """The images and the categories of a COCO dataset; its annotations are gold, and are not read."""
    if key == "images":
        number = fields.name(data.get("id"), "id", report)
        book.dataset[number] = fields.name(data.get("file_name"), "file_name", report, default=number)
    elif key == "categories":
        book.names[fields.name(data.get("id"), "id", report)] = fields.name(data.get("name"), "name", report)


def _take_result(data: Mapping[str, Any], book: _Book, report: Report) -> None:
    number = fields.name(data.get("image_id"), "image_id", report)
    image = book.images.setdefault(("", number), _Image(Clues((number,)), report))
    image.rows.append(({"label": data.get("category_id"), **data}, corners(data.get("bbox"))))


def _take_image(data: Mapping[str, Any], book: _Book, report: Report) -> None:
    sample = fields.label(data.get("sample", data.get("sample_id")), "sample", report)
    name = fields.label(data.get("image"), "image", report)
    if not sample and not name:
        report.refuse("missing-field", "sample", None, "The row was rejected. Add a sample or an image.")
    if (sample, name) in book.images:
        report.refuse(
            "repeated-row", "sample", sample or name, "An earlier row has this name. This one was rejected; join them."
        )
    rows = fields.items(data.get("detections"), "detections", report)
    image = _Image(
        Clues((sample,) if sample else (), name),
        report,
        [(one, one.get("box", one.get("bbox"))) for one in rows if isinstance(one, dict)],
        _space(data.get("frame"), report),
        fields.label(data.get("model"), "model", report),
        fields.label(data.get("setting"), "setting", report),
        fields.text(data.get("error"), "error", report),
        fields.extra(data, _READ),
    )
    if len(image.rows) < len(rows):
        report.repaired("not-an-object", "detections", "", "Detections that are no objects were ignored.")
    if data.get("detections") is None and not image.error:
        report.refuse("missing-field", "detections", None, "The row was rejected. Add detections, or an error.")
    book.images[sample, name] = image


def _space(value: object, report: Report) -> BoxSpace | None:
    if value is None:
        return None
    if value not in {kind.value for kind in Coordinates}:
        known = ", ".join(kind.value for kind in Coordinates)
        report.refuse("unknown-frame", "frame", value, f"The row was rejected. frame must be one of {known}.")
    return BoxSpace(Coordinates(value))


def _records(image: _Image, book: _Book, options: ReadOptions, samples: SampleIndex) -> Iterator[Trajectory | Issue]:
    """The trajectories of all samples of an image."""
    report = Report(image.report.file, image.report.line, row=image.report.row)
    threshold = THRESHOLD if options.threshold is None else options.threshold
    try:
        found = _samples(image, book, samples, report)
        for sample in found:
            space = image.space or options.coordinates or BoxSpace()
            given = found_in(image.rows, space, samples.size_of(sample), book.names, report)
            detections = at_threshold(given, threshold)
            yield Trajectory(
                model=image.model or options.model or MODEL,
                sample_id=sample,
                setting=image.setting or options.setting or f"detector@{threshold:g}",
                recognition=None if image.error else detections.tools,
                error=image.error,
                extra={**image.extra, DETECTIONS: detections.to_json()},
                file=report.file,
                line=report.line,
                row=report.row,
            )
    except RowRefused as refused:
        yield refused.issue
    yield from dict.fromkeys(report.issues)


def _samples(image: _Image, book: _Book, samples: SampleIndex, report: Report) -> list[str]:
    """The samples of an image: that with its id, else all with its file. Raises ``RowRefused``."""
    clues = image.clues
    number = clues.ids[0] if clues.ids else ""
    name = clues.image or book.dataset.get(number, "")
    pictured = [one.id for one in samples.by_image(name)] if name else []
    if pictured and (not number or number in book.dataset or number not in samples):
        return pictured
    return [find_sample(Clues(clues.ids, name), samples, report)]


def found_in(
    rows: Iterable[tuple[Mapping[str, Any], object]],
    space: BoxSpace,
    size: Size | None,
    names: Mapping[str, str],
    report: Report,
) -> Iterator[Found]:
    """The objects in rows of ``label`` and ``score``, each with its box. ``names``: what a label represents. What can't
    be read is reported and omitted. Raises ``RowRefused`` for the number of a category without a name."""
    for index, (row, written) in enumerate(rows):
        place = f"detections[{index}]"
        label, score = fields.word_in(row.get("label")), row.get("score")
        if not label:
            report.repaired("no-label", f"{place}.label", row.get("label"), "A detection without label was ignored.")
        elif not is_score(score):
            done = "The score of a detection must be a number from 0 to 1. The detection was ignored."
            report.repaired("no-score", f"{place}.score", score, done)
        else:
            box = placed(written, space, size)
            if box is None:
                done = "The box is empty, or can't be placed on the image. The label counts, and no box is shown."
                report.noted("no-box", f"{place}.box", written, done)
            yield Found(label, _tool(label, row, names, report, place), float(score), box)


def _tool(label: str, row: Mapping[str, Any], names: Mapping[str, str], report: Report, place: str) -> str:
    """The name that a label represents. Raises ``RowRefused`` for the number of a category without a name."""
    known = names.get(label.casefold())
    if known is None and "category_id" in row and not isinstance(row["label"], str):
        done = "The category has no name. Add the COCO dataset file, or names such as "
        report.refuse(
            "unknown-category", f"{place}.category_id", label, done + '{"names": {"1": "claw hammer"}}, to the zip.'
        )
    return known or label


def placed(written: object, space: BoxSpace, size: Size | None) -> Box | None:
    """Return a box in pixels of the image, clipped to it. None if it is invalid or outside, or if the size of the image
    is needed and unknown.
    """
    if not is_box(written):
        return None
    x1, y1, x2, y2 = (float(number) for number in written)  # type: ignore[attr-defined]
    across = down = 1.0
    if space.size or space.kind is not Coordinates.PIXEL:
        if size is None:
            return None
        full = {Coordinates.PIXEL: space.size or size, Coordinates.NORM1: (1, 1), Coordinates.NORM1000: (1000, 1000)}
        across, down = (real / given for real, given in zip(size, full[space.kind], strict=True))
    box = x1 * across, y1 * down, x2 * across, y2 * down
    if size is not None:
        box = max(0.0, box[0]), max(0.0, box[1]), min(float(size[0]), box[2]), min(float(size[1]), box[3])
    return box if is_box(box) else None
