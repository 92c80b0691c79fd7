"""Counts that lead to what they count: a number on a page of a run, and the list of exactly that many trajectories."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from annotation.common.words import LONGEST_ADDRESS
from evaluation.models import Run
from evaluation.query.fields import slice_terms
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.common.formatting import decimal
from webapp.common.markup import fast_format_html


@dataclass(frozen=True, slots=True)
class Count:
    """A number of trajectories and the address that lists them; without an address it is only a number."""

    n: int
    href: str = ""

    def markup(self) -> SafeString:
        if not self.href:
            return fast_format_html("{}", decimal(self.n))
        return fast_format_html('<a data-count="{}" href="{}">{}</a>', self.n, self.href, decimal(self.n))


def named_list(benchmark: Any, pks: Collection[int], **terms: str) -> str:
    """The address that lists exactly these trajectories; "" for none, and for too many to name. ``terms``: the
    condition of those under an intervention."""
    named = {**terms, "trajectory": ",".join(map(str, sorted(pks)))}
    href = f"{reverse('evaluation:trajectories', args=[benchmark.slug])}?{urlencode(named, safe=',')}"
    return href if pks and len(href) <= LONGEST_ADDRESS else ""


@dataclass(frozen=True, slots=True)
class RunLinks:
    """The addresses of one run's trajectories, on one slice where ``narrowed`` says so."""

    slug: str
    run: int
    narrowed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, slice_by: str = "", value: str = "") -> RunLinks:
        return cls(run.benchmark.slug, run.pk, slice_terms(slice_by, value))

    @property
    def base(self) -> str:
        return reverse("evaluation:trajectories", args=[self.slug])

    def list(self, **terms: object) -> str:
        return f"{self.base}?{urlencode({'run': self.run, **terms, **self.narrowed})}"

    def count(self, n: float | None, **terms: object) -> Count:
        return Count(int(n or 0), self.list(**terms))

    def recorded(self, snapshot: Snapshot, n: int, **terms: str) -> Count:
        """A count of a metric: a link where the trajectories behind it are all recorded."""
        there = n and Selection(snapshot, {**terms, **self.narrowed}).total == n
        return Count(n, self.list(**terms) if there else "")

    def on_slice(self, facet: str, value: str, n: float | None, **terms: object) -> Count:
        return self.count(n, **terms, **slice_terms(facet, value))

    @property
    def missing(self) -> str:
        """The samples that the run has no trajectory for; of a slice that is computed they are not listed."""
        if self.narrowed and not next(iter(self.narrowed)).startswith("facet."):
            return ""
        address = reverse("evaluation:missing", args=[self.slug, self.run])
        return f"{address}?{urlencode(self.narrowed)}".rstrip("?")

    def trajectory(self, pk: int) -> str:
        terms = urlencode({"run": self.run, **self.narrowed})
        return f"{reverse('evaluation:trajectory', args=[self.slug, pk])}?{terms}"
