"""Counts that lead to what they count: a number on a page of a run, and the list of exactly that many trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from evaluation.models import Run
from evaluation.views.leaderboard_links import slice_terms
from webapp.common.markup import put
from webapp.common.wording import decimal


@dataclass(frozen=True, slots=True)
class Count:
    """A number of trajectories and the address that lists them; without an address it is only a number."""

    n: int
    href: str = ""

    def markup(self) -> SafeString:
        if not self.href:
            return put("{}", decimal(self.n))
        return put('<a data-count="{}" href="{}">{}</a>', self.n, self.href, decimal(self.n))


def recorded(run: Run, n: int, **terms: str) -> Count:
    """A count of a metric: a link where the trajectories behind it are all recorded, which takes one query."""
    there = n and run.trajectories.listed(terms).count() == n
    return Count(n, RunLinks.of(run).list(**terms) if there else "")


@dataclass(frozen=True, slots=True)
class RunLinks:
    """The addresses of one run's trajectories."""

    slug: str
    run: int

    @classmethod
    def of(cls, run: Run) -> RunLinks:
        return cls(run.benchmark.slug, run.pk)

    @property
    def base(self) -> str:
        return reverse("evaluation:trajectories", args=[self.slug])

    def list(self, **terms: object) -> str:
        return f"{self.base}?{urlencode({'run': self.run, **terms})}"

    def count(self, n: float | None, **terms: object) -> Count:
        return Count(int(n or 0), self.list(**terms))

    def on_slice(self, facet: str, value: str, n: float | None, **terms: object) -> Count:
        return self.count(n, **terms, **slice_terms(facet, value))

    @property
    def missing(self) -> str:
        """The samples that the run has no trajectory for."""
        return reverse("evaluation:missing", args=[self.slug, self.run])

    def trajectory(self, pk: int) -> str:
        return f"{reverse('evaluation:trajectory', args=[self.slug, pk])}?run={self.run}"
