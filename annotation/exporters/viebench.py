"""A JSON list with what ViEBench's paper describes: image, question, options, answer, evidence boxes, dimension.

The benchmark's own file format is not published where we could read it, so the keys are plain words of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.exporters.interface import json_list
from annotation.schema import SampleRecord

FACETS = ("category", "tier", "dimension")


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """One JSON list of questions."""
    return json_list(map(_row, samples))


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
