"""The saved slices of a benchmark, each with its metrics per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Benchmark
from annotation.statistics import dense_codes
from evaluation.actions.list_columns import SIDES
from evaluation.actions.list_table import Asking, ListTable, table_of
from evaluation.metrics.columns import Bools
from evaluation.metrics.selection import SELECTED, Summary, summarise
from evaluation.models import Run, SavedSlice
from evaluation.query.masks import listed
from evaluation.query.syntax import QueryError, fields_in
from evaluation.querysets_query import query_of
from webapp.common.errors import InvalidInput, NotFound

SAVED = "saved slice"
"""What a leaderboard is sliced by when its slice is a saved query."""
MEASURED = tuple(f"{name}{side}" for name in SELECTED for side in SIDES)


@dataclass(frozen=True)
class SliceRow:
    """A run on a slice: its trajectories there, and its metrics by name; without any it is to be scored again."""

    run: Run
    n: int
    metrics: dict[str, Summary]


@dataclass(frozen=True)
class SliceTable:
    """A slice: how many trajectories it lists, of which runs. ``error``: why it means nothing any more."""

    saved: SavedSlice
    total: int
    rows: Sequence[SliceRow]
    names_run: bool
    error: str = ""


def read_slices(benchmark: Benchmark, runs: Sequence[Run]) -> list[SliceTable]:
    """Every saved slice. Shared tags count, tags of one person do not: the numbers are the same for everyone."""
    saved = list(SavedSlice.objects.filter(benchmark=benchmark).select_related("created_by"))
    if not saved:
        return []
    table = table_of(benchmark, runs)
    table.prepare(("evaluated", *MEASURED))
    asked = Asking(table, runs, None)
    return [_slice(one, table, asked, runs) for one in saved]


def saved_names(benchmark: Benchmark) -> list[str]:
    """One query."""
    return list(SavedSlice.objects.filter(benchmark=benchmark).values_list("name", flat=True))


def read_slice(benchmark: Benchmark, runs: Sequence[Run], name: str) -> SliceTable:
    """One saved slice, as ``read_slices`` has it. Raises ``NotFound`` for a name that no slice has, ``InvalidInput``
    for a query that means nothing any more."""
    saved = SavedSlice.objects.filter(benchmark=benchmark, name=name).first()
    if saved is None:
        raise NotFound(f"{benchmark.title} has no saved slice {name[:60]}. It may have been deleted since.")
    table = table_of(benchmark, runs)
    table.prepare(("evaluated", *MEASURED))
    found = _slice(saved, table, Asking(table, runs, None), runs)
    if found.error:
        raise InvalidInput(f"The query of {saved.name} cannot be read. {found.error}", code="query", field="slice")
    return found


def _slice(saved: SavedSlice, table: ListTable, asked: Asking, runs: Sequence[Run]) -> SliceTable:
    try:
        node = query_of({"q": saved.query})
        found = listed(node, asked)
    except (InvalidInput, QueryError) as error:
        return SliceTable(saved, 0, [], names_run=False, error=str(error))
    rows = [_row(run, found, table) for run in runs]
    shown = [row for row in rows if row.n]
    return SliceTable(saved, int(np.count_nonzero(found)), shown, "run" in fields_in(node))


def _row(run: Run, found: Bools, table: ListTable) -> SliceRow:
    own = table.column("run") == run.pk
    rows = np.flatnonzero(found & own)
    if not len(rows) or not table.keeps(run):
        return SliceRow(run, len(rows), {})
    cluster = table.sample_table.cluster[table.sample_rank]
    evaluated = cluster[own & (table.column("evaluated") == 1)]
    alone = dense_codes(evaluated)[1] == len(evaluated)
    groups, metrics = None if alone else cluster[rows], {}
    for name, kind in SELECTED.items():
        above, below = (table.column(f"{name}{side}")[rows] for side in SIDES)
        metrics[name] = summarise(kind, above, below, groups)
    return SliceRow(run, len(rows), metrics)
