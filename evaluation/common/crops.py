"""The crops of a run, as counts with the terms of their lists: named regions of coverage and concentration, the sizes
of crops, and the crops themselves.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from evaluation.metrics.columns import Quadrant
from evaluation.metrics.ragged import TIE
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.common.formatting import percent

TIGHT = 0.1
"""From this concentration on a crop that holds the evidence is tight."""
WHOLE = 0.9
"""A crop of at least this share of the image is the full image."""
SIZES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Upper edges of the sizes; the last one holds what is larger."""
MOST_POINTS = 2_000
SEED = 7
MISSED: Mapping[str, str] = {"population": "yes", "ioa_upto": "0"}
"""No gold in the crop."""

Terms = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Region:
    """``n`` trajectories of the grounding population, ``right`` of them with a correct answer."""

    name: str
    words: str
    terms: Terms
    n: int
    right: int


@dataclass(frozen=True, slots=True)
class Size:
    """Trajectories whose crops cover more than ``above`` and up to ``upto`` of the image; None: no edge."""

    above: float | None
    upto: float | None
    terms: Terms
    n: int


@dataclass(frozen=True, slots=True)
class CropPoints:
    """The scored crop of each trajectory: ``rows`` of (trajectory, sample, coverage, concentration, quadrant's code),
    of ``total`` an even sample if there are too many to draw. ``missed``: crops without any gold.
    """

    rows: Sequence[tuple[Any, ...]]
    total: int
    missed: int


def crop_regions(found: Selection, threshold: float) -> list[Region]:
    """The grounding population by region, each in one; those without a single crop are in none."""
    named = _region_terms(f"{threshold:g}")
    terms = [{"population": "yes", **one} for _, _, one in named]
    counts = found.how_many([*terms, *({**one, "correct": "yes"} for one in terms)])
    return [
        Region(name, words, one, n, right)
        for (name, words, _), one, n, right in zip(named, terms, counts, counts[len(named) :], strict=False)
    ]


def region_terms(snapshot: Snapshot, trajectory: Any, threshold: float) -> Terms:
    """The terms of the list of a trajectory's region, empty for one that is in none."""
    lists = [{"population": "yes", **terms} for _, _, terms in _region_terms(f"{threshold:g}")]
    alone = Selection(snapshot, {"trajectory": str(trajectory.pk), "condition": str(trajectory.condition)})
    there = alone.how_many(lists)
    return next((terms for terms, n in zip(lists, there, strict=True) if n), {})


def _region_terms(edge: str) -> list[tuple[str, str, Terms]]:
    zoom = f"{math.sqrt(1 / WHOLE):.4f}"
    part = {"zoom_above": zoom, "ioa_above": "0"}
    return [
        ("tight", gettext("contains the evidence, at least %(share)s%% of it gold") % {"share": percent(TIGHT, 0)},
         {**part, "coverage_above": edge, "concentration_above": f"{TIGHT:g}"}),
        ("wide", gettext("contains the evidence and much background"),
         {**part, "coverage_above": edge, "concentration_upto": f"{TIGHT:g}"}),
        ("inside", gettext("is inside the evidence"),
         {**part, "coverage_upto": edge, "concentration_above": edge}),
        ("partial", gettext("contains part of the evidence"),
         {**part, "coverage_upto": edge, "concentration_upto": edge}),
        ("full image", gettext("%(share)s%% of the image or more") % {"share": percent(WHOLE, 0)},
         {"zoom_upto": zoom, "ioa_above": "0"}),
        ("miss", gettext("contains no gold"), {"ioa_upto": "0"}),
    ]  # fmt: skip


def crop_sizes(found: Selection) -> list[Size]:
    """The scored trajectories by cropped region size, CRZ (docs/metrics.md#visual-quantity), each in one; those of
    unknown size are in none."""
    edges: list[tuple[float | None, float | None]] = [(None, SIZES[0]), *pairwise(SIZES), (SIZES[-1], None)]
    lists: list[dict[str, str]] = [
        {name: f"{edge:g}" for name, edge in (("crop_size_above", low), ("crop_size_upto", high)) if edge is not None}
        for low, high in edges
    ]
    counts = found.how_many(lists)
    return [Size(low, high, terms, n) for (low, high), terms, n in zip(edges, lists, counts, strict=True)]


def crop_points(found: Selection) -> CropPoints:
    """The grounding population whose gold has an area, by trajectory; above MOST_POINTS an even sample."""
    columns = ("pk", "sample_key", "coverage", "concentration", "quadrant", "ioa")
    inside = found.rows(columns, where="population AND coverage IS NOT NULL AND concentration IS NOT NULL")
    missed = sum(ioa is not None and ioa <= TIE for *_, ioa in inside)
    shown = inside
    if len(inside) > MOST_POINTS:
        shown = sorted(random.Random(SEED).sample(inside, MOST_POINTS))
    return CropPoints([(*row[:4], _code(row[4])) for row in shown], len(inside), missed)


def _code(quadrant: str | None) -> int:
    return Quadrant.OUTSIDE if quadrant is None else Quadrant.NAMES.index(quadrant)
