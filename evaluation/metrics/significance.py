"""Exact tests on paired yes/no results, Holm's adjustment, and what difference could have been seen.

No normal approximation: a p-value of yes/no results is a sum of binomial probabilities; only that of continuous scores
is sampled. Source: docs/metrics.md#interventions, #statistics, #intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.statistics import SEED, Z95, cluster_totals, dense_codes
from evaluation.metrics.columns import Floats, Ints

EXACT = 1000
"""Coins up to which each probability is a quotient of integers, which takes a time that grows with their square."""
Z80 = 0.8416212335729143
"""The 80% point of the normal distribution: the power of the minimum detectable difference."""
FLIPS = 10_000
"""Random signs that a sampled sign flip draws for each cluster."""
SIGNS = 8
"""Signs in a byte of random numbers."""
ROUNDING = 1e-9
"""A sum this share of the largest possible one below what was observed is it but for rounding."""


@dataclass(frozen=True, slots=True)
class SampledTest:
    """A p-value from ``draws`` random draws with ``seed``; None if there is nothing to test."""

    p_value: float | None
    draws: int
    seed: int


def mcnemar(lost: int, gained: int) -> float:
    """Exact two-sided McNemar p: min(1, 2 · Σ_{i<=k} C(m, i) / 2^m) with m = lost + gained, k = min; 1 when m = 0.

    Range 0..1. Raises ``ValueError`` on a negative count. Example: ``mcnemar(6, 1)`` is 0.125.
    """
    if lost < 0 or gained < 0:
        raise ValueError(f"{lost} lost and {gained} gained: counts are needed.")
    m, k = lost + gained, min(lost, gained)
    if m == 2 * k:
        return 1.0
    if m > EXACT:
        return min(1.0, 2 * float(_fair_heads(m)[: k + 1].sum()))
    # The largest term is a correctly rounded quotient of integers; the rest follows by ratios, all of them positive.
    term = math.comb(m, k) / (1 << m)
    total = 0.0
    for i in range(k, -1, -1):
        total += term
        term *= i / (m - i + 1)
        if term < total * 1e-18:
            break
    return min(1.0, 2 * total)


def sign_flip(differences: Ints) -> float:
    """Exact cluster sign-flip p = P(|Σ e_g D_g| >= |Σ D_g|) with fair independent signs e_g = ±1.

    ``differences`` (clusters,) holds the whole numbers D_g = Σ (s_A − s_B) of a cluster. With one sample per cluster
    this is McNemar's exact test. Clusters of equal |D| make a binomial, and the binomials of different |D| are
    convolved directly, the last one only as far as the tail needs it: every term is positive, so no digits cancel.
    Range 0..1; 1 when all D_g are 0.
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    observed = abs(int(differences.sum()))
    if observed == 0:
        return 1.0
    distribution = np.ones(1)
    *others, (last, most) = zip(sizes.tolist(), counts.tolist(), strict=True)
    for size, count in others:
        # Heads of each cluster add 0 or `size`; the sum of the signed values is twice that minus the reach.
        distribution = _convolved(distribution, _fair_heads(count), size)
    end = (int(sizes @ counts) - observed) // 2
    heads = _fair_heads(most)[: end // last + 1]
    below = np.cumsum(distribution)
    left = np.minimum(end - last * np.arange(len(heads)), len(below) - 1)
    return min(1.0, 2 * float(heads @ below[left]))


def sampled_sign_flip(
    differences: Floats, cluster: Ints, *, draws: int = FLIPS, seed: int = SEED, below: bool = False
) -> SampledTest:
    """The cluster sign-flip of continuous scores: p = (1 + hits) / (draws + 1), a hit being a draw of fair independent
    signs e_g with |Σ e_g D_g| >= |Σ D_g|, where D_g sums the ``differences`` (n,) of a cluster. ``below``: one-sided,
    against differences above 0: a hit has Σ e_g D_g <= Σ D_g.

    Of whole numbers it estimates ``sign_flip``, with a standard error of √(p(1 − p) / draws). Range 0..1; None without
    a sample. Same differences, draws and seed give the same answer.
    """
    sums = cluster_totals(differences, cluster)[:, 0]
    if not len(sums):
        return SampledTest(None, draws, seed)
    slack = ROUNDING * float(np.abs(sums).sum())
    if below:
        found = _signed_sums(sums[sums != 0], draws, seed) <= float(sums.sum()) + slack
        return SampledTest((1 + int(found.sum())) / (draws + 1), draws, seed)
    least = abs(float(sums.sum())) - slack
    hits = int((np.abs(_signed_sums(sums[sums != 0], draws, seed)) >= least).sum())
    return SampledTest((1 + hits) / (draws + 1), draws, seed)


def _signed_sums(sums: Floats, draws: int, seed: int) -> Floats:
    """(draws,) Σ ± ``sums`` with random signs. Eight clusters at a time: a random byte chooses among their 256 sums."""
    groups = -(-len(sums) // SIGNS)
    padded = np.zeros(groups * SIGNS)
    padded[: len(sums)] = sums
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    tables = padded.reshape(groups, SIGNS) @ signs.T
    generator, total = np.random.default_rng(seed), np.zeros(draws)
    for table in tables:
        total += table.take(np.frombuffer(generator.bytes(draws), np.uint8))
    return total


def cluster_differences(first: Ints, second: Ints, cluster: Ints) -> Ints:
    """D_g = Σ (first − second) of each cluster: three (n,) arrays, the results 0 or 1, to (clusters,)."""
    codes = dense_codes(cluster)[0]
    sums = np.bincount(codes, weights=(first - second).astype(np.float64))
    return np.rint(sums).astype(np.int64)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p over the comparisons of one view, in the order given; None (undefined) stays, uncounted.

    p sorted ascending, adjusted p_(i) = max over j <= i of min(1, (m − j + 1) p_(j)).
    Example: .01, .04, .03 become .03, .06, .06.
    """
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p))
        adjusted[i] = highest
    return adjusted


def detectable_difference(discordant: float, delta: float, n_eff: float) -> float | None:
    """The smallest true difference seen with 80% power at 5%: (z_.975 + z_.8) · √((d − delta²) / n_eff).

    ``discordant`` d = (b + c) / n, ``delta`` = (b − c) / n; None when ``n_eff`` is not positive.
    Example: d = 0.15, delta = 0, n_eff = 191 gives 0.0785.
    """
    if n_eff <= 0:
        return None
    return (Z95 + Z80) * math.sqrt(max(discordant - delta * delta, 0.0) / n_eff)


@lru_cache(maxsize=512)
def _fair_heads(count: int) -> Floats:
    """P(k heads of ``count`` fair coins), k = 0..count, each a correctly rounded quotient of integers; of more than
    ``EXACT`` coins by ratios from the middle outwards, to some 1e-13 of each."""
    if count > EXACT:
        half = count // 2
        middle = np.prod(1 - 0.5 / np.arange(1, half + 1)) * ((half + 0.5) / (half + 1) if count % 2 else 1.0)
        down = np.arange(half, 0, -1)
        lower = (middle * np.concatenate([[1.0], np.cumprod(down / (count - down + 1))]))[::-1]
        return np.concatenate([lower, lower[: count + 1 - len(lower)][::-1]])
    whole, ways, shares = 1 << count, 1, []
    for k in range(count // 2 + 1):
        shares.append(ways / whole)
        ways = ways * (count - k) // (k + 1)
    return np.array(shares + shares[: count + 1 - len(shares)][::-1])


def _convolved(distribution: Floats, heads: Floats, size: int) -> Floats:
    """The distribution of X + size · H for independent X, H on the whole numbers from 0."""
    if size == 1:
        return np.convolve(distribution, heads)
    result = np.zeros(len(distribution) + size * (len(heads) - 1))
    # One residue of X modulo `size` at a time: within it the step of H is one place.
    for start in range(min(size, len(distribution))):
        part = np.convolve(distribution[start::size], heads)
        result[start::size][: len(part)] += part
    return result
