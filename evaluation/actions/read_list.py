"""A list of trajectories: how many meet its terms, which fifty stand on a page, and what its facets count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.models import Benchmark
from evaluation.actions.list_asking import Asking
from evaluation.actions.list_order import LOOK, SORT, Place, order_in
from evaluation.actions.list_selection import Selected
from evaluation.actions.list_table import ListTable, table_of
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
        self._terms = {name: value for name, value in terms.items() if name not in LOOK}
        self._person, self._benchmark, sort = person, benchmark, terms.get(SORT, "")
        self._table = table or table_of(benchmark, runs)
        self._table.prepare(WANTED)
        self.columns, self._samples = Asking(self._table, runs, person), self._table.sample_table
        self.facet_values = self._samples.facets
        self._masks: dict[tuple[str, str], Bools] = {}
        self._without: dict[frozenset[str], Selected] = {}
        self._found = self.without()
        self._order = order_in(self._table, sort) if sort else None

    @property
    def total(self) -> int:
        return self._found.n

    @property
    def pks(self) -> Ints:
        """The trajectories, in the order of the list."""
        pks = self.columns.column("pk")
        return self._found.of(pks) if self._order is None else pks[self._order[self._found.mask[self._order]]]

    def page(self, after: str, size: int) -> tuple[list[int], int]:
        """The trajectories that follow this one in the list ("" for the first), and how many stand before them."""
        begin, mask, order = self._behind(after) if after else 0, self._found.mask, self._order
        rows = _first(mask, begin, size, order)
        before = mask[:begin] if order is None else mask[order[:begin]]
        return self.columns.column("pk")[rows].tolist(), int(np.count_nonzero(before))

    def _behind(self, after: str) -> int:
        """How many rows of the table, in the order of the list, end with this trajectory."""
        place = self.columns.places({int(after)} if _is_key(after) else set())
        if not len(place):
            raise InvalidInput(
                "The address names a page that does not exist. Start from the first page.",
                code="stale_page",
                field="after",
            )
        return 1 + int(place[0] if self._order is None else np.flatnonzero(self._order == place[0])[0])

    def place(self, pk: int, size: int) -> Place | None:
        """Where a trajectory stands in the list, on pages of so many; None where it is not in it."""
        pks = self.pks
        there = np.flatnonzero(pks == pk)
        if not len(there):
            return None
        at = int(there[0])
        first = at // size * size
        ends = [int(pks[one]) if 0 <= one < len(pks) else 0 for one in (at - 1, at + 1, first - 1)]
        return Place(at + 1, *ends)

    def without(self, *names: str) -> Selected:
        """The list without its terms of these names."""
        named = frozenset(names) & frozenset(self._terms)
        if named not in self._without:
            left = {name: value for name, value in self._terms.items() if name not in named}
            if not left:
                return self._table.standing
            found = scope(query_of(left), self.columns)
            for place, term in enumerate(left.items()):
                # What the table has is not written to; what was made here is.
                found = np.bitwise_and(found, self._alone(*term), out=found if place else None)
            self._without[named] = self._table.selected(found)
        return self._without[named]

    def _alone(self, name: str, value: str) -> Bools:
        if (name, value) not in self._masks:
            self._masks[name, value] = holds(query_of({name: value}), self.columns)
        return self._masks[name, value]

    def counted(self, column: str, *names: str) -> Mapping[int, int]:
        """How many have each value of a column that lists are counted by, in the list without its terms of these
        names."""
        found = self.without(*names)
        alone = found is not self._found and found is not self._table.standing
        if column == "failure":
            return self.columns.failures_of(found, alone=alone)
        return self._table.counts(found, column, alone=alone)

    def counted_by_facet(self, facet: str) -> list[tuple[str, int]]:
        """How many are on samples with each value of a facet, the most frequent first."""
        values, name = self.facet_values[facet], f"facet.{facet}"
        found = self.without(name)

        def count() -> list[tuple[str, int]]:
            counts = values.counted(found.per_sample(self._table.by_sample)).tolist()
            there = [(value, n) for value, n in zip(values.names, counts, strict=True) if n]
            return sorted(there, key=lambda row: (-row[1], row[0]))

        return found.once(name, count)

    def counted_by_area(self, ranges: Sequence[str]) -> list[tuple[str, int]]:
        """How many are on samples whose share of evidence is in each range, as a query writes it."""
        found, areas = self.without("area"), self._samples.area

        def count() -> list[tuple[str, int]]:
            per_sample = found.per_sample(self._table.by_sample)
            return [(one, int(per_sample[within(areas, Term("area", ":", one))].sum())) for one in ranges]

        return found.once(f"area {' '.join(ranges)}", count)

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
        selected = self._table.selected(met)
        counts = selected.once("condition", lambda: selected.counted(self.columns.column("condition")))
        found = {name: counts.get(code, 0) for code, name in enumerate(self.columns.conditions)}
        return found | {"none": int(np.count_nonzero(met & scope(query_of(others), self.columns)))}

    @property
    def several_runs(self) -> bool:
        return "run" not in fields_in(query_of(self._terms))


def _first(mask: Bools, begin: int, size: int, order: Ints | None) -> Ints:
    """The places of the first ``size`` that hold from the one ``begin`` on, in this order."""
    span = 64 * size
    while True:
        if order is None:
            rows = begin + np.flatnonzero(mask[begin : begin + span])
        else:
            ahead = order[begin : begin + span]
            rows = ahead[mask[ahead]]
        if len(rows) >= size or begin + span >= len(mask):
            return rows[:size]
        span *= 8


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
