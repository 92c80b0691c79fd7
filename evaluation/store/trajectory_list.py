"""A list of trajectories: the number that meets its terms, the rows of a page, and the counts of its facets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.metrics.columns import Ints
from evaluation.models import Run, Tagging
from evaluation.models.querysets.marks import visible_tags
from evaluation.query.fields import FIELDS, Kind
from evaluation.query.numbers import bounds
from evaluation.query.sql import EVERYTHING
from evaluation.query.syntax import Term, fields_in
from evaluation.store.schema import ORDER
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of
from webapp.common.errors import InvalidInput

SORT = "sort"
"""The name in an address of the order: ``sort=ioa`` from the lowest, ``sort=-ioa`` from the highest."""
SHOW = "show"
"""The name in an address of additional values in rows: ``show=ioa,seconds``."""
LOOK = frozenset({SORT, SHOW, "density"})
"""Terms of an address that change how a list is shown, but not its trajectories."""
OF_GOLD = ("boxes", "targets")
"""Numbers of the gold of a sample, which are not among the columns that lists are sorted by."""
OFFERED = ("ioa", "iou", "area", "calls", "region", "edit_distance", "seconds", "output_tokens", "usd")
"""Fields that pages offer to sort by. Any numeric field can be used."""
COUNTED = {
    "run": "run::VARCHAR",
    "quadrant": "CASE WHEN scored THEN coalesce(quadrant, 'none') END",
    "failure": "failure",
    "correct": "CASE WHEN scored THEN coalesce(verdict, 'none') END",
    "calls": "least(calls, {most_calls})::VARCHAR",
    "outcome": "outcome",
}
"""Columns by which every list is counted, as values of terms. Null is not counted."""
MOST_CALLS = 8
"""Numbers of calls from this one on share a value."""


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a trajectory in a list.

    Its number from 1, the previous and the next trajectory, and the one before its page; 0 if there is none."""

    number: int
    previous: int
    next: int
    page_after: int


