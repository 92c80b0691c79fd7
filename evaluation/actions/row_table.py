"""The trajectories of some runs as columns in the order of the list: all that does not change with samples or gold.

Columns are read when they are asked for, in as few bytes as hold their numbers; those that were asked for last stay, up
to ``COLUMN_BYTES``. What every list needs (keys and order) stays always, some 20 bytes a row.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Benchmark
from evaluation.actions.list_columns import CONDITIONS, Arrays, build_columns, read_columns
from evaluation.actions.list_places import Places
from evaluation.actions.list_selection import Bits, Joint, packed
from evaluation.actions.list_values import bits, put_rows, read_values
from evaluation.actions.metric_settings import settings_of
from evaluation.actions.sample_table import SampleTable
from evaluation.metrics.columns import Bools, Ints
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.query.samples import SampleRows
from evaluation.query.syntax import Term

COLUMN_BYTES = 256 * 2**20
"""Of columns, orders and answers that a table keeps beside keys and order."""
COUNTED = ("run", "quadrant", "failure", "correct", "calls", "outcome")
KINDS = (np.int8, np.int16, np.int32, np.int64)
FEW = 64
"""Values of a column whose rows are kept as bits: 125 kB for each and a million rows."""


class RowTable:
    """n rows in list order: sample, run, rollout, condition. ``kept``: the scorings whose columns are stored."""

    def __init__(self, benchmark: Benchmark, runs: Sequence[Run], samples: SampleTable, kept: set[int]) -> None:
        self._lock = threading.RLock()
        self._of = [(run, scoring_of(run) if scoring_of(run) in kept else None) for run in runs]
        settings = settings_of(benchmark)
        self._built = {run.pk: build_columns(run, _settings(run, settings)) for run, key in self._of if key is None}
        self._arrays: OrderedDict[Hashable, NDArray[Any]] = OrderedDict()
        self._order = np.empty(0, np.int64)
        self._sizes: list[int] = []
        self.run_pks = np.array(sorted(run.pk for run in runs), np.int64)
        raw = self._raw(("pk", "sample", "rollout", "condition", CONDITIONS))
        self._sizes = [len(part["pk"]) for part in raw]
        self._arrange(raw, samples)

    def _arrange(self, raw: Sequence[Arrays], samples: SampleTable) -> None:
        named = [json.loads(part[CONDITIONS].tobytes()) for part in raw]
        others = sorted({name for names in named for name in names} - {"none"})
        self.conditions = ("none", *others)
        place = {name: at for at, name in enumerate(sorted(self.conditions))}
        recoded = [
            np.array([self.conditions.index(name) for name in names], np.int8)[part["condition"]]
            for names, part in zip(named, raw, strict=True)
        ]
        condition = np.concatenate(recoded) if recoded else np.empty(0, np.int8)
        sample, rollout, pk = (_joined(part[name] for part in raw) for name in ("sample", "rollout", "pk"))
        run = np.repeat(np.array([run.pk for run, _ in self._of], np.int64), self._sizes)
        # Conditions in the order of their names, as the list has them.
        by_name = np.array([place[name] for name in self.conditions])[condition]
        order = np.lexsort((by_name, rollout, run, samples.ranks(sample)))
        self._order, ordered = narrow(order), sample[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        self._samples, self._repeats = ordered[begins], np.diff(begins, append=len(ordered))
        self._always: Mapping[str, NDArray[Any]] = {
            "pk": narrow(pk)[order], "run": narrow(run)[order], "condition": condition[order],
        }  # fmt: skip
        self._places = Places(self._always["pk"])

    def __len__(self) -> int:
        return len(self._order)

    @property
    def nbytes(self) -> int:
        with self._lock:
            return self.least_bytes + sum(array.nbytes for array in self._arrays.values())

    @property
    def least_bytes(self) -> int:
        """Of keys and order, which stay always."""
        always = sum(array.nbytes for array in self._always.values())
        return always + self._order.nbytes + self._places.nbytes + self._samples.nbytes + self._repeats.nbytes

    def by_sample(self, samples: SampleTable) -> SampleRows:
        """The rows of each sample, by the places that samples have now."""
        return SampleRows(np.repeat(narrow(samples.ranks(self._samples)), self._repeats), len(samples))

    def column(self, name: str) -> NDArray[Any]:
        if name in self._always:
            return self._always[name]
        with self._lock:
            if name not in self._arrays:
                self._load((name,))
            self._arrays.move_to_end(name)
            return self._arrays[name]

    def prepare(self, names: Collection[str]) -> None:
        """Read several columns by one query."""
        with self._lock:
            self._load([name for name in names if name not in self._arrays and name not in self._always])

    @cached_property
    def joint(self) -> Joint:
        return Joint({name: self.column(name) for name in COUNTED})

    def rows_with(self, name: str) -> Mapping[int, Bits]:
        """The rows with each value of a column of few values, a bit for each; nothing of one with many."""
        column = self.column(name)
        there = self._kept(("values", name), lambda: np.unique(column)).tolist()
        if len(there) > FEW:
            return {}
        kept = self._kept(("rows", name), lambda: np.array([packed(column == one) for one in there]))
        return dict(zip(there, kept, strict=True))

    def ranked(self, name: str, falling: bool) -> Ints:
        """(n,) the rows in order of a column: those without a number last, equal ones in list order."""
        return self._kept(("ranked", name, falling), lambda: ranked(self.column(name), falling))

    def answered(self, term: Term, ask: Callable[[], Bools]) -> Bools:
        """What holds of a comparison, asked once; of what no change of samples or gold touches."""
        kept = self._kept(("answer", term.field, term.value), lambda: np.packbits(ask()))
        return bits(kept, len(self))

    def valued(self, field: str, keys: Collection[str]) -> tuple[Bools, set[int]]:
        """(n,) which have one of some values of a field that is kept by value, and the runs of which it is not kept.
        One query."""
        kept = read_values([key for _, key in self._of if key is not None], field, keys)
        found, unkept, start = np.zeros(len(self), np.bool_), set[int](), 0
        for (run, key), size in zip(self._of, self._sizes, strict=True):
            own = found[start : start + size]
            start += size
            for rows in kept.get(key or 0, ()):
                put_rows(own, *rows)
            if key not in kept:
                unkept.add(run.pk)
        return found[self._order], unkept

    def own_rows(self, run: Run, rows: Ints) -> Ints:
        """Places among the run's kept columns of some of its trajectories, which stand at ``rows`` here."""
        place = next(at for at, (other, _) in enumerate(self._of) if other.pk == run.pk)
        own: Ints = self._order[rows] - sum(self._sizes[:place])
        return own

    def keeps(self, run: Run) -> bool:
        """Whether the run's columns were kept at its scoring, those of metrics among them."""
        return run.pk not in self._built

    def places(self, pks: Collection[int] | Ints) -> Ints:
        """Where these trajectories stand; those that are not here are left out."""
        return self._places.of(pks if isinstance(pks, np.ndarray) else np.array(sorted(pks), np.int64))

    def _kept(self, key: Hashable, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Made outside the lock: what is asked of the database must not hold up others."""
        with self._lock:
            if key in self._arrays:
                self._arrays.move_to_end(key)
                return self._arrays[key]
        made = make()
        with self._lock:
            return self._keep(key, made)

    def _keep(self, key: Hashable, array: NDArray[Any]) -> NDArray[Any]:
        self._arrays[key] = array
        self._arrays.move_to_end(key)
        held = sum(one.nbytes for one in self._arrays.values())
        while held > COLUMN_BYTES and len(self._arrays) > 1:
            held -= self._arrays.popitem(last=False)[1].nbytes
        return array

    def _load(self, names: Collection[str]) -> None:
        raw = self._raw(names) if names else []
        for name in names:
            parts = (of[name] if name in of else np.zeros(n) for of, n in zip(raw, self._sizes, strict=True))
            self._keep(name, narrow(_joined(parts))[self._order])

    def _raw(self, names: Collection[str]) -> list[Arrays]:
        """The columns of each run as they are stored; what a run does not have, as the metrics of one that is not
        scored, is left out. One query."""
        keys = [key for _, key in self._of if key is not None]
        read = read_columns(keys, names) if keys else {}
        return [self._built[run.pk] if key is None else read[key] for run, key in self._of]


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them all: in a byte each they are compared eight times as fast."""
    if values.dtype.kind != "i" or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    kind = next(kind for kind in KINDS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return values.astype(kind, copy=False)


def ranked(values: NDArray[Any], falling: bool) -> Ints:
    """(n,) the places in order of some numbers; NaN, and whole numbers below 0, last."""
    numbers = values if values.dtype.kind == "f" else np.where(values < 0, np.nan, values)
    return narrow(np.argsort(-numbers if falling else numbers, kind="stable"))


def scoring_of(run: Run) -> int | None:
    scoring = getattr(run, "scoring", None)
    return scoring.pk if scoring else None


def _settings(run: Run, otherwise: MetricSettings) -> MetricSettings:
    scoring = getattr(run, "scoring", None)
    return MetricSettings.from_mapping(scoring.settings) if scoring else otherwise


def _joined(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    there = list(parts)
    return np.concatenate(there) if there else np.empty(0, np.int64)
