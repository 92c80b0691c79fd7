"""The words of the query language on one benchmark: what there is to compare with, for checks and completion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.models import Benchmark
from evaluation.actions.list_table import ListTable, table_of
from evaluation.models import Run, Scoring
from evaluation.query.check import Vocabulary, read
from evaluation.query.syntax import QueryError
from evaluation.querysets_query import visible_tags
from webapp.common.errors import InvalidInput

TOOLS_OF = 8
"""Runs whose tools are proposed; any other tool can be asked for as well."""


def vocabulary_of(benchmark: Benchmark, runs: Sequence[Run], person: Any, table: ListTable | None = None) -> Vocabulary:
    """Runs, conditions, tags and facets with their values. One query beside those of the table."""
    table = table or table_of(benchmark, runs)
    facets = {name: sorted(values.names) for name, values in table.sample_table.facets.items()}
    tags = visible_tags(person).filter(benchmark=benchmark).order_by("name").values_list("name", flat=True)
    named = [name for run in runs for name in (str(run), run.model.name)]
    names = {
        "run": list(dict.fromkeys([*named, *(str(run.pk) for run in runs)])),
        "condition": sorted({*table.conditions, "none", "text", "visual", "placebo"}),
        "tag": list(dict.fromkeys(tags)),
    }
    return Vocabulary(names, facets)


def check_query(benchmark: Benchmark, query: str, person: Any) -> None:
    """Refuse a query that means nothing on this benchmark, with the column and what may have been meant."""
    if not query.strip():
        return
    try:
        read(query, vocabulary_of(benchmark, list(Run.objects.of(benchmark).without_tables()), person))
    except QueryError as error:
        raise InvalidInput(error.sentence, code="query", field="q") from error


def tools_of(benchmark: Benchmark) -> list[str]:
    """The tools that some scored runs called, the most used first."""
    tables = Scoring.objects.filter(run__benchmark=benchmark).order_by("pk").values_list("extras__tools", flat=True)
    found: dict[str, int] = {}
    for rows in tables[:TOOLS_OF]:
        for row in rows or []:
            found[row["tool"]] = found.get(row["tool"], 0) + row.get("calls", 0)
    return sorted(found, key=lambda name: -found[name])
