"""Whether two runs looked at the same places: the IoU of the unions of their crops, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.intervals import Interval, mean_interval
from evaluation.metrics.ragged import rows_of, starts_of
from evaluation.metrics.regions import BoxSets, union_areas


@dataclass(frozen=True, slots=True)
class CropAgreement:
    """Mean IoU of the unions over the ``n`` common samples on which both runs have a usable crop.

    ``value`` is None without such a sample; the interval is the clustered t, None with fewer than two clusters.
    """

    value: float | None
    n: int
    interval: Interval | None


def union_ious(first: BoxSets, second: BoxSets) -> Floats:
    """|A ∩ B| / |A ∪ B| of the regions A, B that the boxes of a row cover together: (n,), 0..1.

    The common area is |A| + |B| − |A ∪ B|, all three exact. NaN where either region is empty.
    Example: [0 0 10 10] and [5 0 15 10] give 1/3.
    """
    areas = union_areas(first), union_areas(second)
    whole = union_areas(_joined(first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.clip((areas[0] + areas[1] - whole) / whole, 0.0, 1.0)
    return np.where((areas[0] > 0) & (areas[1] > 0), shares, np.nan)


def crop_agreement(first: BoxSets, second: BoxSets, cluster: Ints) -> CropAgreement:
    """Return the agreement of the crops of two runs. Row ``i`` of all three is the same sample; ``cluster``: (n,)."""
    found = union_ious(first, second)
    known = ~np.isnan(found)
    shares = found[known]
    if not len(shares):
        return CropAgreement(None, 0, None)
    interval = mean_interval(shares, cluster[known], least=0.0, most=1.0)
    return CropAgreement(float(shares.mean()), len(shares), interval)


def _joined(first: BoxSets, second: BoxSets) -> BoxSets:
    """The boxes of both in each row."""
    row = np.concatenate([rows_of(first.start), rows_of(second.start)])
    boxes = np.concatenate([first.boxes, second.boxes])
    return BoxSets(boxes[np.argsort(row, kind="stable")], starts_of(first.counts + second.counts))
