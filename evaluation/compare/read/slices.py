"""The slices in which two runs differ most, over the facets of their common samples. Three queries, and one for each
run that was not read since it was scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.common.compared import compared_samples
from evaluation.compare.read.runs import facet_masks
from evaluation.metrics.columns import TRUE
from evaluation.metrics.comparison import Comparison, common_rows, compare
from evaluation.metrics.families import SLICES
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slice_finder import LEAST, Term, find_slices
from evaluation.models import Run
from evaluation.store.results import load_results
from webapp.common.errors import InvalidInput

SHOWN, MOST_SHOWN = 12, 40
"""The number of slices shown, and the maximum number if more are significant."""


@dataclass(frozen=True)
class SliceContrast:
    """One slice. ``terms``: one value, or two of different facets; p in ``found`` is adjusted over all
    tested slices.
    """

    terms: Sequence[Term]
    found: Comparison


@dataclass(frozen=True)
class FoundSlices:
    """``tested``: number of slices; ``apart``: number of slices with a significant difference, by Holm at 5%;
    ``left_out``: values tested alone only; ``clustered``: samples share images, so p is that of the sign-flip test over
    images.
    """

    slices: Sequence[SliceContrast]
    tested: int
    apart: int
    left_out: int
    clustered: bool
    least: int


def find_largest_differences(benchmark: Benchmark, a: Run, b: Run, *, least: int) -> FoundSlices:
    """Compare run b with run a, both scored. Raises ``ValueError`` for ``least`` below 1."""
    settings = MetricSettings.from_mapping(a.scoring.settings)
    samples = compared_samples(benchmark)
    first, second = (load_results(run).on(samples.pks) for run in (a, b))
    pairing = common_rows(first, second, settings)
    rows = first.sample[pairing.first]
    masks = {(name, value): mask for name, of in facet_masks(benchmark, samples).items() for value, mask in of.items()}
    members = np.column_stack([mask[rows] for mask in masks.values()]) if masks else np.zeros((len(rows), 0), np.bool_)
    right_a = (first.correct[pairing.first] == TRUE).astype(np.int64)
    right_b = (second.correct[pairing.second] == TRUE).astype(np.int64)
    cluster = samples.cluster[rows]
    search = find_slices(right_a, right_b, cluster, list(masks), members, least=least)
    apart = sum(one.p_holm < 0.05 for one in search.slices)
    shown = []
    for one in search.slices[: min(max(SHOWN, apart), MOST_SHOWN)]:
        only = np.logical_and.reduce([masks[term] for term in one.terms])
        compared = compare(samples, first, second, settings, only=only)
        shown.append(
            SliceContrast(
                one.terms, replace(compared, p_holm=one.p_holm, p_family=SLICES, p_family_size=len(search.slices))
            )
        )
    clustered = len(np.unique(cluster)) < len(cluster)
    return FoundSlices(shown, len(search.slices), apart, search.left_out, clustered, least)


def minimum_size(text: str) -> int:
    """Return the minimum number of samples of a slice in a URL. Raises ``InvalidInput``."""
    if not text:
        return LEAST
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text)):
        raise InvalidInput(gettext("The minimum must be a whole number of at least 1."), field="least")
    return int(text)
