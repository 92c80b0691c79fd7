"""COCO's detection JSON: images, and each gold box as an annotation whose category is its label, or "evidence". A
polygon is a segmentation with its bounding box and its own area, a point a keypoint.

Question and sample id are next to the boxes under additional keys. Samples that share an image share its entry. An
unknown size is omitted.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.exporters.interface import picture_name
from annotation.schema import Outline, SampleRecord

EVIDENCE = "evidence"
"""The category of shapes without a label."""
_SPOOLED = 8 << 20
_PIECE = 1 << 16


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """Yield one JSON object. Annotations follow all images and are held in a temporary file until then. Categories come
    last, as in the files of COCO."""
    boxes = 0
    pictures: dict[str, int] = {}
    categories = {EVIDENCE: 1}
    with tempfile.SpooledTemporaryFile(_SPOOLED) as waiting:
        yield b'{"images": ['
        for sample in samples:
            name = picture_name(sample)
            if name not in pictures:
                pictures[name] = len(pictures) + 1
                yield _row(_picture(pictures[name], name, sample), first=len(pictures) == 1)
            for box, label in zip(sample.content.gold_boxes, _labels(sample), strict=True):
                boxes += 1
                xywh = [box.x1, box.y1, box.width, box.height]
                category = categories.setdefault(label or EVIDENCE, len(categories) + 1)
                row = {"id": boxes, "image_id": pictures[name], "category_id": category, "bbox": xywh, "area": box.area}
                if isinstance(box, Outline):
                    row |= _shape(box)
                own = {"iscrowd": 0, "sample_id": sample.id, "question": sample.content.question}
                waiting.write(_row({**row, **own}, first=boxes == 1))
        yield b'\n], "annotations": ['
        waiting.seek(0)
        yield from iter(lambda: waiting.read(_PIECE), b"")
        rows = [{"id": number, "name": name, "supercategory": ""} for name, number in categories.items()]
        yield b'\n], "categories": ' + json.dumps(rows, ensure_ascii=False).encode() + b"}\n"


def _labels(sample: SampleRecord) -> list[str]:
    """The label of each shape, "" without one."""
    labels, count = sample.extra.get("box_labels"), len(sample.content.gold_boxes)
    return [str(label or "") for label in labels] if isinstance(labels, list) and len(labels) == count else [""] * count


def _shape(outline: Outline) -> dict[str, Any]:
    """A polygon as a segmentation; a point as one visible keypoint."""
    flat = [value for point in outline.points for value in point]
    return {"segmentation": [flat]} if len(flat) > 2 else {"keypoints": [*flat, 2], "num_keypoints": 1}


def _picture(number: int, name: str, sample: SampleRecord) -> dict[str, Any]:
    size = {"width": sample.width, "height": sample.height}
    return {"id": number, "file_name": name, **{side: value for side, value in size.items() if value is not None}}


def _row(row: Mapping[str, Any], *, first: bool) -> bytes:
    return (b"\n" if first else b",\n") + json.dumps(row, ensure_ascii=False).encode()
