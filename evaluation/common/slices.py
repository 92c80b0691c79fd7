"""Slices that are queries, saved or just asked for, each with its metrics per run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.common.access import known_to
from annotation.common.sentences import translated
from annotation.models import Benchmark
from evaluation.common.vocabulary import check_query
from evaluation.metrics.selection import LEADING, SELECTED, Summary
from evaluation.models import Run, SavedSlice
from evaluation.query.syntax import QueryError, fields_in
from evaluation.store.selection import IMAGE_REPLACED
from evaluation.store.slices import counts_by_run, summaries_by_run
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of
from webapp.common.errors import InvalidInput, NotFound

SAVED = "saved slice"
"""The name of the slice of a leaderboard if it is a saved query."""
QUERY = "query"
"""Its name if the slice is a query as typed."""
LISTED = (SAVED, QUERY)
HIDDEN = {
    "failed": "failed", "unread": "unread", "undecided": "undecided", "missing_answer": "unanswered",
    "image_replaced": IMAGE_REPLACED,
}  # fmt: skip
"""Counts that are never hidden, and their columns."""


@dataclass(frozen=True)
class SliceRow:
    """A run on a slice: its trajectories there, and its metrics by name; without any it is to be scored again."""

    run: Run
    n: int
    metrics: dict[str, Summary]
    counts: Mapping[str, int] = field(default_factory=dict)
    """Counts that are always shown: samples, trajectories, failed, unread, undecided, missing_answer,
    image_replaced."""


@dataclass(frozen=True)
class SliceTable:
    """A slice: how many trajectories it lists, of which runs. ``error``: why it means nothing any more."""

    saved: SavedSlice
    total: int
    rows: Sequence[SliceRow]
    names_run: bool
    error: str = ""


def saved_slices(benchmark: Benchmark, person: Any) -> QuerySet[SavedSlice]:
    """Return the saved slices that this person may see, by name. Slices on tags or notes are hidden from people who
    may not see these, because their numbers would reveal them."""
    rows = SavedSlice.objects.filter(benchmark=benchmark).select_related("created_by")
    if person is None or known_to(person, benchmark).marks:
        return rows
    return rows.exclude(pk__in=[one.pk for one in rows if not without_marks(one)])


def without_marks(saved: SavedSlice) -> bool:
    """Whether its query asks for no tags or notes. One that cannot be read might."""
    try:
        return not {"tag", "note"} & set(fields_in(query_of({"q": saved.query})))
    except QueryError:
        return False


def read_slices(benchmark: Benchmark, runs: Sequence[Run], saved: Sequence[SavedSlice]) -> list[SliceTable]:
    """These saved slices with their leading metrics. Shared tags count, tags of one person do not: everyone sees the
    same numbers."""
    return _tables(saved, benchmark, runs, LEADING) if saved else []


def saved_names(benchmark: Benchmark, person: Any) -> list[str]:
    """Return the names of the slices that this person may see. One query."""
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
        raise NotFound(
            gettext("%(title)s has no saved slice %(slice)s. It may have been deleted.")
            % {"title": benchmark.title, "slice": slice[:60]}
        )
    [found] = _tables([saved], benchmark, runs, wanted)
    if found.error:
        raise InvalidInput(
            gettext("The query of %(name)s cannot be read. %(error)s") % {"name": saved.name, "error": found.error},
            code="query",
            field="slice",
        )
    return found


def _tables(
    saved: Sequence[SavedSlice], benchmark: Benchmark, runs: Sequence[Run], metrics: Sequence[str], person: Any = None
) -> list[SliceTable]:
    snapshot = Snapshot(benchmark, runs, person)
    return [_table(one, snapshot, metrics) for one in saved]


def _table(saved: SavedSlice, snapshot: Snapshot, metrics: Sequence[str]) -> SliceTable:
    """A slice, or why it means nothing any more."""
    try:
        node = query_of({"q": saved.query})
        where = snapshot.conditions.listed(node)
    except (InvalidInput, QueryError) as error:
        return SliceTable(saved, 0, [], names_run=False, error=translated(error.message))
    counts = counts_by_run(snapshot, where, HIDDEN)
    found = summaries_by_run(snapshot, where, metrics)
    rows = [
        SliceRow(run, counts[run.pk]["trajectories"], found.get(run.pk, {}), counts[run.pk])
        for run in snapshot.runs
        if run.pk in counts
    ]
    return SliceTable(saved, sum(row.n for row in rows), rows, "run" in fields_in(node))
