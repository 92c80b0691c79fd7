"""All trajectories of a benchmark as one table of columns in the order of the list, as a query reads it.

The rows belong to the scorings of the runs, which are never changed, only replaced. What is said of their samples
belongs to the change number of the benchmark: a change of gold reads the samples anew and no trajectory, a change of
another benchmark reads nothing. Both are kept in this process within ``KEPT_BYTES``, and made once however many ask at
the same time. With a run whose columns are not stored a table is made for each request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Benchmark, ContentChange
from evaluation.actions.list_columns import with_columns
from evaluation.actions.list_selection import Counts, Selected, digest
from evaluation.actions.row_table import RowTable, ranked, scoring_of
from evaluation.actions.sample_table import SampleTable
from evaluation.metrics.columns import Bools, Ints
from evaluation.models import Run
from evaluation.query.syntax import Term
from webapp.common.kept import Kept

KEPT_BYTES = 512 * 2**20
"""Of the tables of all benchmarks in a process; the table asked for last stays in any case."""
KEPT_SUMMARIES = 20_000
KEPT_COUNTS = 128
"""Selections whose counts are kept with a table, each eight bytes for a sample and some hundred numbers."""
COUNT_BYTES = 32 * 2**20
"""Fewer of them where samples are many."""


class Summaries(OrderedDict[tuple[str, bytes], Any]):
    """The last ``KEPT_SUMMARIES`` that were made."""

    def __setitem__(self, key: tuple[str, bytes], value: Any) -> None:
        super().__setitem__(key, value)
        while len(self) > KEPT_SUMMARIES:
            self.popitem(last=False)


class ListTable:
    """The columns of ``evaluation.query.masks``, n rows in list order: sample, run, rollout, condition. ``number``: the
    change number of the benchmark that the samples are of."""

    def __init__(self, benchmark: Benchmark, rows: RowTable, samples: SampleTable, number: int) -> None:
        self.benchmark, self.sample_table, self.number = benchmark, samples, number
        self._rows, self.by_sample = rows, rows.by_sample(samples)
        self.conditions = rows.conditions
        self.summaries: Summaries = Summaries()
        """Metrics of selections: by metric and by what was selected."""
        most = COUNT_BYTES // (8 * len(samples) + 1)
        self._counts: Kept[Counts] = Kept(max(8, min(KEPT_COUNTS, most)))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + self.by_sample.rank.nbytes

    def column(self, name: str) -> NDArray[Any]:
        if name == "area":
            return self.by_sample.spread(self.sample_table.area)
        return self._rows.column(name)

    @cached_property
    def standing(self) -> Selected:
        """What a list without terms holds; most counts of most lists are of it."""
        return Selected(self.column("evaluated") == 1)

    def selected(self, mask: Bools) -> Selected:
        """These rows, with what was counted of the same rows before: by which they are, however they were asked for."""
        return Selected(mask, self._counts.get(digest(mask), dict))

    def counts(self, found: Selected, name: str, *, alone: bool = False) -> Mapping[int, int]:
        """How many of these rows have each value of a column of ``COUNTED``. ``alone``: no other column is counted of
        them."""
        if alone and (values := self._rows.rows_with(name)):
            return found.once(name, lambda: found.counted_in(values))
        return found.once("together", lambda: self._rows.joint.counted(found))[name]

    @cached_property
    def _pair(self) -> Ints:
        """(n,) one number for all trajectories of one run on one sample."""
        runs, samples = self._rows.run_pks, len(self.sample_table)
        # Fresh memory takes longer than the sums: a few bytes each where they do.
        kind = np.int32 if len(runs) * samples < 2**31 else np.int64
        firsts = (np.arange(len(runs)) * samples).astype(kind)
        found: Ints = np.add(firsts[np.searchsorted(runs, self.column("run"))], self.by_sample.rank, dtype=kind)
        return found

    def beside(self, rows: Ints) -> Bools:
        """(n,) those in the same run on the same sample as some row."""
        return self._in_pairs(self._pair[rows])

    def beside_n(self, rows: Bools) -> Ints:
        """(n,) how many of these rows are in the same run on the same sample as each."""
        counts = np.bincount(self._pair[rows], minlength=len(self._rows.run_pks) * len(self.sample_table))
        found: Ints = counts[self._pair]
        return found

    def on(self, runs: Ints, ranks: Ints) -> Bools:
        """(n,) those in one of these runs on the sample of the rank beside it."""
        here = np.isin(runs, self._rows.run_pks)
        firsts = np.searchsorted(self._rows.run_pks, runs[here]) * len(self.sample_table)
        return self._in_pairs(firsts + ranks[here])

    def _in_pairs(self, pairs: Ints) -> Bools:
        if not len(pairs):
            return np.zeros(len(self), np.bool_)
        there = np.zeros(len(self._rows.run_pks) * len(self.sample_table), np.bool_)
        there[pairs] = True
        return there[self._pair]

    def own_rows(self, run: Run, rows: Ints) -> Ints:
        return self._rows.own_rows(run, rows)

    def keeps(self, run: Run) -> bool:
        return self._rows.keeps(run)

    def ranked(self, name: str, falling: bool) -> Ints:
        """(n,) the rows in order of a column: those without a number last, equal ones in list order."""
        return ranked(self.column(name), falling) if name == "area" else self._rows.ranked(name, falling)

    def prepare(self, names: Collection[str]) -> None:
        """Read several columns by one query."""
        self._rows.prepare([name for name in names if name != "area"])

    def valued(self, field: str, keys: Collection[str]) -> tuple[Bools, set[int]]:
        return self._rows.valued(field, keys)

    def answered(self, term: Term, ask: Callable[[], Bools]) -> Bools:
        return self._rows.answered(term, ask)

    def places(self, pks: Collection[int] | Ints) -> Ints:
        return self._rows.places(pks)


_ROWS: Kept[RowTable] = Kept(KEPT_BYTES, lambda rows: rows.nbytes)
_TABLES: Kept[ListTable] = Kept(KEPT_BYTES, lambda table: table.nbytes)


def table_of(benchmark: Benchmark, runs: Sequence[Run]) -> ListTable:
    """The table of a benchmark: two queries when it is kept, some more when it is not."""
    kept = with_columns([scoring for run in runs if (scoring := scoring_of(run)) is not None])
    named = tuple((run.pk, run.scoring.pk, run.scoring.computed_at) for run in runs if scoring_of(run) in kept)
    number = ContentChange.objects.numbers([benchmark.pk])[benchmark.pk]
    of_rows = (benchmark.pk, benchmark.created_at, named)
    key = (*of_rows, number)

    def made(samples: SampleTable) -> RowTable:
        return RowTable(benchmark, runs, samples, kept)

    if len(named) < len(runs):
        samples = SampleTable(benchmark)
        return ListTable(benchmark, made(samples), samples, number)

    def make() -> ListTable:
        samples = SampleTable(benchmark)
        rows = _ROWS.get(of_rows, lambda: made(samples))
        _ROWS.forget(lambda other: _replaced(other, of_rows))
        _TABLES.forget(lambda other: _replaced(other, key))
        return ListTable(benchmark, rows, samples, number)

    return _TABLES.get(key, make)


def _replaced(other: Hashable, key: tuple[Any, ...]) -> bool:
    """Whether a key is of the same benchmark in another state."""
    return isinstance(other, tuple) and other[0] == key[0] and other != key
