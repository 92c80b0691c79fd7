"""All trajectories of a benchmark as one table of columns in the order of the list, as a query reads it.

Columns of scored runs are kept in this process, by the scoring they belong to: a scoring is never changed, only
replaced. A run without kept columns is read from its rows each time.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Subquery
from numpy.typing import NDArray

from annotation.models import Benchmark, FacetValue, Sample
from evaluation.actions.freshness import GoldState, state_of_gold
from evaluation.actions.list_columns import CONDITIONS, Arrays, build_columns, read_columns, with_columns
from evaluation.actions.list_places import Places
from evaluation.actions.list_selection import Bits, Counts, Joint, Selected, digest, packed
from evaluation.actions.list_values import bits, put_rows, read_values
from evaluation.actions.metric_settings import settings_of
from evaluation.actions.sample_table import SampleTable
from evaluation.metrics.columns import Bools, Ints
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.query.samples import SampleRows
from evaluation.query.syntax import Term
from webapp.common.bulk import HowMany
from webapp.common.kept import Kept

KEPT_ROWS = 4_000_000
"""Rows of tables kept in a process, about 40 bytes each."""
COUNTED = ("run", "quadrant", "failure", "correct", "calls", "outcome")
KINDS = (np.int8, np.int16, np.int32, np.int64)
FEW = 64
"""Values of a column whose rows are kept as bits: 125 kB for each and a million rows."""
KEPT_SUMMARIES = 20_000
KEPT_ANSWERS = 64
"""Answers of the database kept with a table, a bit for each row."""
KEPT_COUNTS = 128
"""Selections whose counts are kept with a table, of each eight bytes for a sample and some hundred numbers."""
KEPT_ORDERS = 4
"""Orders of a table other than its own, eight bytes for each row."""


class Summaries(OrderedDict[tuple[str, bytes], Any]):
    """The last ``KEPT_SUMMARIES`` that were made."""

    def __setitem__(self, key: tuple[str, bytes], value: Any) -> None:
        super().__setitem__(key, value)
        while len(self) > KEPT_SUMMARIES:
            self.popitem(last=False)


class ListTable:
    """The columns of ``evaluation.query.masks``, n rows in list order: sample, run, rollout, condition."""

    def __init__(self, benchmark: Benchmark, runs: Sequence[Run], samples: SampleTable, kept: set[int]) -> None:
        self.benchmark, self.sample_table = benchmark, samples
        self.gold_state: GoldState | None = None
        """Of the gold that the table is of, for ``Freshness``."""
        self._lock = threading.Lock()
        self._of = [(run, run.scoring.pk if _scoring(run) in kept else None) for run in runs]
        settings = settings_of(benchmark)
        self._run_pks = np.array(sorted(run.pk for run in runs), np.int64)
        self._built = {run.pk: build_columns(run, _settings(run, settings)) for run, key in self._of if key is None}
        self._read: dict[int, Arrays] = {}
        self._asked: set[str] = set()
        self._fetch(("pk", "sample", "rollout", "condition", CONDITIONS))
        self._merge_conditions()
        rank, run = samples.ranks(self._joined("sample")), self._runs()
        order = np.lexsort((self._place_of_condition(), self._joined("rollout"), run, rank))
        self._order, self.by_sample = order, SampleRows(rank[order], len(samples))
        self._columns: dict[str, NDArray[Any]] = {"pk": self._joined("pk")[order], "run": narrow(run[order])}
        self._places = Places(self._columns["pk"])
        self._columns["condition"] = self._condition[order]
        self.summaries: Summaries = Summaries()
        """Metrics of selections: by metric and by what was selected."""
        self._counts: Kept[Counts] = Kept(KEPT_COUNTS)
        self._answers: OrderedDict[tuple[str, str], NDArray[np.uint8]] = OrderedDict()
        self._values: dict[str, Mapping[int, Bits]] = {}
        self._ranked: OrderedDict[tuple[str, bool], Ints] = OrderedDict()

    def __len__(self) -> int:
        return len(self._order)

    def column(self, name: str) -> NDArray[Any]:
        if name == "area":
            return self.by_sample.spread(self.sample_table.area)
        with self._lock:
            if name not in self._columns:
                self._fetch((name,))
                self._columns[name] = narrow(self._joined(name))[self._order]
            return self._columns[name]

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
        if alone and (values := self._rows_of(name)):
            return found.once(name, lambda: found.counted_in(values))
        return found.once("together", lambda: self._joint.counted(found))[name]

    @cached_property
    def _joint(self) -> Joint:
        return Joint({name: self.column(name) for name in COUNTED})

    def _rows_of(self, name: str) -> Mapping[int, Bits]:
        """The rows with each value of a column of few values, a bit for each; nothing of one with many. Made once."""
        column = self.column(name)
        with self._lock:
            if name not in self._values:
                there = np.unique(column).tolist()
                self._values[name] = {one: packed(column == one) for one in there} if len(there) <= FEW else {}
            return self._values[name]

    @cached_property
    def _pair(self) -> Ints:
        """(n,) one number for all trajectories of one run on one sample."""
        own = np.array([run.pk for run, _ in self._of], np.int64)
        firsts = np.searchsorted(self._run_pks, own) * len(self.sample_table)
        # Fresh memory takes longer than the sums: a few bytes each where they do.
        kind = np.int32 if len(own) * len(self.sample_table) < 2**31 else np.int64
        found: Ints = np.repeat(firsts.astype(kind), [len(part) for part in self._parts("pk")])[self._order]
        found += self.by_sample.rank.astype(kind, copy=False)
        return found

    def beside(self, rows: Ints) -> Bools:
        """(n,) those in the same run on the same sample as some row."""
        return self._in_pairs(self._pair[rows])

    def beside_n(self, rows: Bools) -> Ints:
        """(n,) how many of these rows are in the same run on the same sample as each."""
        counts = np.bincount(self._pair[rows], minlength=len(self._run_pks) * len(self.sample_table))
        found: Ints = counts[self._pair]
        return found

    def on(self, runs: Ints, ranks: Ints) -> Bools:
        """(n,) those in one of these runs on the sample of the rank beside it."""
        here = np.isin(runs, self._run_pks)
        return self._in_pairs(self._pairs(runs[here], ranks[here]))

    def _pairs(self, runs: NDArray[Any], ranks: Ints) -> Ints:
        found: Ints = np.searchsorted(self._run_pks, runs) * len(self.sample_table) + ranks
        return found

    def _in_pairs(self, pairs: Ints) -> Bools:
        if not len(pairs):
            return np.zeros(len(self), np.bool_)
        there = np.zeros(len(self._run_pks) * len(self.sample_table), np.bool_)
        there[pairs] = True
        return there[self._pair]

    def own_rows(self, run: Run, rows: Ints) -> Ints:
        """Places among the run's kept columns of some of its trajectories, which stand at ``rows`` here."""
        sizes = [len(part) for part in self._parts("pk")]
        place = next(at for at, (other, _) in enumerate(self._of) if other.pk == run.pk)
        own: Ints = self._order[rows] - sum(sizes[:place])
        return own

    def keeps(self, run: Run) -> bool:
        """Whether the run's columns were kept at its scoring, those of metrics among them."""
        return run.pk not in self._built

    def ranked(self, name: str, falling: bool) -> Ints:
        """(n,) the rows in order of a column: those without a number last, equal ones in list order. Made once."""
        values = self.column(name)
        numbers = values if values.dtype.kind == "f" else np.where(values < 0, np.nan, values)
        with self._lock:
            if (name, falling) not in self._ranked:
                self._ranked[name, falling] = np.argsort(-numbers if falling else numbers, kind="stable")
                while len(self._ranked) > KEPT_ORDERS:
                    self._ranked.popitem(last=False)
            return self._ranked[name, falling]

    def prepare(self, names: Collection[str]) -> None:
        """Read several columns by one query."""
        with self._lock:
            self._fetch(names)

    def valued(self, field: str, keys: Collection[str]) -> tuple[Bools, set[int]]:
        """(n,) which have one of some values of a field that is kept by value, and the runs of which it is not kept.
        One query."""
        kept = read_values([key for _, key in self._of if key is not None], field, keys)
        found, unkept, start = np.zeros(len(self), np.bool_), set[int](), 0
        for (run, key), pks in zip(self._of, self._parts("pk"), strict=True):
            own = found[start : start + len(pks)]
            start += len(pks)
            for rows in kept.get(key or 0, ()):
                put_rows(own, *rows)
            if key not in kept:
                unkept.add(run.pk)
        return found[self._order], unkept

    def answered(self, term: Term, ask: Callable[[], Bools]) -> Bools:
        """What holds of a comparison as long as the table is the same, asked once."""
        key = term.field, term.value
        with self._lock:
            kept = self._answers.get(key)
        if kept is None:
            kept = np.packbits(ask())
            with self._lock:
                self._answers[key] = kept
                while len(self._answers) > KEPT_ANSWERS:
                    self._answers.popitem(last=False)
        return bits(kept, len(self))

    def places(self, pks: Collection[int] | Ints) -> Ints:
        """Where these trajectories stand; those that are not here are left out."""
        return self._places.of(pks if isinstance(pks, np.ndarray) else np.array(sorted(pks), np.int64))

    def _fetch(self, names: Collection[str]) -> None:
        wanted, new = [key for _, key in self._of if key is not None], set(names) - self._asked
        if not wanted or not new:
            return
        self._asked |= new
        for key, columns in read_columns(wanted, new).items():
            self._read.setdefault(key, {}).update(columns)

    def _parts(self, name: str) -> list[NDArray[Any]]:
        """The column of each run; what a run does not have is 0, as columns of metrics in a run that is not scored."""
        found = [self._built[run.pk] if key is None else self._read[key] for run, key in self._of]
        return [of[name] if name in of else np.zeros(len(of["pk"])) for of in found]

    def _joined(self, name: str) -> NDArray[Any]:
        parts = self._parts(name)
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def _runs(self) -> Ints:
        sizes = [len(part) for part in self._parts("pk")]
        return np.repeat(np.array([run.pk for run, _ in self._of], np.int64), sizes)

    def _merge_conditions(self) -> None:
        named = [json.loads(part.tobytes()) for part in self._parts(CONDITIONS)]
        others = sorted({name for names in named for name in names} - {"none"})
        self.conditions = ("none", *others)
        parts = zip(named, self._parts("condition"), strict=True)
        recoded = [np.array([self.conditions.index(n) for n in names], np.int8)[codes] for names, codes in parts]
        self._condition = np.concatenate(recoded) if recoded else np.empty(0, np.int8)

    def _place_of_condition(self) -> NDArray[Any]:
        """Conditions in the order of their names, as the list has them."""
        order = {name: place for place, name in enumerate(sorted(self.conditions))}
        return np.array([order[name] for name in self.conditions])[self._condition]


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them all: in a byte each they are compared eight times as fast."""
    if values.dtype.kind != "i" or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    kind = next(kind for kind in KINDS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return values.astype(kind, copy=False)


def _scoring(run: Run) -> int | None:
    scoring = getattr(run, "scoring", None)
    return scoring.pk if scoring else None


def _settings(run: Run, otherwise: MetricSettings) -> MetricSettings:
    scoring = getattr(run, "scoring", None)
    return MetricSettings.from_mapping(scoring.settings) if scoring else otherwise


def _state_of_samples(benchmark: Benchmark) -> tuple[Any, ...]:
    """What is another after any change of samples, facets or gold: how many there are, and which is the last. Facets
    are written anew when they change, and counting the rows of all benchmarks takes a fiftieth of counting those of
    one. One query, each part of it on an index; the parts of gold are the last."""
    samples, facets = Sample.objects.order_by("-pk"), FacetValue.objects.order_by("-pk")
    found = Benchmark.objects.filter(pk=benchmark.pk).values_list(
        HowMany(samples.order_by().values("pk")), Subquery(samples.values("pk")[:1]),
        HowMany(facets.order_by().values("pk")), Subquery(facets.values("pk")[:1]),
        *state_of_gold(),
    )  # fmt: skip
    return tuple(found.get())


_TABLES: OrderedDict[tuple[Any, ...], ListTable] = OrderedDict()
_LOCK = threading.Lock()


def table_of(benchmark: Benchmark, runs: Sequence[Run]) -> ListTable:
    """The table of a benchmark: two queries when it is kept, some more when it is not."""
    kept = with_columns([scoring for run in runs if (scoring := _scoring(run)) is not None])
    named = tuple((run.pk, run.scoring.pk, run.scoring.computed_at) for run in runs if _scoring(run) in kept)
    state = _state_of_samples(benchmark)
    key = (benchmark.pk, benchmark.created_at, named, *state)
    with _LOCK:
        if key in _TABLES:
            _TABLES.move_to_end(key)
            return _TABLES[key]
    table = ListTable(benchmark, runs, SampleTable(benchmark), kept)
    table.gold_state = state[-len(state_of_gold()) :]
    if len(named) == len(runs):
        with _LOCK:
            for other in [other for other in _TABLES if other[0] == benchmark.pk]:
                del _TABLES[other]
            _TABLES[key] = table
            while len(_TABLES) > 1 and sum(map(len, _TABLES.values())) > KEPT_ROWS:
                _TABLES.popitem(last=False)
    return table
