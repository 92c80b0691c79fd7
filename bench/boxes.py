"""Coverage, concentration and IoA of many crops against gold.

Limit: the memory bus, as the time to copy the boxes read and the shares written once; and the IoU of pycocotools, in C,
on the same boxes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.options import Options
from bench.rows import Row, Skipped
from evaluation.metrics.boxes import overlap

REPEATS = 7


def measure(options: Options) -> Iterator[Row | Skipped]:
    count = 10_000 if options.small else 1_000_000
    crops, gold = _boxes(count, 1), _boxes(count, 2)
    ours = _fastest(lambda: overlap(crops, gold))
    copied = _fastest(lambda: [crops.copy(), gold.copy(), *(column.copy() for column in crops.T[:3])])
    rate = f"{ours * 1000:.1f} ms for {count:,} pairs, 88 bytes each, {count * 88 / ours / 1e9:.1f} GB/s"
    yield Row("boxes", "all pairs, in copies of their bytes", ours / copied, "copies", 10, limit=rate)
    one = gold[:1]
    ours = _fastest(lambda: overlap(crops, one))
    try:
        from pycocotools.mask import iou
    except ImportError:
        yield Skipped("boxes", "against pycocotools", "pycocotools is not installed (requirements-test.txt has it)")
        return
    given = _corner_and_size(crops), _corner_and_size(one)
    theirs = _fastest(lambda: iou(*given, [0]))
    note = f"{ours * 1000:.1f} ms for three shares, pycocotools {theirs * 1000:.1f} ms for one"
    yield Row("boxes", "one gold box, share of the time of pycocotools", ours / theirs, "", 1, limit=note)


def _boxes(count: int, seed: int) -> Any:
    corners = np.random.default_rng(seed).uniform(0, 3840, (count, 2, 2))
    return np.concatenate([corners.min(axis=1), corners.max(axis=1) + 1], axis=1)


def _corner_and_size(boxes: Any) -> Any:
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def _fastest(work: Callable[[], object]) -> float:
    """Seconds of the fastest of some repeats: what others do on the machine only ever adds."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)
