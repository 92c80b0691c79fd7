"""Label Studio's tasks as JSON: picture, question, and the gold boxes as rectangles in percent of the picture.

For a labelling setup with ``<Image name="image" value="$image"/>`` and a ``RectangleLabels`` control called
``evidence``. It cannot hold: toolchains, tool plans, facets; and no box of a picture whose size is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from annotation.exporters.interface import Files, picture_name
from annotation.schema import Box, SampleRecord


def write(files: Files, samples: Iterable[SampleRecord]) -> int:
    """Writes ``tasks.json``; the number of tasks."""
    count = 0
    with files.open("tasks.json") as out:
        out.write(b"[")
        for count, sample in enumerate(samples, 1):
            out.write((b"\n" if count == 1 else b",\n") + json.dumps(_task(sample), ensure_ascii=False).encode())
        out.write(b"\n]\n")
    return count


def _task(sample: SampleRecord) -> dict[str, Any]:
    content = sample.content
    data = {
        "image": picture_name(sample),
        "question": content.question,
        "options": dict(content.options),
        "answer": list(content.answers),
        "sample_id": sample.id,
    }
    if sample.width is None or sample.height is None:
        return {"data": data}
    size = (sample.width, sample.height)
    result = [_rectangle(number, box, size) for number, box in enumerate(content.gold_boxes, 1)]
    return {"data": data, "annotations": [{"result": result}]}


def _rectangle(number: int, box: Box, size: tuple[int, int]) -> dict[str, Any]:
    width, height = size
    value = {
        "x": 100 * box.x1 / width,
        "y": 100 * box.y1 / height,
        "width": 100 * box.width / width,
        "height": 100 * box.height / height,
        "rotation": 0,
        "rectanglelabels": ["evidence"],
    }
    return {
        "id": f"gold-{number}",
        "type": "rectanglelabels",
        "from_name": "evidence",
        "to_name": "image",
        "original_width": width,
        "original_height": height,
        "image_rotation": 0,
        "value": value,
    }
