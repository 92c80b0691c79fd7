"""COCO's detection JSON: pictures, and each gold box as an annotation of the one category "evidence".

It cannot hold: answers, options, toolchains, tool plans and facets. Question and sample id stand beside the boxes under
keys of our own. Samples that share a picture share its entry. An unknown size is left out.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from typing import IO, Any

from annotation.exporters.interface import Files, picture_name
from annotation.schema import SampleRecord

_SPOOLED = 8 << 20


def write(files: Files, samples: Iterable[SampleRecord]) -> int:
    """Writes ``annotations.json``; the number of samples. Annotations wait in a temporary file."""
    count = boxes = 0
    pictures: dict[str, int] = {}
    category = [{"id": 1, "name": "evidence", "supercategory": ""}]
    with files.open("annotations.json") as out, tempfile.SpooledTemporaryFile(_SPOOLED) as waiting:
        out.write(b'{"categories": ' + json.dumps(category).encode() + b', "images": [')
        for count, sample in enumerate(samples, 1):  # noqa: B007 the last value is returned
            name = picture_name(sample)
            if name not in pictures:
                pictures[name] = len(pictures) + 1
                _row(out, _picture(pictures[name], name, sample), first=len(pictures) == 1)
            for box in sample.content.gold_boxes:
                boxes += 1
                xywh = [box.x1, box.y1, box.width, box.height]
                row = {"id": boxes, "image_id": pictures[name], "category_id": 1, "bbox": xywh, "area": box.area}
                own = {"iscrowd": 0, "sample_id": sample.id, "question": sample.content.question}
                _row(waiting, {**row, **own}, first=boxes == 1)
        out.write(b'\n], "annotations": [')
        waiting.seek(0)
        shutil.copyfileobj(waiting, out)
        out.write(b"\n]}\n")
    return count


def _picture(number: int, name: str, sample: SampleRecord) -> dict[str, Any]:
    size = {"width": sample.width, "height": sample.height}
    return {"id": number, "file_name": name, **{side: value for side, value in size.items() if value is not None}}


def _row(out: IO[bytes], row: Mapping[str, Any], *, first: bool) -> None:
    out.write((b"\n" if first else b",\n") + json.dumps(row, ensure_ascii=False).encode())
