"""Slices that are queries, saved or just asked for, each with its metrics per run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from annotation.actions.access import known_to
from annotation.models import Benchmark
from annotation.statistics import dense_codes
from evaluation.actions.list_asking import Asking
from evaluation.actions.list_columns import SIDES, read_columns
from evaluation.actions.list_selection import Selected
from evaluation.actions.list_table import ListTable, table_of
from evaluation.actions.list_words import check_query
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.selection import BOUNDED, LEADING, SELECTED, Summary, summarise
from evaluation.metrics.undecided import share_range
from evaluation.models import Run, SavedSlice
from evaluation.query.masks import listed
from evaluation.query.syntax import QueryError, fields_in
from evaluation.querysets_query import query_of
from webapp.common.errors import InvalidInput, NotFound

SAVED = "saved slice"
"""What a leaderboard is sliced by when its slice is a saved query."""
QUERY = "query"
"""And when its slice is a query as it was typed."""
LISTED = (SAVED, QUERY)
HIDDEN = {"failed": "failed", "unread": "unread", "undecided": "undecided", "missing_answer": "unanswered"}
"""What must never be hidden, and the column that says it."""


@dataclass(frozen=True)
class SliceRow:
    """A run on a slice: its trajectories there, and its metrics by name; without any it is to be scored again."""

    run: Run
    n: int
    metrics: dict[str, Summary]
    counts: Mapping[str, int] = field(default_factory=dict)
    """What must never be hidden of them: samples, trajectories, failed, unread, undecided, missing_answer."""


@dataclass(frozen=True)
class SliceTable:
    """A slice: how many trajectories it lists, of which runs. ``error``: why it means nothing any more."""

    saved: SavedSlice
    total: int
    rows: Sequence[SliceRow]
    names_run: bool
    error: str = ""


def saved_slices(benchmark: Benchmark, person: Any) -> QuerySet[SavedSlice]:
    """By name. Those that ask for tags or notes are not for who may not see these: their numbers would tell."""
    rows = SavedSlice.objects.filter(benchmark=benchmark).select_related("created_by")
    if person is None or known_to(person, benchmark).marks:
        return rows
    return rows.exclude(pk__in=[one.pk for one in rows if _asks_for_marks(one.query)])


def _asks_for_marks(query: str) -> bool:
    """A query that cannot be read might."""
    try:
        return bool({"tag", "note"} & set(fields_in(query_of({"q": query}))))
    except QueryError:
        return True


def read_slices(benchmark: Benchmark, runs: Sequence[Run], saved: Sequence[SavedSlice]) -> list[SliceTable]:
    """These saved slices with their leading metrics. Shared tags count, tags of one person do not: everyone sees the
    same numbers."""
    return _tables(saved, benchmark, runs, LEADING) if saved else []


def saved_names(benchmark: Benchmark, person: Any) -> list[str]:
    """Those that this person sees. One query."""
    return list(saved_slices(benchmark, person).values_list("name", flat=True))


def read_slice(
    benchmark: Benchmark,
    runs: Sequence[Run],
    by: str,
    slice: str,
    metrics: Collection[str] | None = None,
    person: Any = None,
) -> SliceTable:
    """The saved slice of that name, or by ``QUERY`` what the query lists for this person, whose own tags count; with
    these metrics, default all. Raises ``NotFound`` for a name that no slice has, ``InvalidInput`` for a query that
    means nothing, or nothing any more."""
    wanted = tuple(SELECTED if metrics is None else (metric for metric in SELECTED if metric in metrics))
    if by == QUERY:
        check_query(benchmark, slice, person)
        [found] = _tables([SavedSlice(benchmark=benchmark, query=slice)], benchmark, runs, wanted, person)
        return found
    saved = saved_slices(benchmark, person).filter(name=slice).first()
    if saved is None:
        raise NotFound(f"{benchmark.title} has no saved slice {slice[:60]}. It may have been deleted since.")
    [found] = _tables([saved], benchmark, runs, wanted)
    if found.error:
        raise InvalidInput(f"The query of {saved.name} cannot be read. {found.error}", code="query", field="slice")
    return found


def _tables(
    saved: Sequence[SavedSlice], benchmark: Benchmark, runs: Sequence[Run], metrics: Sequence[str], person: Any = None
) -> list[SliceTable]:
    """Metrics are made when they are first asked for, from what each trajectory adds to them, and kept with the table:
    one query for all that is not there yet."""
    table = table_of(benchmark, runs)
    asked = Asking(table, runs, person)
    lists = [_listed(one, asked, table) for one in saved]
    parts = [part for found, _ in lists if found is not None for part in _parts(found, runs, table)]
    missing = {name for part in parts for name in part.missing(metrics)}
    lacking = {part.run.scoring.pk for part in parts if part.missing(metrics)}
    added = read_columns(lacking, [f"{name}{side}" for name in _added(missing) for side in SIDES]) if lacking else {}
    for part in parts:
        part.make(part.missing(metrics), added)
    rows = iter(parts)
    return [
        SliceTable(one, 0, [], names_run=False, error=error)
        if found is None
        else SliceTable(
            one,
            found.n,
            [row for row in (next(rows).row(metrics) for _ in runs) if row.n],
            "run" in fields_in(query_of({"q": one.query})),
        )
        for one, (found, error) in zip(saved, lists, strict=True)
    ]


def _added(metrics: Iterable[str]) -> Iterator[str]:
    """What their trajectories add to these metrics, and to the ends of those that undecided answers could change."""
    for name in metrics:
        yield name
        if name in BOUNDED:
            yield from (f"{name}_low", f"{name}_high")


def _listed(saved: SavedSlice, asked: Asking, table: ListTable) -> tuple[Selected | None, str]:
    """What a slice lists, or why it means nothing any more."""
    try:
        return table.selected(listed(query_of({"q": saved.query}), asked)), ""
    except (InvalidInput, QueryError) as error:
        return None, str(error)


class _Piece(NamedTuple):
    """What is told of a run's trajectories on a slice without looking at them again."""

    key: bytes
    """By which they are: metrics of the same are kept under it."""
    n: int
    counts: Mapping[str, int]


