"""All trajectories of a benchmark as one table of columns in the order of the list, as a query reads it.

Columns of scored runs are kept in this process, by the scoring they belong to: a scoring is never changed, only
replaced. A run without kept columns is read from its rows each time.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import IntegerField, Q, Subquery
from numpy.typing import NDArray

from annotation.models import Benchmark, FacetValue, Gold, Sample
from evaluation.actions.chain_columns import read_chains
from evaluation.actions.list_columns import CONDITIONS, Arrays, build_columns, read_columns, with_columns
from evaluation.actions.list_fields import KEPT, found_in
from evaluation.actions.list_places import Places
from evaluation.actions.list_selection import Joint, Selected
from evaluation.actions.list_tools import ToolRows, calls_tool, tool_rows
from evaluation.actions.metric_settings import settings_of
from evaluation.actions.sample_table import SampleTable
from evaluation.metrics.columns import Bools, Ints
from evaluation.metrics.settings import MetricSettings
from evaluation.models import FailureLabel, Run, Tagging, Trajectory
from evaluation.query.fields import FIELDS
from evaluation.query.syntax import DEFINED, UNDEFINED, Term, Text
from evaluation.querysets_query import condition_of, visible_tags
from evaluation.querysets_words import WHERE, Holding, holding

KEPT_ROWS = 4_000_000
"""Rows of tables kept in a process, about 40 bytes each."""
EVERY = Q()
KEPT_SUMMARIES = 20_000
KEPT_ANSWERS = 64
"""Answers of the database kept with a table, a bit for each row."""


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
        self._order, self.sample_rank = order, rank[order]
        self._columns: dict[str, NDArray[Any]] = {"pk": self._joined("pk")[order], "run": run[order]}
        self._places = Places(self._columns["pk"])
        self._columns["condition"] = self._condition[order]
        self.summaries: Summaries = Summaries()
        """Metrics of selections: by metric and by what was selected."""
        self._answers: OrderedDict[tuple[str, str], NDArray[np.uint8]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._order)

    @property
    def samples(self) -> int:
        return len(self.sample_table)

    def column(self, name: str) -> NDArray[Any]:
        if name == "area":
            found: NDArray[Any] = self.sample_table.area[self.sample_rank]
            return found
        with self._lock:
            if name not in self._columns:
                self._fetch((name,))
                self._columns[name] = narrow(self._joined(name))[self._order]
            return self._columns[name]

    @cached_property
    def standing(self) -> Selected:
        """What a list without terms holds; most counts of most lists are of it."""
        return Selected(self.column("evaluated") == 1)

    @cached_property
    def joint(self) -> tuple[Joint, Joint]:
        """The columns that every list is counted by; runs for themselves, which each have all values of the others."""
        others = {name: self.column(name) for name in ("quadrant", "failure", "correct", "calls", "outcome")}
        return Joint(others), Joint({"run": self._columns["run"]})

    def per_sample(self, found: Selected) -> Ints:
        """(samples,) how many of each sample's rows, which stand together, are among these."""
        counts = np.zeros(self.samples, np.int64)
        there, begins = self._begins
        counts[there] = found.in_groups("sample", begins)
        return counts

    @cached_property
    def _begins(self) -> tuple[Ints, Ints]:
        """The samples that have rows, and where these begin."""
        first = np.flatnonzero(np.diff(self.sample_rank, prepend=-1))
        return self.sample_rank[first], first

    @cached_property
    def _pair(self) -> Ints:
        """(n,) one number for all trajectories of one run on one sample."""
        pairs: Ints = np.searchsorted(self._run_pks, self._columns["run"]) * self.samples + self.sample_rank
        return pairs

    def beside(self, rows: Ints) -> Bools:
        """(n,) those in the same run on the same sample as some row."""
        return self._in_pairs(self._pair[rows])

    def on(self, runs: Ints, ranks: Ints) -> Bools:
        """(n,) those in one of these runs on the sample of the rank beside it."""
        here = np.isin(runs, self._run_pks)
        return self._in_pairs(np.searchsorted(self._run_pks, runs[here]) * self.samples + ranks[here])

    def _in_pairs(self, pairs: Ints) -> Bools:
        there = np.zeros(len(self._run_pks) * self.samples, np.bool_)
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

    def prepare(self, names: Collection[str]) -> None:
        """Read several columns by one query."""
        with self._lock:
            self._fetch(names)

    @cached_property
    def tools(self) -> ToolRows:
        """Which trajectories call which tool. One query, once."""
        runs = {key: run.pk for run, key in self._of if key is not None}
        kept = {runs[key]: chains for key, chains in read_chains(list(runs)).items()}
        return tool_rows(len(self), {run.pk for run, _ in self._of}, kept, self.places)

    def answered(self, term: Term, ask: Callable[[], Bools]) -> Bools:
        """What the database says of a field of ``KEPT``, asked once."""
        key = term.field, term.value
        with self._lock:
            kept = self._answers.get(key)
        if kept is None:
            kept = np.packbits(ask())
            with self._lock:
                self._answers[key] = kept
                while len(self._answers) > KEPT_ANSWERS:
                    self._answers.popitem(last=False)
        found: Bools = np.unpackbits(kept, count=len(self)).astype(np.bool_)
        return found

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
    """Whole numbers in a byte each, where they all fit: they are compared eight times as fast."""
    if values.dtype.kind != "i" or not len(values) or values.min() < -128 or values.max() > 127:
        return values
    return values.astype(np.int8)


