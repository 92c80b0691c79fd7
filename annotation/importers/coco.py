"""COCO's detection JSON: ``images`` and ``annotations`` with ``[x, y, width, height]`` in pixels.

- Annotations with a ``sample_id`` (as our export writes) make one sample each; others make one sample per image.
- Categories are the labels of shapes. It has no answers, so these samples remain to be annotated. Each polygon is a
  shape of its own, also of an annotation with several. Masks (RLE) become polygons where the task allows them, and else
  their box.
- Images and boxes are held in memory, about 300 bytes each; nothing is yielded before the whole file has been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.coco_shapes import CocoAnnotation, ShapeReader
from annotation.importers.converting import converted
from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.reading import RawRow, RowStream
from annotation.schema import Issue

LISTS = ("images", "annotations", "categories")
LABELS, EVIDENCE = "box_labels", "evidence"
_IMAGES = re.compile(rb'"images"\s*:\s*\[\s*\{[^{}]*"file_name"\s*:')


@dataclass(slots=True)
class _Sample:
    image: int | str
    line: int | None = None
    row: str = ""
    question: str = ""
    annotations: list[CocoAnnotation] = field(default_factory=list)


@dataclass(slots=True)
class _Book:
    """The content of the file read so far."""

    shapes: ShapeReader
    images: dict[int | str, dict[str, Any]] = field(default_factory=dict)
    categories: dict[int | str, str] = field(default_factory=dict)
    samples: dict[str, _Sample] = field(default_factory=dict)


def detect(head: bytes, name: str) -> Detection:
    """``images`` and ``annotations`` with ``image_id`` or ``file_name``. Of a long file in a zip, only the images are
    seen.
    """
    lists = b'"images"' in head and (b'"file_name"' in head or b'"image_id"' in head)
    if lists and (b'"annotations"' in head or b'"categories"' in head):
        return Detection("coco", 0.9, ("It has images and annotations, as COCO.",))
    if lists and _IMAGES.search(head):
        return Detection("coco", 0.7, ("It begins with a list of images with file names, as COCO.",))
    return Detection("coco", 0.0)


def read(path: Path, options: ReadOptions) -> Read:
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    stream = RowStream(path, LISTS, wanted="one JSON with images and annotations")
    decoder, book = RowDecoder(), _Book(ShapeReader(options.polygons))
    for row in stream:
        if not isinstance(row, RawRow):
            yield row
            continue
        data, issues = decoder.decode(row)
        yield from issues
        if data is not None:
            yield from _taken(data, row, book)
    if not book.images:
        raise ImportProblem(f"{path.name} contains no list of images. COCO has images, annotations and categories.")
    for key, sample in _all(book):
        report = Report(path.name, sample.line, row=sample.row)
        yield from converted({"": (key, sample, book)}, _native, report)
    yield stream.progress()


def _taken(data: dict[str, Any], row: RawRow, book: _Book) -> Iterator[Issue]:
    report = Report(row.file, row.line, row=row.row)
    try:
        if row.key == "images":
            number = _id(data, "id", report)
            if number in book.images:
                done = "Another image in the file has this id; this one was rejected. Use unique ids."
                report.refuse("repeated-id", "id", number, done)
            book.images[number] = data
        elif row.key == "categories":
            book.categories[_id(data, "id", report)] = fields.text(data.get("name"), "name", report)
        else:
            _annotation(data, book, report)
    except RowRefused as refused:
        yield refused.issue
    yield from report.issues


def _id(data: Mapping[str, Any], name: str, report: Report) -> int | str:
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int | str):
        report.refuse("missing-field", name, value, f"The row was rejected because it has no {name}. Add it.")
    return value


def _annotation(data: Mapping[str, Any], book: _Book, report: Report) -> None:
    image = _id(data, "image_id", report)
    own = data.get("sample_id")
    key = str(own) if isinstance(own, str | int) else f"\x00{image}"
    sample = book.samples.setdefault(key, _Sample(image, report.line, report.row))
    sample.question = sample.question or fields.text(data.get("question"), "question", report)
    if found := book.shapes.read(data, report):
        # Categories may follow later in the file.
        category = data.get("category_id")
        found.category = category if isinstance(category, int | str) else ""
        sample.annotations.append(found)


def _all(book: _Book) -> Iterator[tuple[str, _Sample]]:
    """Yield every sample, and one for each image without a sample."""
    used = {sample.image for sample in book.samples.values()}
    yield from book.samples.items()
    yield from ((f"\x00{image}", _Sample(image)) for image in book.images if image not in used)


def _native(values: Mapping[str, Any], report: Report) -> dict[str, Any]:
    key, sample, book = values[""]
    image = book.images.get(sample.image)
    if image is None:
        done = "The file has no image with this id; the row was rejected. Add the image."
        report.refuse("unknown-image", "image_id", sample.image, done)
    name = fields.text(image.get("file_name"), "file_name", report)
    size = image.get("width"), image.get("height")
    shapes = [(one, shape) for one in sample.annotations for shape in one.shapes_on(size, report)]
    report.stands_for("gold_boxes", "bbox")
    for index, (one, _) in enumerate(shapes):
        report.stands_for(f"gold_boxes[{index}]", f"bbox of annotation {one.number}", one.written)
    # The category of our exports for shapes without a label.
    plain = "" if key.startswith("\x00") else EVIDENCE
    labels = [label if (label := book.categories.get(one.category, "")) != plain else "" for one, _ in shapes]
    return {
        "id": name or str(sample.image) if key.startswith("\x00") else key,
        "image": name or None,
        "width": size[0],
        "height": size[1],
        "question": sample.question,
        "answer_type": "open",
        "gold_boxes": [shape for _, shape in shapes],
        **({LABELS: labels} if any(labels) else {}),
    }
