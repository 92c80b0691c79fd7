"""The task of a benchmark as its editors meet it, and what the words of facets mean after it was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Benchmark, FacetAlias
from annotation.task_schema import AnswerKind, FacetAuthor, Kind, Meanings, Required, TaskSchema, renamed


def task_json(task: TaskSchema, *authors: FacetAuthor) -> dict[str, Any]:
    """The task for the script of an editor, whose person gives the facets of these ``authors``."""
    return {
        "answer_types": [kind.value for kind in task.answer.types if kind is not AnswerKind.NONE],
        "least_boxes": task.evidence.count.least,
        "shapes": [shape.value for shape in task.evidence.shapes],
        "facets": [
            {
                "name": facet.name,
                "single": facet.kind is Kind.SINGLE,
                "closed": facet.closed,
                "required": facet.required is not Required.NO,
                "given": facet.who in authors,
                "values": [{"value": option.value, "help": option.help} for option in facet.values],
            }
            for facet in task.facets
        ],
    }


def meanings_of(benchmark: Benchmark) -> Meanings:
    """Return the current meanings of words of facets, by facet and word. One query."""
    rows = FacetAlias.objects.filter(benchmark=benchmark).values_list("name", "old", "new")
    return {(name, old): new for name, old, new in rows}


def current_facets(benchmark: Benchmark, facets: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Facets with the values that their words mean today. One query, none without facets."""
    return renamed(facets, meanings_of(benchmark) if facets else {})
