"""Crops of runs on a sample, as boxes that its annotator may adopt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.utils.translation import gettext

from annotation.content.suggestions import Suggestion, suggested_by
from annotation.models import Sample
from annotation.schema import Box
from evaluation.common.trajectory.read import Corners, read_last_crops, read_on_sample
from evaluation.metrics.boxes import iou

MOST_RUNS = 40
MOST_SHARE = 0.25
"""A crop with a larger share of the image is not specific enough for a suggestion."""
ALIKE = 0.5
"""From this IoU on, two crops show the same region."""


@suggested_by
def suggest_boxes(sample: Sample) -> list[Suggestion]:
    """Return the last crop of each run, those with the most agreement between runs first. Scripted baselines are
    omitted, because one of them knows the gold. Nothing here depends on gold, and the IoA of a crop is not revealed.
    The number of queries is small and does not grow with the runs.
    """
    trajectories = [one for one in read_on_sample(sample) if not one.run.model.baseline][:MOST_RUNS]
    crops = read_last_crops(trajectories, sample) if trajectories else {}
    found = [(str(one.run), crops[one.pk]) for one in trajectories if one.pk in crops]
    found = [(name, crop) for name, crop in found if _points(crop, sample)]
    counts = _agreeing([crop for _, crop in found])
    ranked = sorted(zip(found, counts, strict=True), key=lambda one: -one[1])
    message = gettext("%(count)s of %(total)s runs here")
    return [
        Suggestion(Box(*crop), name, message % {"count": count, "total": len(found)}) for (name, crop), count in ranked
    ]


def _points(crop: Corners, sample: Sample) -> bool:
    x1, y1, x2, y2 = crop
    whole = (sample.width or 0) * (sample.height or 0)
    return x2 > x1 and y2 > y1 and (not whole or (x2 - x1) * (y2 - y1) <= MOST_SHARE * whole)


def _agreeing(crops: Sequence[Corners]) -> list[int]:
    """Return, for each crop, the number of crops of the same region, including itself."""
    boxes = np.array(crops, np.float64).reshape(-1, 4)
    count = len(boxes)
    pairs = iou(np.repeat(boxes, count, axis=0), np.tile(boxes, (count, 1))).reshape(count, count)
    return [int(row.sum()) for row in pairs >= ALIKE]
