"""A list of trajectories: how many meet its terms, which fifty stand on a page, and what its facets count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.models import Benchmark
from evaluation.actions.list_table import Asking, ListTable, table_of
from evaluation.metrics.columns import Bools
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
        table = table or table_of(benchmark, runs)
        table.prepare(WANTED)
        self.columns = Asking(table, runs, person)
        self.facet_values = table.sample_table.facets
        self._masks: dict[tuple[str, str], Bools] = {}
        self._found = self.without()
        self.pks = self.columns.column("pk")[self._found]

    @property
    def total(self) -> int:
        return len(self.pks)

    def page(self, after: str, size: int) -> tuple[list[int], int]:
        """The trajectories that follow this one in the list ("" for the first), and how many stand before them."""
        start = 0
        if after:
            place = self.columns.places({int(after)} if _is_key(after) else set())
            if not len(place):
                raise InvalidInput(
                    "The address names a page that does not exist. Start from the first page.",
                    code="stale_page",
                    field="after",
                )
            start = int(np.count_nonzero(self._found[: place[0] + 1]))
        return self.pks[start : start + size].tolist(), start

    def without(self, *names: str) -> Bools:
        """(n,) the list without its terms of these names."""
        left = {name: value for name, value in self._terms.items() if name not in names}
        found = scope(query_of(left), self.columns)
        for term in left.items():
            found = found & self._alone(*term)
        return found

    def _alone(self, name: str, value: str) -> Bools:
        if (name, value) not in self._masks:
            self._masks[name, value] = holds(query_of({name: value}), self.columns)
        return self._masks[name, value]

    def counted(self, column: str, *names: str) -> dict[int, int]:
        """How many have each value of a column of whole numbers, in the list without its terms of these names."""
        values = self.columns.column(column)[self._found if not set(names) & set(self._terms) else self.without(*names)]
        if not len(values):
            return {}
        low = int(values.min())
        counts = np.bincount(values - low)
        return {low + place: int(counts[place]) for place in np.flatnonzero(counts).tolist()}

    def counted_by_facet(self, facet: str) -> list[tuple[str, int]]:
        """How many are on samples with each value of a facet, the most frequent first."""
        found = self.without(f"facet.{facet}")
        per_sample = np.bincount(self.columns.sample_rank[found], minlength=self.columns.samples)
        values = self.facet_values[facet]
        counts = zip(values.names, values.counted(per_sample).tolist(), strict=True)
        return sorted(((name, n) for name, n in counts if n), key=lambda row: (-row[1], row[0]))

    def counted_within(self, field: str, ranges: Sequence[str]) -> list[tuple[str, int]]:
        """How many have a number in each range, as a query writes it."""
        values = self.columns.column({"area": "area"}.get(field, field))[self.without(field)]
        return [(one, int(np.count_nonzero(within(values, Term(field, ":", one))))) for one in ranges]

    def counted_by_tag(self) -> list[tuple[str, int]]:
        """How many have each tag that the person sees. One query."""
        tags = visible_tags(self._person).filter(benchmark=self._benchmark)
        found = self.without("tag")
        rows: dict[str, set[int]] = {}
        for name, pk in Tagging.objects.filter(tag__in=tags).values_list("tag__name", "trajectory_id"):
            rows.setdefault(name, set()).add(pk)
        counts = [(name, int(np.count_nonzero(found[self.columns.places(pks)]))) for name, pks in rows.items()]
        return sorted(counts, key=lambda row: (-row[1], row[0]))

    def counted_by_condition(self) -> dict[str, int]:
        """How many there would be under each condition; "none" is the list without a condition among its terms."""
        others = {name: value for name, value in self._terms.items() if name not in ("condition", "flip")}
        met = np.ones(len(self.columns), np.bool_)
        for term in others.items():
            met = met & self._alone(*term)
        counts = np.bincount(self.columns.column("condition")[met], minlength=len(self.columns.conditions))
        found = dict(zip(self.columns.conditions, counts.tolist(), strict=True))
        return found | {"none": int(np.count_nonzero(met & scope(query_of(others), self.columns)))}

    @property
    def several_runs(self) -> bool:
        return "run" not in fields_in(query_of(self._terms))


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
