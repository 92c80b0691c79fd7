"""Boxes in plain Python: areas, unions by coordinate compression, and the measures of docs/metrics.md#ioa."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

TIE = 1e-9
Box = Sequence[float]
"""x1, y1, x2, y2."""


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def is_valid(box: Box) -> bool:
    return all(map(math.isfinite, box)) and box[2] > box[0] and box[3] > box[1]


def clip(box: Box, width: float, height: float) -> Box | None:
    """The part inside the image, None when nothing is left."""
    out = max(box[0], 0.0), max(box[1], 0.0), min(box[2], width), min(box[3], height)
    return out if out[2] > out[0] and out[3] > out[1] else None


def common(a: Box, b: Box) -> Box | None:
    out = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return out if out[2] > out[0] and out[3] > out[1] else None


def union_area(boxes: Sequence[Box]) -> float:
    """The area covered by any box: cells between neighboring edges that lie in one."""
    if len(boxes) < 2:
        return area(boxes[0]) if boxes else 0.0
    xs = sorted({x for b in boxes for x in (b[0], b[2])})
    ys = sorted({y for b in boxes for y in (b[1], b[3])})
    total = 0.0
    for left, right in pairwise(xs):
        for top, bottom in pairwise(ys):
            if any(b[0] <= left and right <= b[2] and b[1] <= top and bottom <= b[3] for b in boxes):
                total += (right - left) * (bottom - top)
    return total


def union_measures(region: Sequence[Box], gold: Sequence[Box]) -> dict[str, float]:
    """Coverage, concentration, IoA and IoU of the union of ``region`` against the union of ``gold``."""
    shared = union_area([c for r in region for g in gold if (c := common(r, g))])
    of_gold, of_region = union_area(gold), union_area(region)
    coverage, concentration = shared / of_gold, shared / of_region
    return {
        "coverage": coverage,
        "concentration": concentration,
        "ioa": max(coverage, concentration),
        "iou": shared / (of_gold + of_region - shared),
    }


def gold_measures(region: Sequence[Box], gold: Sequence[Box], multi_gold: str) -> dict[str, float]:
    """The measures under ``multi_gold``."""
    if multi_gold == "union" or len(gold) == 1:
        return union_measures(region, gold)
    each = [union_measures(region, [g]) for g in gold]
    if multi_gold == "mean":
        return {name: sum(m[name] for m in each) / len(each) for name in each[0]}
    if multi_gold == "any":
        highest = max(m["ioa"] for m in each)
        return next(m for m in each if m["ioa"] >= highest - TIE)
    lowest = min(m["ioa"] for m in each)
    return next(m for m in each if m["ioa"] <= lowest + TIE)
