"""The effect of drafts of models on the work of people: the control arm compared with the arm that saw them.

Source: docs/drafting.md#anchoring. People are drawn into the arms by sample, so the samples of one image, and the
people who annotate one sample, can be in both. An image is therefore one cluster of the difference, not of each arm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.statistics import Floats, Interval, Ints, cluster_totals, dense_codes
from evaluation.metrics.intervals import mean_interval, t_quantile

LEAST_IMAGES = 10
"""Fewer images than this in an arm have no interval."""


class Why(StrEnum):
    """The reason why an estimate is undefined."""

    FEW_SHOWN = "few-shown"
    FEW_WITHHELD = "few-withheld"


@dataclass(frozen=True, slots=True)
class ArmMean:
    """The mean of one arm, None without values; ``interval`` None with fewer than ``LEAST_IMAGES`` images."""

    n: int
    images: int
    mean: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Contrast:
    """shown − withheld of one measure. Without ``interval``, ``why`` says which arm has too few images."""

    shown: ArmMean
    withheld: ArmMean
    difference: float | None
    interval: Interval | None
    why: Why | None


def contrast(values: Floats, withheld: np.ndarray[tuple[int], np.dtype[np.bool_]], image: Ints) -> Contrast:
    """The difference of the means of two arms with a 95% interval clustered by image.

    SE² = C/(C−1) · Σ_g (Σ_{i in g} r_i)² with r_i = (x_i − mean of its arm) / n of its arm, negative for the withheld
    one. The t quantile has as many degrees of freedom as the arm with fewer images has images, less one.
    """
    arms = [arm_mean(values[mask], image[mask]) for mask in (~withheld, withheld)]
    shown, control = arms
    why = Why.FEW_SHOWN if shown.interval is None else Why.FEW_WITHHELD if control.interval is None else None
    if shown.mean is None or control.mean is None or why is not None:
        return Contrast(shown, control, None, None, why)
    difference = shown.mean - control.mean
    residual = np.where(withheld, -(values - control.mean) / control.n, (values - shown.mean) / shown.n)
    sums = cluster_totals(residual, image)[:, 0]
    clusters = len(sums)
    se = math.sqrt(clusters / (clusters - 1) * float(np.square(sums).sum()))
    reach = t_quantile(0.975, min(shown.images, control.images) - 1) * se
    interval = Interval(difference - reach, difference + reach, "cluster-t", {"clusters": clusters})
    return Contrast(shown, control, difference, interval, None)


def arm_mean(values: Floats, image: Ints) -> ArmMean:
    """The mean of one arm with a 95% interval clustered by image."""
    if not len(values):
        return ArmMean(0, 0, None, None)
    images = dense_codes(image)[1]
    interval = mean_interval(values, image) if images >= LEAST_IMAGES else None
    return ArmMean(len(values), images, float(values.mean()), interval)
