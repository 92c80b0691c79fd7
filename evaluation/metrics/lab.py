"""Effects of the arms of the faithfulness lab, and their limits. Source: docs/metrics.md#faithfulness-lab.

An arm is compared with the sham arm on the same samples, never with the recorded run, which is a single draw. The seeds
of a sample are averaged first; samples of an image are a cluster. The absence of an effect is only claimed after an
equivalence test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from annotation.statistics import SEED, Z95, Interval, bootstrap_interval, cluster_totals, dense_codes
from evaluation.metrics.columns import UNKNOWN, Bools, Floats, Ints
from evaluation.metrics.intervals import clopper_pearson_upper, clustering, rate_interval, t_quantile, t_tail
from evaluation.metrics.significance import FLIPS, Z80, holm, sampled_sign_flip, sign_flip

LEVEL = 0.05
FEW = 10
"""Clusters with a change below which the standard error says too little."""
EFFECT, EQUIVALENT, SMALL, UNDECIDED = "effect", "equivalent", "small", "undecided"
"""Conclusions: an effect; no effect beyond the margin; an effect within the margin; neither."""


@dataclass(frozen=True)
class Draws:
    """The draws of one arm on n samples and K seeds.

    Attributes:
        correct: (n, K) 1 or 0, NaN where there is no outcome: not run, failed, or nothing says what is correct.
        said: (n, K) numbers of answers, equal for equal answers of a sample; UNKNOWN where none can be read.
    """

    correct: Floats
    said: Ints

    def of(self, rows: Ints | Bools) -> Draws:
        return Draws(self.correct[rows], self.said[rows])

    def first(self, number: int) -> Draws:
        """Only the draws with the lowest numbers."""
        return Draws(self.correct[:, :number], self.said[:, :number])

    @property
    def known(self) -> Bools:
        """(n,) whether any draw of the sample has an outcome."""
        return np.asarray((~np.isnan(self.correct)).any(axis=1))

    @property
    def means(self) -> Floats:
        """(n,) the mean over the draws of each sample, NaN without any."""
        counts = (~np.isnan(self.correct)).sum(axis=1)
        sums = np.nansum(self.correct, axis=1)
        return _shares(sums, counts)


@dataclass(frozen=True, slots=True)
class ArmEffect:
    """An arm against the sham arm, as shares: 0.05 is 5 percentage points.

    Attributes:
        n, clusters: samples with an outcome in both arms, and their clusters. All else is None without any.
        accuracy, sham: mean of the sample means in each arm.
        delta, se, low, high: the difference, its clustered standard error, and the 95 % interval Δ ± t·SE.
        p: of the exact sign flip over clusters.
        narrow: the 90 % interval, which equivalence is read from.
        p_equivalence: of the two one-sided t tests against ±margin, None with fewer than ``FEW`` changed clusters.
        bound: with so few, the largest difference that the share of changed clusters allows, else None.
        detectable: the smallest true difference that is found with 80 % power.
        changed, churn, excess: share of answers that differ from those of the sham arm; the same between sham seeds;
            their difference.
        moved: clusters with a change. ``spread``: clusters times the share of samples in the largest one, 1 if equal.
    """

    n: int
    clusters: int
    accuracy: float | None = None
    sham: float | None = None
    delta: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    narrow: tuple[float, float] | None = None
    p_equivalence: float | None = None
    bound: float | None = None
    detectable: float | None = None
    changed: float | None = None
    churn: float | None = None
    excess: float | None = None
    margin: float = 0.05
    moved: int = 0
    spread: float = 1.0

    @property
    def equivalent(self) -> bool:
        """Whether a difference as large as the margin is ruled out."""
        if self.bound is not None:
            return self.bound < self.margin
        return self.p_equivalence is not None and self.p_equivalence < LEVEL

    def label(self, p: float | None = None) -> str:
        """The conclusion. ``p``: adjusted if the arm was named confirmatory; otherwise unadjusted."""
        counted = self.p if p is None else p
        found = counted is not None and counted < LEVEL
        if self.delta is None:
            return UNDECIDED
        return SMALL if found and self.equivalent else EFFECT if found else EQUIVALENT if self.equivalent else UNDECIDED


def arm_effect(arm: Draws, sham: Draws, cluster: Ints, margin: float = 0.05) -> ArmEffect:
    """Compare an arm with the sham arm on the samples with an outcome in both. ``cluster``: (n,).

    Δ = Σ d_i / n with d_i the difference of the sample means; SE = (1/n)·√(C/(C−1)·Σ_g(Σ_{i∈g}(d_i − Δ))²); Δ ± t·SE
    with C − 1 degrees of freedom. p: exact sign flip of the whole numbers L·Σ_{i∈g} d_i, L the least common multiple
    of the numbers of draws. Equivalence: p = max(1 − F((Δ+δ)/SE), F((Δ−δ)/SE)); below ten changed clusters B·u < δ
    instead, with u the one-sided 95 % Clopper-Pearson bound of their share and B = C·(largest cluster)/n.

    Example: 200 single samples of one seed, 6 lost and 4 gained: Δ −1.0 pp, SE 1.58, 90 % interval −3.6 to +1.6.
    """
    rows = arm.known & sham.known
    one, other, groups = arm.of(rows), sham.of(rows), cluster[rows]
    n = int(rows.sum())
    if not n:
        return ArmEffect(0, 0, margin=margin)
    d = one.means - other.means
    found = clustering(d, groups)
    delta, se, clusters = float(d.mean()), found.se, found.clusters
    whole = _whole_differences(one, other, groups)
    moved = int((whole != 0).sum())
    few = moved < FEW
    spread = clusters * float(cluster_totals(np.ones(n), groups)[:, 0].max()) / n
    bound = min(1.0, spread * clopper_pearson_upper(moved, clusters)) if few else None
    reach = None if se is None else t_quantile(1 - LEVEL / 2, clusters - 1) * se
    inner = None if se is None else t_quantile(1 - LEVEL, clusters - 1) * se
    changed, churn, excess = changed_shares(arm, sham)
    return ArmEffect(
        n=n,
        clusters=clusters,
        accuracy=float(one.means.mean()),
        sham=float(other.means.mean()),
        delta=delta,
        se=se,
        low=None if reach is None else max(-1.0, delta - reach),
        high=None if reach is None else min(1.0, delta + reach),
        p=sign_flip(whole),
        narrow=None if inner is None else (delta - inner, delta + inner),
        p_equivalence=None if few or not se else _equivalence(delta, se, clusters - 1, margin),
        bound=bound,
        detectable=bound if few else None if se is None else (Z95 + Z80) * se,
        changed=changed,
        churn=churn,
        excess=excess,
        margin=margin,
        moved=moved,
        spread=spread,
    )


def clusters_to_decide(effect: ArmEffect, most: int = 5000) -> int | None:
    """About how many clusters would decide an effect with 80 % power, if all others are like these: the difference, its
    spread and the share of changed clusters stay, and SE falls with √C. To 2 %; None if ``most`` of them would not.

    Below ten changed clusters B·u < δ; else |Δ| + (t_.95 + .842)·SE < δ, or |Δ| > (t_.975 + .842)·SE. Example: 10
    single samples without a change, δ 5 pp: 59.
    """
    if effect.delta is None:
        return None
    many = effect.clusters + 1
    while many <= most and not _decides(effect, many):
        many += max(1, many // 50)
    return many if many <= most else None


def _decides(effect: ArmEffect, clusters: int) -> bool:
    moved = round(effect.moved * clusters / effect.clusters)
    if moved < FEW:
        return effect.spread * clopper_pearson_upper(moved, clusters) < effect.margin
    if effect.se is None or effect.delta is None:
        return False
    se, delta = effect.se * math.sqrt(effect.clusters / clusters), abs(effect.delta)
    narrow, wide = _quantiles(min(clusters - 1, 300))
    return delta + (narrow + Z80) * se < effect.margin or delta > (wide + Z80) * se


@cache
def _quantiles(df: int) -> tuple[float, float]:
    """Of t, for the intervals of equivalence and of an effect."""
    return t_quantile(1 - LEVEL, df), t_quantile(1 - LEVEL / 2, df)


def _equivalence(delta: float, se: float, df: int, margin: float) -> float:
    """The larger p of the two one-sided tests: the difference is at least −margin, and at most +margin."""
    return max(_above((delta + margin) / se, df), _above((margin - delta) / se, df))


def _above(t: float, df: int) -> float:
    """P(T > t), for any sign of t."""
    return t_tail(t, df) if t >= 0 else 1 - t_tail(-t, df)


def _whole_differences(one: Draws, other: Draws, cluster: Ints) -> Ints:
    """(clusters,) the differences of the sample means, summed over each cluster, times the least common multiple of the
    numbers of draws: whole numbers."""
    counts = [(~np.isnan(draws.correct)).sum(axis=1) for draws in (one, other)]
    sums = [np.rint(np.nansum(draws.correct, axis=1)).astype(np.int64) for draws in (one, other)]
    common = math.lcm(*(int(number) for number in np.unique(np.concatenate(counts))))
    d = sums[0] * (common // counts[0]) - sums[1] * (common // counts[1])
    return np.rint(np.bincount(dense_codes(cluster)[0], weights=d)).astype(np.int64)


def changed_shares(arm: Draws, sham: Draws) -> tuple[float | None, float | None, float | None]:
    """Return χ, χ₀ and their difference: the share of pairs of draws, one of each arm, with different answers; that of
    pairs of sham draws; means over samples. The difference is over samples that have both.

    Pairs are of draws with different numbers, since equal numbers share a seed: an answer that ignores the change would
    be equal in these alone. With one sham draw, χ is over all pairs. None where no sample has a pair of answers that
    can be read.
    """
    apart, own = _apart(arm.said, sham.said), _apart(sham.said, None)
    both = ~np.isnan(apart) & ~np.isnan(own)
    excess = float((apart[both] - own[both]).mean()) if both.any() else None
    return _mean(apart), _mean(own), excess


def with_changed(arm: Draws, sham: Draws) -> Bools:
    """(n,) the samples that χ of ``changed_shares`` is a mean over."""
    return np.asarray(~np.isnan(_apart(arm.said, sham.said)))


def with_churn(sham: Draws) -> Bools:
    """(n,) the samples that χ₀ is a mean over."""
    return np.asarray(~np.isnan(_apart(sham.said, None)))


def _apart(first: Ints, second: Ints | None) -> Floats:
    """(n,) the share of pairs of answers that differ, of different columns; of one table with itself if ``second`` is
    None. A second table of one column is compared with all columns."""
    other = first if second is None else second
    known = (first[:, :, None] != UNKNOWN) & (other[:, None, :] != UNKNOWN)
    if second is None or second.shape[1] > 1:
        known &= ~np.eye(first.shape[1], other.shape[1], dtype=bool)[None]
    differ = (first[:, :, None] != other[:, None, :]) & known
    pairs = known.sum(axis=(1, 2))
    return _shares(differ.sum(axis=(1, 2)), pairs)


def _shares(parts: Ints | Floats, wholes: Ints | Floats) -> Floats:
    """Return parts divided by wholes, NaN where the whole is 0."""
    made = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=made, where=wholes > 0)
    return made


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def adjusted(effects: Mapping[str, ArmEffect], confirm: Sequence[str]) -> dict[str, float | None]:
    """Return Holm's adjusted p of the arms that were named confirmatory before the start; the others have none."""
    names = [name for name in confirm if name in effects]
    return dict(zip(names, holm([effects[name].p for name in names]), strict=True))


