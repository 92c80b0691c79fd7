"""Counts that lead to what they count: a number on a page of a run, and the list of exactly that many trajectories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
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

NUMERATORS: Mapping[str, Mapping[str, str]] = {
    "accuracy": {"correct": "yes"},
    "unread_rate": {"unread": "yes"},
    "accuracy_in_file": {"file_verdict": "yes"},
    "grounded_score": {"grounded": "yes", "population": "yes"},
    "valid_grounded_reasoning": {"quadrant": "G+A+"},
    "ground_success_answer_failure": {"quadrant": "G+A-"},
    "ungrounded_correct_answer": {"quadrant": "G-A+"},
    "dual_failure": {"quadrant": "G-A-"},
    "tool_ratio": {"zoomed": "yes"},
    "exact_match": {"outcome": "exact_match"},
}
"""Metrics that are shares of trajectories, with the terms of the list of their numerator."""
WITHOUT_UNDECIDED = frozenset({"tool_ratio"})
"""Metrics whose lists omit undecided answers if the setting ``undecided_answer`` excludes them."""


def numerator_terms(metric: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """The terms of the list of trajectories in the numerator of a metric, under the settings of its scoring; {} for a
    metric that is no share of trajectories."""
    terms = dict(NUMERATORS.get(metric, {}))
    if metric in WITHOUT_UNDECIDED and settings.get("undecided_answer") == "exclude":
        terms["undecided"] = "no"
    return terms


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
    condition of those under an intervention.
    """
    named = {**terms, "trajectory": ",".join(_spans(sorted(pks)))}
    href = f"{reverse('evaluation:trajectories', args=[benchmark.slug])}?{urlencode(named, safe=',')}"
    return href if pks and len(href) <= LONGEST_ADDRESS else ""


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    """Write consecutive numbers as a span. Example: 3, 4, 5, 9 as "3-5", "9"."""
    for _, group in groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
        span = [number for _, number in group]
        yield f"{span[0]}-{span[-1]}" if len(span) > 1 else str(span[0])


def cases(benchmark: Any, pks: Iterable[int | None]) -> Count:
    """As many cases as there are, with the list of their trajectories, rollouts included, where each has one of its
    own."""
    found = list(pks)
    own = {pk for pk in found if pk}
    return Count(len(found), named_list(benchmark, own, rollout="0+") if len(own) == len(found) else "")


@dataclass(frozen=True, slots=True)
class RunLinks:
    """The URLs of one run's trajectories, on the slice ``narrowed`` if given."""

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
        """Return a count of a metric, with a link if all trajectories behind it are recorded."""
        there = n and Selection(snapshot, {**terms, **self.narrowed}).total == n
        return Count(n, self.list(**terms) if there else "")

    def population(self, n: float | None, *metrics: str, listed: Mapping[str, int] | None) -> Count:
        """The n of a metric, or of what counts in several: a link where its list holds as many. ``listed``: of
        ``populations_by_run``, by the names of the metrics."""
        there = listed is not None and n and listed.get(" ".join(metrics)) == n
        terms = {"measured": metrics[0]} if len(metrics) == 1 else {"q": " ".join(f"measured:{one}" for one in metrics)}
        return Count(int(n or 0), self.list(**terms) if there else "")

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
