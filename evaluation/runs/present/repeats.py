"""Repeated rollouts on the page of a run: the consistency of its answers, and the effect of sampling on its
accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from evaluation.common.links import Count, RunLinks
from evaluation.metrics.repeats import RolloutStatistics
from evaluation.query.fields import REPEATED
from evaluation.runs.present.numbers import interval_said
from evaluation.runs.read.repeats import LISTED, read_repeats
from webapp.common.drawing import Bar, stacked
from webapp.common.formatting import decimal, percent, range_of, rate

LABELS = {
    "always": gettext_lazy("correct in every rollout"),
    "some": gettext_lazy("in some rollouts"),
    "never": gettext_lazy("in no rollout"),
}


@dataclass(frozen=True, slots=True)
class RepeatedPart:
    """The samples with one outcome: a part of the bar, its label, and a link to their list. ``range``: the number that
    undecided answers allow, "" if they change nothing.
    """

    bar: Bar
    label: str
    count: Count
    range: str


@dataclass(frozen=True, slots=True)
class ShownRepeats:
    """``found``: the numbers; ``counts``: those of ``LISTED``, each with its list; ``each``: rollouts of a sample, as
    text; ``spread``: the interval, as text; ``provisional``: ranges are shown instead of points.
    """

    found: RolloutStatistics
    counts: Mapping[str, Count]
    parts: Sequence[RepeatedPart]
    each: str
    spread: str
    provisional: bool

    @property
    def value(self) -> str:
        """The mean, with the range that undecided answers allow."""
        return rate(self.found.value, *self.found.ranges["value"], provisional=self.provisional)

    @property
    def first(self) -> str:
        return rate(self.found.first, *self.found.ranges["first"], provisional=self.provisional)

    @property
    def replaced(self) -> bool:
        """Whether a range is shown instead of the mean."""
        return self.provisional and bool(range_of(*self.found.ranges["value"]))

    @property
    def half(self) -> str:
        low, high = self.found.ci_low, self.found.ci_high
        return "" if low is None or high is None else f"±{percent((high - low) / 2)}"

    @property
    def se(self) -> float | None:
        """The standard error of the mean; None if the interval is not based on it."""
        return self.found.se if self.found.ci_method == "cluster-t" else None


def repeated(tables: Mapping[str, Any], links: RunLinks, *, provisional: bool = False) -> ShownRepeats | None:
    """Return the rollout table of the run, or of the slice of the tables; None if no sample is repeated."""
    found = read_repeats(tables)
    if found is None:
        return None
    counts = {name: links.count(getattr(found, name), **terms) for name, terms in LISTED.items()}
    bars = stacked((name, counts[name].n) for name in REPEATED)
    parts = [RepeatedPart(bar, str(LABELS[bar.name]), counts[bar.name], _between(found, bar.name)) for bar in bars]
    return ShownRepeats(found, counts, parts, _each(found), _spread(found), provisional)


def _between(found: RolloutStatistics, name: str) -> str:
    low, high = found.ranges[name]
    return "" if low is None or low == high else f"{decimal(low)}\N{EN DASH}{decimal(high)}"


def _each(found: RolloutStatistics) -> str:
    if found.least == found.most:
        return gettext("%(count)s rollouts per sample") % {"count": decimal(found.least)}
    message = gettext("%(least)s to %(most)s rollouts per sample, %(mean)s on average")
    return message % {"least": decimal(found.least), "most": decimal(found.most), "mean": decimal(found.mean, 1)}


def _spread(found: RolloutStatistics) -> str:
    if found.ci_low is None or found.ci_high is None:
        return ""
    return interval_said(found.ci_method, found.ci_low, found.ci_high, found.n, found.detail)
