"""Counts that lead to what they count: a number on a page of a run, and the list of exactly that many trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from evaluation.models import Run


@dataclass(frozen=True, slots=True)
class Count:
    """A number of trajectories and the address that lists them; without an address it is only a number."""

    n: int
    href: str = ""


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
        """``facet`` terms come as one mapping: ``list(correct="yes", facet={"category": "Color"})``."""
        facets = terms.pop("facet", None) or {}
        named = {f"facet.{name}": value for name, value in facets.items()} if isinstance(facets, dict) else {}
        return f"{self.base}?{urlencode({'run': self.run, **terms, **named})}"

    def count(self, n: float | None, **terms: object) -> Count:
        return Count(int(n or 0), self.list(**terms))

    @property
    def missing(self) -> str:
        """The samples that the run has no trajectory for."""
        return reverse("evaluation:missing", args=[self.slug, self.run])

    def trajectory(self, pk: int) -> str:
        return f"{reverse('evaluation:trajectory', args=[self.slug, pk])}?run={self.run}"
