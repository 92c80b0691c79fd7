"""Labels and sources of gold boxes in a record: the lists ``box_labels`` and ``box_sources``, as exports write them.

They become the names of the stored boxes and are removed from the sample's other data. A list with another length, or
with invalid names, stays there unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.content.json import LONGEST_NAME, BoxName
from annotation.schema import SampleRecord

LABELS, SOURCES = "box_labels", "box_sources"


def written_names(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The lists for these labels and sources; a list without any name is omitted."""
    pairs = list(names)
    found = {LABELS: [label for label, _ in pairs], SOURCES: [source for _, source in pairs]}
    return {key: texts for key, texts in found.items() if any(texts)}


def names_of(record: SampleRecord) -> tuple[BoxName, ...] | None:
    """Return one name for each gold box; None if the record has no names."""
    said = _said(record)
    if not said:
        return None
    blank = [""] * len(record.content.gold_boxes)
    return tuple(map(BoxName, said.get(LABELS, blank), said.get(SOURCES, blank)))


def extra_of(record: SampleRecord) -> dict[str, Any]:
    """Other data that came with the sample."""
    said = _said(record)
    return {key: value for key, value in record.extra.items() if key not in said}


def _said(record: SampleRecord) -> Mapping[str, list[str]]:
    boxes = record.content.gold_boxes
    return {
        key: texts
        for key in (LABELS, SOURCES)
        if isinstance(texts := record.extra.get(key), list)
        and len(texts) == len(boxes) > 0
        and all(isinstance(text, str) and len(text) <= LONGEST_NAME for text in texts)
    }
