"""A list of trajectories: how many meet its terms, which fifty stand on a page, and what its facets count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.models import Benchmark
from evaluation.actions.list_selection import Selected
from evaluation.actions.list_table import Asking, ListTable, table_of
from evaluation.metrics.columns import Bools, Ints
from evaluation.models import Run, Tagging
from evaluation.query.masks import holds, scope, within
from evaluation.query.syntax import Term, fields_in
from evaluation.querysets_query import query_of, visible_tags
from webapp.common.errors import InvalidInput

WANTED = ("evaluated", "quadrant", "correct", "calls", "outcome", "failure", "scored", "population")
"""Columns that every page counts by, read together."""


class TrajectoryList:
    """The list under the terms of an address, as one person sees it. All counts are of the same moment."""

    def __init__(
        self,
        benchmark: Benchmark,
        runs: Sequence[Run],
        terms: Mapping[str, str],
        person: Any = None,
        table: ListTable | None = None,
    ) -> None:
        self._terms, self._person, self._benchmark = dict(terms), person, benchmark
        self._table = table or table_of(benchmark, runs)
        self._table.prepare(WANTED)
        self.columns, self._samples = Asking(self._table, runs, person), self._table.sample_table
        self.facet_values = self._samples.facets
        self._masks: dict[tuple[str, str], Bools] = {}
        self._without: dict[frozenset[str], Selected] = {}
        self._found = self.without()

    @property
    def total(self) -> int:
        return self._found.n

    @property
    def pks(self) -> Ints:
        """The trajectories, in list order."""
        return self._found.of(self.columns.column("pk"))

    def page(self, after: str, size: int) -> tuple[list[int], int]:
        """The trajectories that follow this one in the list ("" for the first), and how many stand before them."""
        begin = 0
        if after:
            place = self.columns.places({int(after)} if _is_key(after) else set())
            if not len(place):
                raise InvalidInput(
                    "The address names a page that does not exist. Start from the first page.",
                    code="stale_page",
                    field="after",
                )
            begin = int(place[0]) + 1
        rows = _first(self._found.mask, begin, size)
        return self.columns.column("pk")[rows].tolist(), int(np.count_nonzero(self._found.mask[:begin]))

    def without(self, *names: str) -> Selected:
        """The list without its terms of these names."""
        named = frozenset(names) & frozenset(self._terms)
        if named not in self._without:
            left = {name: value for name, value in self._terms.items() if name not in named}
            if not left:
                return self._table.standing
            found = scope(query_of(left), self.columns)
            for term in left.items():
                found = found & self._alone(*term)
            self._without[named] = Selected(found)
        return self._without[named]

    def _alone(self, name: str, value: str) -> Bools:
        if (name, value) not in self._masks:
            self._masks[name, value] = holds(query_of({name: value}), self.columns)
        return self._masks[name, value]

    def counted(self, column: str, *names: str) -> dict[int, int]:
        """How many have each value of a column of ``ListTable.joint``, in the list without its terms of these names."""
        found, joint = self.without(*names), next(one for one in self._table.joint if column in one)
        return self.columns.failures_of(found) if column == "failure" else found.counted_together(joint)[column]

    def counted_by_facet(self, facet: str) -> list[tuple[str, int]]:
        """How many are on samples with each value of a facet, the most frequent first."""
        values = self.facet_values[facet]
        counts = zip(values.names, values.counted(self._per_sample(f"facet.{facet}")).tolist(), strict=True)
        return sorted(((name, n) for name, n in counts if n), key=lambda row: (-row[1], row[0]))

    def counted_by_area(self, ranges: Sequence[str]) -> list[tuple[str, int]]:
        """How many are on samples whose share of evidence is in each range, as a query writes it."""
        per_sample, areas = self._per_sample("area"), self._samples.area
        return [(one, int(per_sample[within(areas, Term("area", ":", one))].sum())) for one in ranges]

    def _per_sample(self, name: str) -> Ints:
        """(samples,) how many of each sample there are in the list without its term of this name."""
        return self._table.per_sample(self.without(name))

    def counted_by_tag(self) -> list[tuple[str, int]]:
        """How many have each tag that the person sees. One query."""
        tags = visible_tags(self._person).filter(benchmark=self._benchmark)
        found = self.without("tag").mask
        rows: dict[str, set[int]] = {}
        for name, pk in Tagging.objects.filter(tag__in=tags).values_list("tag__name", "trajectory_id"):
            rows.setdefault(name, set()).add(pk)
        counts = [(name, int(np.count_nonzero(found[self.columns.places(pks)]))) for name, pks in rows.items()]
        return sorted(counts, key=lambda row: (-row[1], row[0]))

    def counted_by_condition(self) -> dict[str, int]:
        """How many there would be under each condition; "none" is the list without a condition among its terms."""
        if not np.any(self.columns.column("condition")):
            return {"none": self.without("condition", "flip").n}
        others = {name: value for name, value in self._terms.items() if name not in ("condition", "flip")}
        met = np.ones(len(self.columns), np.bool_)
        for term in others.items():
            met = met & self._alone(*term)
        counts = Selected(met).counted(self.columns.column("condition"))
        found = {name: counts.get(code, 0) for code, name in enumerate(self.columns.conditions)}
        return found | {"none": int(np.count_nonzero(met & scope(query_of(others), self.columns)))}

    @property
    def several_runs(self) -> bool:
        return "run" not in fields_in(query_of(self._terms))


def _first(mask: Bools, begin: int, size: int) -> Ints:
    """The places of the first ``size`` that hold from ``begin`` on."""
    span = 64 * size
    while True:
        rows = np.flatnonzero(mask[begin : begin + span])
        if len(rows) >= size or begin + span >= len(mask):
            return begin + rows[:size]
        span *= 8


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
