"""The overlap of regions (unions of crops) with gold regions (docs/metrics.md#ioa)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from evaluation.metrics.boxes import areas, filled, iou, overlap
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.outlines import shares_of
from evaluation.metrics.ragged import count_true, first_highest, rows_of
from evaluation.metrics.regions import BoxSets, union_areas


@dataclass(frozen=True)
class Shares:
    """The overlap of regions with gold, (r,) each, 0..1: coverage, concentration, IoA (see
    ``boxes.Overlap``) and IoU.
    """

    coverage: Floats
    concentration: Floats
    ioa: Floats
    iou: Floats

    @classmethod
    def filled(cls, rows: int, value: float) -> Shares:
        return cls(*(np.full(rows, value) for _ in fields(cls)))

    def take(self, rows: Ints) -> Shares:
        return Shares(*(getattr(self, f.name)[rows] for f in fields(self)))

    def put(self, rows: Ints | Bools, values: Shares) -> None:
        for f in fields(self):
            getattr(self, f.name)[rows] = getattr(values, f.name)

    def mean(self, start: Ints) -> Shares:
        """The mean over the rows of each group; every group has at least one."""
        size = np.diff(start)
        return Shares(*(np.add.reduceat(getattr(self, f.name), start[:-1]) / size for f in fields(self)))


def measure_regions(regions: BoxSets, gold: BoxSets, multi_gold: str = "union") -> Shares:
    """Region ``i`` (a union of crops) against gold set ``i``; no set may be empty (docs/metrics.md#ioa). Gold with
    polygons or points: docs/metrics.md#shapes.

    Args:
        multi_gold: "union": the gold region is the union of the boxes. "any" / "all": the box with the highest /
            lowest IoA (ties within 1e-9: the first) gives all four. "mean": the mean over the boxes of each.
    """
    if (drawn := gold.drawn).any():
        out = Shares.filled(len(regions), np.nan)
        boxes, shapes = np.flatnonzero(~drawn), np.flatnonzero(drawn)
        out.put(boxes, measure_regions(regions.take(boxes), gold.take(boxes).plain(), multi_gold))
        out.put(shapes, _measure_shapes(regions.take(shapes), gold.take(shapes), multi_gold))
        return out
    simple = (regions.counts == 1) & (gold.counts == 1)
    if simple.all():
        return _measure_pairs(regions.boxes, gold.boxes)
    out = Shares.filled(len(regions), np.nan)
    pair, rest = np.flatnonzero(simple), np.flatnonzero(~simple)
    out.put(pair, _measure_pairs(regions.boxes[regions.start[pair]], gold.boxes[gold.start[pair]]))
    out.put(rest, _measure_sets(regions.take(rest), gold.take(rest), multi_gold))
    return out


def covered_shares(regions: BoxSets, gold: BoxSets) -> Floats:
    """Return the share of gold region ``i`` (union of its boxes) inside region ``i``: 0..1."""
    return measure_regions(regions, gold).coverage


def touch(boxes: Floats, gold: BoxSets) -> Bools:
    """Whether box ``i`` has an area in common with any box of gold set ``i``; true for a set with outlines."""
    parts = BoxSets.single(boxes).within_each_box_of(gold)
    common: Bools = count_true(filled(parts.boxes), gold.start) > 0
    return common | gold.drawn


def _measure_pairs(crops: Floats, gold: Floats) -> Shares:
    one = overlap(crops, gold)
    return Shares(one.coverage, one.concentration, one.ioa, iou(crops, gold))


def _measure_shapes(regions: BoxSets, gold: BoxSets, multi_gold: str) -> Shares:
    found = [
        shares_of(regions.boxes[regions.start[row] : regions.start[row + 1]], gold.shapes(row), multi_gold)
        for row in range(len(gold))
    ]
    return Shares(*np.array(found, float).reshape(-1, 4).T)


def _measure_sets(regions: BoxSets, gold: BoxSets, multi_gold: str) -> Shares:
    parts = regions.within_each_box_of(gold)
    region_area = union_areas(regions)
    if multi_gold == "union":
        common = union_areas(BoxSets(parts.boxes, parts.start[gold.start]))
        return _shares(common, union_areas(gold), region_area)
    each = _shares(union_areas(parts), areas(gold.boxes), region_area[rows_of(gold.start)])
    if multi_gold == "mean":
        return each.mean(gold.start)
    return each.take(first_highest(each.ioa if multi_gold == "any" else -each.ioa, gold.start))


def _shares(common: Floats, gold_area: Floats, region_area: Floats) -> Shares:
    # Sums of slabs may exceed the whole by a rounding error; a share never does.
    coverage = np.minimum(common / gold_area, 1.0)
    concentration = np.minimum(common / region_area, 1.0)
    ratio = np.minimum(common / (gold_area + region_area - common), 1.0)
    return Shares(coverage, concentration, np.maximum(coverage, concentration), ratio)