def _scoring(run: Run) -> int | None:
    scoring = getattr(run, "scoring", None)
    return scoring.pk if scoring else None


def _settings(run: Run, otherwise: MetricSettings) -> MetricSettings:
    scoring = getattr(run, "scoring", None)
    return MetricSettings.from_mapping(scoring.settings) if scoring else otherwise


class Asking:
    """A table as one person asks it: with what only the database knows, and corrected failures in place of rules'."""

    def __init__(self, table: ListTable, runs: Sequence[Run], person: Any) -> None:
        self._table, self._person = table, person
        self.conditions, self.samples, self.sample_rank = table.conditions, table.samples, table.sample_rank
        self.runs = run_names(runs)
        self._failures: NDArray[Any] | None = None
        self._said: Ints = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    def column(self, name: str) -> NDArray[Any]:
        if name != "failure":
            return self._table.column(name)
        if self._failures is None:
            self._failures = self._corrected(self._table.column(name))
        return self._failures

    def failures_of(self, found: Selected) -> dict[int, int]:
        """How many of these have each failure: as the rules say, but for those of which people said otherwise."""
        rules, said = self._table.column("failure"), self.column("failure")
        counts = found.counted_together(self._table.joint[0])["failure"]
        here = self._said[found.mask[self._said]]
        changed = Counter(counts)
        changed.subtract(rules[here].tolist())
        changed.update(said[here].tolist())
        return {code: n for code, n in changed.items() if n}

    def places(self, pks: Collection[int] | Ints) -> Ints:
        return self._table.places(pks)

    def facet(self, name: str, value: str) -> Bools:
        values = self._table.sample_table.facets.get(name)
        if values is None:
            return np.full(len(self), value == "none")
        return values.samples_with(value, self.samples)[self.sample_rank]

    def ask(self, node: Term | Text) -> Bools:
        """From the table where it knows, else one query for the numbers of those that meet it; words from the index of
        each run."""
        name = FIELDS[node.field].name if isinstance(node, Term) else ""
        if name in WHERE:
            return self._holding(holding(self._table.benchmark, name, node.value))
        if not isinstance(node, Term):
            return self._asked(node)
        if (found := found_in(self._table, name, node)) is not None:
            return found
        if name == "tool":
            return calls_tool(self._table.tools, node.value, lambda only: self._asked(node, only))
        if name == "tag":
            return self._tagged(node.value)
        return self._table.answered(node, lambda: self._asked(node)) if name in KEPT else self._asked(node)

    def _asked(self, node: Term | Text, only: Q = EVERY) -> Bools:
        benchmark = self._table.benchmark
        found = Trajectory.objects.of(benchmark).filter(only, condition_of(node, self._person, benchmark)).order_by()
        met = np.zeros(len(self), np.bool_)
        pks = found.values_list("pk", flat=True).iterator(chunk_size=20_000)
        met[self.places(np.fromiter(pks, np.int64))] = True
        return met

    def _tagged(self, value: str) -> Bools:
        """Few trajectories have a tag: those without are the others."""
        tags = visible_tags(self._person).filter(benchmark=self._table.benchmark)
        tags = tags if value in (DEFINED, UNDEFINED) else tags.filter(name=value)
        met = np.zeros(len(self), np.bool_)
        pks = Tagging.objects.filter(tag__in=tags).values_list("trajectory", flat=True)
        met[self.places(np.fromiter(pks.iterator(chunk_size=20_000), np.int64))] = True
        return ~met if value == UNDEFINED else met

    def _holding(self, texts: Holding) -> Bools:
        asked = np.zeros(self.samples, np.bool_)
        asked[self._table.sample_table.ranks(texts.samples)] = True
        met = asked[self.sample_rank]
        met[self.places(texts.trajectories)] = True
        return met

    def _corrected(self, rules: NDArray[Any]) -> NDArray[Any]:
        labels = FailureLabel.objects.filter(current=True, benchmark=self._table.benchmark)
        said = dict(labels.values_list("trajectory_id", "failure"))
        if not said:
            return rules
        corrected = rules.copy()
        self._said = self.places(said)
        pks = self._table.column("pk")[self._said].tolist()
        corrected[self._said] = [said[pk] for pk in pks]
        return corrected


