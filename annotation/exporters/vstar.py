"""The V* benchmark's folders: ``<category>/<picture>.json``, one per sample, boxes as x, y, width, height.

The gold option is first. The accepted answers of an open question become its options. Images are not written; put them
next to their JSON files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from annotation.exporters.interface import gold_first, picture_name, safe_name, zipped
from annotation.schema import SampleRecord


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """Yield a zip with one JSON file per sample."""
    return zipped(_files(samples))


def _files(samples: Iterable[SampleRecord]) -> Iterator[tuple[str, bytes]]:
    """Yield the files. Further samples of one image are numbered ``_2``, ``_3``."""
    used: dict[str, int] = {}
    for sample in samples:
        folder = safe_name(str(next(iter(sample.facets.get("category", ())), "samples")))
        stem = f"{folder}/{safe_name(PurePosixPath(picture_name(sample)).stem)}"
        used[stem] = used.get(stem, 0) + 1
        name = stem if used[stem] == 1 else f"{stem}_{used[stem]}"
        yield f"{name}.json", json.dumps(_row(sample), ensure_ascii=False).encode()


def _row(sample: SampleRecord) -> dict[str, Any]:
    named = sample.extra.get("target_object")
    return {
        "target_object": named if isinstance(named, list) else [],
        "bbox": [[box.x1, box.y1, box.width, box.height] for box in sample.content.gold_boxes],
        "question": sample.content.question,
        "options": gold_first(sample),
    }