class TrajectoryList:
    """The list under the terms of an address, as one person sees it. All counts are of the same moment."""

    def __init__(
        self,
        benchmark: Benchmark,
        runs: Sequence[Run],
        terms: Mapping[str, str],
        person: Any = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self._terms = {name: value for name, value in terms.items() if name not in LOOK}
        self.snapshot = snapshot or Snapshot(benchmark, runs, person)
        self._conditions: dict[tuple[str, ...], str] = {}
        self._where = self._without()
        sort = terms.get(SORT, "")
        self._sort, self._falling = sort_field(sort) if sort else "", sort.startswith("-")
        self._facets: dict[str, dict[str, dict[str, int]]] = {}

    @property
    def facet_values(self) -> Mapping[str, Sequence[str]]:
        return self.snapshot.facets

    @cached_property
    def total(self) -> int:
        [(found,)] = self.snapshot.ask(f"SELECT count(*) FROM rows WHERE {self._where}")
        return int(found)

    @cached_property
    def pks(self) -> Ints:
        """The trajectories, in the order of the list."""
        found = self.snapshot.columns(f"SELECT pk FROM {self._from} WHERE {self._where} ORDER BY {self._order()}")
        pks: Ints = found["pk"]
        return pks

    def page(self, after: str, size: int) -> tuple[list[int], int]:
        """The trajectories that follow this one in the list ("" for the first page), and the number before them."""
        behind, before = EVERYTHING, 0
        if after:
            key = self._key(int(after) if _is_key(after) else 0)
            if key is None:
                raise InvalidInput(
                    gettext("This page doesn't exist. Start from the first page."),
                    code="stale_page",
                    field="after",
                )
            behind = self._behind(key)
            upto = f"{self._where} AND {self._upto(key)}"
            [(before,)] = self.snapshot.ask(f"SELECT count(*) FROM {self._from} WHERE {upto}")
        rows = self.snapshot.ask(
            f"SELECT pk FROM {self._from} WHERE {self._where} AND {behind} ORDER BY {self._order()} LIMIT {int(size)}"
        )
        return [pk for [pk] in rows], int(before)

    def place(self, pk: int, size: int) -> Place | None:
        """The position of a trajectory in the list, on pages of ``size`` rows; None if the list does not contain it."""
        key = self._key(pk)
        there = self.snapshot.ask(f"SELECT 1 FROM {self._from} WHERE {self._where} AND pk = {int(pk)}")
        if key is None or not there:
            return None
        behind = self._behind(key)
        ahead = f"{self._where} AND {self._upto(key)} AND pk <> {int(pk)}"
        [(before,)] = self.snapshot.ask(f"SELECT count(*) FROM {self._from} WHERE {ahead}")
        nearest = self.snapshot.ask(
            f"SELECT pk FROM {self._from} WHERE {ahead} ORDER BY {self._order(reverse=True)} LIMIT {int(size)}"
        )
        following = self.snapshot.ask(
            f"SELECT pk FROM {self._from} WHERE {self._where} AND {behind} ORDER BY {self._order()} LIMIT 1"
        )
        on_page = before % size
        return Place(
            number=before + 1,
            previous=nearest[0][0] if nearest else 0,
            next=following[0][0] if following else 0,
            page_after=nearest[on_page][0] if on_page < len(nearest) else 0,
        )

    @cached_property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """The counts of each value of the columns of ``COUNTED``. Each column counts the list without its own term.

        One statement: each grouping has one column, and null in the others. It counts under every condition, and the
        condition of the column then selects the counts.
        """
        conditions = {name: self._without(name) for name in COUNTED}
        places = {where: place for place, where in enumerate(dict.fromkeys(conditions.values()))}
        columns = [f"{sql.format(most_calls=MOST_CALLS)} AS {name}" for name, sql in COUNTED.items()]
        columns += [f"({where}) AS met{place}" for where, place in places.items()]
        names, sets = ", ".join(COUNTED), ", ".join(f"({name})" for name in COUNTED)
        met = [f"met{place}" for place in places.values()]
        statement = f"""
            SELECT grouping({names}), coalesce({names}), {", ".join(f"count(*) FILTER ({one})" for one in met)}
            FROM (SELECT {", ".join(columns)} FROM rows) WHERE {" OR ".join(met)} GROUP BY GROUPING SETS ({sets})
        """
        whole = 2 ** len(COUNTED) - 1
        by_bits = {whole - 2 ** (len(COUNTED) - 1 - place): name for place, name in enumerate(COUNTED)}
        counts: dict[str, dict[str, int]] = {name: {} for name in COUNTED}
        for bits, value, *numbers in self.snapshot.ask(statement):
            name = by_bits[bits]
            n = numbers[places[conditions[name]]]
            if value is not None and n:
                counts[name][value] = n
        return counts

    def counted_by_facet(self, facet: str) -> list[tuple[str, int]]:
        """The number of trajectories on samples with each value of a facet, the most frequent first."""
        where = self._without(f"facet.{facet}")
        if where not in self._facets:
            self._facets[where] = {}
            for name, value, n in self.snapshot.ask(
                f"SELECT name, value, count(*) FROM rows JOIN facets USING (sample) WHERE {where} GROUP BY ALL"
            ):
                self._facets[where].setdefault(name, {})[value] = n
        return sorted(self._facets[where].get(facet, {}).items(), key=lambda row: (-row[1], row[0]))

    def counted_by_area(self, ranges: Sequence[str]) -> list[tuple[str, int]]:
        """The number of trajectories on samples in each range of the evidence area, written as in a query."""
        limits = [bounds(Term("area", ":", one)) for one in ranges]
        each = ", ".join(
            f"count(*) FILTER (area > {float(one.low)!r}::DOUBLE AND area < {float(one.high)!r}::DOUBLE)"
            for one in limits
        )
        each = each.replace("-inf", "'-inf'").replace("< inf", "< 'inf'")
        [counts] = self.snapshot.ask(
            f"SELECT {each} FROM rows JOIN samples USING (sample) WHERE {self._without('area')}"
        )
        return list(zip(ranges, counts, strict=True))

    def counted_by_tag(self) -> list[tuple[str, int]]:
        """The number of trajectories with each tag that the person can see. One query."""
        tags = visible_tags(self.snapshot.person).filter(benchmark=self.snapshot.benchmark)
        rows = list(Tagging.objects.filter(tag__in=tags).values_list("tag__name", "trajectory_id"))
        if not rows:
            return []
        self.snapshot.register_pairs("taggings", "name", "pk", rows)
        where = self._without("tag")
        found = self.snapshot.ask(
            f"SELECT t.name, count(DISTINCT pk) FROM rows JOIN taggings t USING (pk) WHERE {where} GROUP BY 1"
        )
        counts = dict.fromkeys((name for name, _ in rows), 0) | dict(found)
        return sorted(counts.items(), key=lambda row: (-row[1], row[0]))

    def counted_by_condition(self) -> dict[str, int]:
        """The number of trajectories under each condition; "none" is the list without a condition among its terms."""
        others = {name: value for name, value in self._terms.items() if name not in ("condition", "flip")}
        conditions = self.snapshot.conditions
        plain, met = conditions.listed(query_of(others)), conditions.holds(query_of(others))
        rows = self.snapshot.ask(
            f"SELECT condition, count(*), count(*) FILTER (WHERE {plain}) FROM rows WHERE {met} GROUP BY 1"
        )
        found = {name: n for name, n, _ in rows if name != "none"}
        return {"none": sum(listed for _, _, listed in rows)} | found

    @property
    def several_runs(self) -> bool:
        return "run" not in fields_in(query_of(self._terms))

    def _without(self, *names: str) -> str:
        """The condition of the list without its terms of these names.

        Equal conditions are equal texts, so that each statement runs once."""
        left = {name: value for name, value in self._terms.items() if name not in names}
        key = tuple(left)
        if key not in self._conditions:
            self._conditions[key] = self.snapshot.conditions.listed(query_of(left))
        return self._conditions[key]

    @property
    def _from(self) -> str:
        return "rows LEFT JOIN samples USING (sample)" if self._sort == "area" else "rows"

    def _order(self, *, reverse: bool = False) -> str:
        """Return the order of the list, or its reverse. Rows without a number to sort by come last."""
        way, back = ("ASC", "DESC") if not reverse else ("DESC", "ASC")
        parts = [f"{self._sort} IS NULL {way}", f"{self._sort} {back if self._falling else way}"] if self._sort else []
        return ", ".join([*parts, *(f"{name} {way}" for name in ORDER)])

    def _key(self, pk: int) -> tuple[Any, ...] | None:
        """The sort key of a trajectory, also if it is not in the list; None if it does not exist."""
        names = ", ".join([self._sort or "NULL", *ORDER])
        rows = self.snapshot.ask(f"SELECT {names} FROM {self._from} WHERE pk = {int(pk)}")
        return rows[0] if rows else None

    def _behind(self, key: tuple[Any, ...]) -> str:
        """The condition on rows after this key. The bound on the first column lets DuckDB skip whole blocks."""
        arg = self.snapshot.conditions.arg
        number, *rest = key
        later = f"(({', '.join(ORDER)}) > ({', '.join(map(arg, rest))}))"
        if not self._sort:
            return f"(sample_key >= {arg(rest[0])} AND {later})"
        if number is None:
            return f"({self._sort} IS NULL AND {later})"
        sign, value = "<" if self._falling else ">", arg(number)
        return f"({self._sort} IS NULL OR {self._sort} {sign} {value} OR ({self._sort} = {value} AND {later}))"

    def _upto(self, key: tuple[Any, ...]) -> str:
        """The condition on the other rows: the one with this key and those before it."""
        if self._sort:
            return f"(NOT {self._behind(key)})"
        args = [self.snapshot.conditions.arg(value) for value in key[1:]]
        return f"(sample_key <= {args[0]} AND (({', '.join(ORDER)}) <= ({', '.join(args)})))"


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def sort_field(sort: str) -> str:
    """The column for an order in an address. Raises ``InvalidInput`` for an unknown one."""
    field = FIELDS.get(sort.removeprefix("-"))
    if field is None or field.kind is not Kind.NUMBER or field.name in OF_GOLD:
        known = ", ".join(OFFERED)
        name = sort.removeprefix("-")[:40]
        message = f"A list cannot be sorted by {name!r}. It can be by {known}; -ioa is the highest first."
        raise InvalidInput(message, code="sort", field=SORT)
    return field.sql