def run_names(runs: Sequence[Run]) -> Mapping[str, Collection[int]]:
    """The numbers of runs by each name they go by: number, model, model and setting."""
    found: dict[str, set[int]] = {}
    for run in runs:
        for name in (str(run.pk), run.model.name, str(run)):
            found.setdefault(name, set()).add(run.pk)
    return found


class HowMany(Subquery):
    """The number of rows of a queryset. Counting rows alone is quick; counting a column of them is not."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def _state_of_samples(benchmark: Benchmark) -> tuple[Any, ...]:
    """What is another after any change of samples, facets or gold: how many there are, and which is the last. Facets
    are written anew when they change, and counting those of all benchmarks takes less than finding those of one. One
    query, each part of it on an index."""
    samples, facets = Sample.objects.filter(benchmark=benchmark).order_by("-pk"), FacetValue.objects.order_by("-pk")
    gold = Gold.objects.order_by("-accepted_at")
    found = Benchmark.objects.filter(pk=benchmark.pk).values_list(
        HowMany(samples.order_by().values("pk")), Subquery(samples.values("pk")[:1]),
        HowMany(facets.order_by().values("pk")), Subquery(facets.values("pk")[:1]),
        Subquery(gold.values("accepted_at")[:1]),
    )  # fmt: skip
    return tuple(found.get())


_TABLES: OrderedDict[tuple[Any, ...], ListTable] = OrderedDict()
_LOCK = threading.Lock()


def table_of(benchmark: Benchmark, runs: Sequence[Run]) -> ListTable:
    """The table of a benchmark: two queries when it is kept, some more when it is not."""
    kept = with_columns([scoring for run in runs if (scoring := _scoring(run)) is not None])
    named = tuple((run.pk, run.scoring.pk, run.scoring.computed_at) for run in runs if _scoring(run) in kept)
    key = (benchmark.pk, benchmark.created_at, named, *_state_of_samples(benchmark))
    with _LOCK:
        if key in _TABLES:
            _TABLES.move_to_end(key)
            return _TABLES[key]
    table = ListTable(benchmark, runs, SampleTable(benchmark), kept)
    if len(named) == len(runs):
        with _LOCK:
            for other in [other for other in _TABLES if other[0] == benchmark.pk]:
                del _TABLES[other]
            _TABLES[key] = table
            while len(_TABLES) > 1 and sum(map(len, _TABLES.values())) > KEPT_ROWS:
                _TABLES.popitem(last=False)
    return table
