"""The schemas of a benchmark, and the facet values that a schema would no longer allow."""

from __future__ import annotations

from django.db.models import Count

from annotation.facet_values import ValueInUse, unlisted
from annotation.models import Benchmark, BenchmarkSchema, FacetValue
from annotation.task_schema import TaskSchema


def schemas_of(benchmark: Benchmark) -> list[BenchmarkSchema]:
    """The schema in force and the earlier ones, newest first. One query."""
    found = BenchmarkSchema.objects.filter(benchmark=benchmark).exclude(state=BenchmarkSchema.State.DRAFT)
    return list(found.select_related("changed_by").order_by("-number"))


def edited(benchmark: Benchmark, draft: BenchmarkSchema | None) -> TaskSchema:
    """Return the schema that a lead edits: the draft, or else the schema in force."""
    return TaskSchema.parse(draft.content) if draft is not None else benchmark.task


def values_to_decide(benchmark: Benchmark, task: TaskSchema) -> list[ValueInUse]:
    """The values in use that closed facets of this schema do not list. One query, none without closed facets."""
    names = [facet.name for facet in task.facets if facet.closed]
    if not names:
        return []
    rows = FacetValue.objects.filter(benchmark=benchmark, name__in=names).exclude(kind=FacetValue.Kind.BANK)
    counted = rows.order_by().values_list("name", "value").annotate(n=Count("sample", distinct=True))
    in_use: dict[str, list[tuple[str, int]]] = {}
    for name, value, count in counted.order_by("name", "-n", "value"):
        in_use.setdefault(name, []).append((value, count))
    return unlisted(task.facets, in_use)