@dataclass(frozen=True, slots=True)
class Trend:
    """The decrease of accuracy with the dose.

    Attributes:
        doses: in order, 0 for the sham arm first.
        accuracy, low, high: at each dose, over the samples that have all; the ends are None without an interval.
        agreement: the share of answers equal to those of the sham arm, between sham seeds at dose 0.
        fitted: the isotonic fit, which never rises.
        slope, slope_low, slope_high: mean change of accuracy per unit of dose, with its clustered 95 % interval.
        p: one-sided, that the slope is not below 0. ``seed``: of its draws.
        half: the dose at which the fit has fallen by half of its whole fall, None if it does not fall.
    """

    n: int
    doses: Sequence[float]
    accuracy: Sequence[float]
    low: Sequence[float | None]
    high: Sequence[float | None]
    agreement: Sequence[float | None]
    fitted: Sequence[float]
    slope: float
    slope_low: float | None
    slope_high: float | None
    p: float | None
    seed: int
    half: float | None


def dose_trend(doses: Mapping[float, Draws], sham: Draws, cluster: Ints, seed: int = SEED) -> Trend | None:
    """Return the trend over two or more doses, None with fewer, or without a sample that has all.

    slope_i = Σ_j (x_j − x̄)·ȳ_ij / Σ_j (x_j − x̄)², the sham arm at dose 0; mean and standard error as ``arm_effect``.
    """
    order = sorted(doses)
    tables = [sham, *(doses[dose] for dose in order)]
    rows = np.logical_and.reduce([table.known for table in tables])
    if len(order) < 2 or not rows.any():
        return None
    x = np.array([0.0, *order])
    means = np.column_stack([table.of(rows).means for table in tables])
    apart = x - x.mean()
    slopes = means @ apart / float(apart @ apart)
    groups = cluster[rows]
    found = clustering(slopes, groups)
    slope = float(slopes.mean())
    reach = None if found.se is None else t_quantile(1 - LEVEL / 2, found.clusters - 1) * found.se
    ends = [rate_or_mean(column, groups) for column in means.T]
    accuracy = means.mean(axis=0)
    fitted = falling(accuracy, np.full(len(x), float(rows.sum())))
    same = [None if one is None else 1 - one for one in [_mean(_apart(sham.said[rows], None))]]
    same += [_agreement(table.of(rows), sham.of(rows)) for table in tables[1:]]
    test = sampled_sign_flip(slopes, groups, draws=FLIPS, seed=seed, below=True)
    return Trend(
        n=int(rows.sum()),
        doses=x.tolist(),
        accuracy=accuracy.tolist(),
        low=[end.low if end else None for end in ends],
        high=[end.high if end else None for end in ends],
        agreement=same,
        fitted=fitted.tolist(),
        slope=slope,
        slope_low=None if reach is None else slope - reach,
        slope_high=None if reach is None else slope + reach,
        p=test.p_value,
        seed=seed,
        half=half_dose(x, fitted),
    )


