"""COCO's detection JSON: images, and each gold box as an annotation of the one category "evidence". A
polygon is a segmentation with its bounding box, a point a keypoint.

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

_SPOOLED = 8 << 20
_PIECE = 1 << 16


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """Yield one JSON object. Annotations follow all images and are held in a temporary file until then."""
    boxes = 0
    pictures: dict[str, int] = {}
    category = [{"id": 1, "name": "evidence", "supercategory": ""}]
    with tempfile.SpooledTemporaryFile(_SPOOLED) as waiting:
        yield b'{"categories": ' + json.dumps(category).encode() + b', "images": ['
        for sample in samples:
            name = picture_name(sample)
            if name not in pictures:
                pictures[name] = len(pictures) + 1
                yield _row(_picture(pictures[name], name, sample), first=len(pictures) == 1)
            for box in sample.content.gold_boxes:
                boxes += 1
                xywh = [box.x1, box.y1, box.width, box.height]
                row = {"id": boxes, "image_id": pictures[name], "category_id": 1, "bbox": xywh, "area": box.area}
                if isinstance(box, Outline):
                    row |= _shape(box)
                own = {"iscrowd": 0, "sample_id": sample.id, "question": sample.content.question}
                waiting.write(_row({**row, **own}, first=boxes == 1))
        yield b'\n], "annotations": ['
        waiting.seek(0)
        yield from iter(lambda: waiting.read(_PIECE), b"")
        yield b"\n]}\n"


def _shape(outline: Outline) -> dict[str, Any]:
    """A polygon as a segmentation; a point as one visible keypoint."""
    flat = [value for point in outline.points for value in point]
    return {"segmentation": [flat]} if len(flat) > 2 else {"keypoints": [*flat, 2], "num_keypoints": 1}


def _picture(number: int, name: str, sample: SampleRecord) -> dict[str, Any]:
    size = {"width": sample.width, "height": sample.height}
    return {"id": number, "file_name": name, **{side: value for side, value in size.items() if value is not None}}


def _row(row: Mapping[str, Any], *, first: bool) -> bytes:
    return (b"\n" if first else b",\n") + json.dumps(row, ensure_ascii=False).encode()
