"""What the words of facets mean today, after the task of a benchmark was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Benchmark, FacetAlias
from annotation.task_schema import Meanings, renamed


def meanings_of(benchmark: Benchmark) -> Meanings:
    """What words of facets mean today, by facet and word. One query."""
    rows = FacetAlias.objects.filter(benchmark=benchmark).values_list("name", "old", "new")
    return {(name, old): new for name, old, new in rows}


def current_facets(benchmark: Benchmark, facets: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Facets with the values that their words mean today. One query, none without facets."""
    return renamed(facets, meanings_of(benchmark) if facets else {})
