"""The crops of a run: named regions of coverage and concentration, and the sizes of crops, as counted lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from evaluation.common import crops as read_crops
from evaluation.common.links import Count, RunLinks
from evaluation.store.selection import Selection


@dataclass(frozen=True, slots=True)
class Region:
    name: str
    words: str
    count: Count
    right: Count


@dataclass(frozen=True, slots=True)
class SizeBar:
    label: str
    count: Count
    share: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """``most``: the largest share, which the bars are drawn against."""

    bars: Sequence[SizeBar]
    total: int
    most: float


NAMES = {
    "tight": pgettext_lazy("region of a crop", "tight"),
    "wide": pgettext_lazy("region of a crop", "wide"),
    "inside": pgettext_lazy("region of a crop", "inside"),
    "partial": pgettext_lazy("region of a crop", "partial"),
    "full image": gettext_lazy("full image"),
    "miss": pgettext_lazy("region of a crop", "miss"),
}
"""Name of a region, as the API has it -> its word on pages."""


def regions(found: Selection, threshold: float, links: RunLinks) -> list[Region]:
    return [
        Region(
            str(NAMES[one.name]),
            one.words,
            links.count(one.n, **one.terms),
            links.count(one.right, **one.terms, correct="yes"),
        )
        for one in read_crops.crop_regions(found, threshold)
    ]


def sizes(found: Selection, links: RunLinks) -> Sizes | None:
    """None where no size is known."""
    read = read_crops.crop_sizes(found)
    total = sum(one.n for one in read)
    if not total:
        return None
    bars = [SizeBar(_label(one), links.count(one.n, **one.terms), one.n / total) for one in read]
    return Sizes(bars, total, max(bar.share for bar in bars))


def _label(one: read_crops.Size) -> str:
    if one.above is None:
        return gettext("nothing")
    if one.upto is None:
        return gettext("more than 100%")
    return gettext("to %(share)s%%") % {"share": f"{100 * one.upto:g}"}