def rate_or_mean(values: Floats, cluster: Ints) -> Interval | None:
    """Return the interval of a mean of sample means, 0 to 1: that of a rate if all are 0 or 1."""
    if np.isin(values, (0.0, 1.0)).all():
        return rate_interval(values, cluster)
    found = clustering(values, cluster)
    if found.se is None:
        return None
    reach = t_quantile(1 - LEVEL / 2, found.clusters - 1) * found.se
    center = float(values.mean())
    return Interval(max(0.0, center - reach), min(1.0, center + reach), "cluster-t", found.as_detail())


def _agreement(arm: Draws, sham: Draws) -> float | None:
    apart = _mean(_apart(arm.said, sham.said))
    return None if apart is None else 1 - apart


def falling(values: Floats, weights: Floats) -> Floats:
    """Return the isotonic fit that never rises: pools of adjacent values with their weighted mean, least squares."""
    pools: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            value_2, weight_2, size_2 = pools.pop()
            value_1, weight_1, size_1 = pools.pop()
            both = weight_1 + weight_2
            pools.append([(value_1 * weight_1 + value_2 * weight_2) / both, both, size_1 + size_2])
    return np.array([value for value, _, size in pools for _ in range(int(size))])


def half_dose(doses: Floats, fitted: Floats) -> float | None:
    """Return the dose at which a falling fit has reached half of its fall, between doses by a straight line; None if it
    does not fall."""
    if fitted[0] <= fitted[-1]:
        return None
    target = (fitted[0] + fitted[-1]) / 2
    at = int(np.argmax(fitted <= target))
    high, low = float(fitted[at - 1]), float(fitted[at])
    share = (high - target) / (high - low)
    return float(doses[at - 1] + share * (doses[at] - doses[at - 1]))


