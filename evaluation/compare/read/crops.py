"""The agreement of the crops of two runs, computed from their steps. It takes seconds for large runs, so it is a
separate request.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from annotation.models import Benchmark
from evaluation.metrics.columns import Ints
from evaluation.metrics.crop_agreement import CropAgreement, crop_agreement
from evaluation.metrics.ragged import count_true
from evaluation.metrics.regions import BoxSets
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.scoring.load.columns import LoadedSamples, load_run, load_samples


def read_crop_agreement(benchmark: Benchmark, a: Run, b: Run) -> CropAgreement:
    """Return the agreement of the usable crops of both runs on their common samples. It is cached until one of the
    two is scored again."""
    content = [(run.scoring.pk, run.scoring.computed_at) for run in (a, b)]
    return _kept(benchmark.pk, a.pk, b.pk, *content)


@lru_cache(maxsize=128)
def _kept(benchmark: int, a: int, b: int, *content: Any) -> CropAgreement:
    """``content`` names the computations that the scores of both are of."""
    runs = Run.objects.select_related("scoring").in_bulk([a, b])
    samples = load_samples(Benchmark.objects.get(pk=benchmark))
    settings = MetricSettings.from_mapping(runs[a].scoring.settings)
    (rows_a, crops_a), (rows_b, crops_b) = (_crops(runs[pk], samples, settings) for pk in (a, b))
    shared, first, second = np.intersect1d(rows_a, rows_b, assume_unique=True, return_indices=True)
    return crop_agreement(crops_a.take(first), crops_b.take(second), samples.columns.cluster[shared])


def _crops(run: Run, samples: LoadedSamples, settings: MetricSettings) -> tuple[Ints, BoxSets]:
    """The sample of each trajectory, and its usable crops in pixels of the image that the sample has. Trajectories on
    an image with other pixels are left out."""
    columns = load_run(run, samples).columns
    boxes = score_run(samples.columns, columns, settings).step_crops
    used = ~np.isnan(boxes[:, 0])
    counts = count_true(used, columns.step_start)
    found = BoxSets(boxes[used], np.concatenate([[0], np.cumsum(counts)]))
    # On another image than the samples of the other run: its places say nothing.
    kept = np.flatnonzero(~columns.lost_image) if len(columns.lost_image) else np.arange(len(columns))
    return columns.sample[kept], found.take(kept)
