"""The overlap of a trajectory's crops with the gold evidence (docs/metrics.md#ioa, #population, #statistics)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import center_in, clipped, linear_zoom, valid
from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    SampleColumns,
    cached_per_sample_columns,
)
from evaluation.metrics.crops import Crops
from evaluation.metrics.outlines import center_inside, geometry_of
from evaluation.metrics.ragged import (
    count_true,
    first_highest,
    latest_true,
    rows_of,
    starts_of,
)
from evaluation.metrics.regions import BoxSets, union_areas
from evaluation.metrics.shares import Shares, covered_shares, measure_regions, touch


@cached_per_sample_columns
def gold_sets(samples: SampleColumns) -> BoxSets:
    """Return the gold boxes that count: valid, clipped to the image, not empty. None of a sample with unknown size."""
    row = rows_of(samples.gold_start)
    boxes = clipped(samples.gold_boxes, known_sizes(samples.size)[row])
    counted = valid(samples.gold_boxes) & ~np.isnan(boxes[:, 0])
    outlines = None
    if len(samples.gold_outlines):
        sizes = known_sizes(samples.size)[row]
        outlines = np.full(len(boxes), None, dtype=object)
        for at, outline in enumerate(samples.gold_outlines):
            if outline is not None:
                outlines[at] = geometry_of(outline, sizes[at])
                counted[at] &= outlines[at] is not None
        outlines = outlines[counted]
    return BoxSets(boxes[counted], starts_of(count_true(counted, samples.gold_start)), outlines)


def known_sizes(size: Floats) -> Floats:
    """(m, 2) sizes with NaN rows where width or height is not a positive finite number."""
    known = np.logical_and(np.isfinite(size), size > 0).all(axis=1, keepdims=True)
    return np.where(known, size, np.nan)


@dataclass(frozen=True)
class Grounding:
    """The result of ``ground``, n rows; fields as in ``ScoreColumns``. Rows without a scored crop have shares 0;
    those of points alone have no concentration and no IoU."""

    shares: Shares
    crop_index: Ints
    crop_box: Floats
    center_hit: Ints
    zoom_factor: Floats
    step_coverage: Floats


def ground(
    crops: Crops, step_start: Ints, gold: BoxSets, size: Floats, multi_crop: str, multi_gold: str, whole_image: Bools
) -> Grounding:
    """Score every trajectory's usable crops against its gold.

    Args:
        gold: n sets, empty where the trajectory is not scorable. size: (n, 2), NaN when unknown.
        multi_crop, multi_gold: settings of docs/metrics.md#settings.
        whole_image: (n,) scorable trajectories whose crop is the full image (``no_crop = full_image``).
    """
    n = len(step_start) - 1
    trajectory = rows_of(step_start)
    step = np.flatnonzero(crops.usable & (gold.counts > 0)[trajectory])
    used, first = np.unique(trajectory[step], return_index=True)
    sets = BoxSets(crops.box[step], np.append(first, len(step)))
    gold_of_crop = gold.take(trajectory[step])
    shares, chosen = Shares.filled(n, 0.0), np.full(n, -1)
    if len(step):
        values, pick = _score_crops(sets, gold_of_crop, gold.take(used), multi_crop, multi_gold)
        shares.put(used, values)
        chosen[used] = np.where(pick >= 0, step[pick], -1)
    box = np.where((chosen >= 0)[:, None], crops.box[chosen], np.nan) if len(crops.box) else np.full((n, 4), np.nan)
    if len(whole := np.flatnonzero(whole_image)):
        box[whole, :2], box[whole, 2:] = 0.0, size[whole]
        shares.put(whole, measure_regions(BoxSets.single(box[whole]), gold.take(whole), multi_gold))
    points = (gold.counts > 0) & np.isnan(union_areas(gold)) if gold.drawn.any() else np.zeros(n, np.bool_)
    # The ratios over areas are undefined, also without a usable crop.
    shares.concentration[points] = shares.iou[points] = np.nan
    return Grounding(
        shares,
        np.where(chosen >= 0, chosen - step_start[:-1], -1),
        box,
        _center_hits(box, gold),
        linear_zoom(box, size),
        _coverage_so_far(step, sets, gold_of_crop, step_start, gold),
    )


def _score_crops(
    sets: BoxSets, gold_of_crop: BoxSets, gold: BoxSets, multi_crop: str, multi_gold: str
) -> tuple[Shares, Ints]:
    """The shares of every trajectory, and which of its crops gave them: an index, -1 when no single one did."""
    if multi_crop == "union":
        return measure_regions(sets, gold, multi_gold), np.where(sets.counts == 1, sets.start[:-1], -1)
    each = measure_regions(BoxSets.single(sets.boxes), gold_of_crop, multi_gold)
    if multi_crop == "mean":
        return each.mean(sets.start), np.where(sets.counts == 1, sets.start[:-1], -1)
    if multi_crop == "best":
        pick = first_highest(each.ioa, sets.start)
    else:
        pick = sets.start[:-1] if multi_crop == "first" else sets.start[1:] - 1
    return each.take(pick), pick


def _center_hits(box: Floats, gold: BoxSets) -> Ints:
    """Return whether the center of each scored crop is in any gold box or polygon; UNKNOWN without such a crop, and for
    points alone."""
    inside = center_in(np.repeat(box, gold.counts, axis=0), gold.boxes)
    hit = np.where(count_true(inside, gold.start) > 0, TRUE, FALSE)
    for row in np.flatnonzero(gold.drawn & ~np.isnan(box[:, 0])):
        found = center_inside(box[row], gold.shapes(row))
        hit[row] = UNKNOWN if found is None else TRUE if found else FALSE
    return np.where(np.isnan(box[:, 0]), UNKNOWN, hit)


def _coverage_so_far(step: Ints, sets: BoxSets, gold_of_crop: BoxSets, step_start: Ints, gold: BoxSets) -> Floats:
    """Per step, the share of the gold region that the usable crops up to and with it cover together."""
    # Only a crop that touches the gold can add to what is covered.
    touching = touch(sets.boxes, gold_of_crop)
    gained, at = np.zeros(step_start[-1]), np.zeros(step_start[-1], bool)
    if len(adding := np.flatnonzero(touching)):
        gained[step[adding]] = covered_shares(sets.keep(touching).prefixes(), gold_of_crop.take(adding))
        at[step[adding]] = True
    latest = latest_true(at, step_start)
    covered = np.where(latest >= 0, gained[latest], 0.0) if len(latest) else gained
    return np.where((gold.counts > 0)[rows_of(step_start)], covered, np.nan)
