"""The rows of a benchmark for one request: the files of its runs, its samples, and the marks of people."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from annotation.models import Benchmark
from evaluation.metrics.columns import Ints
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Judgement, Note, Run, Tagging
from evaluation.models.querysets.marks import marks_seen_by, visible_tags
from evaluation.query.sql import Conditions, Side
from evaluation.query.words import holds, phrase_of
from evaluation.store.build import Arrays
from evaluation.store.engine import ARGUMENT, Reader, parquet
from evaluation.store.files import folder, paths_of
from evaluation.store.list_file import SMALL_BYTES, WITHOUT_CONTRIBUTIONS, open_list
from evaluation.store.samples import sample_files
from evaluation.store.schema import COLUMNS
from evaluation.store.words.search import holding

CHUNK = 20_000
TOOLS_OF = 8
"""Runs whose tools are proposed; any other tool can be asked for as well."""
HELD_FROM = 3
"""From this statement on, files of at most ``SMALL_BYTES`` in total are read into memory.

Opening small files takes longer than a small statement, and a request with three statements usually has ten. Large
files would take longer to read than to query."""


class Snapshot:
    """The trajectories of some runs of a benchmark, for one person. ``runs``: of ``Run.objects.of``.

    It does not change while it is used, so a page, its counts and its facets are of the same moment.
    """

    def __init__(self, benchmark: Benchmark, runs: Sequence[Run], person: Any = None) -> None:
        self.benchmark, self.runs, self.person = benchmark, runs, person
        self.files = paths_of(runs)
        self.samples = sample_files(benchmark)
        self.conditions = Conditions(run_names(runs))
        self._reader = Reader(folder())
        self._list = open_list(benchmark, runs, self.files, self._reader)
        self._labeled_any = self._label()
        self._unnamed = {
            **self.samples.queries(),
            "rows": self._rows(contributions=False),
            "contributions": self._rows(contributions=True),
        }
        self._asked = 0
        self._filled: set[str] = set()

    @property
    def number(self) -> int:
        """The change number of the benchmark that the samples are of."""
        return self.samples.number

    @cached_property
    def facets(self) -> Mapping[str, Sequence[str]]:
        """The values of each facet of the samples, both by name."""
        found: dict[str, list[str]] = {}
        for name, value in self.ask("SELECT DISTINCT name, value FROM facets ORDER BY name, value"):
            found.setdefault(name, []).append(value)
        return found

    @cached_property
    def planned(self) -> bool:
        """Whether the gold of any sample has a plan with targets."""
        return bool(self.ask("SELECT 1 FROM samples WHERE targets > 0 LIMIT 1"))

    @cached_property
    def interventions(self) -> Sequence[str]:
        """The names of the conditions of its trajectories, including "none"."""
        return [name for [name] in self.ask("SELECT DISTINCT condition FROM rows ORDER BY 1")]

    @cached_property
    def tools(self) -> Sequence[str]:
        """The tools that trajectories of some of the runs call, the most frequent first."""
        some = ", ".join(str(run.pk) for run in self.runs[:TOOLS_OF]) or "NULL"
        called = f"SELECT unnest(tools) AS tool FROM rows WHERE evaluated AND run IN ({some})"
        return [name for [name] in self.ask(f"SELECT tool FROM ({called}) GROUP BY tool ORDER BY count(*) DESC, tool")]

    def samples_with(self, facet: str, value: str) -> Ints:
        """The samples with this value of a facet."""
        arg = self.conditions.arg
        found = self.columns(f"SELECT sample FROM facets WHERE name = {arg(facet)} AND value = {arg(value)}")
        samples: Ints = found["sample"]
        return samples

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement on ``rows``, ``samples``, ``facets``, ``contributions`` (rows with what each
        adds to metrics) and the tables in its conditions."""
        self._fill(statement)
        return self._reader.rows(statement, self.conditions.args)

    def columns(self, statement: str) -> dict[str, NDArray[Any]]:
        """The same as columns by name, null masked."""
        self._fill(statement)
        return self._reader.columns(statement, self.conditions.args)

    def key_of(self, where: str) -> Hashable:
        """A cache key for a condition: the files, and the condition with its values.

        None if the condition depends on marks of people."""
        words = {side.name for side in self.conditions.sides.values() if side.what == "words"}
        used = {side.name for side in self.conditions.sides.values() if side.name in where}
        if used - words or (self._labeled_any and ("failure" in where or "labeled" in where)):
            return None
        texts = tuple(
            (side.name, side.field, side.value) for side in self.conditions.sides.values() if side.name in used
        )
        args = tuple(str(self.conditions.args[name]) for name in ARGUMENT.findall(where))
        return (*self.files, *self.samples.paths, where, args, texts)

    def view(self, name: str, query: str) -> None:
        """Name a query, so that statements can use it. Its conditions may have no arguments."""
        self._name(query)
        self._reader.view(name, query)

    def register(self, name: str, columns: Arrays) -> None:
        """Make a table of columns, so that statements can use it."""
        self._reader.register(name, columns)

    def register_pairs(self, table: str, first: str, second: str, rows: Sequence[tuple[str, int]]) -> None:
        """A table of names and numbers."""
        names, numbers = [list(column) for column in zip(*rows, strict=True)]
        self.register(table, {first: np.array(names, np.object_), second: _numbers(numbers)})

    def _label(self) -> bool:
        """Make a table of the failures that people corrected. Return whether there are any."""
        labels = FailureLabel.objects.filter(current=True, benchmark=self.benchmark)
        said = list(labels.values_list("trajectory_id", "failure")) if self.files else []
        if said:
            named = [None if code == NO_FAILURE else FAILURES[code] for _, code in said]
            self.register("labels", {"pk": _numbers(pk for pk, _ in said), "failure": np.array(named, np.object_)})
        return bool(said)

    def _rows(self, *, contributions: bool) -> str:
        """The query for the rows of all files, with what each adds to metrics or without."""
        if not self.files:
            none = ", ".join(f"NULL::{one.type} AS {one.name}" for one in COLUMNS)
            return f"SELECT {none}, NULL::VARCHAR AS rule, FALSE AS labeled LIMIT 0"
        if self._list and not contributions:
            rows = f"({self._list.query()})"
        else:
            rows = f"(SELECT * {'' if contributions else WITHOUT_CONTRIBUTIONS} FROM {parquet(*self.files)})"
        if not self._labeled_any:
            return f"SELECT *, failure AS rule, FALSE AS labeled FROM {rows}"
        return (
            "SELECT r.* REPLACE (CASE WHEN l.pk IS NULL THEN r.failure ELSE l.failure END AS failure), "
            f"r.failure AS rule, l.pk IS NOT NULL AS labeled FROM {rows} r LEFT JOIN labels l USING (pk)"
        )

    def _name(self, statement: str) -> None:
        """Define the tables that a statement uses."""
        for name in [name for name in self._unnamed if name in statement]:
            self._reader.view(name, self._unnamed.pop(name))

    def _fill(self, statement: str) -> None:
        self._name(statement)
        self._asked += 1
        if self._asked == HELD_FROM and self._is_small():
            for name in ("rows", "samples", "facets"):
                self._name(name)
                self._reader.hold(name)
        for side in self.conditions.sides.values():
            if side.name not in self._filled and side.name in statement:
                for name, columns in self._side(side).items():
                    self.register(name, columns)
                self._filled.add(side.name)

    def _is_small(self) -> bool:
        files = [*self.files, *self.samples.paths]
        return sum(path.stat().st_size for path in files) <= SMALL_BYTES

    def _side(self, side: Side) -> dict[str, Arrays]:
        if side.what == "words":
            texts = holding(self.benchmark, self.runs, side.field, side.value)
            return {side.name: {"pk": texts.trajectories}, f"{side.name}_samples": {"sample": texts.samples}}
        if side.what == "judged":
            rows = list(self._judged(side.value))
            run, sample = np.array([row[:2] for row in rows if row[2] is None], np.int64).reshape(-1, 2).T
            named = _numbers(row[2] for row in rows if row[2] is not None)
            return {side.name: {"run": run, "sample": sample}, f"{side.name}_named": {"pk": named}}
        pks = {"tag": self._tagged, "label": self._labeled, "note": self._noted}[side.what](side.value)
        return {side.name: {"pk": _numbers(pks)}}

    def _tagged(self, name: str) -> Iterable[int]:
        tags = visible_tags(self.person).filter(benchmark=self.benchmark)
        tags = tags.filter(name=name) if name else tags
        return Tagging.objects.filter(tag__in=tags).values_list("trajectory", flat=True).iterator(CHUNK)

    def _labeled(self, person: str) -> Iterable[int]:
        labels = FailureLabel.objects.filter(benchmark=self.benchmark)
        return (labels.filter(person=int(person)) if person else labels).values_list("trajectory", flat=True)

    def _noted(self, text: str) -> Iterable[int]:
        phrase = phrase_of(text)
        seen = Note.objects.filter(marks_seen_by(self.person, "trajectory__run__benchmark"))
        notes = seen.filter(trajectory__run__benchmark=self.benchmark).values_list("trajectory_id", "text")
        return (trajectory for trajectory, note in notes if holds(note, phrase))

    def _judged(self, kind: str) -> Iterable[tuple[int, int, int | None]]:
        """Run, sample, and the trajectory if one is named. Metrics don't use judgments that people gave here."""
        said = Q(verdict__regex=r"\S") | (Q(answer__isnull=False) if kind == "sufficiency" else Q())
        there = Judgement.objects.of_models().filter(said, run__benchmark=self.benchmark, kind=kind)
        return there.order_by().values_list("run", "sample", "trajectory").distinct()


def run_names(runs: Sequence[Run]) -> Mapping[str, Collection[int]]:
    """The numbers of runs by each name they go by: number, model, model and setting."""
    found: dict[str, set[int]] = {}
    for run in runs:
        for name in (str(run.pk), run.model.name, str(run)):
            found.setdefault(name, set()).add(run.pk)
    return found


def _numbers(pks: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(pks, np.int64)
