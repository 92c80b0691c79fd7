"""COCO's detection JSON: ``images`` and ``annotations`` with ``[x, y, width, height]`` in pixels.

- Annotations with a ``sample_id`` (as our export writes) make one sample each; others make one sample per image.
- It has no answers, so these samples remain to be annotated. Each polygon is a shape of its
  own, also of an annotation with several. Masks (RLE) are kept by their box.
- Images and boxes are held in memory, about 300 bytes each; nothing is yielded before the whole file has been read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.boxes import corners
from annotation.importers.converting import converted
from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.reading import RawRow, RowStream
from annotation.schema import Issue

LISTS = ("images", "annotations", "categories")


@dataclass(slots=True)
class _Sample:
    image: int | str
    line: int | None = None
    row: str = ""
    question: str = ""
    boxes: list[Any] = field(default_factory=list)
    written: list[tuple[Any, Any]] = field(default_factory=list)
    """The id of the annotation of each box, and the box as written in the file."""
    labels: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Book:
    """The content of the file read so far."""

    images: dict[int | str, dict[str, Any]] = field(default_factory=dict)
    categories: dict[int | str, str] = field(default_factory=dict)
    samples: dict[str, _Sample] = field(default_factory=dict)


def detect(head: bytes, name: str) -> Detection:
    """``images`` and ``annotations`` with ``image_id`` or ``file_name``."""
    lists = b'"images"' in head and (b'"file_name"' in head or b'"image_id"' in head)
    found = lists and (b'"annotations"' in head or b'"categories"' in head)
    return Detection("coco", 0.9 if found else 0.0, ("It has images and annotations, as COCO.",) if found else ())


def read(path: Path, options: ReadOptions) -> Read:
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    stream = RowStream(path, LISTS, wanted="one JSON with images and annotations")
    decoder, book = RowDecoder(), _Book()
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
    if (box := _box(data, report)) is None:
        return
    shapes = _shapes(data, report) or [box]
    sample.boxes.extend(shapes)
    sample.written.extend([(data.get("id"), data.get("bbox"))] * len(shapes))
    category = data.get("category_id")
    label = ""
    if isinstance(category, int | str) and not isinstance(own, str | int):
        label = book.categories.get(category, "")
    if label:
        sample.labels.extend([label] * len(shapes))


def _box(data: Mapping[str, Any], report: Report) -> object:
    """Return the box as corners. Return None if it is invalid, which is reported with the number of the annotation."""
    written = data.get("bbox")
    numbers = fields.four_numbers(written)
    ignored = f"The box of annotation {data.get('id')} was ignored."
    if numbers is None:
        report.repaired("box-not-numbers", "bbox", written, f"It must be four numbers: x, y, width, height. {ignored}")
    elif min(numbers[2:]) <= 0:
        report.repaired("box-empty", "bbox", written, f"Width and height of a box must be above 0. {ignored}")
    else:
        return corners(written)
    return None


def _shapes(data: Mapping[str, Any], report: Report) -> list[Any]:
    """Return the polygons or the point of an annotation in native form; none for a box. Of a mask, the box is read."""
    parts, points = data.get("segmentation"), data.get("keypoints")
    if isinstance(points, list) and data.get("num_keypoints") == 1 and len(points) == 3:
        return [{"kind": "point", "points": [points[:2]]}]
    if not parts:
        return []
    if not isinstance(parts, list) or not all(_is_polygon(part) for part in parts):
        what = "a mask (RLE)" if isinstance(parts, Mapping) else "no list of polygons"
        done = f"The segmentation of annotation {data.get('id')} is {what}, so only its box was read. Write polygons."
        report.noted("not-polygons", "segmentation", None, done)
        return []
    if len(parts) == 1 and _is_its_box(parts[0], data.get("bbox")):
        return []
    return [
        {"kind": "polygon", "points": [list(pair) for pair in zip(part[::2], part[1::2], strict=True)]}
        for part in parts
    ]


def _is_polygon(part: object) -> bool:
    """Whether a part is x, y, x, y … of three corners or more."""
    return isinstance(part, list) and len(part) >= 6 and len(part) % 2 == 0


def _is_its_box(flat: list[Any], box: Any) -> bool:
    """Whether a segmentation is the outline of its box, as tools write for boxes."""
    numbers = fields.four_numbers(box)
    if numbers is None or len(flat) not in (8, 10) or not all(map(fields.is_number, flat)):
        return False
    x, y, width, height = numbers
    corners_of_box = {(x, y), (x + width, y), (x, y + height), (x + width, y + height)}
    return set(zip(flat[::2], flat[1::2], strict=True)) == corners_of_box


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
    report.stands_for("gold_boxes", "bbox")
    for index, (annotation, box) in enumerate(sample.written):
        report.stands_for(f"gold_boxes[{index}]", f"bbox of annotation {annotation}", box)
    return {
        "id": name or str(sample.image) if key.startswith("\x00") else key,
        "image": name or None,
        "width": image.get("width"),
        "height": image.get("height"),
        "question": sample.question,
        "answer_type": "open",
        "gold_boxes": sample.boxes,
        **({"labels": sample.labels} if sample.labels else {}),
    }
