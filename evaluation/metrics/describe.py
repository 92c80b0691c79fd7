"""Statistics of a benchmark (docs/metrics.md#benchmark-statistics): counts, reference toolchains, evidence sizes, and
counts by facet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from evaluation.metrics.columns import Floats, SampleColumns
from evaluation.metrics.grounding import gold_sets
from evaluation.metrics.regions import union_areas


@dataclass(frozen=True)
class BenchmarkNumbers:
    """The numbers of ``describe_benchmark``.

    Means, medians and extremes are None without values: toolchain numbers over samples with a reference toolchain,
    evidence shares over samples with a known size and valid gold, prompt words over all samples. ``chain_*`` count
    calls. Evidence shares are gold region area / image area, 0..1.
    """

    samples: int
    multiple_choice: int
    open: int
    reference_calls: int
    chain_mean: float | None
    chain_min: int | None
    chain_median: float | None
    chain_max: int | None
    unique_tools_mean: float | None
    prompt_words_mean: float | None
    evidence_share_mean: float | None
    evidence_share_median: float | None
    by: dict[str, dict[str, int]] = field(default_factory=dict)


def describe(samples: SampleColumns) -> BenchmarkNumbers:
    """docs/metrics.md#benchmark-statistics over all samples; a sample counts under each of its values of a facet
    (``segment``)."""
    chains = [chain for chain in samples.references if chain is not None]
    lengths = np.array([len(chain) for chain in chains], float)
    distinct = np.array([len(set(chain)) for chain in chains], float)
    shares = evidence_shares(samples)
    known = shares[np.isfinite(shares)]
    words = samples.prompt_words
    choice = sum(key.multiple_choice for key in samples.answers)
    return BenchmarkNumbers(
        samples=len(samples),
        multiple_choice=choice,
        open=len(samples) - choice,
        reference_calls=int(lengths.sum()),
        chain_mean=_mean(lengths),
        chain_min=int(lengths.min()) if len(lengths) else None,
        chain_median=float(np.median(lengths)) if len(lengths) else None,
        chain_max=int(lengths.max()) if len(lengths) else None,
        unique_tools_mean=_mean(distinct),
        prompt_words_mean=_mean(words.astype(float)) if words is not None else None,
        evidence_share_mean=_mean(known),
        evidence_share_median=float(np.median(known)) if len(known) else None,
        by={name: _counts(values) for name, values in samples.facets.items()},
    )


def evidence_shares(samples: SampleColumns) -> Floats:
    """(m,) area of the union of a sample's gold boxes / area of its image; NaN without a size or valid gold."""
    sets = gold_sets(samples)
    gold = union_areas(sets)
    with np.errstate(invalid="ignore"):
        shares: Floats = np.where(sets.counts > 0, gold / samples.size.prod(axis=1), np.nan)
    return shares


def _counts(values: object) -> dict[str, int]:
    return dict(sorted(Counter(v for several in values for v in several).items()))  # type: ignore[attr-defined]


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
