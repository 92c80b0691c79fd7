"""Results copied from papers, shown next to our own rows: never ranked, never compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evaluation.metrics.published import PublishedValue, published_values


@dataclass(frozen=True)
class PublishedRow:
    """A model of a paper: never ranked, never compared. ``values`` by metric name."""

    model: str
    setting: str
    benchmark: str
    source: str
    values: dict[str, PublishedValue]

    @property
    def has_quadrants(self) -> bool:
        return "valid_grounded_reasoning" in self.values


@cache
def _published() -> tuple[PublishedValue, ...]:
    return tuple(published_values())


def published_rows(slice_by: str = "", slice: str = "") -> list[PublishedRow]:
    """The papers' rows on this slice, in the order of the tables."""
    rows: dict[tuple[str, str, str, str], PublishedRow] = {}
    for value in _published():
        if (value.slice_by, value.slice) == (slice_by, slice):
            key = (value.source, value.benchmark, value.model, value.setting)
            row = rows.setdefault(key, PublishedRow(value.model, value.setting, value.benchmark, value.source, {}))
            row.values[value.metric] = value
    return list(rows.values())