def _parts(found: Selected, runs: Sequence[Run], table: ListTable) -> list[_Part]:
    """Of each run. Selections that are kept know their pieces: most visits of a slice look at no row."""
    pieces = found.once("runs", lambda: {run.pk: _piece(_rows(found, run, table), table) for run in runs})
    return [_Part(run, pieces[run.pk], found, table) for run in runs]


def _rows(found: Selected, run: Run, table: ListTable) -> Ints:
    return found.rows[found.of(table.column("run")) == run.pk]


def _piece(rows: Ints, table: ListTable) -> _Piece:
    counted = {name: int((table.column(column)[rows] == 1).sum()) for name, column in HIDDEN.items()}
    counted["samples"] = len(np.unique(table.by_sample.rank[rows]))
    key = blake2b(rows.tobytes(), digest_size=16).digest()
    return _Piece(key, len(rows), {"trajectories": len(rows), **counted})


class _Part:
    """A run's trajectories on a slice."""

    def __init__(self, run: Run, piece: _Piece, found: Selected, table: ListTable) -> None:
        self.run, self._piece, self._found, self._table = run, piece, found, table

    @cached_property
    def _rows(self) -> Ints:
        return _rows(self._found, self.run, self._table)

    def missing(self, metrics: Sequence[str]) -> list[str]:
        """Those not made yet; a run whose columns are not kept has none to make."""
        if not self._piece.n or not self._table.keeps(self.run):
            return []
        return [name for name in metrics if (name, self._piece.key) not in self._table.summaries]

    def make(self, metrics: Sequence[str], added: Mapping[int, Mapping[str, NDArray[Any]]]) -> None:
        """``added``: what each trajectory of a run adds to metrics, in the order of its kept columns; 0 where not."""
        if not metrics:
            return
        own, groups = self._table.own_rows(self.run, self._rows), self._groups()
        columns, none = added[self.run.scoring.pk], np.zeros(len(own))

        def sides(name: str) -> tuple[Floats, Floats]:
            ends = (f"{name}{end}" for end in SIDES)
            above, below = (columns[side][own].astype(np.float64) if side in columns else none for side in ends)
            return above, below

        for name in metrics:
            found = summarise(SELECTED[name], *sides(name), groups)
            if name in BOUNDED:
                (sure, whole), (possible, _) = sides(f"{name}_low"), sides(f"{name}_high")
                found = replace(found, range=share_range(sure, possible, whole))
            self._table.summaries[name, self._piece.key] = found

    def _groups(self) -> Ints | None:
        """The pictures; None where the run has each of them once."""
        table = self._table
        cluster, rank = table.sample_table.cluster, table.by_sample.rank
        evaluated = (table.column("run") == self.run.pk) & (table.column("evaluated") == 1)
        alone = dense_codes(cluster[rank[evaluated]])[1] == np.count_nonzero(evaluated)
        return None if alone else cluster[rank[self._rows]]

    def row(self, metrics: Sequence[str]) -> SliceRow:
        there, key = self._table.summaries, self._piece.key
        made = {name: there[name, key] for name in metrics if (name, key) in there}
        return SliceRow(self.run, self._piece.n, made, self._piece.counts)
