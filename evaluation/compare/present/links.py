"""The links of the numbers of a comparison, and the parameters of its address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.common.compared import calling_terms
from evaluation.common.pairs import cell_terms, look_terms
from evaluation.compare.read.runs import CELLS
from evaluation.models import Run
from evaluation.query.sql import MOST_RUNS
from webapp.common.errors import InvalidInput, NotFound

LEAST_RUNS = 2


@dataclass(frozen=True)
class Count:
    """A number of trajectories, with a link to their list; no link for 0."""

    n: int
    href: str


class PairLinks:
    """The lists of trajectories behind the numbers of two runs, on a slice or on all samples."""

    def __init__(self, slug: str, a: int, b: int, *facets: tuple[str, str]) -> None:
        self._list = reverse("evaluation:trajectories", args=[slug])
        self._slice = {f"facet.{name}": value for name, value in facets}
        self._terms = cell_terms(a, b)
        self._looks = look_terms(a, b)

    def cell(self, name: str, n: int) -> Count:
        return self._count(n, self._terms[name])

    def shared(self, n: int) -> Count:
        return self._count(n, self._terms["shared"])

    def cropped(self, n: int) -> Count:
        return self._count(n, self._terms["cropped"])

    def look(self, name: str, n: int) -> Count:
        return self._count(n, self._looks[name])

    def calling(self, name: str, n: int, without: int, tools: int) -> Count:
        return self._count(n, calling_terms(without, tools)[name])

    def _count(self, n: int, terms: dict[str, str]) -> Count:
        return Count(n, f"{self._list}?{urlencode(terms | self._slice)}" if n else "")


@dataclass(frozen=True)
class Asked:
    """Runs in their order, the facet to slice by, the cell whose samples are shown ("" for the likeliest), and the
    sample among them."""

    runs: Sequence[Run]
    by: str
    cell: str
    sample: str

    @classmethod
    def of(cls, terms: QueryDict, scored: Sequence[Run]) -> Asked:
        """``scored``: the runs to choose from, the likeliest first; they fill up what is not asked for. A run counts
        once: see ``is_said``."""
        known = {str(run.pk): run for run in scored}
        asked = list(dict.fromkeys(pk for pk in terms.getlist("run") if pk))
        if unknown := next((pk for pk in asked if pk not in known), None):
            raise NotFound(
                gettext("Unknown run %(run)s. The leaderboard lists the scored runs.") % {"run": unknown[:20]}
            )
        if len(asked) > MOST_RUNS:
            raise InvalidInput(
                gettext("Up to %(limit)s runs can be compared, not %(count)s.")
                % {"limit": MOST_RUNS, "count": len(asked)},
                field="run",
            )
        runs = [known[pk] for pk in asked]
        runs += [run for run in scored if run not in runs][: max(0, LEAST_RUNS - len(runs))]
        cell = terms.get("cell", "")
        return cls(runs, terms.get("by", ""), cell if cell in CELLS else "", terms.get("sample", ""))

    def is_said(self, terms: QueryDict) -> bool:
        """Whether the address names the runs that are compared, or none of them, which is the likeliest two."""
        named = [pk for pk in terms.getlist("run") if pk]
        return not named or named == [str(run.pk) for run in self.runs]

    def with_cell(self, cells: Mapping[str, Sequence[int]]) -> Asked:
        """Return the request with a cell. Without one: the first cell in which the runs differ and that has a
        sample."""
        if self.cell:
            return self
        likely = ("a_only", "b_only", "neither", "both")
        return replace(self, cell=next((name for name in likely if cells[name]), likely[0]))

    def address(self, **changes: Any) -> str:
        """This page with other terms."""
        terms = {"run": [run.pk for run in self.runs], "by": self.by, "cell": self.cell, "sample": self.sample}
        return "?" + urlencode({name: value for name, value in (terms | changes).items() if value}, doseq=True)
