"""Rewards of a rollout that compare its crops with the gold evidence: box, quadrant, and one of each call.

Source: docs/metrics.md#reward-rules. ``rewards`` alone defines r_m and r_final.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import clipped, valid
from evaluation.metrics.columns import Floats, Quadrant
from evaluation.metrics.quadrants import quadrants
from evaluation.metrics.ragged import TIE, count_true, starts_of
from evaluation.metrics.regions import BoxSets
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.shares import Shares, measure_regions

SUFFICIENT_COVERAGE = 0.5
"""Without a verdict of a judge, crops that cover this share of the gold together are sufficient."""
FAILED_CALL = 0.05
"""The cost of a failed call."""
QUADRANT_REWARDS: Mapping[int, float] = {Quadrant.GPAP: 1.0, Quadrant.GPAM: 0.25}
"""r_quadrant by code of ``Quadrant``; all others earn 0."""


@dataclass(frozen=True, slots=True)
class RolloutCall:
    """One call of a rollout: its executed crop (x1, y1, x2, y2) in pixels of the original, None if it has none, and
    whether it failed."""

    box: tuple[float, float, float, float] | None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class GoldReward:
    """r_box and r_quadrant (0..1), r_t of each call (-0.05..1), and the share of the gold that all crops cover."""

    box: float
    quadrant: float
    calls: tuple[float, ...]
    coverage: float


def gold_rewards(
    rollouts: Sequence[Sequence[RolloutCall]],
    correct: Sequence[bool],
    gold: Floats,
    size: tuple[float, float],
    settings: MetricSettings,
    table: Mapping[int, float] = QUADRANT_REWARDS,
) -> tuple[GoldReward, ...] | None:
    """The gold-based rewards of the rollouts of one prompt, in order; None, undefined, without a valid gold box.

    - r_box = 2 · cov · conc / (cov + conc) of the crop where it is highest; 0 without a crop. Unlike IoA, a crop of the
      full image does not reach 1.
    - r_quadrant = ``table`` at (grounded, correct). Grounded: the highest IoA of a crop exceeds ``ioa_threshold``. 0
      without a crop.
    - r_t = cov(crops ≤ t) − cov(crops < t) − 0.05 · [call t failed].

    Args:
        correct: whether the answer of each rollout is correct.
        gold: (k, 4) boxes, ``size``: width and height of the image, both in pixels of the original. Only the parts of
        boxes inside the image count.

    Example: gold 0,0,10,10 and crops 0,0,10,5, then one call that failed, then 0,0,20,10: r_box = 2/3, r_t = .5, −.05,
    .5.
    """
    gold = _inside(gold, size)
    gold = gold[~np.isnan(gold[:, 0])]
    if not len(gold):
        return None
    given = [call for calls in rollouts for call in calls]
    start = starts_of(np.array([len(calls) for calls in rollouts], np.int64))
    boxes = _inside(np.array([call.box or (np.nan,) * 4 for call in given], float).reshape(-1, 4), size)
    failed = np.array([call.failed for call in given], np.bool_)
    usable = ~np.isnan(boxes[:, 0]) & ~failed
    crops = BoxSets(boxes, start).keep(usable)
    each, covered = Shares.filled(0, 0.0), np.zeros(len(boxes))
    if n := len(crops.boxes):
        # Each crop alone, then each with those before it: measured at once, because a group is small.
        so_far = crops.prefixes()
        regions = BoxSets(np.concatenate([crops.boxes, so_far.boxes]), np.concatenate([np.arange(n), n + so_far.start]))
        evidence = BoxSets(gold, np.array([0, len(gold)])).take(np.zeros(2 * n, np.int64))
        shares = measure_regions(regions, evidence)
        each, covered[usable] = shares.take(np.arange(n)), shares.coverage[n:]
    grounded = count_true(each.ioa > settings.ioa_threshold + TIE, crops.start) > 0
    codes = quadrants(crops.counts > 0, grounded, np.array(correct, np.bool_))
    best = _harmonic(each)
    found = []
    for row, code in enumerate(codes):
        calls, own = slice(start[row], start[row + 1]), best[crops.start[row] : crops.start[row + 1]]
        reached = np.maximum.accumulate(covered[calls])
        gained = np.diff(reached, prepend=0.0) - FAILED_CALL * failed[calls]
        found.append(
            GoldReward(
                float(own.max(initial=0.0)), table.get(int(code), 0.0), tuple(gained.tolist()),
                float(reached[-1]) if len(reached) else 0.0,
            )
        )  # fmt: skip
    return tuple(found)


def _inside(boxes: Floats, size: tuple[float, float]) -> Floats:
    """Return the parts of valid boxes inside the image; NaN if nothing is left."""
    whole = np.where(valid(boxes)[:, None], boxes, np.nan)
    return clipped(whole, np.broadcast_to(np.array(size, float), (len(boxes), 2)))


def _harmonic(shares: Shares) -> Floats:
    """The harmonic mean of coverage and concentration; 0 where both are 0."""
    total = shares.coverage + shares.concentration
    product = 2 * shares.coverage * shares.concentration
    return np.divide(product, total, out=np.zeros(len(total)), where=total > 0)
