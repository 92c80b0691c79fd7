"""The performance of people on a benchmark, estimated from a stratified sample that several of them answered. Source:
docs/metrics.md#people.

Answers on a sample are averaged first, then the samples of a stratum, then the strata by their share of the benchmark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from annotation.statistics import DRAWS, MIN_CLUSTERS, SEED, Interval, dense_codes, wilson
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.intervals import t_quantile

ENOUGH_PEOPLE = 5
"""With this number of people or more, the interval also covers the selection of people."""
WILSON, OVER_SAMPLES, OVER_BOTH, T = "stratified-wilson", "samples-bootstrap", "people-bootstrap", "stratified-t"
"""The method of an interval."""
FAMILIAR = {"4+": 4, "5": 5}
"""The slices by how familiar the people said they were with the subject of a sample, and the least of each."""
FAMILIARITY = "familiarity"


@dataclass(frozen=True)
class Answers:
    """a answers of people. ``sample``, ``person``: (a,) codes; ``stratum``: (m,) of each sample; ``sizes``: (H,) N_h,
    the samples of the benchmark in each stratum."""

    sample: Ints
    person: Ints
    stratum: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True)
class Estimate:
    """θ and its basis: ``n`` samples, ``people`` and ``answers`` in its population. ``variance``: over samples, None
    where a stratum has one answered sample of several. ``low``, ``high``: the lowest and the highest value of one
    person. ``covered``: share of the benchmark in strata with an answer; the estimate is about these.
    """

    value: float | None = None
    n: int = 0
    people: int = 0
    answers: int = 0
    variance: float | None = None
    n_eff: float | None = None
    interval: Interval | None = None
    low: float | None = None
    high: float | None = None
    covered: float = 0.0


@dataclass(frozen=True)
class _Means:
    """Of the m answered samples: means over people of numerator and denominator, 0 outside the population. Of the H
    strata: ``weight`` W_h, ``size`` n_h, ``count`` N_h."""

    top: Floats
    bottom: Floats
    stratum: Ints
    weight: Floats
    size: Ints
    count: Ints


def estimate(
    answers: Answers,
    numerator: Floats,
    denominator: Floats,
    *,
    rate: bool,
    resampled: Resampled | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate:
    """θ = Σ_h W_h ȳ_h, where ȳ_i is the mean over people on sample i and ȳ_h that over the n_h samples of a stratum.

    Var = Σ_h W_h² (1 − n_h/N_h) s_h² / n_h. ``numerator``, ``denominator``: (a,), of each answer; an answer with both 0
    is not in the population. Where these differ from 1, θ is the ratio Σ_h W_h z̄_h / Σ_h W_h w̄_h of the means of
    both, and s_h² that of (z_i − θ w_i) / Σ_h W_h w̄_h. Strata without an answer are omitted, and the others weighed
    again. Undefined without a population.

    A ``rate`` has Wilson's interval with n_eff = θ(1−θ)/Var; where no stratum has any spread, with 1 / Σ_h v_h²
    (1 − n_h/N_h) / p_h, where p_h of the n_h samples are in the population and v_h = W_h w̄_h / Σ_h W_h w̄_h is the share
    of the stratum in it. From five people on, the interval is a bootstrap over people and samples; with fewer, that of
    other metrics is one over samples. Below 20 samples there is no bootstrap. ``resampled``: of ``resample``, where it
    is known.
    Example: two strata of 60 and 40, answers 1, 0 and 1, 1: θ = .6·.5 + .4·1 = .7; Var = .36·(58/60)·.5/2 = .087.
    """
    inside = (numerator != 0) | (denominator != 0)
    means, value = _means(answers, numerator, denominator), weighted_ratio(answers, numerator, denominator)
    if value is None:
        return Estimate(covered=_covered(answers))
    bottom = _total(means, means.bottom)
    variance = _variance(means, (means.top - value * means.bottom) / bottom)
    people = dense_codes(answers.person[inside])[1]
    n = dense_codes(answers.sample[inside])[1]
    low, high = _range(answers.person[inside], numerator[inside], denominator[inside])
    n_eff = _effective(means, value, variance) if rate else None
    interval: Interval | None
    if n >= MIN_CLUSTERS and (people >= ENOUGH_PEOPLE or not rate) and variance is not None:
        resampled = resampled or resample(answers, draws, seed)
        interval = _bootstrap(answers, numerator, denominator, resampled, both=people >= ENOUGH_PEOPLE)
    elif rate:
        interval = _wilson(value, n_eff, exact=variance == 0 and math.isinf(n_eff or 0))
    else:
        interval = None
    finite = None if n_eff is None or math.isinf(n_eff) else n_eff
    return Estimate(
        value, n, people, int(inside.sum()), variance, finite, interval, low, high, _covered(answers)
    )  # fmt: skip


def weighted_ratio(answers: Answers, numerator: Floats, denominator: Floats) -> float | None:
    """The θ of ``estimate``; None without a population."""
    means = _means(answers, numerator, denominator)
    bottom = _total(means, means.bottom)
    return _total(means, means.top) / bottom if bottom > 0 else None


def paired_difference(
    answers: Answers, right: Floats, model: Floats, *, draws: int = DRAWS, seed: int = SEED
) -> Estimate:
    """People minus a model, on the samples that both answered: the estimate of d_i = ȳ_i − x_i, in −1..1.

    ``right``: (a,), 1 or 0 of each answer. ``model``: (m,), 1, 0, or NaN where the model has no answer. The interval is
    θ ± t·√Var with n − H degrees of freedom; from five people and 20 samples on, the bootstrap over both.
    """
    known = np.isfinite(model[answers.sample])
    kept = Answers(answers.sample[known], answers.person[known], answers.stratum, answers.sizes)
    other = model[kept.sample]
    difference, ones = right[known] - other, np.ones(int(known.sum()))
    found = estimate(kept, difference, ones, rate=False, draws=draws, seed=seed)
    if found.value is None or (found.people >= ENOUGH_PEOPLE and found.interval is not None):
        return found
    strata = dense_codes(answers.stratum[kept.sample])[1]
    degrees = found.n - strata
    interval = None
    if found.variance is not None and degrees > 0:
        reach = t_quantile(0.975, degrees) * math.sqrt(found.variance)
        interval = Interval(max(-1.0, found.value - reach), min(1.0, found.value + reach), T)
    return Estimate(
        found.value, found.n, found.people, found.answers, found.variance, None, interval, found.low, found.high,
        found.covered,
    )  # fmt: skip


def _means(answers: Answers, numerator: Floats, denominator: Floats) -> _Means:
    """Of every sample with an answer; one without an answer in the population has 0 in both."""
    inside = ((numerator != 0) | (denominator != 0)).astype(np.float64)
    m = len(answers.stratum)
    count = np.bincount(answers.sample, weights=inside, minlength=m)
    each = np.maximum(count, 1)
    top = np.bincount(answers.sample, weights=numerator, minlength=m) / each
    bottom = np.bincount(answers.sample, weights=denominator, minlength=m) / each
    there = np.bincount(answers.sample, minlength=m) > 0
    stratum, strata = answers.stratum[there], len(answers.sizes)
    size = np.bincount(stratum, minlength=strata)
    weight = np.where(size > 0, answers.sizes, 0).astype(np.float64)
    return _Means(top[there], bottom[there], stratum, weight / max(weight.sum(), 1), size, answers.sizes)


def _total(means: _Means, values: Floats) -> float:
    """Σ_h W_h times the mean of the values in stratum h."""
    sums = np.bincount(means.stratum, weights=values, minlength=len(means.size))
    return float((means.weight * sums / np.maximum(means.size, 1)).sum())


def _variance(means: _Means, values: Floats) -> float | None:
    """Σ_h W_h² (1 − n_h/N_h) s_h² / n_h; None where an answered stratum of several samples has one."""
    size = np.maximum(means.size, 1)
    if ((means.size == 1) & (means.count > 1)).any():
        return None
    mean = np.bincount(means.stratum, weights=values, minlength=len(size)) / size
    squares = np.bincount(means.stratum, weights=(values - mean[means.stratum]) ** 2, minlength=len(size))
    spread = squares / np.maximum(size - 1, 1)
    return float((means.weight**2 * _unseen(means) * spread / size).sum())


def _unseen(means: _Means) -> Floats:
    """1 − n_h/N_h: the share of each stratum that was not answered."""
    return np.maximum(1 - means.size / np.maximum(means.count, 1), 0.0)


def _effective(means: _Means, value: float, variance: float | None) -> float | None:
    """Return the effective number of samples; infinite if all samples of the benchmark were answered; None if
    undefined.
    """
    if variance is None:
        return None
    if variance > 1e-15 and 0 < value < 1:
        return value * (1 - value) / variance
    strata = len(means.size)
    inside = np.bincount(means.stratum, weights=means.bottom > 0, minlength=strata)
    sums = np.bincount(means.stratum, weights=means.bottom, minlength=strata)
    share = means.weight * sums / np.maximum(means.size, 1)
    alone = float(((share / share.sum()) ** 2 * _unseen(means) / np.maximum(inside, 1)).sum())
    return 1 / alone if alone > 0 else math.inf


def _wilson(value: float, n_eff: float | None, *, exact: bool) -> Interval | None:
    if n_eff is None:
        return None
    if exact:
        return Interval(value, value, WILSON)
    found = wilson(min(value * n_eff, n_eff), n_eff)
    return None if found is None else Interval(found.low, found.high, WILSON, {"n_eff": n_eff})


def _range(person: Ints, numerator: Floats, denominator: Floats) -> tuple[float | None, float | None]:
    """The lowest and the highest value over the answers of one person; None if it is undefined for every person."""
    code, k = dense_codes(person)
    top = np.bincount(code, weights=numerator, minlength=k)
    bottom = np.bincount(code, weights=denominator, minlength=k)
    values = top[bottom > 0] / bottom[bottom > 0]
    return (float(values.min()), float(values.max())) if len(values) else (None, None)


def _covered(answers: Answers) -> float:
    total = float(answers.sizes.sum())
    there = np.unique(answers.stratum[answers.sample])
    return float(answers.sizes[there].sum()) / total if total else 0.0


@dataclass(frozen=True)
class Resampled:
    """The multiplicity of samples (draws, m) and people (draws, k) in each draw of a bootstrap. It depends only on who
    answered which sample, so all metrics of a study share it.
    """

    weights: Floats
    people: Floats
    seed: int


def resample(answers: Answers, draws: int = DRAWS, seed: int = SEED) -> Resampled:
    """Draws of samples within their strata, and of people.

    Samples: n_h − 1 of n_h with replacement, with weights 1 − λ + λ·n_h/(n_h − 1)·(times drawn), λ² = 1 − n_h/N_h (Rao,
    Wu and Yue 1992), so that the variance of a mean is that of ``estimate``. People: k of k with replacement.
    """
    generator = np.random.default_rng(seed)
    nothing = np.zeros(len(answers.sample))
    weights = _sample_weights(_means(answers, nothing, nothing), draws, generator)
    _, k = dense_codes(answers.person)
    return Resampled(weights, generator.multinomial(k, np.full(k, 1 / k), size=draws).astype(np.float64), seed)


def _bootstrap(
    answers: Answers, numerator: Floats, denominator: Floats, resampled: Resampled, *, both: bool
) -> Interval | None:
    """The percentile interval over draws of samples, and with ``both`` of people: an answer counts as often as its
    person was drawn, and a sample without one is omitted of the draw."""
    means = _means(answers, numerator, denominator)
    there, sample = np.unique(answers.sample, return_inverse=True)
    person, k = dense_codes(answers.person)
    draws = len(resampled.weights)
    inside = ((numerator != 0) | (denominator != 0)).astype(np.float64)
    tables = [np.zeros((k, len(there))) for _ in range(4)]
    for table, values in zip(tables, (numerator, denominator, inside, np.ones(len(inside))), strict=True):
        np.add.at(table, (person, sample), values)
    people = resampled.people if both else np.ones((1, k))
    top, bottom, counted, given = (people @ table for table in tables)
    usable = resampled.weights * (given > 0)
    member = np.zeros((len(there), len(means.size)))
    member[np.arange(len(there)), means.stratum] = 1
    size = usable @ member
    share = np.where(size > 0, means.weight, 0) / np.where(size > 0, size, 1)
    each = np.maximum(counted, 1)
    over, under = (((usable * (part / each)) @ member * share).sum(axis=1) for part in (top, bottom))
    defined = under > 0
    if defined.sum() * 2 < draws:
        return None
    low, high = np.quantile(over[defined] / under[defined], [0.025, 0.975])
    detail = {"draws": draws, "seed": resampled.seed, "undefined_draws": int(draws - defined.sum())}
    return Interval(float(low), float(high), OVER_BOTH if both else OVER_SAMPLES, detail)


def _sample_weights(means: _Means, draws: int, generator: np.random.Generator) -> Floats:
    """(draws, m): how much each sample weighs in each draw."""
    weights = np.ones((draws, len(means.stratum)))
    reach = np.sqrt(_unseen(means))
    for stratum, size in enumerate(means.size.tolist()):
        if size > 1:
            places = np.flatnonzero(means.stratum == stratum)
            drawn = generator.multinomial(size - 1, np.full(size, 1 / size), size=draws)
            weights[:, places] = 1 - reach[stratum] + reach[stratum] * size / (size - 1) * drawn
    return weights