@dataclass(frozen=True, slots=True)
class Restoration:
    """R = (accuracy with gold crops − accuracy of sham) / (1 − accuracy of sham), None where sham is always correct.
    Near 0 at low accuracy: the model cannot use evidence even when it is shown."""

    n: int
    value: float | None
    interval: Interval | None


def restoration(gold: Draws, sham: Draws, cluster: Ints, seed: int = SEED) -> Restoration:
    """Return the restoration index with its cluster bootstrap interval."""
    rows = gold.known & sham.known
    n = int(rows.sum())
    if not n:
        return Restoration(0, None, None)
    better, worse = gold.of(rows).means, sham.of(rows).means
    if worse.mean() >= 1:
        return Restoration(n, None, None)
    totals = cluster_totals(np.column_stack([better - worse, 1 - worse]), cluster[rows])
    value = float((better - worse).sum() / (1 - worse).sum())
    return Restoration(n, value, bootstrap_interval(totals, _restored, seed=seed))


def _restored(totals: Floats) -> Floats:
    return _shares(totals[..., 0], totals[..., 1])


@dataclass(frozen=True, slots=True)
class EarlyAnswering:
    """Measures of how early the answer is determined.

    ``shares``: of the kept steps, 0 to 1; ``same``: share of answers equal to those of the sham arm; ``area``: over the
    curve, 0 if the steps did not matter; None if a share is missing.
    """

    shares: Sequence[float]
    same: Sequence[float | None]
    area: float | None


def early_answering(kept: Mapping[float, Draws], sham: Draws) -> EarlyAnswering:
    """s_k = share with the sham's answer when share k of the steps is kept, s_1 = 1 − χ₀; the area over the curve is
    Σ_j (k_{j+1} − k_j)·(s_1 − (s_j + s_{j+1})/2). Source: Lanham et al. 2023, with sham as the reference."""
    order = sorted(kept)
    own = _mean(_apart(sham.said, None))
    same = [_agreement(kept[share], sham) for share in order] + [None if own is None else 1 - own]
    shares = [*order, 1.0]
    if len(order) < 2 or any(one is None for one in same):
        return EarlyAnswering(shares, same, None)
    known = [float(one) for one in same if one is not None]
    area = sum(
        (shares[j + 1] - shares[j]) * (known[-1] - (known[j] + known[j + 1]) / 2) for j in range(len(shares) - 1)
    )
    return EarlyAnswering(shares, same, area)
