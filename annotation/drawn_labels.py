"""Labels of people on items that were drawn with unequal probabilities, and the rate that they estimate.

Source: docs/metrics.md#drawn-labels. Verdicts are 1 (yes) or 0 (no); a judge gave one to each of M items, and people
label those that were drawn, batch after batch. A greedy choice of items would bias every estimate; a draw does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.prediction_powered import MORE
from annotation.statistics import Z95, Floats, Interval, Ints, cluster_totals

LEAST = 0.1
"""The weight of an item on which all votes agree: each item can be drawn."""


def inclusion(votes: Floats, size: int, certain: NDArray[np.bool_] | None = None) -> Floats:
    """Return the probability π of each item in a draw of ``size``: proportional to max(.1, √(v(1−v))), at most 1, with
    the sum ``size``. ``votes``: (M,) v, the share of yes votes. ``certain``: items with π = 1; if these are more than
    ``size``, they are drawn like the others.

    Example: v 0, .5, 1, 1 and size 2 have the weights .1, .5, .1, .1, so π = 1/3, 1, 1/3, 1/3.
    """
    weights = np.maximum(LEAST, np.sqrt(votes * (1 - votes)))
    if size >= len(votes):
        return np.ones(len(votes))
    fixed = np.zeros(len(votes), np.bool_)
    if certain is not None and certain.sum() <= size:
        fixed |= certain
    while True:
        found = np.ones(len(votes))
        rest = ~fixed
        found[rest] = (size - fixed.sum()) * weights[rest] / weights[rest].sum()
        above = found > 1
        if not above.any():
            return found
        fixed |= above


def draw(probabilities: Floats, generator: np.random.Generator) -> Ints:
    """Return the drawn items, in order: systematic sampling of the items in a random order. Each item is drawn with its
    probability, and their number is the sum of all, a whole number."""
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    size = round(float(ends[-1]))
    places = generator.random() + np.arange(size)
    chosen = np.searchsorted(ends, places * (ends[-1] / size), side="right") if size else np.empty(0, np.int64)
    return np.sort(order[np.minimum(chosen, len(order) - 1)])


@dataclass(frozen=True)
class Batch:
    """One draw from the items without a label. ``items``: (n,) indices among all M; ``probability``: (n,) of each;
    ``labels``: (n,) verdicts of people, NaN if undecided; ``weight``: λ, fixed before the draw.
    """

    items: Ints
    probability: Floats
    labels: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class DrawnRate:
    """The rate (0..1) that people would give to M items, with its interval; ``labeled``: how many have a label;
    ``next_weight``: λ of the next batch; ``half_with_more``: half the width of the interval after ``MORE`` more labels,
    None if fewer items are left."""

    value: float
    n: int
    labeled: int
    interval: Interval
    error: float
    next_weight: float
    half_with_more: float | None


def drawn_rate(judged: Floats, batches: Sequence[Batch], cluster: Ints | None = None) -> DrawnRate | None:
    """Estimate the rate from ``judged``, (M,) the verdicts f, and the labels of batches. Returns None without two
    labels in every batch.

    Of one batch θ_b = (1/M)·Σ_i [λf_i + (ξ_i/π_i)(Y_i − λf_i)], ξ_i = 1 if item i has a label, π_i its probability; an
    item with a label of an earlier batch has ξ = π = 1. θ = Σ_b n_b·θ_b / Σ_b n_b. Each draw is unbiased given those
    before it, so the errors are uncorrelated: SE² = Σ_b (n_b/Σn)²·V_b + D·θ(1−θ)/M, with V_b = (1/M²)·n/(n−1) ·
    Σ_{i∈drawn} (1−π_i)·(r_i/π_i − B)², r_i = Y_i − λf_i, B the mean of r_i/π_i weighted by 1−π_i, and D the design
    effect of f over ``cluster``. Interval θ ± 1.960·SE, clipped to 0..1. Undecided items have no label; the π of the
    others in the batch are then multiplied by the share with a label.
    """
    size = len(judged)
    known = np.full(size, np.nan)
    values, squares, counts, weight, free = [], [], [], 1.0, size
    for batch in batches:
        said = ~np.isnan(batch.labels)
        if said.sum() < 2:
            return None
        items, labels = batch.items[said], batch.labels[said]
        share = np.minimum(1.0, batch.probability[said] * said.mean())
        expected = batch.weight * judged
        expected = np.where(np.isnan(known), expected, known)
        residual = labels - expected[items]
        values.append(float(expected.sum() + (residual / share).sum()) / size)
        squares.append(_drawn_variance(residual, share) / size**2)
        counts.append(len(items))
        weight, free = _next_weight(labels, judged[items], 1 / share), free - len(batch.items)
        known[items] = labels
    if not counts:
        return None
    parts = np.array(counts) / sum(counts)
    value = min(max(float(parts @ values), 0.0), 1.0)
    spread = _design_effect(judged, cluster) * value * (1 - value) / size
    error = math.sqrt(float(parts**2 @ squares) + spread)
    low, high = (min(max(value + side * Z95 * error, 0.0), 1.0) for side in (-1, 1))
    half = _half_with_more(squares, counts, free, spread)
    return DrawnRate(value, size, sum(counts), Interval(low, high, "drawn labels"), error, weight, half)


def _drawn_variance(residual: Floats, share: Floats) -> float:
    """Of Σ r_i/π_i under a draw of fixed size (Hájek)."""
    n, rest = len(residual), 1 - share
    if not rest.sum():
        return 0.0
    scaled = residual / share
    middle = float((rest * scaled).sum() / rest.sum())
    return n / (n - 1) * float((rest * (scaled - middle) ** 2).sum())


def _next_weight(labels: Floats, judged: Floats, weights: Floats) -> float:
    """Return λ with the smallest residuals of these labels: cov(Y, f) / var(f), weighted by 1/π, from 0 to 1."""
    total = weights.sum()
    mean_y, mean_f = float(weights @ labels / total), float(weights @ judged / total)
    variance = float(weights @ (judged - mean_f) ** 2)
    shared = float(weights @ ((labels - mean_y) * (judged - mean_f)))
    return min(max(shared / variance, 0.0), 1.0) if variance else 0.0


def _design_effect(judged: Floats, cluster: Ints | None) -> float:
    if cluster is None or not judged.var():
        return 1.0
    totals = cluster_totals(judged - judged.mean(), cluster)[:, 0]
    many = len(totals)
    return max(1.0, many / max(1, many - 1) * float((totals**2).sum()) / float(((judged - judged.mean()) ** 2).sum()))


def _half_with_more(squares: Sequence[float], counts: Sequence[int], free: int, spread: float) -> float | None:
    """Return half the width after one more batch of ``MORE`` labels with the same precision, relative to its size, as
    the last.
    """
    if free < MORE:
        return None
    last = squares[-1] * counts[-1] / MORE * (1 - MORE / free)
    parts = np.array([*counts, MORE]) / (sum(counts) + MORE)
    return Z95 * math.sqrt(float(parts**2 @ np.array([*squares, last])) + spread)
