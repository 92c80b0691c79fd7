"""The words of the query language on one benchmark: what there is to compare with, for checks and completion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.common.sentences import translated
from annotation.models import Benchmark
from evaluation.metrics.selection import SELECTED
from evaluation.models import Run
from evaluation.models.querysets.marks import visible_tags
from evaluation.query.check import Vocabulary, read
from evaluation.query.syntax import QueryError
from evaluation.store.snapshot import Snapshot
from webapp.common.errors import InvalidInput


def query_vocabulary(
    benchmark: Benchmark, runs: Sequence[Run], person: Any, snapshot: Snapshot | None = None
) -> Vocabulary:
    """Runs, conditions, tags, metrics and facets with their values. One query in addition to those of the snapshot."""
    snapshot = snapshot or Snapshot(benchmark, runs, person)
    tags = visible_tags(person).filter(benchmark=benchmark).order_by("name").values_list("name", flat=True)
    named = [name for run in runs for name in (str(run), run.model.name)]
    names = {
        "run": list(dict.fromkeys([*named, *(str(run.pk) for run in runs)])),
        "condition": sorted({*snapshot.interventions, "none", "text", "visual", "placebo"}),
        "tag": list(dict.fromkeys(tags)),
        "measured": list(SELECTED),
    }
    return Vocabulary(names, snapshot.facets)


def check_query(benchmark: Benchmark, query: str, person: Any) -> None:
    """Refuse a query that means nothing on this benchmark, with the column and what may have been meant."""
    if not query.strip():
        return
    try:
        read(query, query_vocabulary(benchmark, list(Run.objects.of(benchmark)), person))
    except QueryError as error:
        raise InvalidInput(translated(error.sentence), code="query", field="q") from error
