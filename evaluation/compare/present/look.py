"""The crops of two runs for their page: counts with their lists, and the methods of the intervals."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from annotation.statistics import MIN_CLUSTERS
from evaluation.common.design_effect import METHODS
from evaluation.common.figures import axis_of
from evaluation.compare.present.comparison import Axis, with_ends
from evaluation.compare.present.links import Count, PairLinks
from evaluation.metrics.grounding_comparison import LookComparison
from evaluation.metrics.intervals import Interval
from webapp.common.formatting import decimal
from webapp.common.svg import around_zero


@dataclass(frozen=True)
class ShownLook:
    """``n``: the samples in the grounding population of both. ``made``: the method of the interval of mean IoA, or why
    there is none. ``grounded``, ``ioa``: the differences on one axis.
    """

    found: LookComparison
    n: Count
    only_a: Count
    only_b: Count
    made: str
    axis: Axis
    grounded: SafeString
    ioa: SafeString


def shown_look(found: LookComparison, links: PairLinks) -> ShownLook:
    grounded, ioa = with_ends(found.difference, found.interval), with_ends(found.ioa_difference, found.ioa_interval)
    scale = axis_of([0.0, *grounded, *ioa])
    axis = Axis(scale.low, scale.high)
    return ShownLook(
        found,
        links.look("n", found.n),
        links.look("a_only", found.a_only),
        links.look("b_only", found.b_only),
        _made(found.ioa_interval),
        axis,
        around_zero(*grounded, axis.low, axis.high),
        around_zero(*ioa, axis.low, axis.high),
    )


def _made(interval: Interval | None) -> str:
    if interval is None:
        return gettext("no interval below %(count)s image clusters") % {"count": MIN_CLUSTERS}
    draws = interval.detail.get("draws")
    method = str(METHODS[interval.method])
    if not draws:
        return method
    message = gettext("%(method)s of %(draws)s draws, seed %(seed)s")
    return message % {"method": method, "draws": decimal(draws), "seed": interval.detail["seed"]}
