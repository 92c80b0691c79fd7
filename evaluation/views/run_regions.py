"""How a run crops: named regions of coverage and concentration, and the size of what was cropped, as counted lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.querysets import TrajectoryQuerySet
from evaluation.views.run_links import Count, RunLinks

TIGHT = 0.1
"""From this concentration on a crop that holds the evidence is tight."""
WHOLE = 0.9
"""A crop of at least this share of the picture is the whole picture."""
SIZES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Upper edges of the sizes; the last bar holds what is larger."""

Terms = Mapping[str, str]


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


def regions(found: TrajectoryQuerySet, threshold: float, links: RunLinks) -> list[Region]:
    """The grounding population by region, each in one; those without a single crop are in none. One query."""
    named = _region_terms(f"{threshold:g}")
    terms = [{"population": "yes", **one} for _, _, one in named]
    counts = found.how_many([*terms, *({**one, "correct": "yes"} for one in terms)])
    return [
        Region(name, words, links.count(n, **one), links.count(right, **one, correct="yes"))
        for (name, words, _), one, n, right in zip(named, terms, counts, counts[len(named) :], strict=False)
    ]


def _region_terms(edge: str) -> list[tuple[str, str, Terms]]:
    zoom = f"{math.sqrt(1 / WHOLE):.4f}"
    part = {"zoom_above": zoom, "ioa_above": "0"}
    return [
        ("tight", f"holds the evidence, at least {TIGHT:.0%} of it gold",
         {**part, "coverage_above": edge, "concentration_above": f"{TIGHT:g}"}),
        ("wide", "holds the evidence and much else",
         {**part, "coverage_above": edge, "concentration_upto": f"{TIGHT:g}"}),
        ("inside", "lies in the evidence and cuts it",
         {**part, "coverage_upto": edge, "concentration_above": edge}),
        ("partial", "holds a part, beside other things",
         {**part, "coverage_upto": edge, "concentration_upto": edge}),
        ("whole picture", f"{WHOLE:.0%} of the picture or more", {"zoom_upto": zoom, "ioa_above": "0"}),
        ("miss", "no gold in the crop", {"ioa_upto": "0"}),
    ]  # fmt: skip


def sizes(found: TrajectoryQuerySet, links: RunLinks) -> Sizes | None:
    """The scored trajectories by cropped region size, CRZ (METRICS 5.3); none where no size is known. One query."""
    edges = [f"{edge:g}" for edge in SIZES]
    lists: list[dict[str, str]] = [{"crop_size_upto": edges[0]}]
    lists += [{"crop_size_above": low, "crop_size_upto": high} for low, high in pairwise(edges)]
    lists.append({"crop_size_above": edges[-1]})
    counts = found.how_many(lists)
    total = sum(counts)
    if not total:
        return None
    labels = ["nothing", *(f"to {100 * edge:g} %" for edge in SIZES[1:]), "more than 100 %"]
    bars = [
        SizeBar(label, links.count(n, **terms), n / total)
        for label, terms, n in zip(labels, lists, counts, strict=True)
    ]
    return Sizes(bars, total, max(bar.share for bar in bars))
