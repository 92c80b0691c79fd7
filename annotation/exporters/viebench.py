"""A JSON list with what ViEBench's paper describes: picture, question, options, answer, evidence boxes, dimension.

The benchmark's own file format is not published where we could read it, so the keys are plain words of ours. It cannot
hold: toolchains, tool plans and facets other than ``category``, ``tier`` and ``dimension``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from annotation.exporters.interface import Files
from annotation.schema import SampleRecord

FACETS = ("category", "tier", "dimension")


def write(files: Files, samples: Iterable[SampleRecord]) -> int:
    """Writes ``viebench.json``; the number of samples."""
    count = 0
    with files.open("viebench.json") as out:
        out.write(b"[")
        for count, sample in enumerate(samples, 1):
            out.write((b"\n" if count == 1 else b",\n") + json.dumps(_row(sample), ensure_ascii=False).encode())
        out.write(b"\n]\n")
    return count


def _row(sample: SampleRecord) -> dict[str, Any]:
    content = sample.content
    row = {
        "id": sample.id,
        "image": sample.image,
        "width": sample.width,
        "height": sample.height,
        "question": content.question,
        "options": dict(content.options),
        "answer": content.answers[0] if len(content.answers) == 1 else list(content.answers),
        "evidence_boxes": [box.as_list() for box in content.gold_boxes],
    }
    facets = {name: sample.facets[name][0] for name in FACETS if sample.facets.get(name)}
    return {**row, **facets}
